package output

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

// maxNames is the largest number of names that are suggested.
const maxNames = 3

// Similar returns the names that a mistyped one may mean, the most likely first: those at the
// smallest edit distance, if that is at most a third of its length, then those it begins.
func Similar(mistyped string, names []string) []string {
	mistyped = strings.ToLower(mistyped)
	distance := func(name string) int { return distance(mistyped, strings.ToLower(name)) }
	least := max(1, len(mistyped)/3)
	for _, name := range names {
		least = min(least, distance(name))
	}
	var similar []string
	for _, name := range names {
		if distance(name) == least || len(mistyped) > 1 && strings.HasPrefix(name, mistyped) {
			similar = append(similar, name)
		}
	}
	nearer := func(a, b string) int { return cmp.Compare(distance(a), distance(b)) }
	slices.SortStableFunc(similar, nearer)
	return similar[:min(len(similar), maxNames)]
}

// distance returns the edit distance of two texts, in which two letters that changed places count
// once.
func distance(mistyped, name string) int {
	least := levenshtein.ComputeDistance(mistyped, name)
	for i := 1; i < len(mistyped); i++ {
		swapped := []byte(mistyped)
		swapped[i-1], swapped[i] = swapped[i], swapped[i-1]
		least = min(least, 1+levenshtein.ComputeDistance(string(swapped), name))
	}
	return least
}

// Unknown returns the error for a string that is not among the names: it suggests similar names, or
// lists all.
func Unknown(text string, names []string) error {
	return fmt.Errorf("%q is unknown; %s", text, Meant(text, names))
}

// Meant returns the question whether names were meant that are like a mistyped one, or the list of
// all names.
func Meant(mistyped string, names []string) string {
	if similar := Similar(mistyped, names); len(similar) > 0 {
		return "did you mean " + strings.Join(similar, " or ") + "?"
	}
	return "valid values: " + strings.Join(names, ", ")
}
