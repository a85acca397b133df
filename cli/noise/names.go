package noise

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"jitterfly/noise/measured"
	"jitterfly/noise/measured/formats"
	"jitterfly/noise/profile"
)

// A component gets the name of a cause whose rate is within matching of its own, if that was
// counted leastCounts times: the rate of fewer counts without memory is off by more than that.
const (
	matching    = 0.1
	leastCounts = 100
)

// likely marks a name that a component has since a cause is as frequent.
const likely = " (likely)"

// events are the kinds of events of the kernel's tracer that the counters count.
var events = map[measured.Counter]string{
	measured.Interrupts: "irq_noise", measured.Softirqs: "softirq_noise", measured.Threads: "thread_noise",
}

// nameComponents gives each component the name of the cause that is as frequent, and returns what
// it was matched with; "" without a match. Interrupts go before threads, these before softirqs,
// which begin in interrupts, and all before the count of all threads together.
func nameComponents(p *profile.Profile, causes []measured.Cause) string {
	n := naming{components: p.OS, causes: bySource(causes), named: map[int]bool{}}
	n.match(measured.Interrupts)
	n.match(measured.Threads)
	n.woken()
	n.match(measured.Interrupts)
	n.match(measured.Softirqs)
	n.match(measured.Schedules)
	return strings.Join(n.matched, ", ")
}

// bySource returns causes with names as sources of imported events have them, and adds up the rates
// of causes with one name.
func bySource(causes []measured.Cause) (all []measured.Cause) {
	for _, c := range causes {
		if event, ok := events[c.Counter]; ok {
			c.Name = formats.SourceName(event, c.Name)
		}
		c.Rates = slices.Clone(c.Rates)
		i := slices.IndexFunc(all, func(o measured.Cause) bool {
			return o.Counter == c.Counter && o.Name == c.Name
		})
		if i < 0 {
			all = append(all, c)
			continue
		}
		all[i].Counts = max(all[i].Counts, c.Counts)
		for core := range c.Rates {
			all[i].Rates[core] += c.Rates[core]
		}
	}
	return all
}

// A naming matches components with causes by their rates.
type naming struct {
	components []profile.Component
	causes     []measured.Cause
	named      map[int]bool // causes that have a component
	matched    []string
}

// match names components that have no name after causes of a counter, the closest rates first.
func (n *naming) match(counter measured.Counter) {
	type pair struct {
		component, cause int
		rate, off        float64
	}
	var pairs []pair
	for i, component := range n.components {
		if component.Name != "" {
			continue
		}
		for j, cause := range n.causes {
			if cause.Counter != counter || cause.Counts < leastCounts {
				continue
			}
			if rate, off := deviation(component, cause.Rates); off <= matching {
				pairs = append(pairs, pair{i, j, rate, off})
			}
		}
	}
	slices.SortStableFunc(pairs, func(a, b pair) int { return cmp.Compare(a.off, b.off) })
	for _, p := range pairs {
		component, cause := &n.components[p.component], n.causes[p.cause]
		if component.Name != "" || n.named[p.cause] {
			continue
		}
		component.Name = cause.Name + likely
		n.named[p.cause] = true
		n.matched = append(n.matched, fmt.Sprintf("%s %.4g/s by %s", cause.Name, p.rate, counter))
	}
}

// woken subtracts the rates of named threads from the rates of timers: their timer's interrupt is
// in the detour of the thread that it wakes.
func (n *naming) woken() {
	for i := range n.causes {
		timer := &n.causes[i]
		if timer.Counter != measured.Interrupts || !strings.Contains(timer.Name, "timer") {
			continue
		}
		for j, thread := range n.causes {
			for core := range timer.Rates {
				if n.named[j] && thread.Counter == measured.Threads {
					timer.Rates[core] -= thread.Rates[core]
				}
			}
		}
	}
}

// deviation returns the rate of a cause that is closest to the component's, and its relative
// difference from that: a period belongs to each core that has it, and the rate of a Poisson
// component is the mean over all cores. It is infinite if the component has no rate.
func deviation(c profile.Component, rates []float64) (rate, off float64) {
	off = math.Inf(1)
	var interval float64
	switch c.Kind {
	case profile.Periodic:
		interval = c.Period
	case profile.Poisson:
		interval, rates = c.Interval, []float64{stat.Mean(rates, nil)}
	}
	for _, r := range rates {
		if d := math.Abs(r*interval - 1); interval > 0 && d < off {
			rate, off = r, d
		}
	}
	return rate, off
}
