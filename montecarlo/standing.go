package montecarlo

import "time"

// A Standing is how far the choice of a field is known while its trials are simulated.
type Standing struct {
	Star   Candidate
	Regret float64 // upper bound, with the confidence asked for, relative; +Inf if no bound holds
	// Of the configurations compared so far, Left are the choice and those that may be better by more
	// than the tolerance.
	Left, Compared int
}

// standingEvery is the least time between two standings, which take about as long as an analysis.
const standingEvery = time.Second

// stand reports how far the choice is known, if that is wanted and the last time is a while ago.
func (c *fieldRun) stand(l *analysis, v *verdict) {
	if c.report == nil || time.Since(c.stood) < standingEvery {
		return
	}
	c.stood = time.Now()
	s := Standing{Star: c.order[v.star].Candidate, Regret: l.regret(v)}
	left := map[int]bool{s.Star.Config: true}
	for _, x := range v.statements {
		if !x.holds() {
			left[c.order[x.other].Config] = true
		}
	}
	for _, compared := range c.compared {
		if compared {
			s.Compared++
		}
	}
	s.Left = len(left)
	c.report(c.index, s)
}

// know says that the choice is known to be above the best by no more than a bound.
func (c *fieldRun) know(bound float64) {
	c.lock.Lock() // other workers ask how urgent the field is
	defer c.lock.Unlock()
	c.bound = min(c.bound, bound)
}
