package trace

import (
	"cmp"
	"math"
	"runtime"
	"slices"
	"sync"
)

// A Period is noise that recurs after equal times.
type Period struct {
	Period   float64 // in seconds
	Present  float64 // share of the periods that have it, on the cores where it was found
	Length   float64 // median, in seconds
	Overhead float64 // share of the spans of all cores that it takes
	Chance   float64 // that detours at random show one as strong: below [Significance]
	Cores    int     // entries of the trace where it was found
}

// Significance is the bound of the chance of a period: the probability, for each core
// and octave of lengths, that a trace without periods shows one nevertheless.
const Significance = 1e-3

const (
	fewest   = 8       // periods with a detour that are needed
	most     = 1 << 13 // detours that are analysed, the first ones
	sparsest = 8       // a period of which fewer than one in so many are present is not seen
	layers   = 4       // periods of one class of lengths, at most
)

// Periods returns the periodic parts of the noise, those that take the largest share
// of the time first.
//
// It analyses the detours of each core and each octave of lengths separately. Their
// starts have the spectrum |Σ exp(2πi f t)|²/n, which is exponentially distributed
// with mean 1 if they are random. The strongest
// frequencies are tested with their harmonics, see [strongest]; the detours at
// the phase of what is found are then removed, and the others analysed again. What
// has the same period on other cores, or at other lengths, becomes one. The part of a
// period that is in an octave in which it is too rare to be found is missing.
func (t Trace) Periods() []Period {
	found := make([][]train, len(t.Cores))
	var wait sync.WaitGroup
	free := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i, c := range t.Cores {
		wait.Go(func() {
			free <- struct{}{}
			found[i] = c.trains()
			<-free
		})
	}
	wait.Wait()
	span := 0.0
	var all []train
	for i, c := range t.Cores {
		span += c.Span
		for _, one := range found[i] {
			one.core = i
			all = append(all, one)
		}
	}
	slices.SortStableFunc(all, func(a,
		b train) int {
		return cmp.Compare(a.frequency, b.frequency)
	})
	var periods []Period
	for len(all) > 0 {
		n := 1
		for n < len(all) && all[n].frequency-all[n-1].frequency < max(all[n].blur, all[n-1].blur) {
			n++
		}
		periods = append(periods, t.merge(all[:n], span))
		all = all[n:]
	}
	slices.SortStableFunc(periods, func(a,
		b Period) int {
		return cmp.Compare(b.Overhead, a.Overhead)
	})
	return periods
}

// A train is the detours of one core that recur at one frequency.
type train struct {
	core            int
	frequency, blur float64 // in Hz; frequencies closer than the blur are the same
	rate            float64 // of periods that have one, in Hz
	overhead        float64
	lengths         []float64
	chance          float64
}

// newTrain returns the train of detours at one phase, of which a share is not there by
// chance. Several in one period, as bursts have, count once.
func newTrain(detours []Detour, frequency, share, span float64) train {
	t := train{frequency: frequency, blur: 1 / span}
	last := math.Inf(-1)
	for _, d := range detours {
		t.lengths = append(t.lengths, d.Length)
		t.overhead += share * d.Length / span
		if d.Start-last > 0.5/frequency {
			t.rate += share / span
			last = d.Start
		}
	}
	return t
}

// merge returns the period of trains of one frequency.
func (t Trace) merge(trains []train, span float64) Period {
	p := Period{Chance: math.Inf(1)}
	cores := map[int]bool{}
	weight, total := 0.0, 0.0
	var lengths []float64
	for _, one := range trains {
		cores[one.core] = true
		weight += one.rate
		total += one.rate * one.frequency
		p.Overhead += one.overhead * t.Cores[one.core].Span / span
		p.Chance = min(p.Chance, one.chance)
		lengths = append(lengths, one.lengths...)
	}
	frequency := total / weight
	slices.Sort(lengths)
	p.Period, p.Length, p.Cores = 1/frequency, quantile(lengths, 0.5), len(cores)
	p.Present = min(1, weight/frequency/float64(len(cores)))
	return p
}

// trains returns the trains of one core.
func (c Core) trains() []train {
	classes := map[int][]Detour{}
	for _, d := range c.Detours {
		_, octave := math.Frexp(d.Length)
		classes[octave] = append(classes[octave], d)
	}
	var found []train
	for _, octave := range sortedKeys(classes) {
		class, span := classes[octave], c.Span
		if len(class) > most {
			span = class[most].Start
			class = class[:most]
		}
		for range layers {
			if len(class) < fewest {
				break
			}
			f, chance := strongest(class, span)
			if chance >= Significance {
				break
			}
			in, out, share := pulse(class, f)
			one := newTrain(in, f, share, span)
			if one.rate*span < fewest || one.rate < f/sparsest {
				break
			}
			one.chance = chance
			found = append(found, one)
			class = out
		}
	}
	return found
}

func sortedKeys(m map[int][]Detour) []int {
	keys := make([]int, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// pulse divides detours into those near the phase at which most are, and the others.
// share is the share of the first that is not there by chance.
func pulse(detours []Detour, frequency float64) (in, out []Detour, share float64) {
	n := len(detours)
	phases := make([]float64, n, 2*n)
	for i, d := range detours {
		phases[i] = phase(d.Start, frequency)
	}
	slices.Sort(phases)
	for _, p := range phases[:n] {
		phases = append(phases, p+1)
	}
	best, from, width := math.Inf(-1), 0.0, 0.0
	for w := 1. / 128; w <= 0.25; w *= 2 {
		expected := w * float64(n)
		for i, j := 0, 0; i < n; i++ {
			for j < i+n && phases[j] <= phases[i]+w {
				j++
			}
			if excess := (float64(j-i) - expected) / math.Sqrt(expected); excess > best {
				best, from, width = excess, phases[i], w
			}
		}
	}
	for _, d := range detours {
		after := phase(d.Start, frequency) - from
		if after < 0 {
			after++
		}
		if after <= width {
			in = append(in, d)
		} else {
			out = append(out, d)
		}
	}
	byChance := float64(len(out)) * width / (1 - width)
	return in, out, max(0, 1-byChance/float64(len(in)))
}

// phase returns the part of a period that has passed at a time, from 0 to 1.
func phase(t, frequency float64) float64 {
	_, part := math.Modf(t * frequency)
	return part
}
