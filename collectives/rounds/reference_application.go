package rounds

import (
	"context"

	"jitterfly/collectives"
	"jitterfly/collectives/recording"
	"jitterfly/internal/rng"
)

// Record implements [montecarlo.Runner]: it simulates all iterations. The clocks equal the clocks of the
// executors, to the last bit. It is for iterations in rounds.
func (r *applicationRunner) Record(
	ctx context.Context, key rng.Key, checkpoint int,
) (*recording.Recording, error) {
	compiled, n := r.calls[checkpoint/r.perRedundancy()], r.noise
	n.Detours.Draw(compiled.Ranks, key)
	r.work.draw(key)
	rec, last := newRecorder(compiled, n), len(compiled.Checkpoints)-1
	for rank := range rec.at {
		rec.at[rank] = &recording.Moment{Track: rank}
	}
	for i := range r.Iterations {
		if !r.Overlap {
			rec.compute(r.work, i)
		}
		for c := range r.Calls {
			rec.overlap = nil
			if r.Overlap && c == 0 {
				rec.overlap = func() { rec.compute(r.work, i) }
			}
			n.drawCall(key, i*r.Calls+c, compiled.Ranks)
			for rank := range rec.at {
				if c > 0 {
					rec.at[rank] = rec.work(piece{Kind: entering}, rank, rec.at[rank], 0, true)
				}
				rec.settleCopy(rank)
			}
			rec.idle()
			if err := rec.upTo(ctx, last); err != nil {
				return nil, err
			}
			if c < r.Calls-1 || i < r.Iterations-1 {
				rec.postCopies(compiled.Checkpoints[last])
			}
		}
	}
	return rec.finish(compiled.Checkpoints[last]), nil
}

// compute has all ranks compute in an iteration.
func (rec *recorder) compute(w *work, iteration int) {
	computed := piece{Kind: computing, Number: iteration}
	finish := func(rank int, _, work float64) float64 {
		rec.at[rank] = rec.work(computed, rank, rec.at[rank], work, true,
			recording.Part{Kind: recording.Computing, Seconds: work})
		return rec.at[rank].Time
	}
	clock := rec.clocks()
	each(clock, collectives.Span{Hi: len(clock)}, func(lo int, now []float64) {
		w.computeRanks(iteration, lo, now, finish)
	})
}

// settleCopy keeps the redundant copy that a rank continued from in an earlier call.
func (rec *recorder) settleCopy(rank int) {
	if c := rec.copies[rank]; c != nil {
		rec.used = append(rec.used, *c)
	}
	rec.copies[rank], rec.spare[rank], rec.detour[rank] = nil, 0, 0
}
