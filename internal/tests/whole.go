// Package tests has what tests of several packages share: how much they do, and recordings of MPI
// calls.
//
// go test ./... takes two minutes: what is statistical, long or measured over many settings does a
// part, with which a wrong program still fails. With WHOLE_TESTS=1 in the environment all of it runs:
// in CI the tests of the command line and all documents, and before a release the others too.
package tests

import (
	"bytes"
	"flag"
	"os"
	"runtime"
	"runtime/debug"
	"testing"

	_ "pgregory.net/rapid" // has the flag
)

// A part of the tests tries the same 30 random cases of each property every time, rather than 100 others,
// unless -rapid.checks and -rapid.seed say otherwise. Tests make much garbage and end soon, so less than
// 512 MB is not collected.
func init() {
	if !Whole() {
		for name, value := range map[string]string{"rapid.checks": "30", "rapid.seed": "1"} {
			if err := flag.Set(name, value); err != nil {
				panic(err)
			}
		}
	}
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(512 << 20)
}

// Whole reports whether tests run whole.
func Whole() bool { return os.Getenv("WHOLE_TESTS") != "" }

// Part returns what a test does when it runs whole, and else a part of it: numbers of trials, say, or
// settings.
func Part[T any](all, part T) T {
	if Whole() {
		return all
	}
	return part
}

// OnlyWhole skips a test unless tests run whole, and says what tests the same in a part of the time.
func OnlyWhole(t testing.TB, otherwise string) {
	t.Helper()
	if !Whole() {
		t.Skip("WHOLE_TESTS is not set; " + otherwise)
	}
}

// Heap returns how many bytes of memory are in use.
func Heap() float64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // of what the first one finalised
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}

// Flipped returns a copy of a content in which one bit is another.
func Flipped(content []byte, bit int) []byte {
	content = bytes.Clone(content)
	content[bit/8] ^= 1 << (bit % 8)
	return content
}
