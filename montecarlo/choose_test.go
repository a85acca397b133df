package montecarlo

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"jitterfly/internal/tests"
)

// analysed returns an analysis of columns[candidate][trial], all of one job, under noise of that
// hit, with a tolerance of 1%.
func analysed(hit float64, columns ...[]float64) *analysis {
	j := &job{shape: Shape{Hit: hit}, bound: func() float64 { return 0 }, target: len(columns[0])}
	l := &analysis{
		trials: len(columns[0]), number: 1, objective: &Objectives[0], asked: 0.01, tolerance: 0.01,
		allowed: 0.05, jobs: []*job{j}, columns: columns, hit: hit,
	}
	for T, column := range columns {
		l.candidates = append(l.candidates, candidate{Candidate{0, T}, T, float64(T)})
		l.have, l.out = append(l.have, len(column)), append(l.out, false)
		l.values = append(l.values, mean(column))
		if l.values[T] < l.values[l.best] {
			l.best = T
		}
	}
	return l
}

// constant returns trials that all take x.
func constant(x float64) []float64 { return slices.Repeat([]float64{x}, 1000) }

// A fixed sequence ends at the smallest T that is good, which noise that is short against the times
// leaves no doubt of.
func TestChainFindsTheSmallest(t *testing.T) {
	for _, c := range []struct {
		name      string
		columns   [][]float64
		star, low int
	}{
		{"only T = 0", [][]float64{constant(3)}, 0, 0},
		{"all the same", [][]float64{constant(3), constant(3), constant(3)}, 0, 0},
		{"the best twice", [][]float64{constant(9), constant(3), constant(3)}, 1, 1},
		{"T = 0 within the tolerance", [][]float64{constant(100.4), constant(100), constant(100)}, 0, 0},
		{"T = 1 within the tolerance", [][]float64{constant(101.1), constant(100.4), constant(100)}, 1, 1},
		{"only the largest", [][]float64{constant(104), constant(103), constant(102), constant(100)}, 3, 3},
		// Whether 0.7% are too many nobody can tell: it is good, and may be called too large.
		{"in between", [][]float64{constant(103), constant(100.7), constant(100)}, 1, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			verdict := fixedSequence{}.judge(analysed(1, c.columns...))
			if verdict.star != c.star || verdict.low != c.low || verdict.risk() > 0.05 {
				t.Errorf("T = %d, or from %d on, at a risk of %g; want %d and %d",
					verdict.star, verdict.low, verdict.risk(), c.star, c.low)
			}
		})
	}
}

// While nothing has been hit the largest T is the only one known to be good, and none is known
// to be too large.
func TestChainIsCarefulAtFirst(t *testing.T) {
	l := analysed(1000, constant(1), constant(1), constant(1))
	if c := (fixedSequence{}).judge(l); c.star != 2 || c.low != 0 || c.risk() != 0 {
		t.Errorf("T = %d, or from %d on, at a risk of %g; want 2 and 0", c.star, c.low, c.risk())
	}
	for _, q := range (fixedSequence{}).open(l, &verdict{star: 2, low: 0}) {
		if n := q.needed(); math.Abs(n/320-1) > 0.05 { // 3.2·1000/0.01 trials
			t.Errorf("%g times as many trials are needed, want about 320", n)
		}
	}
}

// testAll analyses more and more of the columns' trials, and returns the verdicts, with a tolerance
// of 1%.
func testAll(hit float64, columns ...[]float64) []verdict {
	var verdicts []verdict
	analyseUpTo(hit, columns, func(_ *analysis, c *verdict) { verdicts = append(verdicts, *c) })
	return verdicts
}

// analyseUpTo analyses more and more of the columns' trials, and calls judged with each verdict.
func analyseUpTo(hit float64, columns [][]float64, judged func(*analysis, *verdict)) {
	var n *candidateTests
	for trials := 30; trials <= len(columns[0]); trials += trials / 2 {
		var upTo [][]float64
		for _, c := range columns {
			upTo = append(upTo, c[:trials])
		}
		l := analysed(hit, upTo...)
		if n == nil {
			n = newCandidateTests(l.candidates, false)
		}
		c := n.judge(l)
		judged(l, &c)
	}
}

// A test begins after all trials that its candidate may have been taken for, also those of jobs that have
// more than the analysis needs.
func TestTestsBeginAfterAllTrials(t *testing.T) {
	l := analysed(1, constant(1), constant(2))
	l.jobs = append(l.jobs, &job{target: 1500})
	n := newCandidateTests(l.candidates, false)
	n.judge(l)
	if from := n.tests[0].from; from != 1500 {
		t.Errorf("the test begins after %d trials", from)
	}
}

// A mean of few trials is estimated for all trials of the floor, which had it easier in these.
func TestMeansOfOtherTrials(t *testing.T) {
	of := func(times ...float64) *job {
		return &job{noiseFree: make([]float64, 1), completion: times, target: len(times)}
	}
	c := &fieldRun{study: &Settings{Objective: Objectives[0]}, floor: &floorRun{job: of(1, 1, 4)}}
	for _, x := range []struct {
		j    *job
		want float64
	}{{of(3), 6}, {of(3, 5), 8}, {of(3, 5, 7), 5}, {of(3, 5, 7, 9), 6}} {
		if got := c.estimate(x.j, 0); got != x.want {
			t.Errorf("%v is estimated as %g, want %g", x.j.completion, got, x.want)
		}
	}
}

// What is chosen among any candidates is the first that is good; at the analysis that begins its
// test nothing is known of it.
func TestNominationFindsTheFirst(t *testing.T) {
	for _, c := range []struct {
		name    string
		columns [][]float64
		star    int
	}{
		{"only one", [][]float64{constant(3)}, 0},
		{"all the same", [][]float64{constant(3), constant(3)}, 0},
		{"the largest is the worst", [][]float64{constant(100.4), constant(100), constant(130)}, 0},
		{"one in the middle", [][]float64{constant(120), constant(100), constant(130)}, 1},
		{"the last", [][]float64{constant(120), constant(110), constant(100)}, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			verdicts := testAll(1, c.columns...)
			if first := verdicts[0]; len(c.columns) > 1 && first.risk() < 1 {
				t.Errorf("a risk of %g without trials", first.risk())
			}
			last := verdicts[len(verdicts)-1]
			if last.star != c.star || last.low != c.star || last.risk() > 0.05 {
				t.Errorf("the candidate %d, or from %d on, at a risk of %g; want %d",
					last.star, last.low, last.risk(), c.star)
			}
		})
	}
}

// A candidate that is far too large gets no more trials, though whether one with fewer messages is
// too large takes many.
func TestTooLargeIsNotSimulatedFurther(t *testing.T) {
	jobs := make([]*job, 3)
	for i := range jobs {
		jobs[i] = &job{bound: func() float64 { return 0 }}
	}
	at := func(trials int) *analysis {
		columns := [][]float64{constant(101.2)[:trials], constant(900)[:trials], constant(100)[:trials]}
		l := analysed(1000, columns...)
		l.jobs, l.least = jobs, make([]float64, len(jobs))
		for i := range l.candidates {
			l.candidates[i] = candidate{Candidate{Config: i}, 0, float64(i)}
			jobs[i].target = trials
		}
		return l
	}
	l := at(30)
	n := newCandidateTests(l.candidates, false)
	n.judge(l)
	l = at(1000)
	verdict := n.judge(l)
	l.trials *= 2
	if verdict.low != 0 || verdict.star != 2 || !slices.Equal(n.lagging(l), []*job{jobs[0], jobs[2]}) {
		t.Errorf("chose %d, or from %d on; %d jobs get more trials", verdict.star, verdict.low, len(n.lagging(l)))
	}
}

// What is too large is found by candidates that get further trials, where the best gets none.
func TestTooLargeIsKnownWithoutTheBest(t *testing.T) {
	for _, have := range []int{1000, 20} {
		var n *candidateTests
		var verdict verdict
		for _, trials := range []int{30, 1000} {
			l := analysed(100, constant(101.2)[:trials], constant(100.1)[:trials], constant(100)[:trials])
			if l.have[2] = min(have, trials); n == nil {
				n = newCandidateTests(l.candidates, false)
			}
			verdict = n.judge(l)
		}
		if verdict.star != 1 || verdict.low != 1 {
			t.Errorf("with %d trials of the best: chose %d, or from %d on; want 1",
				have, verdict.star, verdict.low)
		}
	}
}

// Of many candidates some seem better than they are by chance. More often than is allowed, one that is worse
// by 2.5% is not taken for good for that, one that is worse by half of the tolerance is not called too large
// for it, nor is the gain over one that is worse by half overestimated, however often it is analysed.
func TestBoundsAreNotMisled(t *testing.T) {
	for _, c := range []struct {
		name            string
		samples, trials int
		others          int
		hits            float64 // share of trials that are hit
		excess          float64 // of the first over all others
		wrong           func(l *analysis, c *verdict) bool
	}{
		{"nomination", tests.Part(400, 100), 2000, 10, 0.01, 0.025 * 1.1,
			func(_ *analysis, c *verdict) bool { return c.risk() <= 0.05 && c.star == 0 }},
		{"too large", tests.Part(200, 60), 350, 20, 0.1, 0.005 * 2,
			func(_ *analysis, c *verdict) bool { return c.low > 0 }},
		{"gain", tests.Part(200, 60), 350, 20, 0.1, 0.5 * 2,
			func(l *analysis, c *verdict) bool { return c.star > 0 && l.gain(c, l.columns[0], 1) > 1.5 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(3, 1))
			bad := 0
			for range c.samples {
				columns := make([][]float64, 1+c.others)
				for i := range columns {
					columns[i] = make([]float64, c.trials)
					for k := range columns[i] {
						columns[i][k] = 1 + 10*b2f(random.Float64() < c.hits)
					}
				}
				for k := range c.trials {
					columns[0][k] += c.excess
				}
				wrong := false
				analyseUpTo(10, columns, func(l *analysis, x *verdict) { wrong = wrong || c.wrong(l, x) })
				bad += int(b2f(wrong))
			}
			if bad > c.samples*5/100 {
				t.Errorf("%d of %d verdicts are false", bad, c.samples)
			}
		})
	}
}

// changing returns trials that take a time up to the 45th, and another one then.
func changing(first, then float64) []float64 {
	return append(slices.Repeat([]float64{first}, 45), slices.Repeat([]float64{then}, 955)...)
}

// A rival that is worse than one tested candidate needs no more trials for the next: those that the
// third candidate has here later, which would make it the best, no analysis has.
func TestNominationDropsRivals(t *testing.T) {
	verdicts := testAll(100, changing(100, 104), constant(101.5), changing(200, 100.4))
	last := verdicts[len(verdicts)-1]
	if last.star != 1 || last.risk() > 0.05 || !last.statements[2].notBest {
		t.Errorf("the candidate %d at a risk of %g; want the second", last.star, last.risk())
	}
	l := analysed(1, constant(101.5), constant(101), constant(90))
	last = verdict{star: 1, statements: last.statements}
	if r := l.regret(&last); r > 0.01 {
		t.Errorf("the choice is up to %g above the best", r)
	}
}

// The best is not dropped for a tested candidate that is good, since another may be as good as that
// and too large.
func TestNominationKeepsTheBest(t *testing.T) {
	verdicts := testAll(10, changing(100.4, 101.7), constant(100.9), constant(100))
	if last := verdicts[len(verdicts)-1]; last.star != 1 || last.statements[2].notBest {
		t.Errorf("the candidate %d, at a risk of %g", last.star, last.risk())
	}
}

// The bounds are those at which the evidence is as large as is asked for.
func TestBounds(t *testing.T) {
	l := analysed(5, constant(120), constant(100.5), constant(100))
	c := fixedSequence{}.judge(l)
	regret := l.regret(&c)
	at := func(r float64) float64 { return l.notWorse(c.star, 2, 0, 1+r, 0).risk(1) }
	if c.star != 1 || regret < 0.005 || regret > 0.01 || at(regret) > 0.05 || at(regret/1.05) < 0.05 {
		t.Errorf("T = %d is at most %g above the best, at a risk of %g; and of %g at %g",
			c.star, regret, at(regret), at(regret/1.05), regret/1.05)
	}
	gain := l.gain(&c, l.columns[0], 1)
	if truth := 120 / 100.5; gain > truth || gain < 0.99*truth {
		t.Errorf("a gain of at least %g, of %g", gain, truth)
	}
	largest := verdict{star: 2, low: 2}
	if r := l.regret(&largest); r != 0 {
		t.Errorf("the largest T is up to %g above the best", r)
	}
}

func TestLeastNumber(t *testing.T) {
	for _, want := range []float64{1e-5, 3e-4, 0.01, 0.0101, 1, 70, 9e4} {
		for _, likely := range []float64{1e-9, 0.01, 1, 1e9} {
			got := leastNumber(func(x float64) bool { return x >= want }, likely, 1e-3)
			if got < want*(1-1e-12) || got > want*1.0011 {
				t.Errorf("from %g on: %g, want %g", likely, got, want)
			}
		}
	}
	if got := leastNumber(func(float64) bool { return false }, 1, 1e-3); !math.IsInf(got, 1) {
		t.Errorf("never: %g", got)
	}
}

// When the time is over a candidate without trials is not the best, though its lower bound is less than
// what others take; and nothing is gained over a baseline without trials.
func TestWhatHasNoTrialsIsLeftOut(t *testing.T) {
	l := analysed(1, constant(5), constant(3))
	l.have[1], l.values[1], l.best = 0, 1, 1
	l.leaveOut()
	if l.best != 0 || l.within(0.01) != 0 {
		t.Errorf("the best is %d, and within the tolerance %d; want 0", l.best, l.within(0.01))
	}
	if gain := l.gain(&verdict{}, nil, 1); gain != 0 {
		t.Errorf("a gain of at least %g over nothing", gain)
	}
}

// A test that began early may begin again with more of the risk, but not when no trials follow.
func TestLastAnalysisKeepsItsTests(t *testing.T) {
	for _, c := range []struct {
		last bool
		from int
	}{{false, 900}, {true, 2}} {
		at := func(trials int) *analysis {
			l := analysed(100, constant(100)[:trials], constant(100)[:trials])
			l.jobs[0].shape.Work, l.floor = 1e9, l.jobs[0]
			return l
		}
		l := at(2)
		n := newCandidateTests(l.candidates, true)
		n.begin(l, 0)
		l = at(900)
		l.last = c.last
		v := n.judge(l)
		if test := n.find(0); test.from != c.from || v.from != c.from || (v.risk() < 1) != c.last {
			t.Errorf("last: %v: a test from trial %d on, at a risk of %g, want one from %d on",
				c.last, test.from, v.risk(), c.from)
		}
	}
}
