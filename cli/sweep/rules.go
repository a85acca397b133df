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
	"jitterfly/internal/units"
	"jitterfly/internal/vector"
)

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
	marks      string     // what its deployments lack, as in tables
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
	r.marks += other.marks
	r.speedup = [2]float64{min(r.speedup[0], other.speedup[0]), max(r.speedup[1], other.speedup[1])}
	r.without = [2]float64{min(r.without[0], other.without[0]), max(r.without[1], other.without[1])}
}

// rules returns the decisions as rules, with equal neighbours merged: first along the bytes
// of one number of ranks, then numbers of ranks whose ranges of bytes are equal. Rules
// whose other values are equal are together, ordered by ranks and bytes.
func rules(all []advice) []rule {
	others := func(i int) string { return all[i].deployment.Others(study.Ranks, study.Nodes, study.Bytes) }
	var merged []rule
	for _, group := range vector.Groups(len(all), others) {
		rules := study.Each(group, func(i int) rule {
			a := all[i]
			ranks, bytes := a.deployment.Number(study.Ranks), a.deployment.Number(study.Bytes)
			gain, without := a.gain(), a.without()
			return rule{
				candidate: a.candidate(a.Star),
				point:     a.deployment, ranks: [2]float64{ranks, ranks}, bytes: [2]float64{bytes, bytes},
				confidence: a.Confidence, regret: a.Regret, speedup: [2]float64{gain, gain},
				without: [2]float64{without, without}, marks: a.mark(),
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
	for i, r := range rules {
		if i == 0 || r.ranks != rules[i-1].ranks {
			lists = append(lists, []rule{r})
			continue
		}
		list := &lists[len(lists)-1]
		if last := &(*list)[len(*list)-1]; last.same(r) {
			last.merge(r)
		} else {
			*list = append(*list, r)
		}
	}
	return lists
}

func mergeRanks(lists [][]rule) []rule {
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
	return slices.Concat(merged...)
}

// fixed are the axes that have one value in a rule: they are neither merged nor chosen.
var fixed = slices.DeleteFunc(slices.Clone(study.Axes), func(k *study.Key) bool {
	return k == study.Ranks || k == study.Nodes || k == study.Bytes || k.Chosen
})

// othersOf returns the keys by which the rules of a study differ, other than ranks and bytes.
func othersOf(s *study.Study) []*study.Key {
	return slices.DeleteFunc(s.VaryingDeployments(), func(k *study.Key) bool { return !slices.Contains(fixed, k) })
}

// baselineOf names the baseline of the decisions: the collective that --baseline names, or the best.
func baselineOf(s *study.Study, all []advice) string {
	if name := s.Baseline(); name != "" {
		return name + " with R = 1 and T = 0"
	}
	if !all[0].allreduce() {
		return "the plain " + all[0].candidate(all[0].Base).Collective
	}
	return "the best allreduce of MPI libraries (one leader a node, nothing shared, R = 1, T = 0)"
}

func printRules(w io.Writer, s *study.Study, all []advice) error {
	rules, others := rules(all), othersOf(s)
	t := output.Table{}
	t.Axes(append(study.Flagged(others), "ranks")...)
	t.Add("bytes", "collective", "R", "T", "gain", "~by R, T", "above the best")
	for _, r := range rules {
		mark := " "
		switch {
		case strings.Contains(r.marks, "?"):
			mark = "?"
		case strings.Contains(r.marks, "*"):
			mark = "*"
		}
		size := func(v float64) string { return units.Format(units.Size, v, 6) }
		t.Append(append(r.point.Texts(others),
			span(whole(r.ranks[0]), whole(r.ranks[1])), span(size(r.bytes[0]), size(r.bytes[1])),
			r.variant(), r.Sources, r.Redundancy,
			times(r.speedup[0], r.speedup[1])+"×",
			known(r.without[0], times(r.without[0], r.without[1])+"×"), output.Regret(r.regret)+mark)...)
	}
	screen := output.ScreenOf(w)
	text := screen.Wrap(verdictOf(s, all)+"\n\n") +
		screen.Wrap(fmt.Sprintf("The fewest messages whose %s is within %s of the best; the gain over %s; and by "+
			"R, T: over the same algorithm without them.\n\n",
			s.Objective.Name, output.Level(s.Tolerance), baselineOf(s, all))) + screen.Table(t)
	x := certainty{study: s}
	for _, a := range all {
		x.addAdvice(a)
	}
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
