package cli

import (
	"io"
	"maps"
	"slices"

	"go.yaml.in/yaml/v3"

	"jitterfly/cli/study"
	"jitterfly/montecarlo"
)

// A decider prints decisions of choose, in one of its formats.
type decider struct {
	// candidates are defaults of the keys that a choice is made from.
	candidates map[string]string
	// check says what the format cannot hold of a study, if anything.
	check func(s *study.Study) error
	print func(w io.Writer, s *study.Study, decisions []montecarlo.Decision) error
}

func deciderNames() []string { return slices.Sorted(maps.Keys(deciders)) }

// deciders are named by --format.
var deciders = map[string]decider{
	"table": {print: func(w io.Writer, s *study.Study, decisions []montecarlo.Decision) error {
		if len(decisions) == 1 {
			return printAdvice(w, s, advices(s, decisions)[0])
		}
		return printRules(w, s, rules(advices(s, decisions)))
	}},
	"csv": {print: func(w io.Writer, s *study.Study, decisions []montecarlo.Decision) error {
		header, rows := ruleRows(rules(advices(s, decisions)))
		return writeCSV(w, header, rows)
	}},
	"json": {print: printDecisions(writeJSON)},
	"yaml": {print: printDecisions(writeYAML)},

	"openmpi":         library(writeOpenMPI),
	"openmpi-classic": library(writeOpenMPIClassic),
	"mpich":           library(writeMPICH),
}

// An advice is a decision in the words of its study.
type advice struct {
	points   []study.Point // of the field
	decision montecarlo.Decision
	montecarlo.Choice
}

func advices(s *study.Study, decisions []montecarlo.Decision) []advice {
	points := s.FieldPoints()
	all := make([]advice, len(decisions))
	for i, d := range decisions {
		all[i] = advice{points[i], d, d.Choice}
	}
	return all
}

// result is what the trials of the candidate's configuration gave.
func (a advice) result(c montecarlo.Candidate) montecarlo.Result { return a.decision.Results[c.Config] }

func (a advice) summary(c montecarlo.Candidate) montecarlo.Summary { return a.result(c).Summaries[c.T] }

func (a advice) messages(c montecarlo.Candidate) float64 {
	return a.result(c).Checkpoints[c.T].Messages
}

// plain is what the choice is compared with.
var plain = montecarlo.Candidate{}

func (a advice) collective(c montecarlo.Candidate) string {
	return a.points[c.Config].Value("collective").Name
}

func (a advice) sources(c montecarlo.Candidate) int64 {
	return int64(a.points[c.Config].Value("redundancy.sources").Number)
}

func (a advice) segments(c montecarlo.Candidate) int64 {
	return int64(a.points[c.Config].Value("segments").Number)
}

// A near is an equivalent of a choice, as it is written.
type near struct {
	Collective string  `json:"collective" yaml:"collective"`
	Sources    int64   `json:"sources" yaml:"sources"`
	Segments   int64   `json:"segments" yaml:"segments"`
	Redundancy int     `json:"redundancy" yaml:"redundancy"`
	Objective  float64 `json:"objective_s" yaml:"objective_s"`
	Messages   float64 `json:"messages" yaml:"messages"`
}

// printDecisions prints an object for each deployment.
func printDecisions(encode func(io.Writer, []string, [][]any) error) func(io.Writer, *study.Study, []montecarlo.Decision) error {
	return func(w io.Writer, s *study.Study, decisions []montecarlo.Decision) error {
		var header []string
		for _, k := range study.Axes {
			if !k.Chosen {
				header = append(header, k.Column)
			}
		}
		header = append(header, "collective", "sources", "segments", "redundancy", "objective", "objective_s", "baseline_s", "speedup",
			"mean_s", "ci_low_s", "ci_high_s", "quiet_s", "floor_s", "messages", "baseline_messages",
			"confidence", "trials", "trials_needed", "stop_reason", "warning", "near")
		var rows [][]any
		for _, a := range advices(s, decisions) {
			rows = append(rows, a.row(s.Objective.Name))
		}
		return encode(w, header, rows)
	}
}

func (a advice) row(objective string) []any {
	var row []any
	for i, k := range study.Axes {
		if !k.Chosen {
			row = append(row, a.points[0].Values[i].Any())
		}
	}
	star, summary := a.Star, a.summary(a.Star)
	equivalents := []near{}
	for _, n := range a.Near[1:] {
		equivalents = append(equivalents, near{a.collective(n.Candidate), a.sources(n.Candidate), a.segments(n.Candidate), n.T, n.Objective, a.messages(n.Candidate)})
	}
	return append(row, a.collective(star), a.sources(star), a.segments(star), star.T, objective, a.Objective, a.Baseline, a.Baseline/a.Objective,
		summary.Mean, summary.Low, summary.High, summary.NoiseFree, summary.LowerBound, a.messages(star), a.messages(plain),
		a.Confidence, a.result(star).Trials, a.Needed, a.decision.Stop.String(), a.Warning.String(), equivalents)
}

// writeYAML writes a list of mappings with their members in the order of the
// header.
func writeYAML(w io.Writer, header []string, rows [][]any) error {
	list := yaml.Node{Kind: yaml.SequenceNode}
	for _, row := range rows {
		members := &yaml.Node{Kind: yaml.MappingNode}
		for i, v := range row {
			var value yaml.Node
			if err := value.Encode(v); err != nil {
				return err
			}
			members.Content = append(members.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: header[i]}, &value)
		}
		list.Content = append(list.Content, members)
	}
	e := yaml.NewEncoder(w)
	if err := e.Encode(&list); err != nil {
		return err
	}
	return e.Close()
}
