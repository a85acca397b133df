package sweep

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"jitterfly/cli/internal/output"
	"jitterfly/cli/study"
	"jitterfly/collectives/rounds"
	"jitterfly/datasets"
	"jitterfly/internal/vector"
	"jitterfly/montecarlo"
	"jitterfly/montecarlo/attribution"
	"jitterfly/program"
)

// A saving is what a choice saves a recorded program.
type saving struct {
	datasets.ProgramRow
	group  *program.Group
	advice advice
	study  *study.Study
}

// newSaving returns what the choice for a group saves, without the time of the whole run.
func newSaving(g *program.Group, a advice, s *study.Study) saving {
	star, one := a.candidate(a.Star), a.perRun()
	saved, half := a.perCall()
	return saving{datasets.ProgramRow{
		Directory: directoryOf(g), Study: s.Hash, Bytes: int64(g.Bytes), Recorded: int64(g.Size),
		Ranks: int64(a.deployment.Number(study.Ranks)), Calls: int64(g.Calls), Collective: star.Collective,
		Sources: star.Sources, Leaders: star.Leaders, Redundancy: int64(star.Redundancy),
		Iteration: g.Iteration(), Plain: a.summary(a.Base).Mean, Saved: saved, SavedHalf: half,
		SavedP10: one.Low, SavedP90: one.High, Iterations: a.iterations(), Warning: a.Warning.String(),
	}, g, a, s}
}

// perCall returns what redundancy saves of an iteration [s] on average over runs, with half of its
// interval. It saves nothing if the MPI library's own collective is as good as another.
func (a advice) perCall() (saved, half float64) {
	if !a.redundant() {
		return 0, 0
	}
	base, star := a.summary(a.Base), a.summary(a.Star)
	return max(0, base.Mean-star.Mean), math.Hypot(base.High-base.Low, star.High-star.Low) / 2
}

// A sum is what savings are in a whole run [s].
type sum struct {
	run, saved, half    float64
	redundant           bool
	recorded, simulated float64 // of what is simulated as it was recorded
	// oneRun is of the sums of the calls of one run: phases of noise last, so that they are as good or
	// as bad for all. iterations is the smallest number of a run that is shorter than the program, or 0.
	oneRun     Range
	iterations int64
}

func sumOf(r *Recorded, all []saving) sum {
	s := sum{run: r.Duration}
	for _, x := range all {
		n := float64(x.Calls)
		s.saved, s.half = s.saved+n*x.Saved, s.half+n*x.SavedHalf
		if x.advice.redundant() {
			s.redundant = true
			if x.Iterations < x.Calls && (s.iterations == 0 || x.Iterations < s.iterations) {
				s.iterations = x.Iterations
			}
			s.oneRun.Low, s.oneRun.High = s.oneRun.Low+n*x.SavedP10, s.oneRun.High+n*x.SavedP90
		}
		is := x.Plain
		if x.group.Rule { // with some of the redundancy
			is = min(max(x.Iteration, x.Plain-x.Saved), x.Plain)
		}
		if x.Ranks == x.Recorded {
			s.recorded, s.simulated = s.recorded+n*x.Iteration, s.simulated+n*is
		} else {
			s.run += n * (x.Plain - x.Iteration)
		}
	}
	s.run = max(s.run, s.saved)
	return s
}

// mostOff is the largest relative difference between simulated and recorded iterations with which a
// gain is believed.
const mostOff = 0.1

// printSavings prints what to deploy for each group, and what that saves of the run.
func printSavings(w io.Writer, r *Recorded, all []saving) error {
	screen := output.ScreenOf(w)
	t := output.Columns("bytes", "ranks", "calls", "~~~recorded", "~plain", "collective", "R", "T",
		"saves", "~~±", "one run", "in all")
	var points []study.Point
	for _, x := range all {
		a := x.advice
		star := a.candidate(a.Star)
		name, saves, half, one, total := "native", "–", "–", "–", "–"
		if a.redundant() {
			name, one = star.variant(), Range{x.SavedP10, x.SavedP90}.String()
			saves, half = output.Seconds(x.Saved), output.Seconds(x.SavedHalf)
			total = output.Seconds(float64(x.Calls) * x.Saved)
		}
		t.Append(lengthOf(x.group), x.Ranks, x.Calls, output.Seconds(x.Iteration), output.Seconds(x.Plain), name,
			star.Sources, star.Redundancy, saves, half, one, total+a.mark())
		points = append(points, a.deployment)
	}
	what, s := whatOf(r.Groups), sumOf(r, all)
	text := screen.Wrap(screen.Bold(s.answer(r, what))+"\n\n") + screen.Table(t) +
		screen.Wrap("recorded, plain: mean time of an iteration in the recording, and simulated with R = 1 and "+
			"T = 0; native: the MPI library's own; saves: a call, against plain, on average over runs; one run: "+
			"10% to 90% of runs.\n")
	if slices.ContainsFunc(all, func(x saving) bool { return x.group.Rule }) {
		text += screen.Wrap("The program was recorded with redundancy: its iterations may be as much faster than " +
			"plain ones as redundancy saves. Record it without rules for a stricter comparison.\n")
	}
	if r.few > 0 {
		text += screen.Wrap(fmt.Sprintf("%s that take %s of the time in all of them stay as they are: too few "+
			"have the same size.\n", strings.ToUpper(what[:1])+what[1:], output.Percent(r.few)))
	}
	x := summaryOf(all[0].study, vector.Each(all, func(s saving) advice { return s.advice }))
	text += screen.Wrap(x.text("* A choice with fewer messages may be as good.\n"))
	basis := study.BasisOf(slices.Values(points), all[0].study.Given)
	_, err := io.WriteString(w, screen.Marks(text+"\n"+screen.Lines(basis)))
	return err
}

// answer says what redundancy saves of a run of the recorded collectives, or why that is not known.
func (s *sum) answer(r *Recorded, what string) string {
	if x := r.Shared(); x != nil {
		return fmt.Sprintf("Inconclusive: %d ranks share %d processors of %s, so they wait for processors. Record "+
			"with a processor for each rank.", x.NodeRanks, x.Processors, x.Host)
	}
	if math.Abs(s.simulated-s.recorded) > mostOff*s.recorded {
		return fmt.Sprintf("Inconclusive: the simulated machine differs from the recorded one, because "+
			"its plain iterations take %.2g× as long as the recorded ones. Describe the machine with --noise, "+
			"--latency and other keys until they agree to 10%%.", s.simulated/s.recorded)
	}
	of := fmt.Sprintf("%s ± %s of the run (%s of %s) on average", output.Percent(s.saved/s.run),
		output.Percent(s.half/s.run), output.Seconds(s.saved), output.Seconds(s.run))
	switch {
	case !s.redundant || s.saved == 0:
		return fmt.Sprintf("Leave the %s alone: redundancy saves nothing of the run of %s.", what,
			output.Seconds(s.run))
	case !program.Worth(s.saved/s.run) && !program.Worth(s.oneRun.High/s.run):
		return fmt.Sprintf("Leave the %s alone: redundancy saves %s.", what, of)
	case !program.Worth(s.saved / s.run):
		return fmt.Sprintf("Leave the %s alone: redundancy saves %s.%s", what, of, s.spread())
	case s.saved-s.half <= 0:
		return "These trials do not show whether redundancy pays: it saves " + of + "." + s.spread()
	}
	return "Redundancy pays here: it saves " + of + "." + s.spread()
}

// spread returns a sentence on what one run saves, if that is known.
func (s *sum) spread() string {
	if math.IsNaN(s.oneRun.Low) {
		return ""
	}
	runs := "runs"
	if s.iterations > 0 {
		runs = fmt.Sprintf("runs of %d iterations", s.iterations)
	}
	return fmt.Sprintf(" One run is a draw, since phases of noise last for all of it: it saves %s to %s "+
		"(10%% to 90%% of %s).", output.Percent(s.oneRun.Low/s.run), output.Percent(s.oneRun.High/s.run), runs)
}

// Runs are runs of a whole application. Each is one draw of what stays as it is through all its
// iterations: the phases of periodic noise, and which nodes the job has.
type Runs struct {
	Iterations int
	// Times are the mean times of an iteration [s] by candidate, then by run. All candidates meet the
	// same noise in a run.
	Times [][]float64
}

// At most mostRuns are simulated, with at most mostIterations. If they cost more than runsWork
// messages, they have fewer iterations, at least those of the study's trials, and then there are fewer
// runs.
const (
	mostRuns, leastRuns = 100, 20
	mostIterations      = 1000
	runsWork            = 1e9
)

// RunsOf simulates runs with the given number of iterations of candidates, whose Config is the index
// of a configuration of the study. It returns nil if fewer than leastRuns can be afforded, or the
// configurations have no iterations.
func RunsOf(ctx context.Context, s *study.Study, candidates []montecarlo.Candidate, iterations, workers int,
) (*Runs, error) {
	var series []*attribution.Series
	var models []*rounds.Application
	least, work := 0, 0.0 // messages of an iteration
	for _, x := range candidates {
		c, _ := s.Remedied(x.Config, nil, x.T) // it was made before
		m, ok := c.Model.(*rounds.Application)
		if !ok {
			return nil, nil
		}
		shape, _ := m.Shape() // the study has it
		least, work = m.Iterations, work+shape.Work/float64(m.Iterations)
		models, series = append(models, m), append(series, &attribution.Series{Config: c})
	}
	r := &Runs{Iterations: max(least, min(iterations, mostIterations, int(runsWork/(mostRuns*work))))}
	number := min(mostRuns, int(runsWork/(work*float64(r.Iterations))))
	if number < leastRuns {
		return nil, nil
	}
	for _, m := range models {
		m.Iterations = r.Iterations
	}
	if err := attribution.Extend(ctx, s.Seed, series, number, workers); err != nil {
		return nil, err
	}
	for i, x := range candidates {
		r.Times = append(r.Times, series[i].Times(x.T))
	}
	return r, nil
}

// Saved returns by how much [s] the iterations of the last candidate are shorter than those of the
// first, by run.
func (r *Runs) Saved() []float64 {
	saved := slices.Clone(r.Times[0])
	for i, t := range r.Times[len(r.Times)-1] {
		saved[i] -= t
	}
	return saved
}

// A Range is from the 10% to the 90% quantile of runs [s].
type Range struct{ Low, High float64 }

// RangeOf returns the range of a number of each run.
func RangeOf(runs []float64) Range {
	sorted := slices.Sorted(slices.Values(runs))
	at := func(p float64) float64 { return stat.Quantile(p, stat.LinInterp, sorted, nil) }
	return Range{at(0.1), at(0.9)}
}

// String returns the range in words.
func (r Range) String() string {
	return fmt.Sprintf("%s to %s", output.Signed(r.Low), output.Signed(r.High))
}

// perRun returns the range of what a choice with iterations saves of one, over runs: nothing without
// redundancy, and NaN if there are no runs.
func (a advice) perRun() Range {
	switch {
	case !a.redundant():
		return Range{}
	case a.runs == nil:
		return Range{math.NaN(), math.NaN()}
	}
	return RangeOf(a.runs.Saved())
}

// iterations returns the number of iterations of the runs, 0 without runs.
func (a advice) iterations() int64 {
	if a.runs == nil {
		return 0
	}
	return int64(a.runs.Iterations)
}
