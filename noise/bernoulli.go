package noise

import (
	"math"

	"jitterfly/internal/rng"
)

// Bernoulli strikes every step with one probability: each time after the launch that a
// rank's processor is needed, that takes longer by a length drawn for it. It
// knows no time, so that it is the same for short steps and long ones. The
// jitter beside it, if any, meets the longer work.
type Bernoulli struct {
	Probability float64
	Lengths     Length
	Beside      OS
}

// Hit implements [OS].
func (b Bernoulli) Hit() float64 { return max(b.Lengths.Quantile(0.99), b.Beside.Hit()) }

// Detours implements [OS].
func (b Bernoulli) Detours(room []float64) Detours {
	return &bernoulliDetours{Bernoulli: b, beside: b.Beside.Detours(room), stream: rng.New(rng.Key{})}
}

type bernoulliDetours struct {
	Bernoulli
	beside Detours
	key    rng.Key
	stream rng.Stream
	struck []step
	one    [1]float64
}

type step struct {
	i             int
	start, length float64
}

// Draw implements [Detours].
func (d *bernoulliDetours) Draw(trial rng.Key) {
	d.key = trial.Derive(bernoulliChild)
	d.beside.Draw(trial)
}

// Finish implements [Detours]. A step is known by its rank and its beginning, so
// that who asks twice is told the same.
func (d *bernoulliDetours) Finish(lo int, t []float64, work float64) {
	d.struck = d.struck[:0]
	for i, start := range t {
		if start <= 0 {
			continue
		}
		key := d.key.Derive(uint64(lo + i)).Derive(math.Float64bits(start))
		if key.Uniform(0) < d.Probability {
			d.stream.Reset(key)
			d.struck = append(d.struck, step{i, start, draw(d.Lengths, d.stream)})
		}
	}
	d.beside.Finish(lo, t, work)
	for _, s := range d.struck {
		d.one[0] = s.start
		d.beside.Finish(lo+s.i, d.one[:], work+s.length)
		t[s.i] = d.one[0]
	}
}

var _ OS = Bernoulli{}
