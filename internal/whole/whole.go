// Package whole says how much tests do. go test ./... takes two minutes: what is statistical, long or
// measured over many settings does a part, with which a wrong program still fails. With WHOLE_TESTS=1
// in the environment, as in CI, all of it runs.
package whole

import (
	"os"
	"testing"
)

// Tests reports whether tests run whole.
func Tests() bool { return os.Getenv("WHOLE_TESTS") != "" }

// Or returns what a test does when it runs whole, and else a part of it: numbers of trials, say, or
// settings.
func Or[T any](all, part T) T {
	if Tests() {
		return all
	}
	return part
}

// Only skips a test unless tests run whole, and says what tests the same in a part of the time.
func Only(t testing.TB, otherwise string) {
	t.Helper()
	if !Tests() {
		t.Skip("WHOLE_TESTS is not set; " + otherwise)
	}
}
