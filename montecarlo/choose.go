package montecarlo

import "math"

// A selector chooses among the candidates of a field, one interim analysis after the other.
//
// A candidate is good if its objective exceeds the best's by at most the tolerance. The choice
// is the first candidate, in the order of preference, that is good with the confidence asked
// for. Each way to find it errs with a probability of at most one minus the confidence, however
// many analyses there are.
type selector interface {
	// lagging returns the jobs that need more trials before the analysis can be judged.
	lagging(l *analysis) []*job
	// judge is called for every analysis, when no job lags.
	judge(l *analysis) verdict
	// open returns the questions that more trials could answer so that the verdict is final.
	open(l *analysis, c *verdict) []question
}

// A verdict is the choice at an analysis. It is final if low is star.
type verdict struct {
	star int // index of the choice
	low  int // of the first candidate that may be good too
	from int // the trials that the statements rest on begin with this one
	// statements have to be true for star to be good; empty if it is good by structure.
	statements []statement
}

// A statement is evidence, and what it is worth: its risk times the factor is the probability
// to err, as there are several statements that could be made, or several analyses.
type statement struct {
	evidence
	factor, allowed float64
	other           int     // index of the candidate that it compares with
	notBest         bool    // that one is not the best, so that its distance does not matter
	shown           float64 // the least tolerance within which the choice is known to be of it, 0 if none is
}

func (s statement) probability(times float64) float64 {
	return min(1, s.factor*s.risk(times))
}

// holds reports whether the evidence suffices.
func (s statement) holds() bool { return s.probability(1) <= s.allowed }

// risk returns the probability that the verdict is wrong. All statements have to be true, and
// the least certain one of them bounds it: if the choice is not good, one of them is false.
func (c *verdict) risk() float64 {
	risk := 0.0
	for _, s := range c.statements {
		risk = max(risk, s.probability(1))
	}
	return risk
}

// A question is answered when one of its statements holds.
type question []statement

// maxTimes is the largest number of times as many trials that needed considers.
const maxTimes = 1 << 20

// needed returns about how many times as many trials, if they are like those so far, answer the
// question; 0 if more than maxTimes as many do not.
func (q question) needed() float64 {
	answered := func(times float64) bool {
		for _, s := range q {
			if s.probability(times) <= s.allowed {
				return true
			}
		}
		return false
	}
	low, high := 1.0, 1.0
	for !answered(high) {
		if low, high = high, 2*high; high > maxTimes {
			return 0
		}
	}
	for high-low > 0.01*low {
		if middle := (low + high) / 2; answered(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	return high
}

// needed estimates the number of trials that make a verdict final, given their number so far; 0 if
// that cannot be estimated.
func needed(open []question, trials int) int {
	most := 0.0
	for _, q := range open {
		times := q.needed()
		if times == 0 {
			return 0
		}
		most = max(most, times)
	}
	return int(math.Ceil(most * float64(trials)))
}

// An estimate chooses by the objective's values alone, if trials cannot show how certain they are.
type estimate struct{}

func (estimate) lagging(l *analysis) []*job {
	star := l.within(l.tolerance)
	return l.behind(func(j *job) bool { return j == l.job(star) || j.lowest() < l.values[star] })
}

func (estimate) judge(l *analysis) verdict {
	star := l.within(l.tolerance)
	unknown := statement{evidence: fixedRisk(1), factor: 1, other: l.best}
	return verdict{star: star, low: star, statements: []statement{unknown}}
}

func (estimate) open(*analysis, *verdict) []question { return nil }

// A Warning is a defect of a choice.
type Warning int

const (
	// NoWarning is for choices without a defect.
	NoWarning Warning = iota
	// Unsure choices have less than the confidence asked for.
	Unsure
	// Unresolved objectives need more trials to be resolved at all.
	Unresolved
	// Unbounded objectives cannot be resolved by any number of trials.
	Unbounded
)

func (w Warning) String() string {
	return [...]string{"", "unsure", "unresolved", "unbounded"}[w]
}

// warning returns the defect of a choice, given the number of its trials.
func (o *Objective) warning(trials int, risk, allowed float64) Warning {
	needs := o.Needs(1 - allowed)
	switch {
	case risk <= allowed:
		return NoWarning
	case needs == 0:
		return Unbounded
	case trials < needs:
		return Unresolved
	}
	return Unsure
}
