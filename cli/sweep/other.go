package sweep

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"jitterfly/cli/study"
	"jitterfly/datasets"
)

// maxDifferences is the largest number of keys that an error names.
const maxDifferences = 4

// otherStudy returns the error that a directory has the plan of another study than one whose plan
// would be want: which keys differ, and what can be done.
func otherStudy(path string, have, want *datasets.Plan) error {
	var differ []*study.Key
	var texts []string
	if have.Choices != want.Choices {
		texts = append(texts, fmt.Sprintf("it was %s and is %s", commandOf(have), commandOf(want)))
	}
	chosen := have.Choices != "" && want.Choices != ""
	for _, k := range study.Keys {
		if (!chosen || k.ChangesTrials()) && !slices.Equal(have.Study[k.Path], want.Study[k.Path]) {
			differ = append(differ, k)
			before, now := written(have, want, k.Path)
			texts = append(texts, fmt.Sprintf("%s was %s and is %s", k.Path, before, now))
		}
	}
	if n := len(texts) - maxDifferences; n > 0 {
		texts = append(texts[:maxDifferences], fmt.Sprintf("and %d more", n))
	}
	return fmt.Errorf("%s: %w: %s; %s", path, datasets.ErrOtherStudy, strings.Join(texts, ", "),
		remedyFor(differ, have, want))
}

// commandOf returns the command that made a plan, with the flags that are not keys.
func commandOf(p *datasets.Plan) string { return cmp.Or(p.Choices, "a sweep") }

// remedyFor returns what to do about a directory of a study that differs in some keys.
func remedyFor(differ []*study.Key, have, want *datasets.Plan) string {
	const another = "name another directory with --out"
	bounds := slices.ContainsFunc(differ, (*study.Key).Extends)
	others := slices.ContainsFunc(differ, func(k *study.Key) bool { return !k.Extends() })
	switch {
	case have.Choices != want.Choices:
		return another
	case others && bounds:
		return another + "; with only a larger --trials-max or --effort it would continue by itself"
	case others:
		return another
	case !study.Continues(want.Study, have.Study):
		return "these can only become larger: give at least what they were, or " + another
	case have.Version != want.Version:
		return fmt.Sprintf("only version %s, which began it, can add trials: %s", have.Version, another)
	case have.KeepTrials != want.KeepTrials:
		return fmt.Sprintf("it was begun with --keep-trials=%t: give that to add trials, or %s",
			have.KeepTrials, another)
	}
	return another
}

// written returns the values of a key in two plans, as they were written if they differ as written.
func written(have, want *datasets.Plan, path string) (before, now string) {
	before, now = shortened(have.Written[path]), shortened(want.Written[path])
	if before == now {
		return shortened(have.Study[path]), shortened(want.Study[path])
	}
	return before, now
}

// maxText is the largest number of characters of the values of a key in an error.
const maxText = 40

// shortened returns the texts of values, of many the first and the last.
func shortened(values []string) string {
	text := strings.Join(values, ",")
	switch n := len(values); {
	case n == 0:
		return "not there"
	case n > 2 && utf8.RuneCountInString(text) > maxText:
		return fmt.Sprintf("%s,…,%s (%d values)", values[0], values[n-1], n)
	}
	return text
}
