package study

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"jitterfly/collectives"
	"jitterfly/datasets"
	"jitterfly/internal/columns"
	"jitterfly/montecarlo"
)

// A Study is the configurations of a study file, flags and environment.
type Study struct {
	montecarlo.Study
	// Configs are the product of the axes, each in a field of its own unless the study is one
	// of choices; Points has the values of each.
	Configs []montecarlo.Config
	Points  []Point
	// Work is the number of simulated messages of one trial of each, Results the number of T.
	Work    []float64
	Results []int
	// Memory is what the largest runner of a worker takes, in bytes.
	Memory float64
	// Values are the canonical texts of every key's values, by path, and Hash is their digest:
	// the same for a study however it is written.
	Values map[string][]string
	Hash   string
	// Recorded are the values as they were written.
	Recorded Recorded
	// permutation is the content of the permutation's file.
	permutation []byte
	// times are those of the values of application.compute_file, by name@digest.
	times map[string]*datasets.Times
	// profiles are those of the values of noise.profile, by ID.
	profiles map[string]Measured
	values   map[Value]*Value // of all points
	// Deployments are what choices are for, one of each field: points whose keys that are chosen
	// have no meaning.
	Deployments []Point
	// asked are the deployments that the points of a study of choices were asked for.
	asked []Point
	// skipped are configurations that are impossible, and why.
	skipped []error
	// left says which configuration was left out first of a study of choices, and why.
	left string
	// Notes say what the user may not expect, a line each.
	Notes []string
}

// BytesPerConfig is about what a configuration takes in memory before it is simulated.
const BytesPerConfig = 2048

// Read returns the study of an input. It fails if a value is wrong or the study has more than
// maxConfigs configurations; the error names the file and line, flag or variable.
func Read(in Input, maxConfigs float64) (*Study, error) {
	load := in.load
	if in.Recorded != nil {
		load = in.recorded
	}
	texts, err := load()
	if err != nil {
		return nil, err
	}
	axes, err := parseAll(texts)
	if err != nil {
		return nil, err
	}
	if err := axes.belong(); err != nil {
		return nil, err
	}
	s := &Study{Recorded: texts.record()}
	if err := s.readProfiles(axes); err != nil {
		return nil, err
	}
	if err := s.readTimes(axes); err != nil {
		return nil, err
	}
	s.Values = axes.canonical()
	if err := s.readPermutation(axes); err != nil {
		return nil, err
	}
	s.Hash = hash(s.Values)
	if n := axes.size(); n > maxConfigs {
		return nil, fmt.Errorf("the axes multiply to %.4g configurations, and a study may have "+
			"%.4g here; split it", n, maxConfigs)
	}
	if err := s.settings(axes); err != nil {
		return nil, err
	}
	if err := s.multiply(axes); err != nil {
		return nil, err
	}
	if err := s.noteSkipped(); err != nil {
		return nil, err
	}
	if err := s.bound(axes); err != nil {
		return nil, err
	}
	if err := s.group(axes); err != nil {
		return nil, err
	}
	s.noteIgnored(axes)
	return s, nil
}

// group puts the configurations into fields: those of a study of choices that are compared, and
// of another study each into its own.
func (s *Study) group(a *axes) error {
	if a.Choose {
		return s.choices(a)
	}
	for i := range s.Configs {
		s.Fields = append(s.Fields, s.Configs[i:i+1])
	}
	return nil
}

// bound fails if no configuration can use as many redundant exchanges as redundancy.max, and
// notes if only some can.
func (s *Study) bound(a *axes) error {
	value := a.only("redundancy.max")
	if value.Name == all || len(s.Results) == 0 {
		return nil
	}
	most, fewer := slices.Max(s.Results)-1, 0
	for _, results := range s.Results {
		if results-1 < value.int() {
			fewer++
		}
	}
	switch {
	case most < value.int():
		return fmt.Errorf("%s: %d is more than the %d redundant exchanges that any of the collectives "+
			"can use; write all", a.place("redundancy.max"), value.Whole, most)
	case fewer > 0:
		s.Notes = append(s.Notes, fmt.Sprintf(
			"%s: %d of %d configurations can use fewer than %d redundant exchanges, and have those",
			a.place("redundancy.max"), fewer, len(s.Results), value.Whole))
	}
	return nil
}

// settings sets what holds for all configurations.
func (s *Study) settings(a *axes) error {
	s.Seed = a.only("seed").Whole
	s.Tolerance = a.only("choose.tolerance").Number
	s.Trials = montecarlo.Trials{
		Min:        min(a.only("trials.min").int(), math.MaxInt32),
		Max:        min(a.only("trials.max").int(), math.MaxInt32),
		Precision:  a.only("trials.precision").Number,
		Confidence: a.only("trials.confidence").Number,
		Effort:     a.only("trials.effort").Number,
	}
	if a.only("trials.until").Name == choice {
		s.Trials.Until = montecarlo.UntilChosen
	}
	var err error
	if s.Objective, err = montecarlo.FindObjective(a.only("choose.objective").Name); err != nil {
		return fmt.Errorf("%s: %w", a.place("choose.objective"), err)
	}
	switch { // a default gives way to what the user has given
	case !a.given("trials.max"):
		s.Trials.Max = max(s.Trials.Max, s.Trials.Min)
	case !a.given("trials.min"):
		s.Trials.Min = min(s.Trials.Max, s.Trials.Min)
	}
	if s.Trials.Max < s.Trials.Min {
		return fmt.Errorf("%s: %d is below trials.min, %d",
			a.place("trials.max"), s.Trials.Max, s.Trials.Min)
	}
	return nil
}

// multiply adds the configurations in the order of columns, the last axis varying fastest,
// without those that differ only in keys that have no effect.
func (s *Study) multiply(a *axes) error {
	seen := map[string]bool{}
	digits := make([]int, len(Axes))
	for {
		p := a.point(digits)
		if err := s.measured(p, a); err != nil {
			return err
		}
		if err := p.place(a); err != nil {
			return err
		}
		s.measure(p)
		if err := p.iterate(a); err != nil {
			return err
		}
		var asked Point
		if a.Choose {
			asked = p.deployment()
		}
		p.ignore()
		p.identify()
		if !seen[asked.ID+p.ID] {
			seen[asked.ID+p.ID] = true
			if err := s.add(p, asked, a); err != nil {
				return err
			}
		}
		if !a.advance(digits) {
			return nil
		}
	}
}

// add adds the configuration of a point, in a study of choices to the deployment that was asked
// for. If the collective cannot run there it is skipped, or in a strict study add fails; a study of
// choices leaves such a configuration out.
func (s *Study) add(p, asked Point, a *axes) error {
	config, err := s.config(p, a)
	if err != nil {
		return err
	}
	shape, err := config.Model.Shape()
	if err == nil && a.Choose && !a.Idempotent && shape.Idempotent {
		err = fmt.Errorf("at %d ranks it may count contributions twice, which needs --idempotent",
			p.Value("ranks").int())
	}
	if err == nil && a.Deployable && !p.Deploys(0) {
		err = errors.New("no MPI library has it")
	}
	switch {
	case err == nil:
		s.Points = append(s.Points, s.share(p))
		s.Configs = append(s.Configs, config)
		s.Work = append(s.Work, shape.Work)
		s.Results = append(s.Results, shape.Checkpoints[len(shape.Checkpoints)-1].T+1)
		if a.Choose {
			s.asked = append(s.asked, s.share(asked))
		}
		if a.Deployable && !p.Deploys(1) {
			s.withoutRedundancy()
		}
		s.noteCut(p, a)
		s.Memory = max(s.Memory, shape.Memory)
	case a.Choose:
		s.leaveOut(p, a, err)
	default:
		err = fmt.Errorf("%s: %s: %w", a.place(fault(err)), p.Value("collective").Name, err)
		if a.Strict {
			return err
		}
		s.skipped = append(s.skipped, err)
	}
	return nil
}

// fault returns the key that keeps a collective from being simulated.
func fault(err error) string {
	if wrong := new(collectives.Invalid); errors.As(err, &wrong) {
		return faults[wrong.Parameter]
	}
	return "ranks"
}

// faults are the keys of the parameters of a collective.
var faults = map[collectives.Parameter]string{
	collectives.ParameterRanks: "ranks", collectives.ParameterSources: "redundancy.sources",
	collectives.ParameterSegments: "segments", collectives.ParameterNodeRanks: "ranks_per_node",
}

// maxSkipped is the largest number of reasons to skip configurations that are listed.
const maxSkipped = 10

// noteSkipped notes how many configurations were skipped, and why. It fails with the first reason
// if all were.
func (s *Study) noteSkipped() error {
	n := len(s.skipped)
	if n == 0 {
		return nil
	}
	if len(s.Points) == 0 {
		return s.skipped[0]
	}
	s.Notes = append(s.Notes, fmt.Sprintf("skipped %d of %d configurations, which are impossible; "+
		"--strict refuses them", n, n+len(s.Points)))
	count := map[string]int{}
	var reasons []string
	for _, err := range s.skipped {
		if count[err.Error()]++; count[err.Error()] == 1 {
			reasons = append(reasons, err.Error())
		}
	}
	for i, reason := range reasons {
		if i == maxSkipped {
			s.Notes = append(s.Notes, fmt.Sprintf("skipped: and for %d other reasons", len(reasons)-i))
			break
		}
		s.Notes = append(s.Notes, fmt.Sprintf("skipped %d: %s", count[reason], reason))
	}
	return nil
}

// DropConfigs releases what only the simulation needs, a large part of the study's memory.
func (s *Study) DropConfigs() { s.Configs, s.Fields = nil, nil }

// Varying returns the axes on which the study's points differ, without those that others
// determine.
func (s *Study) Varying() []Key { return s.varying(s.Points) }

// VaryingDeployments returns the axes on which the deployments of a study of choices differ, without
// those that others determine.
func (s *Study) VaryingDeployments() []Key { return s.varying(s.Deployments) }

func (s *Study) varying(points []Point) []Key {
	value := func(point, axis int) *Value { return points[point].Values[axis] } // shared
	varying := columns.Varying(len(points), Preferred(s.Values), value)
	var keys []Key
	for _, i := range slices.Sorted(slices.Values(varying)) {
		keys = append(keys, Axes[i])
	}
	return keys
}

// Preferred returns the indices of Axes in the order in which they stand for others that they
// determine: those that a study's values give several of come first, and words before numbers.
func Preferred(values map[string][]string) []int {
	order := make([]int, len(Axes))
	rank := make([]int, len(Axes))
	for i, k := range Axes {
		order[i] = i
		if len(values[k.Path]) < 2 {
			rank[i] += 2
		}
		if !k.words() {
			rank[i]++
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(rank[a], rank[b]) })
	return order
}

// Completions returns the largest number of completion times that one field can have, for
// which trials.max and trials.effort bound the trials.
func (s *Study) Completions() float64 {
	most, i := 0.0, 0
	for _, field := range s.Fields {
		least, all, perMessage := 0.0, 0.0, 0.0
		for range field {
			results := float64(s.Results[i]) * s.Points[i].reported()
			least += float64(s.Trials.Min) * results
			all += float64(s.Trials.Max) * results
			perMessage = max(perMessage, results/max(1, s.Work[i]))
			i++
		}
		if s.Trials.Effort > 0 {
			all = min(all, least+s.Trials.Effort*perMessage)
		}
		most = max(most, all)
	}
	return most
}
