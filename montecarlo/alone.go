package montecarlo

import "context"

// Alone returns the decision about a configuration as if it were the only one, by the trials of its
// result. It makes no other trials than those without noise and, of a result with one trial, a second.
func Alone(s Settings, c Config, r *Result) (alone Decision, err error) {
	if most := r.Checkpoints[len(r.Checkpoints)-1].T; c.Upto != nil {
		c.Model = c.Upto(most)
	}
	c.Reference, c.Native, c.After = false, false, nil
	s.Trials = Trials{
		Min: max(2, min(s.Trials.Min, r.Trials)), Max: max(2, r.Trials), Confidence: s.Trials.Confidence,
	}
	err = Run(context.Background(), &s, 1, func(int) Field { return Field{c} }, Options{
		Workers: 1,
		Resume:  func(int) []Kept { return []Kept{r.Kept} },
		Done:    func(_ int, d Decision) error { alone = d; return nil },
	})
	return alone, err
}

// Slowest returns which of the first trials of the configuration takes longest up to a checkpoint.
func (c *Config) Slowest(
	ctx context.Context, seed uint64, trials, checkpoint int,
) (trial int, err error) {
	j, err := newJob(c, seed, Kept{})
	if err != nil {
		return 0, err
	}
	j.extend(trials)
	if err := new(worker).run(ctx, nil, j, 0, trials); err != nil {
		return 0, err
	}
	for i := range trials {
		if j.completionOf(i)[checkpoint] > j.completionOf(trial)[checkpoint] {
			trial = i
		}
	}
	return trial, nil
}
