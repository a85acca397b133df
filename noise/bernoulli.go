package noise

import (
	"math"

	"jitterfly/internal/rng"
)

// Bernoulli preempts every piece of work with one probability: each time after the launch
// that a rank's processor is needed, the work takes longer by a length drawn for it. The
// probability is the same for short work and long. Other jitter, if any, meets the longer
// work.
type Bernoulli struct {
	Probability float64
	Lengths     Length
	Other       OS // None{} if there is none
}

// Hit implements [OS].
func (b Bernoulli) Hit() float64 { return max(longest(b.Lengths), b.Other.Hit()) }

// Excess implements [OS].
func (b Bernoulli) Excess(span float64, pieces int, h float64) float64 {
	own := b.Probability * float64(pieces) * b.Lengths.Excess(h)
	return own + b.Other.Excess(span, pieces, h)
}

// Underway implements [OS].
func (b Bernoulli) Underway(h float64) float64 { return b.Other.Underway(h) }

// Detours implements [OS].
func (b Bernoulli) Detours(room []float64) Detours {
	d := &bernoulliDetours{Bernoulli: b, other: b.Other.Detours(room), stream: rng.New(rng.Key{})}
	if other, ok := d.other.(Batch); ok {
		return &bernoulliBatch{d, other}
	}
	return d
}

type bernoulliDetours struct {
	Bernoulli
	other  Detours
	keys   []rng.Key // of the trial, or of each of a batch
	ranks  int       // of each of a batch
	stream rng.Stream
	hit    []longer
	one    [1]float64
}

// longer is a piece of work that takes longer.
type longer struct {
	i             int
	start, length float64
}

// Draw implements [Detours].
func (d *bernoulliDetours) Draw(trial rng.Key) {
	d.keys = append(d.keys[:0], trial.Derive(bernoulliChild))
	d.other.Draw(trial)
}

// bernoulliBatch is Bernoulli with other jitter that can be drawn for several trials.
type bernoulliBatch struct {
	*bernoulliDetours
	other Batch
}

// DrawBatch implements [Batch].
func (d *bernoulliBatch) DrawBatch(trials []rng.Key, ranks int) {
	d.keys, d.ranks = d.keys[:0], ranks
	for _, trial := range trials {
		d.keys = append(d.keys, trial.Derive(bernoulliChild))
	}
	d.other.DrawBatch(trials, ranks)
}

// Finish implements [Detours]. A piece of work is known by its rank and its beginning, so
// that whoever asks twice gets the same answer.
func (d *bernoulliDetours) Finish(lo int, t []float64, work float64) {
	d.hit = d.hit[:0]
	for i, start := range t {
		if start <= 0 {
			continue
		}
		key, rank := d.keys[0], lo+i
		if len(d.keys) > 1 {
			key, rank = d.keys[rank/d.ranks], rank%d.ranks
		}
		key = key.Derive(uint64(rank)).Derive(math.Float64bits(start))
		if key.Uniform(0) < d.Probability {
			d.stream.Reset(key)
			d.hit = append(d.hit, longer{i, start, draw(d.Lengths, d.stream)})
		}
	}
	d.other.Finish(lo, t, work)
	for _, h := range d.hit {
		d.one[0] = h.start
		d.other.Finish(lo+h.i, d.one[:], work+h.length)
		t[h.i] = d.one[0]
	}
}

// Pass implements [PassingDetours].
func (d *bernoulliDetours) Pass(t []float64) {
	if other, ok := d.other.(PassingDetours); ok {
		other.Pass(t)
	}
}

var (
	_ OS             = Bernoulli{}
	_ PassingDetours = (*bernoulliDetours)(nil)
	_ Batch          = (*bernoulliBatch)(nil)
)
