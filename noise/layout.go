package noise

// A layout places the ranks of one trial, or of a batch of trials, one after the other.
// Ranks that share their detours are one phase: the first shared ranks of a trial, the
// next as many, and so on.
type layout struct {
	trials int
	ranks  int // of a trial
	shared int // ranks of a phase
	phases int // of a trial
}

// newLayout returns the layout of trials with the given number of ranks, which share their detours
// in groups of shared ranks; a shared of 0 means 1.
func newLayout(trials, ranks, shared int) layout {
	shared = min(max(1, shared), ranks)
	return layout{trials, ranks, shared, (ranks-1)/shared + 1}
}

// phaseOf returns the phase that a rank belongs to, numbered through all trials.
func (l *layout) phaseOf(rank int) int {
	if l.shared == 1 {
		return rank
	}
	if l.trials == 1 {
		return rank / l.shared
	}
	trial := rank / l.ranks
	return trial*l.phases + (rank-trial*l.ranks)/l.shared
}

// ranksOf returns the ranks [lo, hi) of a phase.
func (l *layout) ranksOf(phase int) (lo, hi int) {
	if l.shared == 1 {
		return phase, phase + 1
	}
	trial := phase / l.phases
	lo = trial*l.ranks + (phase-trial*l.phases)*l.shared
	return lo, min((trial+1)*l.ranks, lo+l.shared)
}
