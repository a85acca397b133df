package sweep

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"jitterfly/cli/internal/output"
	"jitterfly/cli/study"
	"jitterfly/collectives/rounds"
	"jitterfly/internal/units"
	"jitterfly/internal/vector"
	"jitterfly/montecarlo"
)

type decider struct {
	// candidates are defaults of the keys that a choice is made among.
	candidates map[string]string
	// deployable says that only what the MPI library deploys is chosen from.
	deployable bool
	// check, of formats of rules, fails if they cannot express the study. Rules are of allreduces, and need all
	// decisions.
	check func(s *study.Study) error
	print func(w io.Writer, s *study.Study, all []advice) error
}

var deciders = output.Formats[decider]{
	"table": {print: func(w io.Writer, s *study.Study, all []advice) error {
		if s.Len() == 1 {
			return printAdvice(w, s, all[0])
		}
		return printRules(w, s, all)
	}},
	"csv": {
		deployable: true, candidates: deployed,
		print: func(w io.Writer, _ *study.Study, all []advice) error {
			header, rows := ruleRows(rules(all))
			return output.CSV(w, header, slices.Values(rows))
		},
	},
	"json": {print: printDecisions(output.JSON)},
	"yaml": {print: printDecisions(output.YAML)},

	"env":             environment,
	"openmpi":         library(writeOpenMPI),
	"openmpi-classic": library(writeOpenMPIClassic),
	"mpich":           library(writeMPICH),
}

type advice struct {
	deployment study.Point
	points     []study.Point // of the field
	duty       float64       // share of time that detours take from a processor
	noisy      bool          // whether any noise acts
	decision   montecarlo.Decision
	seconds    float64 // that the run took, or was given if that is more
	calls      int     // that a recorded program makes; 0 of others
	runs       *Runs   // of the baseline and the choice for the program; nil if they cost too much
	montecarlo.Choice
}

// mark returns the mark of the choice in a table: ? if it is not known to be good, * if a
// smaller candidate may be, and nothing for others.
func (a advice) mark() string {
	switch {
	case a.Warning != montecarlo.NoWarning:
		return "?"
	case a.Low != a.Star:
		return "*"
	}
	return ""
}

// advices returns the decisions made so far by a run that was given the time seconds [s].
func advices(s *study.Study, decisions []montecarlo.Decision, seconds float64) []advice {
	var all []advice
	for i, d := range decisions {
		if d.Results != nil {
			noisy := len(s.SourcesOf(s.First(i))) > 0
			all = append(all, advice{
				s.Deployments[i], s.FieldPoints(i), dutyOf(s, i), noisy, d, seconds, 0, nil, d.Choice,
			})
		}
	}
	return all
}

// dutyOf returns the share of time that detours take from a processor in the applications of a
// field, and NaN for others.
func dutyOf(s *study.Study, field int) float64 {
	if app, ok := s.Config(s.First(field)).Model.(*rounds.Application); ok {
		return app.Duty()
	}
	return math.NaN()
}

// amplification returns how much slower noise makes what is summarised, relative to the share of
// time that detours take.
func (a advice) amplification(s montecarlo.Summary) float64 { return (s.Mean/s.NoiseFree - 1) / a.duty }

func (a advice) result(c montecarlo.Candidate) montecarlo.Result {
	return a.decision.Results[c.Config]
}

func (a advice) summary(c montecarlo.Candidate) montecarlo.Summary {
	r := a.result(c)
	return r.Summaries[r.Final(c.T)]
}

// inCalls returns the mean time [s] that ranks spend in the calls of an iteration, or in the
// launch.
func (a advice) inCalls(c montecarlo.Candidate) float64 {
	r := a.result(c)
	k := r.Final(c.T)
	if a.application() {
		k -= r.Samples(k) + 1
	}
	return r.Summaries[k].Mean
}

// application reports whether the choice is by the iterations of an application.
func (a advice) application() bool { return a.points[0].Application() }

func (a advice) checkpoint(c montecarlo.Candidate) montecarlo.Checkpoint {
	r := a.result(c)
	return r.Checkpoints[r.Final(c.T)]
}

func (a advice) messages(c montecarlo.Candidate) float64 { return a.checkpoint(c).Messages }

// timesMessages returns how many times the messages of the plain collective a candidate sends. Leaders
// of a single node send none: then it is 1 for those that send none either, and – for others.
func (a advice) timesMessages(c montecarlo.Candidate) string {
	switch messages, plain := a.messages(c), a.messages(a.Base); {
	case messages == plain:
		return "1.00×"
	case plain == 0:
		return "–"
	default:
		return fmt.Sprintf("%.2f×", messages/plain)
	}
}

// leftAlone reports whether the choice is what MPI libraries do by themselves: then nothing is gained
// by deploying anything.
func (a advice) leftAlone() bool { return a.allreduce() && !a.redundant() }

// gain returns how many times faster the choice is than the baseline: 1 if the MPI library is left
// alone.
func (a advice) gain() float64 {
	if a.leftAlone() {
		return 1
	}
	return a.Baseline / a.Objective
}

// without returns how many times faster the choice is than its algorithm without redundancy, NaN if
// that is not known.
func (a advice) without() float64 { return missing(a.Without.Known, a.Without.Gain) }

// deploys reports whether an MPI library has the candidate.
func (a advice) deploys(c montecarlo.Candidate) bool {
	return a.points[c.Config].AllToAll() || a.points[c.Config].Deploys(c.T)
}

// A candidate is one of a choice, in the form of the JSON and YAML output.
type candidate struct {
	Collective string `json:"collective" yaml:"collective"`
	Sources    int64  `json:"sources" yaml:"sources"`
	Segments   int64  `json:"segments" yaml:"segments"`
	Leaders    int64  `json:"leaders" yaml:"leaders"`
	Share      bool   `json:"share" yaml:"share"`
	Redundancy int    `json:"redundancy" yaml:"redundancy"`
}

func (a advice) candidate(c montecarlo.Candidate) candidate {
	p := a.points[c.Config]
	whole := func(k *study.Key) int64 { return int64(p.Whole(k)) }
	return candidate{p.Name(study.Collective), whole(study.Sources), whole(study.Segments),
		whole(study.Leaders), p.Name(study.Share) == "true", c.T}
}

// plain reports whether a candidate has no redundancy of any kind, as in other MPI libraries.
func (c candidate) plain() bool { return c.Redundancy == 0 && c.Sources == 1 && c.Leaders == 1 }

// A near is an equivalent of a choice.
type near struct {
	candidate `yaml:",inline"`
	Objective float64 `json:"objective_s" yaml:"objective_s"`
	Messages  float64 `json:"messages" yaml:"messages"`
}

// described are the axes of a deployment: those that are not chosen.
var described = slices.DeleteFunc(slices.Clone(study.Axes), func(k *study.Key) bool { return k.Chosen })

// printDecisions returns a function that prints an object for each deployment.
func printDecisions(encode output.Encoder,
) func(io.Writer, *study.Study, []advice) error {
	return func(w io.Writer, s *study.Study, all []advice) error {
		header := append(study.Columns(described), "collective", "sources", "segments", "leaders", "share",
			"redundancy", "objective", "objective_s", "baseline", "baseline_s", "speedup",
			"without_s", "redundancy_speedup", "redundancy_speedup_half",
			"mean_s", "ci_low_s", "ci_high_s", "quiet_s", "floor_s",
			"messages", "baseline_messages",
			"confidence", "regret_high", "gain_low", "trials", "trials_needed", "stop_reason", "warning",
			"low", "near", "collective_s", "collective_speedup", "collective_share", "noise_amplification",
			"verdict", study.BasisColumn)
		if all[0].calls > 0 {
			header = append(header, "saved_s", "saved_p10_s", "saved_p90_s", "run_iterations")
		}
		var rows [][]any
		for _, a := range all {
			verdict := strings.Join(strings.Fields(summaryOf(s, []advice{a}).verdict([]advice{a})), " ")
			row := append(a.row(s.Objective.Name), verdict, a.points[0].Basis(s))
			if a.calls > 0 {
				saved, _ := a.perCall()
				row = append(row, saved, a.perRun().Low, a.perRun().High, a.iterations())
			}
			rows = append(rows, row)
		}
		return encode(w, header, slices.Values(rows))
	}
}

// missing returns a number, or NaN if it is not known.
func missing(known bool, number float64) float64 {
	if !known {
		return math.NaN()
	}
	return number
}

// row returns the values of the decision, without the axes that are chosen.
func (a advice) row(objective string) []any {
	star, summary, inCalls := a.candidate(a.Star), a.summary(a.Star), a.inCalls(a.Star)
	equivalents := []near{}
	for _, n := range a.Near[1:] {
		equivalents = append(equivalents,
			near{a.candidate(n.Candidate), n.Objective, a.messages(n.Candidate)})
	}
	return append(a.deployment.Plain(described), star.Collective, star.Sources, star.Segments, star.Leaders,
		star.Share, star.Redundancy,
		objective, a.Objective, a.candidate(a.Base), a.Baseline, a.gain(),
		missing(a.Without.Known, a.Without.Objective), a.without(), missing(a.Without.Known, a.Without.Half),
		summary.Mean, summary.Low, summary.High, summary.NoiseFree, summary.LowerBound,
		a.messages(a.Star), a.messages(a.Base),
		a.Confidence, a.Regret, a.GainLow, a.result(a.Star).Trials, a.Needed,
		string(a.decision.Stop), a.Warning.String(), a.candidate(a.Low), equivalents,
		inCalls, a.inCalls(a.Base)/inCalls, inCalls/summary.Mean,
		a.amplification(summary))
}

// A rule says what to deploy for a range of ranks and a range of bytes. The ends of the
// ranges are values of the study, and belong to them.
type rule struct {
	candidate
	point study.Point // all but its ranks and bytes are valid
	ranks [2]float64
	bytes [2]float64
	// The lowest confidence of its deployments, the largest bound of how far they are above
	// the best, and the range of their gains.
	confidence float64
	regret     float64
	speedup    [2]float64
	without    [2]float64 // of gains over the same algorithms without redundancy
	mark       string     // the worst of its deployments, as in tables: none, * or ?
}

// same reports whether two rules deploy the same.
func (r rule) same(other rule) bool {
	return r.Sources == other.Sources && r.variant() == other.variant() && r.Redundancy == other.Redundancy
}

// merge extends the rule to the deployments of another one.
func (r *rule) merge(other rule) {
	r.ranks[1], r.bytes[1] = other.ranks[1], other.bytes[1]
	r.confidence = min(r.confidence, other.confidence)
	r.regret = max(r.regret, other.regret)
	r.mark = max(r.mark, other.mark) // as characters * is below ?
	r.speedup = [2]float64{min(r.speedup[0], other.speedup[0]), max(r.speedup[1], other.speedup[1])}
	r.without = [2]float64{min(r.without[0], other.without[0]), max(r.without[1], other.without[1])}
}

// rules returns the rules of [rulesByRanks] in one list.
func rules(all []advice) []rule { return slices.Concat(rulesByRanks(all)...) }

// rulesByRanks returns the decisions as rules, with equal neighbours merged: first along the bytes
// of one number of ranks, then numbers of ranks whose ranges of bytes are equal. There is a list for each
// range of ranks, ordered by bytes. Lists whose other values are equal are together, ordered by ranks.
func rulesByRanks(all []advice) [][]rule {
	others := func(i int) string { return all[i].deployment.Others(study.Ranks, study.Nodes, study.Bytes) }
	var merged [][]rule
	for _, group := range vector.Groups(len(all), others) {
		rules := vector.Each(group, func(i int) rule {
			a := all[i]
			ranks, bytes := a.deployment.Number(study.Ranks), a.deployment.Number(study.Bytes)
			gain, without := a.gain(), a.without()
			return rule{
				candidate: a.candidate(a.Star),
				point:     a.deployment, ranks: [2]float64{ranks, ranks}, bytes: [2]float64{bytes, bytes},
				confidence: a.Confidence, regret: a.Regret, speedup: [2]float64{gain, gain},
				without: [2]float64{without, without}, mark: a.mark(),
			}
		})
		merged = append(merged, mergeRanks(mergeBytes(rules))...)
	}
	return merged
}

// mergeBytes merges equal neighbours along the bytes and returns a list for each number of
// ranks.
func mergeBytes(rules []rule) [][]rule {
	slices.SortFunc(rules, func(a, b rule) int {
		return cmp.Or(cmp.Compare(a.ranks[0], b.ranks[0]), cmp.Compare(a.bytes[0], b.bytes[0]))
	})
	var lists [][]rule
	for _, group := range vector.Groups(len(rules), func(i int) float64 { return rules[i].ranks[0] }) {
		list := []rule{rules[group[0]]}
		for _, i := range group[1:] {
			if last := &list[len(list)-1]; last.same(rules[i]) {
				last.merge(rules[i])
			} else {
				list = append(list, rules[i])
			}
		}
		lists = append(lists, list)
	}
	return lists
}

// mergeRanks merges lists of neighbouring numbers of ranks that are equal.
func mergeRanks(lists [][]rule) [][]rule {
	var merged [][]rule
	for _, list := range lists {
		equal := func(a, b rule) bool { return a.same(b) && a.bytes == b.bytes }
		if n := len(merged); n > 0 && slices.EqualFunc(merged[n-1], list, equal) {
			for i := range list {
				merged[n-1][i].merge(list[i])
			}
			continue
		}
		merged = append(merged, list)
	}
	return merged
}

// fixed are the axes that have one value in a rule: they are neither merged nor chosen.
var fixed = slices.DeleteFunc(slices.Clone(study.Axes), func(k *study.Key) bool {
	return k == study.Ranks || k == study.Nodes || k == study.Bytes || k.Chosen
})

// othersOf returns the keys by which the rules of a study differ, other than ranks and bytes.
func othersOf(s *study.Study) []*study.Key {
	return slices.DeleteFunc(s.VaryingDeployments(), func(k *study.Key) bool {
		return !slices.Contains(fixed, k)
	})
}

// baselineOf names the baseline of the decisions: the collective that --baseline names, or the best.
func baselineOf(s *study.Study, all []advice) string {
	if name := s.Baseline(); name != "" {
		return name + " with R = 1 and T = 0"
	}
	base := func(a advice) string { return a.candidate(a.Base).Collective }
	switch plain := base(all[0]); {
	case all[0].allreduce():
	case slices.ContainsFunc(all, func(a advice) bool { return base(a) != plain }):
		return "the best of those compared (R = 1, T = 0)"
	default:
		return "the plain " + plain
	}
	return "the best allreduce of MPI libraries (one leader a node, nothing shared, R = 1, T = 0)"
}

func printRules(w io.Writer, s *study.Study, all []advice) error {
	rules, others := rules(all), othersOf(s)
	t := output.Table{}
	t.Axes(append(study.Flagged(others), "ranks")...)
	t.Add("bytes", "collective", "R", "T", "gain", "~by R, T", "above the best")
	for _, r := range rules {
		size := func(v float64) string { return units.Format(units.Size, v, 6) }
		t.Append(append(r.point.Texts(others),
			span(whole(r.ranks[0]), whole(r.ranks[1])), span(size(r.bytes[0]), size(r.bytes[1])),
			r.variant(), r.Sources, r.Redundancy,
			times(r.speedup[0], r.speedup[1])+"×",
			known(r.without[0], times(r.without[0], r.without[1])+"×"),
			output.Regret(r.regret)+cmp.Or(r.mark, " "))...)
	}
	screen, x := output.ScreenOf(w), summaryOf(s, all)
	text := screen.Wrap(x.verdict(all)+"\n\n") +
		screen.Wrap(fmt.Sprintf("The fewest messages whose %s is within %s of the best; the gain over %s; and by "+
			"R, T: over the same algorithm without them.\n\n",
			s.Objective.Name, output.Level(s.Tolerance), baselineOf(s, all))) + screen.Table(t)
	last := x.text("* A choice with fewer messages may be as good.\n") + deployment(all)
	if !slices.ContainsFunc(all, advice.application) && !s.Point(0).OnTopology() {
		last += oneLaunch
	}
	_, err := io.WriteString(w, screen.Marks(text+screen.Wrap(last)+"\n"+screen.Lines(s.Basis())))
	return err
}

// deployment returns sentences on the decisions without redundancy, and on decisions that no MPI
// library has.
func deployment(all []advice) string {
	text := ""
	if slices.ContainsFunc(all, advice.native) {
		text += "Where R = 1 and T = 0 redundancy does not pay: leave the native allreduce alone there.\n"
	}
	if slices.ContainsFunc(all, func(a advice) bool { return !a.deploys(a.Star) }) {
		text += "Only jitterfly's MPI library has R > 1 or T > 0, and only for the butterfly and leaders; " +
			"--format csv and env choose among what it deploys.\n"
	}
	if slices.ContainsFunc(all, advice.lessForwarded) {
		text += forwardedByLibrary
	}
	return text
}

// known returns a text about a number, – if the number is not known.
func known(number float64, text string) string {
	if math.IsNaN(number) {
		return "–"
	}
	return text
}

func whole(v float64) string { return fmt.Sprintf("%.0f", v) }

func ruleRows(rules []rule) (header []string, rows [][]any) {
	header = append([]string{"ranks_min", "ranks_max", "bytes_min", "bytes_max",
		"collective", "sources", "segments", "redundancy", "leaders", "share", "native",
		"speedup_min", "speedup_max", "redundancy_speedup_min", "redundancy_speedup_max",
		"confidence_min", "regret_high_max"}, study.Columns(fixed)...)
	for _, r := range rules {
		rows = append(rows, append([]any{
			int64(math.Round(r.ranks[0])), int64(math.Round(r.ranks[1])),
			int64(math.Round(r.bytes[0])), int64(math.Round(r.bytes[1])),
			r.Collective, r.Sources, r.Segments, r.Redundancy, r.Leaders, r.Share, r.plain(),
			r.speedup[0], r.speedup[1], r.without[0], r.without[1], r.confidence, r.regret,
		}, r.point.Plain(fixed)...))
	}
	return header, rows
}
