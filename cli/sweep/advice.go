package sweep

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"jitterfly/cli/internal/output"
	"jitterfly/cli/study"
	"jitterfly/internal/units"
	"jitterfly/internal/vector"
	"jitterfly/montecarlo"
)

// printAdvice prints what to deploy, what it gains and costs, and the confidence in it.
func printAdvice(w io.Writer, s *study.Study, a advice) error {
	var b strings.Builder
	screen := output.ScreenOf(w)
	line := func(title, value, format string, args ...any) {
		label := fmt.Sprintf("%-16s %9s  ", title, value)
		b.WriteString(strings.TrimRight(screen.Hang(label, fmt.Sprintf(format, args...)), " ") + "\n")
	}
	star, summary, level := a.candidate(a.Star), a.summary(a.Star), output.Level(s.Trials.Confidence)
	x := summaryOf(s, []advice{a})
	b.WriteString(screen.Wrap(x.verdict([]advice{a}) + "\n\n"))
	fmt.Fprintf(&b, "%s\n\n", screen.Bold(star.name()))
	if s.Objective.Name != "mean" {
		line(s.Objective.Name, output.Seconds(a.Objective), "the objective of the choice")
	}
	if math.IsInf(summary.High, 1) {
		line("mean", output.Seconds(summary.Mean), "of too few trials for an interval")
	} else {
		line("mean", output.Seconds(summary.Mean), "%s interval from %s to %s", level,
			output.Seconds(summary.Low), output.Seconds(summary.High))
	}
	low := ""
	if a.GainLow > 1 {
		low = fmt.Sprintf(", at least %s with %s confidence", output.Gain(a.GainLow), level)
	}
	line("baseline", output.Seconds(a.Baseline), "%s: %s%s", a.baseline(s), slower(a.gain()), low)
	if w := a.Without; w.Known && w.Candidate != a.Star && w.Candidate != a.Base {
		line("without R and T", output.Seconds(w.Objective), "%s: %s%s", a.candidate(w.Candidate).name(),
			slower(w.Gain), half(w.Half))
	}
	if !math.IsNaN(summary.NoiseFree) { // the time was over before
		shown := ""
		if amplification := a.amplification(summary); !math.IsNaN(amplification) {
			shown = "noise amplification " + output.Amplification(amplification)
		}
		line("without noise", output.Seconds(summary.NoiseFree), "%s", shown)
	}
	if a.application() {
		line("in collective", output.Seconds(a.inCalls(a.Star)), "%s of an iteration, "+
			"and of the baseline, %s, %s", output.Percent(a.inCalls(a.Star)/summary.Mean),
			a.candidate(a.Base).Collective, output.Seconds(a.inCalls(a.Base)))
	}
	line("lower bound", output.Seconds(summary.LowerBound), "of the mean, with any redundancy")
	line("messages", fmt.Sprintf("%.6g", a.messages(a.Star)), "%s the baseline's",
		a.timesMessages(a.Star))
	if buffer := a.checkpoint(a.Star).Buffer; buffer > 0 {
		line("buffers", units.Format(units.Size, buffer, 12), "on every rank, for the blocks that it passes on")
	}
	line("above the best", output.Regret(a.Regret), "%s", a.support(s))
	b.WriteString(screen.Wrap(a.unsettled(x)))
	b.WriteString(a.equivalents(s, screen))
	if !a.deploys(a.Star) {
		b.WriteString(screen.Wrap("\n" + notDeployable))
	} else if a.lessForwarded() {
		b.WriteString(screen.Wrap("\n" + forwardedByLibrary))
	}
	if !a.application() && !a.points[0].OnTopology() {
		b.WriteString(screen.Wrap(oneLaunch))
	}
	b.WriteString("\n" + screen.Lines(s.Basis()))
	_, err := io.WriteString(w, b.String())
	return err
}

// forwardedByLibrary says what a choice without forwarding leaves out.
const forwardedByLibrary = "jitterfly's MPI library forwards results, so that a smaller T may do there: " +
	"--format csv and env choose for it.\n"

// lessForwarded reports whether the MPI library may do with fewer exchanges than the choice, as its ranks
// forward results. Over sockets that ranks poll that is not simulated.
func (a advice) lessForwarded() bool {
	p := a.points[a.Star.Config]
	return a.Star.T > 1 && p.Name(study.Collective) == "butterfly" && p.Name(study.Forward) == "none" &&
		p.Name(study.Assume) == "hosts" && !slices.Contains([]string{"polling", "epoll"}, p.Name(study.Progress))
}

// notDeployable says that a choice is in no MPI library, and what is.
const notDeployable = "No MPI library has this; --format csv and env choose among what jitterfly's " +
	"MPI library deploys.\n"

// baseline describes what gains are over.
func (a advice) baseline(s *study.Study) string {
	name := a.candidate(a.Base).name()
	switch {
	case s.Baseline() != "" || !a.allreduce():
		return name
	case !a.redundant() && a.Base == a.Star:
		return name + ", the best allreduce of MPI libraries"
	}
	return name + ", the best allreduce of MPI libraries (one leader a node, nothing shared, R = 1)"
}

// slower returns a ratio of times in words.
func slower(ratio float64) string {
	switch text := output.Gain(ratio); {
	case text == "1.00×":
		return "as fast"
	case ratio < 1:
		return output.Gain(1/ratio) + " faster"
	default:
		return text + " slower"
	}
}

// half returns half of an interval of a ratio in words, if there is one.
func half(h float64) string {
	if math.IsInf(h, 0) {
		return ", by too few trials for an interval"
	}
	return fmt.Sprintf(" ± %.2g", h)
}

// native reports whether the choice is known to be an allreduce without redundancy.
func (a advice) native() bool { return a.leftAlone() && a.Warning == montecarlo.NoWarning }

func (a advice) allreduce() bool { return !a.points[0].AllToAll() && !a.points[0].OnTopology() }

// redundant reports whether the choice has redundancy of any kind.
func (a advice) redundant() bool { return !a.candidate(a.Star).plain() }

// oneLaunch says which launch a choice is for, and how to ask for another.
const oneLaunch = "\nOptimized for a single call. For a loop that computes 100 µs between calls, add " +
	"--compute 100us.\n"

// name returns a candidate in words.
func (c candidate) name() string {
	name := c.Collective
	if c.Leaders > 1 {
		name = fmt.Sprintf("%d leaders a node", c.Leaders)
		if c.Share {
			name += " that share"
		}
	}
	if c.Sources > 1 {
		name += fmt.Sprintf(" from R = %d sources", c.Sources)
	}
	if c.Segments > 1 {
		name += fmt.Sprintf(" in %d segments", c.Segments)
	}
	switch c.Redundancy {
	case 0:
		return name + " without redundant exchanges (T = 0)"
	case 1:
		return name + " with T = 1 redundant exchange"
	}
	return name + fmt.Sprintf(" with T = %d redundant exchanges", c.Redundancy)
}

// support says with what confidence the choice is how good, after how many trials, and what
// could be more certain.
func (a advice) support(s *study.Study) string {
	trials := a.result(a.Star).Trials
	text := fmt.Sprintf("after %d trials", trials)
	if trials == 1 {
		text = "after one trial"
	}
	if output.Bounds(a.Regret) {
		text = fmt.Sprintf("with %s confidence, ", output.Level(s.Trials.Confidence)) + text
	}
	switch a.Warning {
	case montecarlo.Unbounded:
		return text + "; no number gives confidence in a maximum"
	case montecarlo.Unresolved:
		return text + fmt.Sprintf("; the %s needs at least %d", s.Objective.Name,
			s.Objective.Needs(s.Trials.Confidence))
	}
	return text
}

// unsettled returns a paragraph on what more trials could settle, and the flags that allow
// them; nothing if the choice is certain.
func (a advice) unsettled(x *Summary) string {
	s := x.study
	text := ""
	switch {
	case a.Warning == montecarlo.Unbounded:
		return ""
	case a.Warning != montecarlo.NoWarning:
		text = fmt.Sprintf("\nNot known to be within %s of the best.", output.Level(s.Tolerance))
	case a.Low != a.Star:
		text = fmt.Sprintf("\nThe smaller %s may do.", a.candidate(a.Low).name())
	default:
		return ""
	}
	return text + " " + x.more()
}

// maxEquivalents is the largest number of equivalents that are listed.
const maxEquivalents = 8

// equivalents returns a table of what is as good, with all T of a configuration in a row.
func (a advice) equivalents(s *study.Study, screen *output.Screen) string {
	t := output.Columns("collective", "R", "T", s.Objective.Name, "messages")
	lines := 0
	for i := range a.decision.Results {
		others := func(n montecarlo.Option) bool { return n.Config != i }
		alike := slices.DeleteFunc(slices.Clone(a.Near[1:]), others)
		if len(alike) == 0 {
			continue
		}
		if lines++; lines <= maxEquivalents {
			from, to := alike[0], alike[len(alike)-1].T
			c := a.candidate(from.Candidate)
			t.Append(c.variant(), c.Sources, span(fmt.Sprint(c.Redundancy), fmt.Sprint(to)),
				output.Seconds(from.Objective), a.timesMessages(from.Candidate))
		}
	}
	none, some := "Nothing else is", "Also"
	if a.Warning != montecarlo.NoWarning {
		none, some = "In these trials nothing else is", "In these trials also"
	}
	if lines == 0 {
		return fmt.Sprintf("\n%s within %s of the best.\n", none, output.Level(s.Tolerance))
	}
	text := screen.Wrap(fmt.Sprintf("\n%s within %s of the best:\n\n",
		some, output.Level(s.Tolerance))) + screen.Table(t)
	if lines > maxEquivalents {
		text += fmt.Sprintf("and %d more\n", lines-maxEquivalents)
	}
	return text
}

// variant returns the name of a candidate's collective in a table, with its segments or leaders.
func (c candidate) variant() string {
	name := c.Collective
	if n := max(c.Segments, c.Leaders); n > 1 {
		name += fmt.Sprintf("/%d", n)
	}
	if c.Share {
		name += "+share"
	}
	return name
}

// span returns the range of two texts, or one of them if they are equal.
func span(from, to string) string { return strings.Join(slices.Compact([]string{from, to}), "–") }

// exampleNoise says that a choice is for the noise of an example, and how to give another.
const exampleNoise = "No noise was given, and this is an example's: jitterfly measure measures a " +
	"machine's, and --noise takes that, or a published system's (jitterfly presets).\n\n"

// verdict returns the answer of choices in one or two sentences: whether redundancy pays, and what
// it saves.
func (x *Summary) verdict(all []advice) string {
	example := ""
	if x.study.ExampleNoise() {
		example = exampleNoise
	}
	noisy := func(a advice) bool { return a.noisy }
	least, most := vector.Extremes(vector.Each(all, advice.gain))
	faster := fmt.Sprintf("The choice is %s times as fast as the baseline.", times(least, most))
	switch {
	case !slices.ContainsFunc(all, noisy) && !slices.ContainsFunc(all, advice.redundant):
		return "There is no noise, so that redundancy has nothing to hide: leave the native collective alone."
	case !slices.ContainsFunc(all, noisy):
		return "There is no noise, so that redundancy has nothing to hide. " + faster
	case !all[0].allreduce() && !all[0].application():
		return example + faster
	}
	return example + x.gains[0].sentence(x.study)
}
