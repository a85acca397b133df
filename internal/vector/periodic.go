package vector

import "math"

// A PeriodicDetours is detours of one length, of which each rank has one every period: those of
// rank i begin at first[i], first[i]+Period, and so on.
type PeriodicDetours struct {
	Period, Length float64
	margin         float64 // by how much gaps are taken to be shorter at both ends
	gap            float64 // between detours
	// How far in a detour one is still inside, for rounding: at its end, where it has been waited for, one is not.
	inside float64
	// One divided by a period and by a gap. Kernels read these seven.
	perPeriod, perGap float64
}

// NewPeriodicDetours returns a train: 0 ≤ length < period.
func NewPeriodicDetours(period, length float64) PeriodicDetours {
	return PeriodicDetours{period, length, 1e-5 * period, period - length, length - 1e-9*period, 1 / period, 1 / (period - length)}
}

// Gap is how long before its gap's end a number may be for [Advance] to look at the end
// alone. The margins are so wide that rounding never has a time in a gap that is not.
func (d *PeriodicDetours) Gap() float64 { return d.gap - 2*d.margin }

// farthestGap is how many gaps on one still has an end that rounding leaves in the margin.
const farthestGap = 1e10

// Work is when a rank has done work that it may begin at a time: where that is in a detour it begins at its end, and each
// detour that begins before the work is done makes it longer. It sets gapEnd to the end of the gap in which
// that is, a little early, for [Advance].
func (d *PeriodicDetours) Work(start, work, first float64, gapEnd *float64) float64 {
	offset := start - first
	gap := math.Floor(offset * d.perPeriod)
	since := offset - float64(d.Period*gap)
	if since >= d.Period { // for rounding
		gap++
		since -= d.Period
	}
	if since < 0 {
		gap--
		since += d.Period
	}
	until := -offset
	if offset < 0 { // before the first detour
		gap = -1
	} else {
		if since < d.inside {
			start += d.Length - since
			since = d.Length
		}
		until = d.Period - since
	}
	gap++
	start += work
	if further := work - until; further > 0 {
		detours := math.Ceil(further * d.perGap)
		switch done := float64(detours * d.gap); { // for rounding
		case done < further:
			detours++
		case done-d.gap >= further:
			detours--
		}
		start += float64(detours * d.Length)
		gap += detours
	}
	switch {
	case gap <= 0:
		*gapEnd = first
	case gap <= farthestGap:
		*gapEnd = first + float64(gap*d.Period) - d.margin
	}
	return start
}

// Gaps are those between the detours of ranks.
type Gaps struct {
	PeriodicDetours
	First []float64 // when the first detour of each begins, where that is known
	// End is until when work that does not begin before the last is not preempted; it is infinite
	// for ranks whose first detour is not known.
	End   []float64
	Known float64 // up to when first detours are known
}
