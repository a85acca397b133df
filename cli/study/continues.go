package study

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

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

// SameTrials reports whether the trials of two studies are the same, given the canonical values of
// both: they differ only in how many trials there are, and in what is chosen by them.
func SameTrials(values, other map[string][]string) bool {
	return maps.EqualFunc(trialsOf(values), trialsOf(other), slices.Equal)
}

// trialsOf returns the values of the keys that the trials depend on.
func trialsOf(values map[string][]string) map[string][]string {
	return without(values, func(k *Key) bool { return !k.ChangesTrials() })
}

// ChangesTrials reports whether a trial depends on the key: not on keys that set the number of
// trials or how to choose from them.
func (k *Key) ChangesTrials() bool {
	return !strings.HasPrefix(k.Path, "trials.") && !strings.HasPrefix(k.Path, "choose.")
}

// TrialsHash returns a digest of what the trials of the study depend on.
func (s *Study) TrialsHash() string { return hash(trialsOf(s.Values)) }

// without returns the values of the keys that drop does not hold for.
func without(values map[string][]string, drop func(*Key) bool) map[string][]string {
	rest := maps.Clone(values)
	for _, k := range Keys {
		if drop(k) {
			delete(rest, k.Path)
		}
	}
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
