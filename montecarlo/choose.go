package montecarlo

import "math"

// A verdict is a choice among candidates, with its evidence.
//
// The choice is the first candidate, in an order of preference, whose objective is within
// the tolerance of the best's. It is right if infinitely many trials would choose it too: if
// every candidate before it is worse than (1+tolerance) times the best, and if itself is not
// worse than (1+tolerance) times any after it. Each of these is a statement that one
// objective exceeds another, and is tested on the trials that both have.
//
// A candidate that in every trial takes at least as long as another one on the same side
// needs no statement of its own, since the other's implies it. So without send overhead,
// where completion times fall with T in every trial, one statement is left on each side.
type verdict struct {
	star, argmin int
	statements   []statement
}

type statement struct {
	candidate int // other than star
	evidence
}

// decide chooses among columns of trials, given their objectives; hit is the delay [s] of one
// detour or event.
func decide(columns [][]float64, objective []float64, o Objective, tolerance, hit float64) verdict {
	var v verdict
	for c, value := range objective {
		if value < objective[v.argmin] {
			v.argmin = c
		}
	}
	for objective[v.star] > (1+tolerance)*objective[v.argmin] {
		v.star++
	}
	before, after := make([]int, 0, len(columns)), make([]int, 0, len(columns))
	for c := range columns {
		switch {
		case c < v.star:
			before = append(before, c)
		case c > v.star:
			after = append(after, c)
		}
	}
	state := func(candidate, worse, better int, a, b float64) {
		n := min(len(columns[worse]), len(columns[better]))
		evidence := o.test(columns[worse][:n], columns[better][:n], a, b, hit)
		v.statements = append(v.statements, statement{candidate, evidence})
	}
	for _, c := range least(columns, before) {
		state(c, c, v.argmin, 1, 1+tolerance)
	}
	for _, c := range least(columns, after) {
		state(c, c, v.star, 1+tolerance, 1)
	}
	return v
}

// risk returns an upper bound of the probability that the choice is wrong, if there were so
// many times as many trials like these.
func (v *verdict) risk(times float64) float64 {
	sum := 0.0
	for _, s := range v.statements {
		sum += s.risk(times)
	}
	return min(1, sum)
}

// maxTimes is the largest number of times as many trials that needed considers.
const maxTimes = 1 << 20

// needed returns how many times as many trials, if they were like these, would bring the risk
// down to what is allowed; 0 if more than maxTimes as many would.
func (v *verdict) needed(allowed float64) float64 {
	low, high := 1.0, 1.0
	for v.risk(high) > allowed {
		if low, high = high, 2*high; high > maxTimes {
			return 0
		}
	}
	for high-low > 0.01*low {
		if middle := (low + high) / 2; v.risk(middle) > allowed {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}

// least returns the candidates without those that in every trial take at least as long as
// another one that is returned.
func least(columns [][]float64, candidates []int) []int {
	var stay []int
next:
	for i, c := range candidates {
		for j, other := range candidates {
			if i == j || !atMost(columns[other], columns[c]) {
				continue
			}
			if j < i || !atMost(columns[c], columns[other]) { // of two that are equal the first stays
				continue next
			}
		}
		stay = append(stay, c)
	}
	return stay
}

// atMost reports whether a is at most b in every trial of both.
func atMost(a, b []float64) bool {
	n := min(len(a), len(b))
	b = b[:n]
	for i, x := range a[:n] {
		if x > b[i] {
			return false
		}
	}
	return true
}

// A Warning says what a choice lacks.
type Warning int

const (
	// NoWarning is none.
	NoWarning Warning = iota
	// Unsure choices have less than the confidence asked for.
	Unsure
	// Unresolved objectives need more trials to be resolved at all.
	Unresolved
	// Unbounded objectives are resolved by no number of trials.
	Unbounded
)

func (w Warning) String() string {
	return [...]string{"", "unsure", "unresolved", "unbounded"}[w]
}

// warning returns what a choice from so many trials lacks.
func (o Objective) warning(trials int, risk, allowed float64) Warning {
	switch {
	case risk <= allowed:
		return NoWarning
	case o.Trials == 0:
		return Unbounded
	case trials < o.Trials:
		return Unresolved
	}
	return Unsure
}

// trialsNeeded estimates how many trials a choice needs; it is 0 if that cannot be estimated.
func (o Objective) trialsNeeded(v *verdict, trials int, allowed float64) int {
	needed := int(math.Ceil(v.needed(allowed) * float64(trials)))
	if trials < o.Trials {
		return max(needed, o.Trials)
	}
	return needed
}
