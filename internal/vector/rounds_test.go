package vector

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// checkRounds has limits near and far, some marks, and masks below the size and above.
func checkRounds(t *testing.T, random *rand.Rand) {
	t.Helper()
	size := 8 << random.IntN(8)
	r := Rounds{N: 1 + random.IntN(3)}
	bits := random.Perm(3)
	if random.IntN(3) > 0 {
		bits = random.Perm(9)
		for n := range bits {
			bits[n] += 3
		}
	}
	for n := range r.N {
		r.Mask[n] = 1 << bits[n]
		r.By[n], r.Work[n] = []float64{0, 1, random.NormFloat64()}[random.IntN(3)], []float64{0, 1e-3, 1}[random.IntN(3)]
	}
	length := r.last(size) + 1 + random.IntN(3)
	x, limit := make([]float64, length), numbers(random, length)
	for i := range x {
		x[i] = []float64{0, math.Copysign(0, -1), 1, random.NormFloat64(), random.ExpFloat64()}[random.IntN(5)]
		if random.IntN(300) > 0 {
			limit[i] = math.Inf(1)
		}
	}
	marks := make([]byte, size/8)
	for c := range marks {
		marks[c] = byte(random.IntN(8) / 7)
	}
	var twin extremesAfter
	got, want, limits := aligned(x, random.IntN(8)), slices.Clone(x), aligned(limit, random.IntN(8))
	gotMarks, wantMarks := slices.Clone(marks), slices.Clone(marks)
	known := []float64{math.Inf(1), 2}[random.IntN(2)]
	least, most := r.Later(got, &Gaps{End: limits, Known: known}, size, gotMarks)
	genericLaterRounds(want, &Gaps{End: limit, Known: known}, size, &r, wantMarks, &twin)
	sameBits(t, "Later of rounds", got, want)
	sameBits(t, "extremes of Later", []float64{least, most}, []float64{positive(twin.least), positive(twin.most[0])})
	if !slices.Equal(gotMarks, wantMarks) {
		t.Fatalf("%+v of %d: marks are %v, its twin's %v", r, size, gotMarks, wantMarks)
	}

	got, want = aligned(x, random.IntN(8)), slices.Clone(x)
	least, after := r.Earlier(got, size, marks)
	genericEarlierRounds(want, size, &r, marks, &twin)
	sameBits(t, "Earlier of rounds", got, want)
	for n := range r.N {
		sameBits(t, "extremes of Earlier", []float64{least, after[n]}, []float64{positive(twin.least), positive(twin.most[n])})
	}
}

// checkMarked has half of the columns marked, some messages delayed, and trains near 1 whose first
// detours are not all known.
func checkMarked(t *testing.T, random *rand.Rand) {
	t.Helper()
	size := 8 << random.IntN(7)
	r := Rounds{N: 1 + random.IntN(3)}
	low := 3 * random.IntN(4)
	for n, bit := range random.Perm(3)[:r.N] {
		r.Mask[n], r.By[n], r.Work[n] = 1<<(low+bit), random.Float64(), []float64{0, 0.01, 0.1}[random.IntN(3)]
	}
	length := r.last(size) + 1
	g := Gaps{Train: NewTrain(1+random.Float64(), random.Float64()), Known: []float64{0.9, 1.5, 2}[random.IntN(3)]}
	x, first, end := make([]float64, length), make([]float64, length), make([]float64, length)
	for i := range x {
		x[i] = random.Float64() * []float64{0.1, 0.5, 3}[random.IntN(3)]
		first[i] = min(g.Known, g.Period*random.Float64())
		end[i] = []float64{first[i], math.Inf(1), first[i] + g.Period}[random.IntN(3)]
	}
	marks := make([]byte, size/8)
	for c := range marks {
		marks[c] = byte(random.IntN(2))
	}
	delays := Delays{make([]float64, 24*size), size}
	for i := range delays.Of {
		if random.IntN(20) == 0 {
			delays.Of[i] = random.ExpFloat64()
		}
	}
	if random.IntN(3) == 0 {
		delays = Delays{}
	}
	for c := range marks {
		for k := range 24 * Chunk {
			if marks[c] != 0 && delays.Row > 0 && delays.Of[k/Chunk*delays.Row+c*Chunk+k%Chunk] > 0 {
				marks[c] = HeldMark
			}
		}
	}
	var twin extremesAfter
	got, want := aligned(x, random.IntN(8)), slices.Clone(x)
	gotGaps, wantGaps := g, g
	gotGaps.First, gotGaps.End = aligned(first, random.IntN(8)), aligned(end, random.IntN(8))
	wantGaps.First, wantGaps.End = first, slices.Clone(end)
	gotMarks, wantMarks := slices.Clone(marks), slices.Clone(marks)
	least, most := r.LaterMarked(got, &gotGaps, delays, size, gotMarks)
	genericLaterMarked(want, &wantGaps, delays, size, &r, wantMarks, &twin)
	sameBits(t, "LaterMarked", got, want)
	sameBits(t, "gap ends of LaterMarked", gotGaps.End, wantGaps.End)
	sameBits(t, "extremes of LaterMarked", []float64{least, most}, []float64{positive(twin.least), positive(twin.most[0])})
	if !slices.Equal(gotMarks, wantMarks) {
		t.Fatalf("%+v of %d: marks are %v, its twin's %v", r, size, gotMarks, wantMarks)
	}

	got, want = aligned(x, random.IntN(8)), slices.Clone(x)
	gotMarks, wantMarks = slices.Clone(marks), slices.Clone(marks)
	least, after := r.EarlierMarked(got, delays, size, gotMarks)
	genericEarlierMarked(want, delays, size, &r, wantMarks, &twin)
	sameBits(t, "EarlierMarked", got, want)
	sameBits(t, "extremes of EarlierMarked", append(after[:r.N:r.N], least), append(twin.most[:r.N:r.N], positive(twin.least)))
	if slices.Max(gotMarks) > 0 {
		skip := r.Skip(size)
		for c, mark := range gotMarks {
			if mark > 0 && c*8&skip == 0 {
				t.Fatalf("%+v of %d: column %d is left", r, size, c)
			}
		}
	}
}

// Rounds at once are one round after the other, of those that reach no limit.
func TestRoundsAtOnceAreOneByOne(t *testing.T) {
	atEveryLevel(t, func(t *testing.T) {
		random := rand.New(rand.NewPCG(3, 4))
		for range 300 {
			r := Rounds{N: 1 + random.IntN(3)}
			low := 3 * random.IntN(3)
			for n, bit := range random.Perm(3)[:r.N] {
				r.Mask[n], r.By[n], r.Work[n] = 1<<(low+bit), random.Float64(), random.Float64()
			}
			size, all := 64, 512
			x, limit := make([]float64, all), make([]float64, all)
			for i := range x {
				x[i], limit[i] = random.Float64(), 3+20*random.Float64()
			}
			last, first := slices.Clone(x), slices.Clone(x)
			struck := make([]bool, all) // or hears from who is
			for n := range r.N {
				now, then := slices.Clone(last), slices.Clone(first)
				hurt := slices.Clone(struck)
				for i := range all {
					other := i ^ r.Mask[n]
					last[i] = max(now[i], now[other]+r.By[n]) + r.Work[n]
					first[i] = min(then[i], then[other]+r.By[n])
					struck[i] = hurt[i] || hurt[other] || last[i] >= limit[i]
				}
			}
			for base := 0; base < all; base += size {
				if base&(r.Mask[0]|r.Mask[1]|r.Mask[2]) != 0 && low == 6 {
					continue
				}
				got, marks := slices.Clone(x), make([]byte, size/8)
				r.Later(got[base:], &Gaps{End: limit[base:], Known: math.Inf(1)}, size, marks)
				for i := range all {
					c := (i &^ r.Offset(r.Rows()-1)) - base
					if c < 0 || c >= size {
						continue
					}
					marked := marks[c/8] == 1
					if struck[i] && !marked {
						t.Fatalf("%+v: number %d reaches its limit, and is done", r, i)
					}
					if want := last[i]; !marked && got[i] != want {
						t.Fatalf("%+v: number %d is %v, want %v", r, i, got[i], want)
					}
					if marked && got[i] != x[i] {
						t.Fatalf("%+v: number %d is marked, and was changed", r, i)
					}
				}
				got = slices.Clone(x)
				r.Earlier(got[base:], size, make([]byte, size/8))
				for i := range all {
					if c := (i &^ r.Offset(r.Rows()-1)) - base; c >= 0 && c < size && got[i] != first[i] {
						t.Fatalf("%+v: number %d is %v at the earliest, want %v", r, i, got[i], first[i])
					}
				}
			}
		}
	})
}
