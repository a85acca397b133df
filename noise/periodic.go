package noise

import (
	"math"
	"slices"

	"jitterfly/internal/rng"
)

// Launch says what the operating system does when the collective begins.
type Launch int

const (
	// Quiet launches when no rank is inside a detour (paper 003, 4.1.3 A).
	Quiet Launch = iota
	// Stationary launches at a moment that has nothing to do with the
	// detours: a rank is inside one with probability Duration/Period.
	Stationary
)

// Periodic is OS jitter that strikes every rank with the same period and
// length, at a phase of the rank's own (Matsumoto and Suda, 4.1.3 A): the
// detours of rank r are
//
//	[first_r + i·Period, first_r + i·Period + Duration)   i = 0, 1, 2, …
//
// with first_r uniform in [0, Period) at a quiet launch, and uniform in
// [−Duration, Period−Duration) at a stationary one: a detour that began at
// most Duration before the launch is still going on.
//
// With Shared, ranks 0 … Shared−1 have one phase, the next as many another, and so
// on: what stops a whole node stops all of its ranks.
//
// It needs 0 ≤ Duration < Period.
type Periodic struct {
	Period, Duration float64
	Launch           Launch
	Shared           int // ranks of one phase; 0 is 1
}

// Hit implements [OS].
func (p Periodic) Hit() float64 { return p.Duration }

// Detours implements [OS].
func (p Periodic) Detours(room []float64) Detours {
	return &periodicDetours{Periodic: p, first: room, stream: rng.New(rng.Key{})}
}

type periodicDetours struct {
	Periodic
	first  []float64 // beginning of each rank's first detour
	stream rng.Stream
}

func (d *periodicDetours) Draw(trial rng.Key) {
	key := trial.Derive(osChild)
	origin := 0.0
	if d.Launch == Stationary {
		origin = -d.Duration
	}
	shared := max(1, d.Shared)
	phases := d.first[:(len(d.first)-1)/shared+1]
	for lo := 0; lo < len(phases); lo += Block {
		d.stream.Reset(key.Derive(uint64(lo / Block)))
		block := phases[lo:min(lo+Block, len(phases))]
		for i := range block {
			block[i] = origin + float64(d.Period*d.stream.Uniform())
		}
	}
	if shared > 1 {
		d.share(phases, shared)
	}
}

// share gives each of the phases, which are where the first ranks' will be, to
// its ranks: the last first, so that none is lost.
func (d *periodicDetours) share(phases []float64, shared int) {
	for node, phase := range slices.Backward(phases) {
		ranks := d.first[node*shared:]
		for i := range ranks[:min(shared, len(ranks))] {
			ranks[i] = phase
		}
	}
}

// Finish implements [Detours]. In most trials most work is done before the
// rank's first detour begins, so that case stands alone in the loop.
func (d *periodicDetours) Finish(lo int, t []float64, work float64) {
	first := d.first[lo : lo+len(t)]
	for i, start := range t {
		end := start + work
		if end >= first[i] {
			end = d.finish(first[i], start, work)
		}
		t[i] = end
	}
}

// finish is the preemption rule for detours at first, first+Period, …, without
// iterating: with the work that is left when a detour ends, each further
// period gets Period−Duration of it done.
func (d *periodicDetours) finish(first, start, work float64) float64 {
	untilNext := first - start
	if untilNext <= 0 { // the first detour has begun
		into := -untilNext - float64(d.Period*math.Floor(-untilNext/d.Period))
		if into < d.Duration {
			start += d.Duration - into
			into = d.Duration
		}
		untilNext = d.Period - into
	}
	if work <= untilNext {
		return start + work
	}
	detours := math.Ceil((work - untilNext) / (d.Period - d.Duration))
	return start + work + float64(detours*d.Duration)
}

var _ OS = Periodic{}
