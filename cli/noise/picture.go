package noise

import (
	"fmt"
	"math"
	"slices"

	"jitterfly/internal/rng"
	"jitterfly/noise"
	"jitterfly/noise/profile"
)

// A picture compares the distribution of measured times with a profile's.
type picture struct {
	title string
	bins  []bin
	drawn bool // whether there is one of the profile
}

// A bin has shares of the times [s] from one bound up to but not including the other.
type bin struct{ from, to, measured, drawn float64 }

// weighted are times [s] and how often each was seen.
type weighted struct{ times, counts []float64 }

func once(times []float64) weighted {
	return weighted{times, slices.Repeat([]float64{1}, len(times))}
}

// mostBins is how many bins a picture has at most.
const mostBins = 16

// newPicture returns a picture of times above 0. Bins end at 1, 2 and 5 times powers of
// ten; beyond mostBins the lowest are merged. Without times it has no bins.
func newPicture(title string, measured, drawn weighted) picture {
	p := picture{title: title, drawn: len(drawn.times) > 0}
	low, high := math.Inf(1), 0.0
	for _, w := range []weighted{measured, drawn} {
		for i, t := range w.times {
			if t > 0 && w.counts[i] > 0 {
				low, high = min(low, t), max(high, t)
			}
		}
	}
	if high == 0 {
		return p
	}
	// The logarithm of a time just below a power of ten is rounded up to it.
	for e := math.Floor(math.Log10(low)) - 1; math.Pow(10, e) <= high; e++ {
		one := math.Pow(10, e)
		ends := []float64{one, 2 * one, 5 * one, math.Pow(10, e+1)}
		for i, from := range ends[:3] {
			b := bin{from: from, to: ends[i+1]}
			if b.to > low && b.from <= high {
				p.bins = append(p.bins, b)
			}
		}
	}
	if n := len(p.bins) - mostBins; n > 0 {
		p.bins[n].from = p.bins[0].from
		p.bins = p.bins[n:]
	}
	p.count(measured, func(b *bin) *float64 { return &b.measured })
	p.count(drawn, func(b *bin) *float64 { return &b.drawn })
	return p
}

// count sets the shares of the bins.
func (p *picture) count(w weighted, of func(*bin) *float64) {
	sum := 0.0
	for i, t := range w.times {
		if t > 0 {
			sum += w.counts[i]
		}
	}
	for i, t := range w.times {
		at := len(p.bins) - 1
		for at > 0 && t < p.bins[at].from {
			at--
		}
		if t > 0 {
			*of(&p.bins[at]) += w.counts[i] / sum
		}
	}
}

// pictures returns the pictures of the lengths and the gaps of detours, of delays, and of the times
// of messages beyond the least; it leaves out what the profile lacks.
func (im *importer) pictures(p profile.Profile) []picture {
	var all []picture
	switch {
	case len(im.trace.Cores) > 0:
		lengths, drawn := im.trace.Lengths(), drawTrace(p, im.trace)
		if len(lengths) > 0 {
			title := fmt.Sprintf("Lengths of %d detours", len(lengths))
			all = append(all, newPicture(title, once(lengths), once(drawn.Lengths())),
				newPicture("Gaps from one beginning to the next", once(gaps(im.trace)), once(gaps(drawn))))
		}
	case len(im.detours.Values) > 0:
		all = append(all, newPicture("Lengths of detours",
			weighted{im.detours.Values, im.detours.Counts}, lengthsOf(p)))
	case len(im.delays.Values) > 0:
		all = append(all, newPicture("Delays of "+string(im.delays.stage)+" beyond the least",
			weighted{im.delays.Values, im.delays.Counts}, lengthsOf(p)))
	}
	if n := p.Network.Noise; n != nil {
		all = append(all, newPicture("Times of messages beyond the least", grid(n.Duration), weighted{}))
	}
	return slices.DeleteFunc(all, func(p picture) bool { return len(p.bins) == 0 })
}

// gaps returns the times from one detour's beginning to the next one's, on the same core.
func gaps(t noise.Trace) []float64 {
	var all []float64
	for _, c := range t.Cores {
		for i, d := range c.Detours[min(1, len(c.Detours)):] {
			all = append(all, d.Start-c.Detours[i].Start)
		}
	}
	return all
}

// grid returns lengths of a distribution at evenly spaced shares.
func grid(l noise.Length) weighted {
	const n = 10000
	lengths := make([]float64, n)
	for i := range lengths {
		lengths[i] = l.Quantile((float64(i) + 0.5) / n)
	}
	return once(lengths)
}

// lengthsOf returns the lengths of a profile of one component.
func lengthsOf(p profile.Profile) weighted {
	if len(p.OS) == 0 {
		return weighted{}
	}
	return grid(p.OS[0].Duration)
}

// drawTrace returns a trace of a core with the components of the profile, for as long as the given
// one, though with a bounded number of detours.
func drawTrace(p profile.Profile, like noise.Trace) noise.Trace {
	const most = 2e5
	span := 0.0
	for _, c := range like.Cores {
		span += c.Span
	}
	if rate := p.Rate(); rate*span > most {
		span = most / rate
	}
	core, _, err := noise.NewCore(0, span, p.Draw(rng.NewKey(1, "check"), span))
	if err != nil { // they leave no time between them
		return noise.Trace{}
	}
	return noise.Trace{Cores: []noise.Core{core}}
}
