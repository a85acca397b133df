package vector

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"jitterfly/internal/rng"
	"jitterfly/internal/tests"
)

// numbers are n of all kinds but NaN, of which few are far from the others.
func numbers(random *rand.Rand, n int) []float64 {
	special := []float64{
		0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), 1, -1,
		math.SmallestNonzeroFloat64, -math.SmallestNonzeroFloat64, 0x1p-1030, math.MaxFloat64,
		-math.MaxFloat64,
	}
	v := make([]float64, n)
	common := random.Float64()
	for i := range v {
		switch random.IntN(8) {
		case 0:
			v[i] = special[random.IntN(len(special))]
		case 1:
			v[i] = random.NormFloat64()
		case 2:
			v[i] = math.Nextafter(common, 2)
		default:
			v[i] = common
		}
	}
	return v
}

// aligned returns a copy of v that begins place numbers into an allocation.
func aligned(v []float64, place int) []float64 {
	return append(make([]float64, place, place+len(v)+1), v...)[place:]
}

func sameBits(t *testing.T, what string, got, want []float64) {
	t.Helper()
	for i := range want {
		if math.Float64bits(got[i]) != math.Float64bits(want[i]) {
			t.Fatalf("%s: number %d of %d is %v, its twin's %v", what, i, len(want), got[i], want[i])
		}
	}
}

// check holds every pass to its twin, for n numbers at some places in memory.
func check(t *testing.T, random *rand.Rand, n int) {
	t.Helper()
	place := func() int { return random.IntN(8) }
	a, b := aligned(numbers(random, n), place()), aligned(numbers(random, n), place())
	by := numbers(random, 1)[0]
	if math.IsInf(by, 0) {
		by = 0.25 // the sum of two infinities is not a number
	}
	for _, pass := range []struct {
		name       string
		fast, twin func(dst, a, b []float64, by float64)
	}{
		{"Later", Later, genericLater},
		{"Earlier", Earlier, genericEarlier},
		{"Sum", Sum, genericSum},
	} {
		want := make([]float64, n)
		pass.twin(want, a, b, by)
		got := aligned(make([]float64, n), place())
		pass.fast(got, a, b, by)
		sameBits(t, pass.name, got, want)
		in := slices.Clone(a)
		pass.fast(in, in, b, by)
		sameBits(t, pass.name+" in place", in, want)
		in = slices.Clone(b)
		pass.fast(in, a, in, by)
		sameBits(t, pass.name+" into the second", in, want)
	}
	want, got := make([]float64, n), aligned(make([]float64, n), place())
	genericShift(want, a, by)
	Shift(got, a, by)
	sameBits(t, "Shift", got, want)
	got = slices.Clone(a)
	Shift(got, got, by)
	sameBits(t, "Shift in place", got, want)
	from := Median(want)
	genericRaise(want, from, by)
	Raise(got, from, by)
	sameBits(t, "Raise", got, want)
	checkExtremes(t, a)
	checkAdvance(t, random, a, b, by)
	checkAdvanceIn(t, random, a, b, by)
	checkRandom(t, random, a)
	checkResume(t, random, n)
	if n > 0 {
		size := 1 << (random.IntN(12))
		checkExchange(t, aligned(numbers(random, size), place()), random.IntN(size))
		x, y := aligned(numbers(random, size), place()), aligned(numbers(random, size), place())
		checkPairs(t, random, x, y, random.IntN(size), by)
		checkPairsWork(t, random)
	}
}

func checkExtremes(t *testing.T, v []float64) {
	t.Helper()
	least, most := Extremes(v)
	least2, most2 := genericExtremes(v)
	sameBits(t, "Extremes", []float64{least, most, Most(v)},
		[]float64{positive(least2), positive(most2), most})
	if len(v) > 0 && (least != slices.Min(v) || most != slices.Max(v)) {
		t.Fatalf("of %v the extremes are %v and %v", v, least, most)
	}
}

func checkExchange(t *testing.T, src []float64, mask int) {
	t.Helper()
	got, want := aligned(make([]float64, len(src)), 3), make([]float64, len(src))
	Exchange(got, src, mask)
	genericExchange(want, src, mask)
	sameBits(t, "Exchange", got, want)
	for i := range src {
		if math.Float64bits(want[i]) != math.Float64bits(src[i^mask]) {
			t.Fatalf("mask %d: number %d is %v", mask, i, want[i])
		}
	}
}

func checkRandom(t *testing.T, random *rand.Rand, v []float64) {
	t.Helper()
	c := rng.Counter{Start: random.Uint64(), Step: random.Uint64() | 1}
	got, want := aligned(v, 3), slices.Clone(v)
	from, width := random.NormFloat64(), random.ExpFloat64()
	also := numbers(random, len(v))
	gotAlso, wantAlso := aligned(also, 2), slices.Clone(also)
	Draw(got, gotAlso, from, width, c)
	for i, x := range v {
		if want[i], wantAlso[i] = x, also[i]; math.IsInf(x, 1) {
			want[i] = from + float64(width*rng.Unit(c.Word(i)))
			wantAlso[i] = want[i]
		}
	}
	sameBits(t, "Draw", got, want)
	sameBits(t, "Draw's second", gotAlso, wantAlso)

	short := func(i int) uint16 { return uint16(c.Word(i/4) >> (16 * (i % 4))) }
	for _, bound := range []uint16{0, 1, 1<<16 - 1, uint16(random.Uint32()),
		-(uint16(1) << random.IntN(16))} {
		hit := NewBitmask(len(v) + random.IntN(100))
		for k := range hit {
			hit[k] = random.Uint64() // what was there before
		}
		hit = Reach(len(v), bound, c, hit)
		for i := range v {
			if got, want := hit[i/64]>>(i%64)&1 == 1, short(i) >= bound; got != want {
				t.Fatalf("number %d of %d, %x, reaches %x: %v", i, len(v), short(i), bound, got)
			}
		}
		if len(v)%64 != 0 && hit[len(v)/64]>>(len(v)%64) != 0 {
			t.Fatalf("of %d numbers those reach %x: %x", len(v), bound, hit)
		}
	}

	bounds := make([]uint64, random.IntN(20))
	for k := range bounds {
		bounds[k] = random.Uint64()
	}
	slices.Sort(bounds)
	got, want = aligned(v, 5), slices.Clone(v)
	AddCounts(got, bounds, width, c)
	genericAddCounts(want, bounds, width, c, 0)
	sameBits(t, "AddCounts", got, want)

	var lines Lines
	for i := range lines {
		lines[i] = Line{random.Float64() - 0.1, random.Float64() - 0.1}
		if random.IntN(4) == 0 {
			lines[i].At = math.NaN()
		}
	}
	got, want = aligned(v, 5), slices.Clone(v)
	hit, twin := NewBitmask(len(v)), NewBitmask(len(v))
	for i := range hit {
		hit[i] = random.Uint64()
	}
	hit = AddLines(got, &lines, c, hit)
	genericAddLines(want, &lines, c, twin, 0)
	sameBits(t, "AddLines", got, want)
	if !slices.Equal(hit, twin) {
		t.Fatalf("AddLines of %d finds no line for %x, its twin for %x", len(v), hit, twin)
	}
}

// checkResume has trains near 1, and times before, at and after the ends of their detours
// and gaps, also far away.
func checkResume(t *testing.T, random *rand.Rand, n int) {
	t.Helper()
	d := NewPeriodicDetours(1+random.Float64(), random.Float64())
	work := []float64{0, 0.01, 0.5, 1, 3.5}[random.IntN(5)] * (d.Period - d.Length)
	start, first, gapEnd := make([]float64, n), make([]float64, n), numbers(random, n)
	hit, twin := NewBitmask(n), NewBitmask(n)
	for i := range n {
		first[i] = []float64{-d.Length, 0, random.Float64(), d.Period, math.Inf(1)}[random.IntN(5)]
		gaps := []float64{-1, 0, 1, 7, 1e9, 1e11, 1e18}[random.IntN(7)]
		start[i] = max(0, gaps*d.Period+[]float64{first[i], first[i] + d.Length,
			random.Float64()}[random.IntN(3)])
		if math.IsInf(start[i], 0) {
			start[i] = 0
		}
		if random.IntN(2) == 0 {
			hit[i/64] |= 1 << (i % 64)
		}
	}
	copy(twin, hit)
	was := slices.Clone(hit)
	got, want := aligned(start, 3), slices.Clone(start)
	gotEnd, wantEnd := aligned(gapEnd, 5), slices.Clone(gapEnd)
	Resume(got, first, gotEnd, work, &d, hit)
	genericResume(want, first, wantEnd, work, &d, twin, 0)
	sameBits(t, "Resume", got, want)
	sameBits(t, "gap ends of Resume", gotEnd, wantEnd)
	if !slices.Equal(hit, twin) {
		t.Fatalf("Resume of %d leaves %x, its twin %x", n, hit, twin)
	}
	for i := range n {
		resumed := (was[i/64]&^hit[i/64])>>(i%64)&1 == 1
		if !resumed && got[i] != start[i] {
			t.Fatalf("number %d was not to be resumed, and went from %v to %v", i, start[i], got[i])
		}
		if resumed && got[i] < start[i]+work {
			t.Fatalf("number %d did %v from %v to %v", i, work, start[i], got[i])
		}
	}
}

// Where a rank has waited for the end of a detour, it is not in it any more: work from there takes
// as long as it is.
func TestDetoursEndOnce(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for range 100_000 {
		d := NewPeriodicDetours(1+random.Float64(), random.Float64())
		first, gap := random.Float64(), float64(random.IntN(1000))
		end := d.Work(first+gap*d.Period+d.Length*random.Float64(), 0, first, new(float64))
		work := random.Float64() * d.gap / 2
		if got := d.Work(end, work, first, new(float64)); got != end+work {
			t.Fatalf("%+v from %v: %v of work from %v ends at %v, not %v", d, first, work, end, got,
				end+work)
		}
	}
}

func checkAdvance(t *testing.T, random *rand.Rand, start, limit []float64, by float64) {
	t.Helper()
	for _, width := range []float64{math.Inf(1), 0.5, 0, math.Abs(by)} {
		n := len(start)
		want, got := slices.Clone(start), aligned(start, random.IntN(8))
		twin, hit := NewBitmask(n), NewBitmask(n+random.IntN(200))
		for k := range hit {
			hit[k] = random.Uint64() // what was there before
		}
		known := []float64{math.Inf(1), 0.5, 1}[random.IntN(3)]
		genericAdvance(want, limit, by, known, width, twin, 0)
		hit = Advance(got, limit, by, known, width, hit)
		sameBits(t, "Advance", got, want)
		if !slices.Equal(hit, twin) {
			t.Fatalf("Advance by %v in %v of %d: hit are %x, its twin's %x", by, width, n, hit, twin)
		}
		var others []int
		for i, x := range start {
			if end := x + by; end >= min(limit[i], known) || x < limit[i]-width && !math.IsInf(width, 1) &&
				limit[i]-width < math.Inf(1) {
				others = append(others, i)
			}
		}
		if got := slices.Collect(hit.All); !slices.Equal(got, others) {
			t.Fatalf("hit are %v, not %v", got, others)
		}
	}
}

func checkAdvanceIn(t *testing.T, random *rand.Rand, start, until []float64, by float64) {
	t.Helper()
	n := len(start)
	since := make([]float64, n)
	for i, x := range start {
		since[i] = x + []float64{math.Inf(-1), -1, 0, 1}[random.IntN(4)]
	}
	want, got := slices.Clone(start), aligned(start, random.IntN(8))
	twin, hit := NewBitmask(n), NewBitmask(n+random.IntN(200))
	genericAdvanceIn(want, since, until, by, twin, 0)
	hit = AdvanceIn(got, since, until, by, hit)
	sameBits(t, "AdvanceIn", got, want)
	if !slices.Equal(hit, twin) {
		t.Fatalf("AdvanceIn by %v of %d: hit are %x, its twin's %x", by, n, hit, twin)
	}
	for i, x := range start {
		in := x >= since[i] && x+by < until[i]
		if stays := hit[i/64]>>(i%64)&1 == 0; stays != in || in && got[i] != x+by || !in && got[i] != x {
			t.Fatalf("work of %v from %v in a gap from %v to %v: %v, in it is %v",
				by, x, since[i], until[i], got[i], stays)
		}
	}
}

func TestKernelsAreTheirTwins(t *testing.T) {
	atEveryLevel(t, func(t *testing.T) {
		random := rand.New(rand.NewPCG(1, 2))
		for n := range 300 {
			for range tests.Part(5, 2) {
				check(t, random, n)
				checkPairsWork(t, random)
			}
		}
		for _, n := range []int{1000, 1023, 1024, 1025, 4096} {
			check(t, random, n)
		}
	})
}

func FuzzKernels(f *testing.F) {
	f.Add([]byte("a seed"), uint16(77))
	f.Fuzz(func(t *testing.T, seed []byte, n uint16) {
		random := rand.New(rand.NewChaCha8([32]byte(append(seed, make([]byte, 32)...))))
		a, b := make([]float64, 0, len(seed)/8), make([]float64, 0, len(seed)/8)
		for ; len(seed) >= 16; seed = seed[16:] {
			x := math.Float64frombits(binary.LittleEndian.Uint64(seed))
			y := math.Float64frombits(binary.LittleEndian.Uint64(seed[8:]))
			if x == x && y == y {
				a, b = append(a, x), append(b, y)
			}
		}
		atEveryLevel(t, func(t *testing.T) {
			check(t, random, int(n)%2100)
			checkPairsWork(t, random)
			checkExtremes(t, a)
			checkAdvance(t, random, a, b, 0.5)
			checkAdvanceIn(t, random, a, b, 0.5)
		})
	})
}

// A mask that leads out of the vector would have kernels read what is not a number of it.
func TestExchangeStaysInside(t *testing.T) {
	for _, c := range []struct{ n, mask int }{{8, 8}, {8, -1}, {12, 1}, {0, 1}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%d numbers took the mask %d", c.n, c.mask)
				}
			}()
			Exchange(make([]float64, c.n), make([]float64, c.n), c.mask)
		}()
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("pairs of %d numbers took the mask %d", c.n, c.mask)
				}
			}()
			m, p := PairExchange{Mask: c.mask}, Side{Clock: make([]float64, c.n),
				Delay: make([]float64, c.n)}
			m.Later(&p, &p)
		}()
	}
}

func BenchmarkKernels(b *testing.B) {
	x, y, z := make([]float64, 1024), make([]float64, 1024), make([]float64, 1024)
	hit, train := NewBitmask(1024), NewPeriodicDetours(1, 0.1)
	party := Side{Clock: y, Delay: make([]float64, 1024), First: z, End: z, Hit: NewBitmask(1024)}
	var lines Lines
	var tenth []uint64 // of a tenth of an event on average
	for _, share := range []float64{0.904837, 0.995321, 0.999845, 0.999996} {
		tenth = append(tenth, uint64(math.Ldexp(share, 64)))
	}
	for i := range x {
		z[i] = math.Inf(1)
	}
	for _, pass := range []struct {
		name string
		do   func()
	}{
		{"Later", func() { Later(y, y, x, 1) }},
		{"Earlier", func() { Earlier(y, y, x, 1) }},
		{"Sum", func() { Sum(y, y, x, 0) }},
		{"Extremes", func() { Extremes(x) }},
		{"Exchange1", func() { Exchange(y, x, 1) }},
		{"Exchange4", func() { Exchange(y, x, 4) }},
		{"Exchange64", func() { Exchange(y, x, 64) }},
		{"Pairs4", func() { (&PairExchange{Mask: 4, By: 1}).Later(&party, &party) }},
		{"Pairs64", func() { (&PairExchange{Mask: 64, By: 1}).Later(&party, &party) }},
		{"PairsThenWork4", func() { (&PairExchange{Mask: 4, By: 1}).LaterThenWork(&party, &party) }},
		{"PairsThenWork64", func() { (&PairExchange{Mask: 64, By: 1}).LaterThenWork(&party, &party) }},
		{"Advance", func() { Advance(x, z, 0, math.Inf(1), math.Inf(1), hit) }},
		{"AdvanceIn", func() { AdvanceIn(x, y, z, 0, hit) }},
		{"Draw", func() { copy(y, z); Draw(y, x, 0, 1, rng.Counter{Step: 1}) }},
		{"Reach", func() { Reach(1024, 1<<16-700, rng.Counter{Step: 1}, hit) }},
		{"AddCounts", func() { AddCounts(y, tenth, 1, rng.Counter{Step: 3}) }},
		{"AddLines", func() { AddLines(y, &lines, rng.Counter{Step: 3}, hit) }},
		{"Resume", func() {
			for k := range hit {
				hit[k] = math.MaxUint64
			}
			Resume(y, x, y, 0, &train, hit)
		}},
	} {
		benchmarkEveryLevel(b, pass.name, func(b *testing.B) {
			for b.Loop() {
				pass.do()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1024, "ns/number")
		})
	}
}

// Work of ranks of their own lengths ends as that of each alone, in gaps that are known and beyond
// them, and where time goes back.
func TestWorkEach(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	const n = 40
	d := NewPeriodicDetours(100, 10)
	g := Gaps{PeriodicDetours: d, First: make([]float64, n), End: make([]float64, n)}
	now, work, want := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range g.First {
		g.First[i] = 100*random.Float64() - 10
		g.End[i] = g.First[i]
	}
	for step := range 200 {
		if step == 100 {
			clear(now)
		}
		for i := range work {
			work[i] = 60 * random.Float64() * random.Float64()
			want[i] = d.Work(now[i], work[i], g.First[i], new(float64))
		}
		g.WorkEach(n/4, now[n/4:n/2], work[n/4:n/2])
		g.WorkEach(0, now[:n/4], work[:n/4])
		g.WorkEach(n/2, now[n/2:], work[n/2:])
		if !slices.Equal(now, want) {
			t.Fatalf("step %d: %v, want %v", step, now, want)
		}
	}
}

// The median is in the middle of numbers in any order, which it leaves as they are.
func TestMedian(t *testing.T) {
	for _, c := range []struct {
		v    []float64
		want float64
	}{
		{[]float64{3}, 3}, {[]float64{9, 1, 2}, 2}, {[]float64{8, 1, 2, 4}, 3},
		{[]float64{5, math.Inf(1)}, math.Inf(1)},
	} {
		before := slices.Clone(c.v)
		if got := Median(c.v); got != c.want || !slices.Equal(c.v, before) {
			t.Errorf("the median of %v is %g, want %g; they are now %v", before, got, c.want, c.v)
		}
	}
	if got := Median(nil); !math.IsNaN(got) {
		t.Errorf("the median of nothing is %g", got)
	}
}

// Groups and their members are in the order of their first members.
func TestGroups(t *testing.T) {
	got := Groups(5, func(i int) byte { return "abacb"[i] })
	if want := [][]int{{0, 2}, {1, 4}, {3}}; !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("%v, not %v", got, want)
	}
}
