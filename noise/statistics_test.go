package noise

import (
	"math"
	"math/rand/v2"
	"testing"

	"jitterfly/internal/tests"
)

// A detour that reaches over blocks counts in each for its part.
func TestBlocks(t *testing.T) {
	c := Core{Span: 10, Detours: []Detour{{0.5, 0.25}, {1.5, 2}, {9.5, 0.5}}}
	want := [Blocks]float64{0.25, 0.5, 1, 0.5, 0, 0, 0, 0, 0, 0.5}
	if got := c.blocks(); got != want {
		t.Errorf("%v, want %v", got, want)
	}
}

// With blocks of 0 and 0.2 in turn the mean of ten is 0.1, their deviation
// 0.10541, and Student's factor of nine degrees of freedom 2.262.
func TestSpread(t *testing.T) {
	var c Core
	c.Span = 10
	for i := 1; i < 10; i += 2 {
		c.Detours = append(c.Detours, Detour{float64(i) + 0.5, 0.2})
	}
	got := Trace{Cores: []Core{c, c}}.Spread(0.95)
	if want := 2.2622 * 0.105409 / math.Sqrt(10); math.Abs(got/want-1) > 1e-4 {
		t.Errorf("%g, want %g", got, want)
	}
	if even := (Trace{Cores: []Core{{Span: 1}}}).Spread(0.95); even != 0 {
		t.Errorf("without noise %g", even)
	}
	if none := (Trace{}).Spread(0.95); !math.IsInf(none, 1) {
		t.Errorf("of no core %g", none)
	}
}

// What the spread promises: of two traces of the same noise, the difference of
// the overheads is within √2 of it in 95 of 100.
func TestSpreadCovers(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	const pairs = 400
	within := 0
	for range pairs {
		a := newTrace(t, atRandom(r, 10, 100, 50e-6))
		b := newTrace(t, atRandom(r, 10, 100, 50e-6))
		if math.Abs(a.Overhead()-b.Overhead()) < math.Hypot(a.Spread(0.95), b.Spread(0.95)) {
			within++
		}
	}
	if within < pairs*92/100 || within > pairs*995/1000 {
		t.Errorf("%d of %d pairs agree", within, pairs)
	}
}

// atRandom is detours of exponential lengths at exponential distances.
func atRandom(r *rand.Rand, span, rate, length float64) []Detour {
	var ds []Detour
	for t := r.ExpFloat64() / rate; t < span; t += r.ExpFloat64() / rate {
		ds = append(ds, Detour{t, length * r.ExpFloat64()})
	}
	return ds
}

// newTrace is one of ten seconds.
func newTrace(t *testing.T, cores ...[]Detour) Trace {
	t.Helper()
	var made Trace
	for i, ds := range cores {
		c, _, err := NewCore(i, 10, ds)
		tests.NoError(t, err)
		made.Cores = append(made.Cores, c)
	}
	return made
}
