package noise

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// A Detour is a time in which a core was taken away, from Start, counted from the
// beginning of the measurement, for Length.
type Detour struct{ Start, Length float64 }

// End returns the time at which the detour ends.
func (d Detour) End() float64 { return d.Start + d.Length }

// A Core is what was seen of one core, in one run. Its detours are in the order of
// their starts, do not overlap, and lie within the span.
type Core struct {
	ID      int
	Span    float64 // how long it was watched
	Detours []Detour
}

// A Trace is what was seen of one or more cores. Several runs on one core are
// several entries.
type Trace struct {
	Cores []Core
	// Resolution is the length below which detours were not seen; 0 if that is
	// not known.
	Resolution float64
}

// A Cause is what causes a part of a machine's noise, such as a timer's interrupt or the threads of
// one kind, with that part on all cores that were watched.
type Cause struct {
	Name string
	Trace
}

// NewCore returns a core that was watched for span seconds, with the detours in
// order. Detours that overlap or touch become one, which lasts as long as both
// together: noise that arrives during other noise waits for its end. If that takes
// the last one beyond the span, the span becomes longer. NewCore also returns the
// number of detours that were merged into others. It fails if a time is negative,
// infinite or not a number, and if the detours leave no time between them.
func NewCore(id int, span float64, detours []Detour) (Core, int, error) {
	for i, d := range detours {
		if !(d.Start >= 0 && d.Length >= 0 && d.End() <= math.MaxFloat64) {
			return Core{}, 0, fmt.Errorf(
				"detour %d starts at %g s and lasts %g s, which no measurement gives", i+1, d.Start,
				d.Length)
		}
	}
	detours = slices.Clone(detours)
	slices.SortStableFunc(detours, func(a, b Detour) int { return cmp.Compare(a.Start, b.Start) })
	kept := detours[:0]
	for _, d := range detours {
		if last := len(kept) - 1; last >= 0 && d.Start <= kept[last].End() {
			kept[last].Length += d.Length
			continue
		}
		kept = append(kept, d)
	}
	if n := len(kept); n > 0 {
		span = max(span, kept[n-1].End())
	}
	c := Core{ID: id, Span: span, Detours: kept}
	if !(span > 0 && span <= math.MaxFloat64) {
		return Core{}, 0, fmt.Errorf("core %d was watched for %g s", id, span)
	}
	if c.Overhead() >= 1 {
		return Core{}, 0, fmt.Errorf(
			"core %d has noise for all of its %g s; nothing could run there", id, span)
	}
	return c, len(detours) - len(kept), nil
}

// Overhead returns the share of the span that the detours take.
func (c Core) Overhead() float64 {
	sum := 0.0
	for _, d := range c.Detours {
		sum += d.Length
	}
	return sum / c.Span
}

// Overhead returns the share of all spans together that the detours take.
func (t Trace) Overhead() float64 {
	busy, span := 0.0, 0.0
	for _, c := range t.Cores {
		busy += c.Overhead() * c.Span
		span += c.Span
	}
	return busy / span
}

// Rate returns the number of detours of a core in a second.
func (t Trace) Rate() float64 {
	n, span := 0, 0.0
	for _, c := range t.Cores {
		n += len(c.Detours)
		span += c.Span
	}
	return float64(n) / span
}

// Lengths returns the lengths of all detours, in ascending order.
func (t Trace) Lengths() []float64 {
	var lengths []float64
	for _, c := range t.Cores {
		for _, d := range c.Detours {
			lengths = append(lengths, d.Length)
		}
	}
	slices.Sort(lengths)
	return lengths
}

// Join returns the sources of several measurements, the same names together. Where one has a
// source that another has not, the cores of that other had none of its detours.
func Join(measurements ...[]Cause) []Cause {
	var all []Cause
	for _, one := range measurements {
		for _, s := range one {
			same := func(t Cause) bool { return t.Name == s.Name }
			if slices.ContainsFunc(all, same) {
				continue
			}
			joined := Cause{Name: s.Name}
			for _, other := range measurements {
				if len(other) == 0 {
					continue
				}
				part := slices.IndexFunc(other, same)
				for _, c := range other[max(0, part)].Cores {
					if part < 0 {
						c.Detours = nil
					}
					joined.Cores = append(joined.Cores, c)
				}
			}
			all = append(all, joined)
		}
	}
	return all
}
