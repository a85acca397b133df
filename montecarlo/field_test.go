package montecarlo_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"gonum.org/v1/gonum/stat"

	"jitterfly/collectives"
	"jitterfly/internal/rng"
	"jitterfly/internal/tests"
	"jitterfly/internal/tests/models"
	"jitterfly/montecarlo"
)

// deployment is all allreduces that can be used for a sum, from one to three
// sources; the plain butterfly is the first.
func deployment(ranks int) []setup {
	var setups []setup
	for _, a := range collectives.Algorithms {
		for sources := 1; sources <= 3; sources++ {
			config := reference(ranks)
			config.Algorithm = a
			config.Problem.Redundancy.Sources = sources
			if s, err := a.Schedule(config.Problem); err == nil && !s.Idempotent &&
				a.Operation == collectives.Allreduce {
				setups = append(setups, config)
			}
		}
	}
	return setups
}

func TestChoiceAmongCollectives(t *testing.T) {
	s := choosing(50, 100_000, field(deployment(2)...), field(deployment(12)...), field(deployment(256)...))
	one := tests.Must(collect(t.Context(), t, s, montecarlo.Options{Workers: 1}))(t)
	eight := tests.Must(collect(t.Context(), t, s, montecarlo.Options{Workers: 8}))(t)
	if diff := tests.Diff(one, eight); diff != "" {
		t.Errorf("decisions (-1 worker +8 workers):\n%s", diff)
	}

	// At 256 ranks two sources are better than one by far, three are no
	// better, and a ring is so slow that no trial of it is simulated.
	setups, d := deployment(256), one[2]
	star := setups[d.Choice.Star.Config]
	if star.Algorithm.Name != "butterfly" || star.Problem.Redundancy.Sources != 2 ||
		d.Choice.Confidence < 0.95 || d.Stop != montecarlo.Chosen {
		t.Errorf("%s from %d sources with confidence %g by %v", star.Algorithm.Name,
			star.Problem.Redundancy.Sources, d.Choice.Confidence, d.Stop)
	}
	if d.Choice.Baseline < 4*d.Choice.Objective {
		t.Errorf("%g s, %g s at the baseline", d.Choice.Objective, d.Choice.Baseline)
	}
	for i, r := range d.Results {
		slow := slices.Contains([]string{"ring", "rabenseifner"}, setups[i].Algorithm.Name)
		if slow != (r.Trials == 0) {
			t.Errorf("%d trials of %s", r.Trials, setups[i].Algorithm.Name)
		}
		if setups[i].Algorithm.Name == "binomial" && r.Trials > s.Trials.Min {
			t.Errorf("%d trials of a broadcast that cannot win", r.Trials)
		}
		for T := 1; T < len(r.Checkpoints); T++ {
			if r.Checkpoints[T].Messages <= r.Checkpoints[T-1].Messages {
				t.Errorf("%s: %g messages at T = %d, %g at %d", setups[i].Algorithm.Name,
					r.Checkpoints[T].Messages, T, r.Checkpoints[T-1].Messages, T-1)
			}
		}
	}
	for _, n := range d.Choice.Near {
		if n.Objective > 1.0101*one[2].Results[d.Choice.Argmin.Config].Summaries[d.Choice.Argmin.T].Mean {
			t.Errorf("%+v is not near the best", n)
		}
	}
}

// A reference is simulated and not chosen, however good it is.
func TestReferenceIsNotChosen(t *testing.T) {
	good, bad := reference(64), reference(64)
	good.Reference = true
	bad.Problem.Redundancy.SendOverhead, bad.Problem.Latency = 1e-3, 1e-3
	s := equally(50, field(good, bad))
	results := tests.Must(collect(t.Context(), t, s, montecarlo.Options{Workers: 1}))(t)
	c := results[0].Choice
	if c.Star != (montecarlo.Candidate{Config: 1}) || c.Baseline >= c.Objective/100 ||
		len(results[0].Results[0].Summaries) == 0 {
		t.Errorf("chose %+v", c)
	}
}

// The baseline is the best of the plain configurations at T = 0, though the first is another, and
// what is native is preferred to as good candidates with fewer messages.
func TestBaselineIsTheBestPlain(t *testing.T) {
	slow, fast, faster := reference(64), reference(64), reference(64)
	slow.Problem.Latency, faster.Problem.Latency = 9e-6, fast.Problem.Latency/2
	f := field(slow, fast, faster)
	f[0].Plain, f[1].Plain = true, true
	few, many := reference(64), reference(64)
	many.Problem.Redundancy.Sources = 2
	preferred := field(few, many)
	for _, native := range []bool{false, true} {
		preferred[1].Native = native
		s := equally(50, f, preferred)
		s.Tolerance = 1e9
		decisions := tests.Must(collect(t.Context(), t, s, montecarlo.Options{Workers: 1}))(t)
		base, results := decisions[0].Choice, decisions[0].Results
		if base.Base != (montecarlo.Candidate{Config: 1}) || base.Baseline != results[1].Summaries[0].Mean {
			t.Errorf("the baseline is %+v, %g s", base.Base, base.Baseline)
		}
		if star := decisions[1].Choice.Star; (star.Config == 1) != native || star.T != 0 {
			t.Errorf("native %t: chose %+v", native, star)
		}
	}
}

// A field of several configurations is chosen from after any number of trials, of which a
// configuration whose lower bound seems best may have none yet.
func TestFewestTrials(t *testing.T) {
	for _, trials := range []int{2, 3, 5} {
		s := equally(trials, field(deployment(12)...), field(deployment(2)...))
		decisions, err := collect(t.Context(), t, s, montecarlo.Options{})
		if err != nil || decisions[0].Results[0].Trials != trials || decisions[1].Stop != montecarlo.Fixed {
			t.Errorf("%d trials: %+v, %v", trials, decisions[0].Choice, err)
		}
	}
}

// The effort bounds what is spent after the first analysis.
func TestEffort(t *testing.T) {
	s := choosing(20, 1_000_000, field(reference(1024)))
	s.Trials.Effort = 2e6
	var progress atomic.Int64
	results := tests.Must(collect(t.Context(), t, s, montecarlo.Options{Workers: 2, Progress: &progress}))(t)
	d := results[0]
	if d.Stop != montecarlo.Spent || d.Choice.Low.T >= d.Choice.Star.T || progress.Load() > 2e6 ||
		progress.Load() < 1e6 {
		t.Errorf("stopped by %v, %+v, after %d messages", d.Stop, d.Choice, progress.Load())
	}
	if d.Choice.Needed < 2*d.Results[0].Trials {
		t.Errorf("%d trials needed after %d", d.Choice.Needed, d.Results[0].Trials)
	}
}

// As many trials as are said to be needed make the choice about as certain as asked for, for
// most seeds.
func TestAsManyAsNeededAreNeeded(t *testing.T) {
	tests.OnlyWhole(t, "TestChoiceAmongCollectives chooses with fewer seeds")
	const seeds = 10
	for _, ranks := range []int{16, 256} {
		t.Run(fmt.Sprint(ranks), func(t *testing.T) {
			choose := func(seed uint64, trials int) montecarlo.Choice {
				s := equally(trials, field(reference(ranks)))
				s.Seed = seed
				decisions, _ := collect(t.Context(), t, s, montecarlo.Options{})
				return decisions[0].Choice
			}
			right := 0
			for seed := range uint64(seeds) {
				c := choose(seed, 2000)
				if c.Low == c.Star || c.Needed <= 2000 {
					continue
				}
				fewer, more := choose(seed, c.Needed*2/5), choose(seed, c.Needed*4)
				if fewer.Low != fewer.Star && more.Low == more.Star {
					right++
				}
			}
			if right < seeds*6/10 {
				t.Errorf("for %d of %d seeds it took between 0.4 and 4 times as many as needed", right, seeds)
			}
		})
	}
}

// ladder returns a model whose trials take times[T], and the same work for each T beside that of the launch.
func ladder(times []float64, launch, each float64) *models.Made {
	m := &models.Made{
		Of: montecarlo.Shape{
			Work: launch + each*float64(len(times)), Hit: 0.01, Memory: 1,
			Checkpoints: models.Points(len(times)),
		},
		Bound: 0.01, Quiet: times,
		Trial: func(_ context.Context, _ rng.Key, completion []float64) error {
			copy(completion, times)
			return nil
		},
	}
	for T := range times {
		m.Of.Checkpoints[T].Messages++
	}
	return m
}

// Of what does not help no more is compared, and of what helps as much as does, from few trials.
func TestWhatHelpsIsExtended(t *testing.T) {
	flat := []float64{2, 2.1, 2.2, 2.3, 2.4, 2.5, 2.6, 2.7}
	falls := []float64{2, 1.9, 1.8, 1.7, 1.6, 1.5, 1.4, 1.3}
	for _, c := range []struct {
		name     string
		models   [][]float64
		star     montecarlo.Candidate
		compared []int // redundancies of each
		launch   float64
	}{
		{"nothing helps", [][]float64{flat, flat, flat}, montecarlo.Candidate{}, []int{2, 2, 0}, 0},
		{"copies", [][]float64{flat, falls, flat}, montecarlo.Candidate{Config: 1, T: 7}, []int{2, 8, 2}, 0},
		{"sources", [][]float64{flat, {1.9, 2}, {1.5, 1.6}}, montecarlo.Candidate{Config: 2}, []int{2, 2, 2}, 0},
		{"sources that gain little", [][]float64{flat, {1.996, 2}, {1.5, 1.6}},
			montecarlo.Candidate{}, []int{2, 2, 0}, 0},
		{"too far behind", [][]float64{{1.69, 1.8}, falls, flat}, montecarlo.Candidate{}, []int{2, 2, 0}, 0},
		{"behind", [][]float64{{1.71, 1.8}, falls, flat}, montecarlo.Candidate{Config: 1, T: 7}, []int{2, 8, 2}, 0},
		{"long launch", [][]float64{flat, falls, flat}, montecarlo.Candidate{Config: 1, T: 7}, []int{4, 8, 4}, 1e6},
	} {
		t.Run(c.name, func(t *testing.T) {
			var field montecarlo.Field
			each := max(1, 0.03*c.launch)
			for _, times := range c.models {
				field = append(field, montecarlo.Config{Model: ladder(times, c.launch, each), Plain: true,
					Upto: func(redundancy int) montecarlo.Model {
						return ladder(times[:min(len(times), redundancy+1)], c.launch, each)
					}})
			}
			field[2].Plain = false
			field[2].After = []montecarlo.Gain{{Of: 1, Over: 0}}
			var standing montecarlo.Standing
			decisions := tests.Must(collect(t.Context(), t, choosing(2, 100, field),
				montecarlo.Options{Standing: func(_ int, s montecarlo.Standing) { standing = s }}))(t)
			if standing.Compared < 2 || standing.Left > standing.Compared || !(standing.Regret > 0.01) {
				t.Errorf("after the first trial %+v is known", standing)
			}
			var compared []int
			for _, r := range decisions[0].Results {
				compared = append(compared, len(r.Checkpoints))
			}
			d := decisions[0]
			if d.Choice.Star != c.star || !slices.Equal(compared, c.compared) || d.Stop != montecarlo.Chosen ||
				d.Results[c.star.Config].Trials > 8 {
				t.Errorf("chose %+v of %d redundancies by %v after %d trials, want %+v of %d", d.Choice.Star,
					compared, d.Stop, d.Results[d.Choice.Star.Config].Trials, c.star, c.compared)
			}
		})
	}
}

// What has more of something is left out again when it can gain no more than the tolerance over what has
// fewer of it, also if it seemed to be the best, and is chosen when it gains more.
func TestMoreThatGainsNothingIsLeftOut(t *testing.T) {
	for _, c := range []struct {
		first, more, work float64
		star, most        int
	}{{1.911, 1.9, 1, 0, 15}, {1.911, 1.85, 1, 2, 1000}, {1.93, 1.897, 1e7, 1, 15}} {
		var field montecarlo.Field
		for i, time := range []float64{c.first, 1.9, c.more} {
			field = append(field, montecarlo.Config{Model: ladder([]float64{time}, c.work, 0), Plain: i == 0})
			made := field[i].Model.(*models.Made)
			made.Of.Hit, made.Of.Checkpoints[0].Messages = 0.23, float64(i)
		}
		field[2].After = []montecarlo.Gain{{Of: 1, Over: 0}}
		d := tests.Must(collect(t.Context(), t, choosing(2, 1000, field), montecarlo.Options{}))(t)[0]
		least, more := d.Results[0].Trials, d.Results[2].Trials
		known := d.Choice.Star.Config == c.star && d.Stop == montecarlo.Chosen
		if !known || more > c.most || more < 10 || least < 20 {
			t.Errorf("chose %d by %v, after %d trials of it and %d of more", d.Choice.Star.Config, d.Stop, least, more)
		}
	}
}

// Where trials are much work they end when a choice is known, whether or not one with fewer messages
// may be as good.
func TestMuchWorkEndsWhenKnown(t *testing.T) {
	trials := func(work float64) int {
		field := montecarlo.Field{
			{Model: ladder([]float64{2.018}, work, 0), Plain: true}, {Model: ladder([]float64{2}, work, 0)},
		}
		for i := range field {
			made := field[i].Model.(*models.Made)
			made.Of.Hit, made.Of.Checkpoints[0].Messages = 2, float64(i)
		}
		d := tests.Must(collect(t.Context(), t, choosing(2, 1e4, field), montecarlo.Options{Workers: 1}))(t)[0]
		if d.Stop != montecarlo.Chosen {
			t.Errorf("chose %+v by %v", d.Choice.Star, d.Stop)
		}
		return d.Results[0].Trials
	}
	if little, much := trials(1), trials(1e8); much > little/2 || much < little/10 {
		t.Errorf("%d trials of much work, %d of little", much, little)
	}
}

// Where trials are much work, the best is chosen if that is known before what is within
// the tolerance by little.
func TestMuchWorkChoosesTheBest(t *testing.T) {
	var field montecarlo.Field
	for _, time := range []float64{2.018, 2.009, 2} {
		m := ladder([]float64{time}, 1e8, 0)
		m.Of.Hit, m.Of.Checkpoints[0].Messages = 2, float64(len(field))
		field = append(field, montecarlo.Config{Model: m, Plain: true})
	}
	d := tests.Must(collect(t.Context(), t, choosing(2, 1e4, field), montecarlo.Options{Workers: 1}))(t)[0]
	if star := d.Choice.Star.Config; star != 2 || d.Results[star].Trials > 800 || d.Stop != montecarlo.Chosen {
		t.Errorf("chose %d by %v after %d trials", star, d.Stop, d.Results[star].Trials)
	}
}

// hand returns a model that takes a time plus the largest of two dice, and extra times another roll, of its
// own; it counts its trials, and those from the number stuck on never end, if that is not 0.
func hand(time, extra, messages float64, trials *int, stuck int) *models.Made {
	return &models.Made{
		Of: montecarlo.Shape{
			Checkpoints: []montecarlo.Checkpoint{{Messages: messages}}, Work: 1 << 14, Memory: 1, Hit: 6 + 6*extra,
		}, Bound: 1, Quiet: []float64{time},
		Trial: func(ctx context.Context, key rng.Key, times []float64) error {
			if *trials++; stuck > 0 && *trials > stuck {
				<-ctx.Done()
				return ctx.Err()
			}
			own := rng.New(key.Derive(uint64(messages)))
			err := cast(ctx, key, times)
			times[0] += time + extra*float64(own.Intn(6))
			return err
		},
	}
}

// The algorithm without redundancy is eliminated early, and gets trials before the decision; if the time is
// over before, those that are complete count.
func TestWithoutRedundancyIsPrecise(t *testing.T) {
	for _, stuck := range []int{0, 300} {
		trials := make([]int, 3)
		config := func(i int, time, extra float64, stuck int) montecarlo.Config {
			h := hand(time, extra, float64(1+i), &trials[i], stuck)
			return montecarlo.Config{Model: h, Environment: "hands", Plain: i > 0}
		}
		bare, with, rival := config(0, 100, 60, stuck), config(1, 100, 0, 0), config(2, 101.4, 0.5, 0)
		bare.Algorithm, bare.Single, with.Algorithm, rival.Algorithm, rival.Single = "a", true, "a", "b", true
		study := choosing(10, 2000, montecarlo.Field{bare, with, rival})
		options := montecarlo.Options{Workers: 1}
		if stuck > 0 {
			options.Time = time.Second
		}
		decisions := tests.Must(collect(t.Context(), t, study, options))(t)
		results, w := decisions[0].Results, decisions[0].Choice.Without
		star, got := results[1].Trials, results[0].Trials
		if stuck > 0 && star > stuck {
			star = stuck
		}
		// A roll takes 2.5 on average, and of the hand without redundancy 150 more.
		if got > star || got < star/2 || star < 200 || w.Objective < 235 || w.Objective > 270 || w.Half > 0.3 {
			t.Errorf("stuck %d: %d of %d trials, and %+v", stuck, got, star, w)
		}
		if quiet := results[0].Summaries[0].NoiseFree; !math.IsNaN(quiet) {
			t.Errorf("stuck %d: %g s without noise are simulated, and not needed", stuck, quiet)
		}
	}
}

// More trials of the algorithm without redundancy may show that another one is the baseline. Whichever
// is, its time without noise is known.
func TestBaselineIsKnownWithoutNoise(t *testing.T) {
	bases := map[int]bool{}
	for seed := range tests.Part(uint64(300), 100) {
		config := func(time, extra, messages float64, plain bool, algorithm string) montecarlo.Config {
			return montecarlo.Config{Model: hand(time, extra, messages, new(int), 0), Environment: "hands",
				Plain: plain, Single: plain, Algorithm: algorithm}
		}
		study := choosing(10, 2000, montecarlo.Field{
			config(100, 0, 2, false, "a"),
			config(100, 60, 1, true, "a"),
			config(100, 60, 3, true, "b"),
			config(101.4, 0.5, 4, false, "c"),
		})
		study.Seed = seed
		decisions := tests.Must(collect(t.Context(), t, study, montecarlo.Options{Workers: 1}))(t)
		base := decisions[0].Choice.Base.Config
		bases[base] = true
		if quiet := decisions[0].Results[base].Summaries[0].NoiseFree; math.IsNaN(quiet) {
			t.Errorf("seed %d: configuration %d is the baseline, and unknown without noise", seed, base)
		}
	}
	if len(bases) < 2 {
		t.Errorf("the baselines are %v", bases)
	}
}

// A floored model takes above[T] [s] longer than a time that its noise draws, which is its floor; and without
// redundant exchanges, if it has some, still longer in some trials.
type floored struct {
	*models.Made
	calls float64 // what its calls take at least [s]
}

func newFloored(work float64, above ...float64) floored {
	f := floored{Made: ladder(slices.Repeat([]float64{1}, len(above)), 0, 1)}
	f.Of.Work, f.Of.Hit = work*float64(len(above)), 1
	f.Trial = func(_ context.Context, key rng.Key, times []float64) error {
		for T := range times {
			times[T] = 1 + key.Uniform(0) + above[T]
		}
		if len(times) > 1 && key.Uniform(1) < 0.05 {
			times[0]++
		}
		return nil
	}
	return f
}

func (floored) Floor() montecarlo.Model { return newFloored(1, 0).Made }
func (f floored) LeastCalls() float64   { return f.calls }

// What is near the floor is good without trials of others that take long, and what is not near is compared
// with them, in as few trials as each needs.
func TestFloorStandsForOthers(t *testing.T) {
	for _, c := range []struct {
		name        string
		tolerance   float64
		above, work []float64 // of the candidates; each sends more messages than those before it
		star        int
		most        []int // trials, 0 where any number will do
	}{
		{"near", 0.05, []float64{0.01, 0.001}, []float64{1, 1e9}, 0, []int{0, 3}},
		{"not near", 0.05, []float64{0.5, 0.001}, []float64{1, 1e9}, 1, []int{0, 0}},
		{"near, but more work than to compare", 0.05, []float64{0.07, 0.071}, []float64{1e7, 1e7}, 0,
			[]int{150, 150}},
		{"a smaller one takes long", 0.05, []float64{0.04, 0.01}, []float64{1e9, 1}, 1, []int{3, 500}},
		{"compared after many with the floor", 0.01, []float64{0.06, 0.02, 0.3}, []float64{1e3, 1e8, 1e8}, 1,
			[]int{0, 150, 40}},
		{"near at a wide tolerance", 0.01, []float64{0.07, 0.05, 1}, []float64{1, 2, 1e9}, 1, []int{0, 0, 16}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var field montecarlo.Field
			for i, above := range c.above {
				f := newFloored(c.work[i], above)
				f.Of.Checkpoints[0].Messages = float64(i)
				field = append(field, montecarlo.Config{Model: f, Plain: i == c.star})
			}
			s := choosing(2, 5000, field)
			s.Tolerance = c.tolerance
			d := tests.Must(collect(t.Context(), t, s, montecarlo.Options{}))(t)[0]
			if d.Choice.Star.Config != c.star || d.Stop != montecarlo.Chosen || d.Choice.Regret > c.tolerance {
				t.Errorf("chose %d by %v, at most %g above the best", d.Choice.Star.Config, d.Stop, d.Choice.Regret)
			}
			for i, r := range d.Results {
				if c.most[i] > 0 && r.Trials > c.most[i] {
					t.Errorf("%d trials of %d, want at most %d", r.Trials, i, c.most[i])
				}
			}
		})
	}
}

// What its calls alone keep from being the best gets no trial.
func TestLongCallsNeedNoTrial(t *testing.T) {
	for _, calls := range []float64{0, 2.5} {
		near, far := newFloored(1e7, 0.5), newFloored(2e8, 2)
		far.calls = calls
		d := tests.Must(collect(t.Context(), t, choosing(2, 5000, montecarlo.Field{
			{Model: near, Plain: true}, {Model: far},
		}), montecarlo.Options{}))(t)[0]
		got, wrong := d.Results[1].Trials, d.Choice.Star.Config != 0 || d.Stop != montecarlo.Chosen
		if wrong || (got > 0) == (calls > 0) {
			t.Errorf("%d trials of what has calls of %g s; %d is chosen, and %v ends it",
				got, calls, d.Choice.Star.Config, d.Stop)
		}
	}
}

// Where the effort does not allow to compare all, the floor gives a bound above the tolerance.
func TestBoundWithoutComparing(t *testing.T) {
	for _, c := range []struct{ above, bound float64 }{{0.03, 0.05}, {0.6, 0.8}} {
		var field montecarlo.Field
		for i, work := range []float64{1e5, 4e6, 4e6, 4e6, 1e10} {
			f := newFloored(work, c.above)
			f.Of.Checkpoints[0].Messages = float64(i)
			field = append(field, montecarlo.Config{Model: f, Plain: i == 0})
		}
		s := choosing(2, 5000, field)
		s.Tolerance, s.Trials.Effort = 0.01, 1e9
		d := tests.Must(collect(t.Context(), t, s, montecarlo.Options{}))(t)[0]
		last := d.Results[4].Trials
		if d.Stop != montecarlo.Spent || !(d.Choice.Regret <= c.bound) || last > 0 {
			t.Errorf("%v, at most %g above the best, %d trials of the last", d.Stop, d.Choice.Regret, last)
		}
	}
}

// More redundant exchanges are compared when the first turns out to help, and are left out again after a few
// trials if they do not; what may be the baseline of a choice that the floor shows to be good has none.
func TestFewRedundanciesAboveTheFloor(t *testing.T) {
	for _, c := range []struct {
		name  string
		first float64 // of the first candidate above the floor
		above []float64
		most  int // redundancies in the end
	}{
		{"compared", 0.5, []float64{0.15, 0.15, 0.15, 0.15, 0.15}, 2},
		{"compared, and two help", 0.5, []float64{0.35, 0.25, 0.15, 0.15, 0.15}, 3},
		{"baseline", 0.001, []float64{0.15, 0.15, 0.15, 0.15, 0.15}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			config := montecarlo.Config{
				Model: newFloored(5e6, c.above...), Plain: true,
				Upto: func(redundancy int) montecarlo.Model {
					return newFloored(5e6, c.above[:min(len(c.above), redundancy+1)]...)
				},
			}
			field := montecarlo.Field{config, {Model: newFloored(5e6, c.first)}}
			for range 4 {
				field = append(field, montecarlo.Config{Model: newFloored(5e6, 0.9)})
			}
			d := tests.Must(collect(t.Context(), t, choosing(2, 5000, field), montecarlo.Options{}))(t)[0]
			if got := len(d.Results[0].Checkpoints); got != c.most || d.Stop != montecarlo.Chosen {
				t.Errorf("%d redundancies in %d trials, want %d; %v ends it", got, d.Results[0].Trials, c.most, d.Stop)
			}
		})
	}
}

// The baseline has trials, also in a field that ends before they were wanted. What the field may not afford
// is not the baseline.
func TestBaselineHasTrials(t *testing.T) {
	for _, c := range []struct {
		work       float64 // of the plain candidate, the last
		affordable bool
	}{{2e7, true}, {1e9, false}} {
		var field montecarlo.Field
		for i, work := range []float64{4e6, 4e6, 4e6, 4e6, c.work} {
			f := newFloored(work, 0.02+0.01*float64(i))
			f.Of.Checkpoints[0].Messages = float64(i)
			field = append(field, montecarlo.Config{Model: f, Plain: i == 4})
		}
		s := choosing(2, 5000, field)
		s.Tolerance, s.Trials.Effort = 0.01, 2e8
		d := tests.Must(collect(t.Context(), t, s, montecarlo.Options{}))(t)[0]
		base := d.Results[d.Choice.Base.Config]
		if (d.Choice.Base.Config == 4) != c.affordable || base.Trials == 0 || d.Stop != montecarlo.Spent {
			t.Errorf("the baseline is %d, with %d trials, and %v ends them", d.Choice.Base.Config, base.Trials, d.Stop)
		}
	}
}

// Where the effort does not allow the tolerance, the bound is what it allows, and it holds as often as it
// says, whichever tolerances were aimed at on the way.
func TestWiderTolerancesFirst(t *testing.T) {
	hit := func(time, probability float64, own int) floored {
		f := newFloored(4e6, 1)
		f.Of.Checkpoints[0].Messages = float64(own)
		f.Trial = func(_ context.Context, key rng.Key, times []float64) error {
			if times[0] = time + key.Uniform(0); key.Uniform(own) < probability {
				times[0]++
			}
			return nil
		}
		return f
	}
	const above = 0.08 // the first's mean, relative to the others', though it is the best without hits
	worse, best, another := hit(2.4, 0.34, 1), hit(2.48, 0.02, 2), hit(2.4, 0.1, 3)
	chosen, wrong, bounds := 0, 0, map[float64][]float64{}
	for seed := range tests.Part(600, 60) {
		for _, trials := range []float64{8, 40, 400} {
			s := choosing(2, 5000, montecarlo.Field{
				{Model: worse, Plain: true}, {Model: best}, {Model: another},
			})
			s.Seed, s.Tolerance, s.Trials.Effort = uint64(seed), 0.01, trials*3*4e6
			d := tests.Must(collect(t.Context(), t, s, montecarlo.Options{Workers: 1}))(t)[0]
			bounds[trials] = append(bounds[trials], d.Choice.Regret)
			if d.Choice.Star.Config == 0 {
				if chosen++; d.Choice.Regret < above {
					wrong++
				}
			}
		}
	}
	for trials, most := range map[float64]float64{8: 0.7, 40: 0.08, 400: 0.02} {
		sorted := slices.Sorted(slices.Values(bounds[trials]))
		if median := stat.Quantile(0.5, stat.Empirical, sorted, nil); median > most {
			t.Errorf("the bound is %g after the work of %g trials, want at most %g", median, trials, most)
		}
	}
	if n := len(bounds[8]); wrong*20 > n || chosen == 0 {
		t.Errorf("%d of %d bounds are wrong, with %d bad choices", wrong, 3*n, chosen)
	}
}
