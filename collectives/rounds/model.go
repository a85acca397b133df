package rounds

import (
	"context"
	"slices"

	"jitterfly/collectives"
	"jitterfly/collectives/recording"
	"jitterfly/internal/rng"
	"jitterfly/montecarlo"
	"jitterfly/noise"
)

// A Model is a collective on a machine under noise. It implements [montecarlo.Model].
type Model struct {
	Algorithm collectives.Algorithm
	Problem   collectives.Problem
	OS        noise.OS
	Network   noise.Network
}

// outline compiles the outline of the schedule of a model that has a shape. It is not kept, since a study
// can have many models.
func (m *Model) outline() outline {
	s, _ := m.Algorithm.Outline(m.Problem)
	return outline{compile(&s, m.Problem)}
}

// Shape implements [montecarlo.Model]. Its error says why the algorithm has no schedule for
// the problem.
func (m *Model) Shape() (montecarlo.Shape, error) {
	s, err := m.Algorithm.Outline(m.Problem)
	if err != nil {
		return montecarlo.Shape{}, err
	}
	hit, span := m.hit(), m.span(&s, 0, 1)
	shape := montecarlo.Shape{
		Idempotent: s.Idempotent,
		Monotone:   m.Problem.Redundancy.SendOverhead == 0 && m.Problem.Host.Free() && !s.Busy,
		Work:       s.Work(), Span: span, Hit: hit + m.OS.Slowness()*span,
		Noise: m.drawing(span + hit), Memory: m.memory(&s), Shared: true,
	}
	// A rank that noise has kept from sending can still forward the result in place of its own part.
	shape.NoiseOnlyDelays = shape.Monotone && !m.Problem.Redundancy.Forward
	shape.Tail = m.tail(&s, 1, 1, span, s.Length(), shape.Hit)
	for k, c := range s.Checkpoints {
		shape.Checkpoints = append(shape.Checkpoints,
			montecarlo.Checkpoint{T: c.T, Messages: s.Messages(k), Buffer: s.Buffer})
	}
	return shape, nil
}

// detourWork is about how many messages take as long to simulate as one detour to draw that is listed.
const detourWork = 6

// drawing returns [montecarlo.Shape].Noise of trials of a length [s].
func (m *Model) drawing(length float64) float64 {
	ranks, all := float64(m.Problem.Ranks), m.OS.Superpositions()
	detours := 0.0
	for _, s := range all {
		detours += ranks / float64(len(all)) * length * s.Rate()
	}
	return detourWork * detours
}

// hit returns [montecarlo.Shape].Hit: what comes later by that can be found a poll later, and
// where the sender waits for room, room can be made later by a turn of the window.
func (m *Model) hit() float64 {
	hit, h := max(m.OS.Hit(), m.Network.Longest()), &m.Problem.Host
	if hit == 0 || !h.Sockets() {
		return hit
	}
	scan := h.Scan(m.Problem.Ranks)
	if hit += scan; h.Window > 0 && m.Problem.Bytes > h.Window {
		hit += 2*m.Problem.Latency + scan
	}
	return hit
}

// tail returns [montecarlo.Shape].Tail of the mean of the counted iterations: a detour delays it by
// its length over their number at most. The detours are counted for some calls without noise, of the
// given length [s] and pieces of work, so that detours during the time that noise itself takes are
// missing.
func (m *Model) tail(
	s *collectives.Schedule, calls, counted, span float64, pieces int, hit float64,
) func(float64) float64 {
	traffic, ranks, os, network := m.traffic(s, calls), s.Ranks, m.OS, m.Network
	tail := func(length float64) float64 {
		length *= counted
		own := os.Tail(ranks, span, pieces, length) + os.Underway(ranks, length)
		return (own + network.Excess(traffic, length)) / counted
	}
	if tail(hit) == 0 {
		return nil
	}
	return tail
}

// traffic returns the messages that the given number of calls send through the network.
func (m *Model) traffic(s *collectives.Schedule, calls float64) []noise.Traffic {
	var all []noise.Traffic
	for i := range s.Rounds {
		r := &s.Rounds[i]
		count := calls * float64((r.Receivers.Hi-r.Receivers.Lo)*len(r.Sources))
		if r.Medium == collectives.Memory || count == 0 {
			continue
		}
		transit := r.Transit(&m.Problem)
		if last := len(all) - 1; last < 0 || all[last].Transit != transit {
			all = append(all, noise.Traffic{Transit: transit})
		}
		last := &all[len(all)-1]
		last.Count = repeated(last.Count, count, r.Repeats)
	}
	return all
}

// span returns about how long [s] some calls take without noise, and what else takes before [s].
func (m *Model) span(s *collectives.Schedule, before, calls float64) float64 {
	span := before
	for i := range s.Rounds {
		r := &s.Rounds[i]
		span = repeated(span, calls*(r.Time(&m.Problem)+r.Combine), r.Repeats)
	}
	return span
}

// repeated adds to a sum what each of a round and its repetitions adds, rounding after each.
func repeated(sum, each float64, repeats int) float64 {
	for range 1 + repeats {
		sum += each
	}
	return sum
}

// memory returns about what a runner holds, in bytes: two clocks a rank, one number for the
// OS noise and lists of some ranks; what hosts' costs, lists of detours and the history of
// forwarding add; and vectors of one block.
func (m *Model) memory(s *collectives.Schedule) float64 {
	perRank := 4 * 8.
	if !m.Problem.Host.Free() {
		perRank += 7 * 8
	}
	if m.Problem.Host.Sockets() {
		perRank += 5 * 8
	}
	perRank += m.OS.BytesPerRank()
	if m.Problem.Redundancy.Forward && len(s.Checkpoints) > 1 {
		history := float64(s.Checkpoints[0].Rounds) * 8
		perRank += history + 4*8 + 2*16               // and who sends the result
		if m.Problem.Busy && m.Problem.Host.Gap > 0 { // when links are free, too
			perRank += history + 8
		}
	}
	return perRank*float64(m.Problem.Ranks) + bytesOfBlocks
}

// bytesOfBlocks is about what the vectors of a runner take that are as long as a block.
const bytesOfBlocks = 10 * 8 * Block

// LowerBound implements [montecarlo.Model].
func (m *Model) LowerBound() float64 { return m.outline().lowerBound() }

// Explain names the executor of the model's trials.
func (m *Model) Explain() string { return m.outline().explain() }

// NewRunner implements [montecarlo.Model].
func (m *Model) NewRunner(old montecarlo.Runner) (montecarlo.Runner, error) {
	s, _ := m.Algorithm.Outline(m.Problem)
	compiled := Compile(&s, m.Problem)
	return &runner{
		kit: m.newKit(compiled.Place, old), model: m, compiled: compiled,
		trial: Trial{Completion: make([]float64, len(compiled.Checkpoints))},
	}, nil
}

// A runner simulates the trials of a model on one worker.
type runner struct {
	kit
	model    *Model
	compiled *Compiled
	trial    Trial // the one simulated last

	noiseFree *noiseFree // nil before the first trial
}

// draw draws the noise of the trial that the key names, of the given number of ranks.
func (n *Noise) draw(ranks int, trial rng.Key) {
	n.Detours.Draw(ranks, trial)
	n.Delays.Draw(ranks, trial)
}

// NoiseFree implements [montecarlo.Runner].
func (r *runner) NoiseFree(ctx context.Context, _ float64, trial *montecarlo.Trial) error {
	if err := r.begin(ctx); err != nil {
		return err
	}
	copy(trial.Completion, r.noiseFree.Completion)
	return nil
}

// begin simulates the trial without noise, if that is not done yet.
func (r *runner) begin(ctx context.Context) error {
	if r.noiseFree = r.quiet[r.model]; r.noiseFree != nil {
		return nil
	}
	none := NewNoise(noise.None{}.Detours(nil), noise.None{}.Delays())
	trial := Trial{Completion: make([]float64, len(r.compiled.Checkpoints))}
	if err := r.simulator.Run(ctx, r.compiled, none, &trial); err != nil {
		return err
	}
	r.noiseFree = newNoiseFree(r.compiled, trial)
	r.keep(r.model, r.noiseFree)
	return nil
}

// Run implements [montecarlo.Runner].
func (r *runner) Run(ctx context.Context, keys []rng.Key, trials []montecarlo.Trial) error {
	if err := r.begin(ctx); err != nil {
		return err
	}
	least, hop := r.compiled.anyTrial(slices.Min(r.noiseFree.Completion)), r.compiled.hop()
	for i, key := range keys {
		r.noise.draw(r.compiled.Ranks, key)
		trial := &r.trial
		if r.noiseFree.isTrial(r.noise) {
			trial = &r.noiseFree.Trial
		} else if err := r.simulator.Run(ctx, r.compiled, r.noise, trial); err != nil {
			return err
		}
		copy(trials[i].Completion, trial.Completion)
		trials[i].LowerBound = max(least, trial.LatestStart+hop)
	}
	return nil
}

// Record implements [montecarlo.Runner].
func (r *runner) Record(ctx context.Context, key rng.Key, T int) (*recording.Recording, error) {
	r.noise.draw(r.compiled.Ranks, key)
	return Record(ctx, r.compiled, r.noise, T)
}
