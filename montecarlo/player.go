package montecarlo

import (
	"context"
	"math/bits"

	"jitterfly/collectives"
	"jitterfly/collectives/network"
	"jitterfly/internal/rng"
	"jitterfly/noise"
)

// A player is one worker's state, reused from job to job.
type player struct {
	timeline *collectives.Timeline
	room     []float64
	engine   *network.Engine
	engineOf *flows

	// The noise of the job played last, and how many of its trials are played at a time.
	noiseOf *job
	detours noise.Detours
	delays  noise.Delays
	beside  int
	waiting []int // trials that will be
	keys    []rng.Key
	trials  []collectives.Trial
	sparing sparing
}

// sparing finds the trials that noise leaves alone.
type sparing struct {
	quiet        *collectives.Quiet // nil where the model does not know
	room         []float64
	detours      noise.Detours
	delays       noise.Delays
	tried, found int
}

func newPlayer(ranks int) *player {
	ranks = max(ranks, noise.Block) // of several trials
	return &player{
		timeline: collectives.NewTimeline(ranks), room: make([]float64, ranks),
		sparing: sparing{room: make([]float64, noise.Block)},
	}
}

// prepare makes the player ready for a job's noise.
func (p *player) prepare(ctx context.Context, j *job) error {
	if p.noiseOf == j {
		return nil
	}
	p.noiseOf, p.beside, p.sparing.quiet = j, 1, nil
	m, ok := j.model.(besideModel)
	if ok {
		p.beside = m.beside()
	}
	ranks := j.config.Problem.Ranks
	p.delays = j.config.Network.Delays(ranks)
	p.detours = j.config.OS.Detours(p.room[:p.beside*ranks])
	_, ok1 := p.detours.(noise.Beside)
	_, ok2 := p.delays.(noise.Beside)
	if p.beside > 1 && (!ok1 || !ok2) {
		p.beside = 1
		p.detours = j.config.OS.Detours(p.room[:ranks])
	}
	if !ok {
		return nil
	}
	// The job's own may not have been played yet, by another player.
	trial := collectives.Trial{Completion: make([]float64, j.model.results())}
	if err := p.playQuiet(ctx, j, &trial); err != nil {
		return err
	}
	q := &p.sparing
	q.quiet, q.tried, q.found = m.quiet(trial), 0, 0
	q.detours, q.delays = p.detours, p.delays
	if p.beside > 1 { // which are then of several trials
		q.detours, q.delays = j.config.OS.Detours(q.room[:ranks]), j.config.Network.Delays(ranks)
	}
	return nil
}

// spares says that noise leaves a trial alone. It no longer looks when it has seldom been so,
// which only costs time: a trial that is played has the same results.
func (q *sparing) spares(trial rng.Key) bool {
	if q.quiet == nil || q.tried >= 8 && 8*q.found < q.tried {
		return false
	}
	q.tried++
	q.detours.Draw(trial)
	q.delays.Draw(trial)
	spared := q.quiet.Untouched(q.detours, q.delays)
	if spared {
		q.found++
	}
	return spared
}

// playQuiet plays a job's trial without noise.
func (p *player) playQuiet(ctx context.Context, j *job, trial *collectives.Trial) error {
	silent := noise.None{}
	return j.model.play(ctx, p, silent.Detours(nil), silent.Delays(0), trial)
}

// play plays the trials [from, to) of the job.
func (p *player) play(ctx context.Context, j *job, from, to int) error {
	if err := p.prepare(ctx, j); err != nil {
		return err
	}
	if from == quietTrial && from < to {
		if err := p.playQuiet(ctx, j, &collectives.Trial{Completion: j.quiet}); err != nil {
			return err
		}
		from++
	}
	p.waiting = p.waiting[:0]
	for trial := from; trial < to; trial++ {
		if quiet := p.sparing.quiet; p.sparing.spares(j.streams.Derive(uint64(trial))) {
			copy(j.completionOf(trial), quiet.Completion)
			j.latest[trial] = quiet.LatestStart
			continue
		}
		if p.waiting = append(p.waiting, trial); len(p.waiting) == p.beside {
			if err := p.playWaiting(ctx, j, p.beside); err != nil {
				return err
			}
		}
	}
	for n := len(p.waiting); n > 0; n = len(p.waiting) {
		if err := p.playWaiting(ctx, j, 1<<(bits.Len(uint(n))-1)); err != nil {
			return err
		}
	}
	return nil
}

// playWaiting plays the last n of the trials that wait, a power of two, at a time.
func (p *player) playWaiting(ctx context.Context, j *job, n int) error {
	left := len(p.waiting) - n
	now := p.waiting[left:]
	p.waiting = p.waiting[:left]
	p.keys, p.trials = p.keys[:0], p.trials[:0]
	for _, trial := range now {
		p.keys = append(p.keys, j.streams.Derive(uint64(trial)))
		p.trials = append(p.trials, collectives.Trial{Completion: j.completionOf(trial)})
	}
	var err error
	if p.beside > 1 {
		p.detours.(noise.Beside).DrawBeside(p.keys, j.config.Problem.Ranks)
		p.delays.(noise.Beside).DrawBeside(p.keys, j.config.Problem.Ranks)
		err = j.model.(besideModel).playBeside(ctx, p, p.detours, p.delays, p.trials)
	} else {
		p.detours.Draw(p.keys[0])
		p.delays.Draw(p.keys[0])
		err = j.model.play(ctx, p, p.detours, p.delays, &p.trials[0])
	}
	if err != nil {
		return err
	}
	for i, trial := range p.trials {
		j.latest[now[i]] = trial.LatestStart
	}
	return nil
}
