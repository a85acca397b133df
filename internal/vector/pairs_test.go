package vector

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// checkPairs holds meetings to what each rank of them does alone.
func checkPairs(t *testing.T, random *rand.Rand, x, y []float64, mask int, by float64) {
	t.Helper()
	late := [2][]float64{randomDelays(random, len(x)), randomDelays(random, len(x))}
	sent := float64(random.IntN(2)) * random.Float64()
	alone := func(x, y, late []float64, pick func(dst, a, b []float64, by float64)) []float64 {
		arrive, then := make([]float64, len(x)), make([]float64, len(x))
		genericExchange(arrive, y, mask)
		for i := range arrive {
			arrive[i] += late[i]
		}
		pick(then, x, arrive, by)
		return then
	}
	for _, pass := range []struct {
		name string
		meet func(m *PairExchange, x, y *Side)
		pick func(dst, a, b []float64, by float64)
	}{
		{"Later", (*PairExchange).Later, func(dst, a, b []float64, by float64) {
			genericShift(dst, a, sent)
			genericLater(dst, dst, b, by)
		}},
		{"Earlier", (*PairExchange).Earlier, genericEarlier},
	} {
		m := &PairExchange{Mask: mask, By: by, Sent: sent}
		left, right := &Side{Clock: aligned(x, 3), Delay: late[0]}, &Side{Clock: aligned(y, 5),
			Delay: late[1]}
		pass.meet(m, left, right)
		sameBits(t, pass.name, left.Clock, alone(x, y, late[0], pass.pick))
		sameBits(t, pass.name+" of the second", right.Clock, alone(y, x, late[1], pass.pick))
		left.checkExtremes(t, pass.name)
		right.checkExtremes(t, pass.name+" of the second")
		if mask > 0 {
			one := &Side{Clock: aligned(x, 1), Delay: late[0]}
			pass.meet(m, one, one)
			sameBits(t, pass.name+" in one vector", one.Clock, alone(x, x, late[0], pass.pick))
			one.checkExtremes(t, pass.name+" in one vector")
		}
	}
}

func (p *Side) checkExtremes(t *testing.T, name string) {
	t.Helper()
	least, most := Extremes(p.Clock)
	sameBits(t, "extremes of "+name, []float64{p.Least, p.Most}, []float64{least, most})
}

// randomDelays are n delays, most of them none.
func randomDelays(random *rand.Rand, n int) []float64 {
	late := make([]float64, n)
	for i := range late {
		if random.IntN(9) == 0 {
			late[i] = random.ExpFloat64()
		}
	}
	return late
}

// checkPairsWork holds meetings after which all work to what each rank of them does alone, by other
// passes.
func checkPairsWork(t *testing.T, random *rand.Rand) {
	t.Helper()
	n := 1 << random.IntN(12)
	m := &PairExchange{
		Mask: random.IntN(n), By: random.Float64(), Sent: float64(random.IntN(2)) * random.Float64(),
		PeriodicDetours: NewPeriodicDetours(1+random.Float64(), random.Float64()),
	}
	m.Work = []float64{0, 0.01, 0.5, 1, 3.5}[random.IntN(5)] * (m.Period - m.Length)
	rare := random.IntN(2) == 0
	party := func() *Side {
		p := &Side{Delay: randomDelays(random, n), First: make([]float64, n), Clock: make([]float64, n),
			End: make([]float64, n), Hit: NewBitmask(n)}
		for i := range n {
			p.First[i] = []float64{-m.Length, 0, random.Float64(), m.Period}[random.IntN(4)]
			p.End[i] = p.First[i]
			if rare && random.IntN(20) > 0 {
				p.End[i] = math.Inf(1) // and so First may be anything
			}
			if gaps := float64(random.IntN(3)); random.IntN(3) == 0 {
				p.Clock[i] = max(0, gaps*m.Period+random.Float64())
			}
		}
		p.Hit[0] = 99 // what was there before
		return p
	}
	check := func(name string, p, was *Side, heard []float64) {
		t.Helper()
		arrive, ends := make([]float64, n), slices.Clone(was.End)
		genericExchange(arrive, heard, m.Mask)
		for i := range arrive {
			arrive[i] += was.Delay[i]
		}
		then, hit := make([]float64, n), NewBitmask(n)
		genericShift(then, was.Clock, m.Sent)
		genericLater(then, then, arrive, m.By)
		genericAdvance(then, ends, m.Work, math.Inf(1), math.Inf(1), hit, 0)
		genericResume(then, was.First, ends, m.Work, &m.PeriodicDetours, slices.Clone(hit), 0)
		sameBits(t, name, p.Clock, then)
		sameBits(t, name+"'s gaps", p.End, ends)
		for i := range hit.All {
			if p.Most < then[i] {
				t.Fatalf("%s: number %d is later than the last, %v", name, i, p.Most)
			}
		}
	}
	copied := func(p *Side) *Side {
		return &Side{Clock: aligned(p.Clock, 1), Delay: p.Delay, First: p.First, End: aligned(p.End, 2),
			Hit: slices.Clone(p.Hit)}
	}
	wasX, wasY := party(), party()
	x, y := copied(wasX), copied(wasY)
	m.LaterThenWork(x, y)
	check("LaterThenWork", x, wasX, wasY.Clock)
	check("LaterThenWork of the second", y, wasY, wasX.Clock)
	if m.Mask > 0 {
		one := copied(wasX)
		m.LaterThenWork(one, one)
		check("LaterThenWork in one vector", one, wasX, wasX.Clock)
	}
}

// atEveryLevel runs a test with the kernels of each width that the processor has, and without.
func atEveryLevel(t *testing.T, run func(*testing.T)) {
	t.Helper()
	has := widest
	defer func() { widest = has }()
	for _, widest = range levels {
		run(t)
	}
}

func benchmarkEveryLevel(b *testing.B, name string, run func(*testing.B)) {
	b.Helper()
	has := widest
	defer func() { widest = has }()
	for _, widest = range levels {
		b.Run(name+"/"+widest.name, run)
	}
}

// The wanted numbers are those of numpy.quantile, and of Python's
// statistics.quantiles with method="inclusive".
func TestQuantileIsNumPys(t *testing.T) {
	for _, c := range []struct{ sorted, want []float64 }{
		{[]float64{5}, []float64{5, 5, 5, 5, 5}},
		{[]float64{3, 7}, []float64{3, 5, 6.6, 6.96, 7}},
		{[]float64{1, 2, 4, 8, 16}, []float64{1, 4, 12.8, 15.68, 16}},
		{[]float64{1, 1, 2, 3, 4, 5, 6, 9}, []float64{1, 3.5, 6.9, 8.79, 9}},
	} {
		for i, p := range []float64{0, 0.5, 0.9, 0.99, 1} {
			if got := Quantile(c.sorted, p); math.Abs(got-c.want[i]) > 1e-6*c.want[i] {
				t.Errorf("quantile %g of %v is %g, want %g", p, c.sorted, got, c.want[i])
			}
		}
	}
}

func TestOrder(t *testing.T) {
	keys := []float64{3, 1, 2, 1, 3}
	got := Order(len(keys), func(i int) float64 { return keys[i] })
	if !slices.Equal(got, []int{1, 3, 2, 0, 4}) {
		t.Error(got)
	}
}
