package noise

import "jitterfly/internal/rng"

// Bernoulli preempts every piece of work with one probability: each time after the launch that a
// rank's processor is needed, the work takes longer by a length drawn for it. The probability is
// the same for short work and long, and for each piece alone, also of pieces that begin at the same
// time. Other detours meet the longer work.
//
// Ranks 0 … Shared−1 are preempted in the same pieces of work, the next Shared ranks in others,
// and so on.
type Bernoulli struct {
	Probability float64
	Lengths     Length
	Shared      int
	Stream      uint64 // numbers those of a [Superposition]
}

type bernoulliDetours struct {
	Bernoulli
	other  Detours // that meet the longer work
	key    rng.Key // of the trial
	stream rng.Stream
	hit    []longer
	one    [1]float64
}

type longer struct {
	i             int
	start, length float64
}

// Draw implements [Detours].
func (d *bernoulliDetours) Draw(ranks int, trial rng.Key) {
	d.key = trial.Derive(bernoulliChild).Derive(d.Stream)
	d.other.Draw(ranks, trial)
}

// Finish implements [Detours]. The launch is not preempted.
func (d *bernoulliDetours) Finish(p Piece, lo int, t []float64, work float64) {
	d.hit = d.hit[:0]
	if p != (Piece{}) {
		d.preempt(p, lo, t)
	}
	d.other.Finish(p, lo, t, work)
	for _, h := range d.hit {
		d.one[0] = h.start
		d.other.Finish(p, lo+h.i, d.one[:], work+h.length)
		t[h.i] = d.one[0]
	}
}

// preempt notes which of the ranks from lo are preempted in their pieces that begin at the times
// in t.
func (d *bernoulliDetours) preempt(p Piece, lo int, t []float64) {
	piece := d.key.Derive(uint64(p.Kind)).Derive(uint64(p.Call)).Derive(uint64(p.Number)).
		Derive(uint64(p.Step))
	for i, start := range t {
		key := piece.Derive(uint64((lo + i) / max(1, d.Shared)))
		if key.Uniform(0) < d.Probability {
			d.stream.Reset(key)
			d.hit = append(d.hit, longer{i, start, draw(d.Lengths, d.stream)})
		}
	}
}

// Pass implements [PassingDetours].
func (d *bernoulliDetours) Pass(t []float64) {
	if other, ok := d.other.(PassingDetours); ok {
		other.Pass(t)
	}
}

// Swap implements [PassingDetours].
func (d *bernoulliDetours) Swap(known *Known) {
	if other, ok := d.other.(PassingDetours); ok {
		other.Swap(known)
	}
}

var _ PassingDetours = (*bernoulliDetours)(nil)
