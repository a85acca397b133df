package study

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"jitterfly/datasets"
	"jitterfly/internal/vector"
	"jitterfly/montecarlo"
)

// A Study is the configurations of a study file, flags and environment.
type Study struct {
	montecarlo.Settings
	// Configurations are the product of the axes, each in a field of its own unless the study
	// compares candidates.
	Configurations []Configuration
	// Memory is what the largest runner of a worker takes, in bytes, and Ranks the largest number
	// of ranks.
	Memory float64
	Ranks  uint64
	// Values are the values of every key as canonical strings, by path, and Hash is their digest:
	// the same for all spellings of a study.
	Values map[string][]string
	Hash   string
	// Recorded are the values as they were written.
	Recorded Recorded
	// files are the contents of the files of the permutation and of placement, by digest.
	files map[string][]byte
	// times are the measured times in the files of application.compute_file, by name@digest.
	times map[string]*datasets.Times
	// profiles are the profiles that noise.profile names, by ID.
	profiles map[string]Measured
	jobs     map[string]job // the smallest of each profile with noise, by its ID
	ends     []int          // of the fields of a study of choices, in Configurations
	// Deployments has a point for each field. Their chosen keys have no meaning.
	Deployments []Point
	// skipped are configurations that are impossible, and why.
	skipped []skip
	// left says which configuration was left out first of a study of choices, and why.
	left string
	// Notes say what the user may not expect, a line each.
	Notes []string

	in   Input
	keys map[*Key]*setting
	axes []*setting // in the order of Axes
	// application says that a key of applications is given besides their iterations.
	application bool
}

// Baseline returns the collective that choices are compared with, "" if that is the best.
func (s *Study) Baseline() string { return s.in.Baseline }

// Read returns the study of an input. It fails if a value is wrong or the study has more than
// maxConfigs configurations; the error names the file and line, flag or variable.
func Read(in Input, maxConfigs float64) (*Study, error) {
	s, err := in.load()
	if err != nil {
		return nil, err
	}
	for _, step := range slices.Concat(listSteps, fileSteps) {
		if err := step(s); err != nil {
			return nil, err
		}
	}
	s.Values = s.canonical()
	s.Hash = hash(s.Values)
	s.application = slices.ContainsFunc(Keys, func(k *Key) bool {
		return k.Group == groupApplication && k != Iterations && s.given(k)
	})
	s.axes = vector.Each(Axes, func(k *Key) *setting { return s.keys[k] })
	if n := s.size(); n > maxConfigs {
		return nil, fmt.Errorf("the axes multiply to %.4g configurations, and a study may have "+
			"%.4g here; split it", n, maxConfigs)
	}
	effective, err := s.multiply()
	if err != nil {
		return nil, err
	}
	if err := s.noteSkipped(); err != nil {
		return nil, err
	}
	s.noteNodes()
	if err := s.bound(); err != nil {
		return nil, err
	}
	if s.in.Choose {
		if err := s.choices(); err != nil {
			return nil, err
		}
	}
	s.noteIgnored(effective)
	s.noteUnused()
	return s, nil
}

// bound fails if no configuration can use as many redundant exchanges as redundancy.max, and
// notes if only some can.
func (s *Study) bound() error {
	value := s.only(MaxRedundancy)
	if value.Name == all || len(s.Configurations) == 0 {
		return nil
	}
	most, fewer := 0, 0
	for _, c := range s.Configurations {
		most = max(most, c.Results-1)
		if c.Results-1 < value.int() {
			fewer++
		}
	}
	switch {
	case most < value.int():
		return s.wrong(MaxRedundancy, "%d is more than the %d redundant exchanges that any of the collectives "+
			"can use; write all", value.Whole, most)
	case fewer > 0:
		s.note(fmt.Sprintf("%s: %d of %d configurations can use fewer than %d redundant exchanges, "+
			"and have those", s.place(MaxRedundancy), fewer, len(s.Configurations), value.Whole))
	}
	return nil
}

func (s *Study) note(text string) {
	if !slices.Contains(s.Notes, text) {
		s.Notes = append(s.Notes, text)
	}
}

// settings sets what holds for all configurations.
func (s *Study) settings() error {
	s.Seed = s.only(Seed).Whole
	s.Tolerance = s.only(Tolerance).Number
	s.Quantiles = vector.Each(datasets.Quantiles, func(q datasets.Quantile) float64 { return q.Share })
	s.Trials = montecarlo.Trials{
		Min:        min(s.only(TrialsMin).int(), math.MaxInt32),
		Max:        min(s.only(TrialsMax).int(), math.MaxInt32),
		Precision:  s.only(TrialsPrecision).Number,
		Confidence: s.only(TrialsConfidence).Number,
		Effort:     s.only(TrialsEffort).Number,
	}
	if s.only(TrialsUntil).Name == choice {
		s.Trials.Until = montecarlo.UntilChosen
	}
	s.Objective, _ = montecarlo.FindObjective(s.only(Objective).Name) // its names are the key's
	// A bound that the user gives moves the other one's default.
	switch {
	case !s.given(TrialsMax):
		s.Trials.Max = max(s.Trials.Max, s.Trials.Min)
	case !s.given(TrialsMin):
		s.Trials.Min = min(s.Trials.Max, s.Trials.Min)
	}
	if s.Trials.Max < s.Trials.Min {
		return s.wrong(TrialsMax, "%d is below trials.min, %d", s.Trials.Max, s.Trials.Min)
	}
	return nil
}

// mostCompared is the largest number of configurations that [Study.Varying] compares.
const mostCompared = 10_000

// Varying returns the axes on which the study's points differ, without axes that others determine
// or that follow from assume. Of more than mostCompared points it returns the axes with several
// given values.
func (s *Study) Varying() []*Key {
	n := len(s.Configurations)
	if n > mostCompared {
		return slices.DeleteFunc(slices.Clone(Axes),
			func(k *Key) bool { return len(s.Values[k.Path]) < 2 || s.keys[k].assumed })
	}
	return s.varying(s.points(0, n))
}

// VaryingDeployments returns the axes on which the deployments of a study of choices differ,
// without axes that others determine or that follow from assume.
func (s *Study) VaryingDeployments() []*Key { return s.varying(s.Deployments) }

func (s *Study) varying(points []Point) []*Key {
	value := func(point, axis int) Value { return points[point].Values[axis] }
	varying := datasets.Varying(len(points), Preferred(s.Values), value)
	var keys []*Key
	for _, i := range slices.Sorted(slices.Values(varying)) {
		if k := Axes[i]; !s.keys[k].assumed {
			keys = append(keys, k)
		}
	}
	return keys
}

// Preferred returns the indices of Axes in the order in which they stand for others that they
// determine: axes with several values in the study come first, assume before the others, and words
// before numbers.
func Preferred(values map[string][]string) []int {
	return vector.Order(len(Axes), func(i int) (rank int) {
		if len(values[Axes[i].Path]) < 2 {
			rank += 2
		}
		if !Axes[i].words() {
			rank++
		}
		if Axes[i] == Assume {
			rank--
		}
		return rank
	})
}

// Completions returns the largest number of completion times that one field can have within
// trials.max and trials.effort.
func (s *Study) Completions() float64 {
	most := 0.0
	for i := range s.Len() {
		least, all, perMessage := 0.0, 0.0, 0.0
		for _, c := range s.Of(i) {
			results := float64(c.Results) * float64(c.reported)
			least += float64(s.Trials.Min) * results
			all += float64(s.Trials.Max) * results
			perMessage = max(perMessage, results/max(1, c.Work))
		}
		if s.Trials.Effort > 0 {
			all = min(all, least+s.Trials.Effort*perMessage)
		}
		most = max(most, all)
	}
	return most
}

// extensible are the keys that bound the trials. With larger values a study continues from the
// trials that it has.
var extensible = []*Key{TrialsMax, TrialsEffort}

// Extends reports whether a study resumes by itself from its trials if only the key is larger.
func (k *Key) Extends() bool { return slices.Contains(extensible, k) }

// Continues reports whether a study is another one with more trials, given the canonical values
// of both.
func Continues(values, other map[string][]string) bool {
	if !maps.EqualFunc(without(values, (*Key).Extends), without(other, (*Key).Extends), slices.Equal) {
		return false
	}
	more := false
	for _, k := range extensible {
		now, before := bound(values[k.Path]), bound(other[k.Path])
		if !(now >= before) {
			return false
		}
		more = more || now > before
	}
	return more
}

// ChangesTrials reports whether a trial depends on the key: not on keys that set the number of
// trials or how to choose from them.
func (k *Key) ChangesTrials() bool {
	return !strings.HasPrefix(k.Path, "trials.") && !strings.HasPrefix(k.Path, "choose.")
}

// TrialsHash returns a digest of what the trials of a study depend on, given its canonical values.
func TrialsHash(values map[string][]string) string {
	return hash(without(values, func(k *Key) bool { return !k.ChangesTrials() }))
}

// without returns the values of the keys that drop does not hold for.
func without(values map[string][]string, drop func(*Key) bool) map[string][]string {
	rest := maps.Clone(values)
	maps.DeleteFunc(rest, func(path string, _ []string) bool { k, ok := Find(path); return ok && drop(k) })
	return rest
}

// bound returns the number of a canonical value, which may be unlimited; NaN if it is not a number.
func bound(values []string) float64 {
	text := strings.Join(values, "")
	if text == unlimited {
		return math.Inf(1)
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return math.NaN()
	}
	return v
}
