package rng

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat"
)

func TestStreamsAreFunctionsOfTheirKeyAlone(t *testing.T) {
	key := NewKey(1, "ranks=8").Derive(17)
	s := New(key)
	first := []uint64{s.Uint64(), s.Uint64(), s.Uint64()}
	s.Reset(key.Derive(3))
	s.Uint64()
	s.Reset(key)
	for i, want := range first {
		if got := s.Uint64(); got != want {
			t.Errorf("number %d after Reset: %x, want %x", i, got, want)
		}
	}
}

func TestKeysDiffer(t *testing.T) {
	seen := map[Key]string{}
	add := func(k Key, name string) {
		if other, ok := seen[k]; ok {
			t.Fatalf("%s and %s have one key", name, other)
		}
		seen[k] = name
	}
	for _, seed := range []uint64{0, 1, math.MaxUint64} {
		for _, text := range []string{"", "ranks=2", "ranks=4"} {
			root := NewKey(seed, text)
			add(root, text)
			for i := range uint64(1000) {
				add(root.Derive(i), text+" child")
				add(root.Derive(i).Derive(i+1), text+" grandchild")
			}
		}
	}
}

// Sibling streams must look independent: the correlation of the first numbers
// of neighbouring children, and the mean and variance over children.
func TestSiblingStreamsAreUncorrelated(t *testing.T) {
	const n = 200_000
	root := NewKey(7, "siblings")
	s := New(root)
	x, y := make([]float64, n), make([]float64, n)
	for i := range x {
		s.Reset(root.Derive(uint64(i)))
		x[i] = s.Uniform()
		s.Reset(root.Derive(uint64(i) + 1))
		y[i] = s.Uniform()
	}
	if r := stat.Correlation(x, y, nil); math.Abs(r) > 5/math.Sqrt(n) {
		t.Errorf("correlation of neighbours %.4f, want 0 ± %.4f", r, 1/math.Sqrt(n))
	}
	mean, variance := stat.MeanVariance(x, nil)
	if math.Abs(mean-0.5) > 5*math.Sqrt(1./12/n) {
		t.Errorf("mean %.5f, want 0.5", mean)
	}
	if math.Abs(variance-1./12) > 5*math.Sqrt(1./180/n) {
		t.Errorf("variance %.5f, want 1/12", variance)
	}
}

// The words before the first are neither among those from there on nor tell of them.
func TestWordsBefore(t *testing.T) {
	c := NewKey(3, "counter").Counter()
	const n = 1 << 14
	seen, ones := map[uint64]bool{}, [64]int{}
	for i := range n {
		w, before := c.Word(i), c.Before().Word(i)
		if seen[w] || seen[before] || w == before {
			t.Fatalf("word %d, %x or %x, comes again", i, w, before)
		}
		seen[w], seen[before] = true, true
		for bit := range ones {
			ones[bit] += int((w ^ before) >> bit & 1)
		}
	}
	for bit, count := range ones {
		if math.Abs(float64(count)-n/2) > 5*math.Sqrt(n)/2 {
			t.Errorf("bit %d of two words differs in %d of %d", bit, count, n)
		}
	}
}
