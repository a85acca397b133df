package results

import (
	"fmt"
	"slices"
	"strings"

	"jitterfly/cli/internal/output"
	"jitterfly/cli/study"
	"jitterfly/datasets"
	"jitterfly/internal/units"
)

// A setting is a key of the study and its values.
type setting struct {
	Path, Values, Help string
}

// settings returns all keys of a study, in their order, with the values in readable units: the ones
// that differ from the defaults, and the others. It fails if the defaults cannot be read.
func settings(values map[string][]string) (set, unset []setting, err error) {
	base, err := defaults()
	for _, k := range study.Keys {
		s := setting{k.Path, shorten(inUnits(k, values[k.Path]), 24), k.Help}
		if slices.Equal(values[k.Path], base[k.Path]) {
			unset = append(unset, s)
		} else {
			set = append(set, s)
		}
	}
	return set, unset, err
}

// defaults returns the values of all keys where only the given ones are set, as path=value.
func defaults(set ...string) (map[string][]string, error) {
	s, err := study.Read(study.Input{Name: "defaults.yaml", Set: set}, 1<<20) // of nothing
	if err != nil {
		return nil, err
	}
	return s.Values, nil
}

// inUnits returns canonical values as people write them, with up to six digits and a unit.
func inUnits(k *study.Key, values []string) []string {
	return written(k, values, func(d units.Dimension, v float64) string { return units.Format(d, v, 6) })
}

// written returns canonical values, which are in SI units without a unit, as write writes them.
func written(k *study.Key, values []string, write func(units.Dimension, float64) string) []string {
	texts := slices.Clone(values)
	if k.Dimension == units.Number {
		return texts
	}
	for i, text := range texts {
		if v, err := units.Parse(units.Number, text); err == nil {
			texts[i] = write(k.Dimension, v)
		}
	}
	return texts
}

// shorten joins values, and leaves out the middle if there are more than most.
func shorten(texts []string, most int) string {
	if n := len(texts); n > most {
		return fmt.Sprintf("%s, …, %s (%d values)", strings.Join(texts[:most/3], ", "), texts[n-1], n)
	}
	return strings.Join(texts, ", ")
}

// commandLine returns the command line that computes the same results: the assumptions, and a flag for
// every other key that differs from its default. It fails if the defaults cannot be read.
func commandLine(r *datasets.Results) (string, error) {
	var assumed []string
	if names := r.Values[study.Assume.Path]; len(names) > 0 {
		assumed = []string{"assume=" + strings.Join(names, ",")}
	}
	base, err := defaults(assumed...)
	if err != nil {
		return "", err
	}
	words := []string{"jitterfly", "sweep"}
	for _, k := range study.Keys {
		values := r.Values[k.Path]
		if len(values) == 0 || k != study.Assume && slices.Equal(values, base[k.Path]) {
			continue
		}
		words = append(words, "--"+k.Flag, output.ShellWord(strings.Join(written(k, values, units.Exact), ",")))
	}
	if r.KeepTrials {
		words = append(words, "--keep-trials")
	}
	return strings.Join(append(words, "--out", "again"), " "), nil
}
