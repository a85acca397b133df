package vector

import "math"

// PeriodicDetours are detours of one length [s], one every period [s]: on rank i they begin at
// first[i], first[i]+Period, and so on.
type PeriodicDetours struct {
	Period, Length float64
	margin         float64 // by which gaps are taken to be shorter, at both ends
	gap            float64 // between detours
	// Up to inside from its beginning a time counts as inside a detour: a little less than
	// Length, so that rounding does not put the end of a detour inside it.
	inside            float64
	perPeriod, perGap float64 // 1/Period and 1/gap; kernels read all seven numbers
}

// NewPeriodicDetours returns detours with 0 ≤ length < period.
func NewPeriodicDetours(period, length float64) PeriodicDetours {
	return PeriodicDetours{
		Period: period, Length: length,
		margin: 1e-5 * period, gap: period - length, inside: length - 1e-9*period,
		perPeriod: 1 / period, perGap: 1 / (period - length),
	}
}

// Gap returns the width [s] for [Advance]: a time that is at most so far before the end of a gap
// is inside that gap. The margins are so wide that rounding cannot make this wrong.
func (d *PeriodicDetours) Gap() float64 { return d.gap - 2*d.margin }

// farthestGap is the number of the last gap whose end is known to within the margin, in spite
// of rounding.
const farthestGap = 1e10

// Work returns when work [s] is done that may begin at start [s]: inside a detour it begins at
// the detour's end, and each detour that begins before the work is done makes it longer. It sets
// gapEnd to the end of the gap in which the work is done, minus a margin, for [Advance].
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

// Gaps are the gaps between the detours of ranks.
type Gaps struct {
	PeriodicDetours
	First []float64 // when the first detour of each rank begins, where that is known [s]
	// End is the end [s] of the gap that each rank was last in: work that begins no earlier
	// than the rank's last, and ends before it, is not preempted. It is infinite for ranks whose
	// first detour is not known.
	End []float64
}

// WorkEach replaces each t[i], the time [s] at which rank lo+i may begin to work for work[i] [s],
// by the time at which that is done, as [PeriodicDetours.Work] does. Work of a rank that stays in
// the gap that is known costs two comparisons.
func (g *Gaps) WorkEach(lo int, t, work []float64) {
	first, gapEnd, width := g.First[lo:][:len(t)], g.End[lo:][:len(t)], g.Gap()
	work = work[:len(t)]
	for i, begin := range t {
		end := begin + work[i]
		if limit := gapEnd[i]; end < limit && (begin >= limit-width || limit > math.MaxFloat64) {
			t[i] = end
			continue
		}
		t[i] = g.Work(begin, work[i], first[i], &gapEnd[i])
	}
}
