package rounds

// Times are measured times to compute. Where there are as many ranks and iterations as are
// simulated, each has its own. Of fewer ranks each simulated one follows one that is drawn once a
// trial; of fewer iterations one is drawn for each that is simulated, the same of all ranks, so
// that ranks which are slow together stay so.
type Times struct {
	Ranks, Iterations int
	Seconds           []float64 // of all ranks in the first iteration, and then in the next
	Resampled         bool      // iterations are drawn at random, not the first ones
}

// measured returns what n ranks from lo on compute in an iteration [s].
func (w *work) measured(iteration, lo, n int) []float64 {
	t, one := w.Times, w.one[:n]
	if t.Resampled {
		iteration = int(w.trial.Derive(uint64(1+iteration)).Uniform(0) * float64(t.Iterations))
	}
	all := t.Seconds[iteration*t.Ranks:][:t.Ranks]
	if w.follow == nil {
		copy(one, all[lo:])
		return one
	}
	for i, rank := range w.follow[lo:][:n] {
		one[i] = all[rank]
	}
	return one
}
