package vector

import (
	"math"

	"jitterfly/internal/rng"
)

// The equivalents of the kernels in plain Go. Slices are cut to one length first, so that the
// compiler drops the bounds checks from the loops. They compare rather than call the built-in
// max and min, whose treatment of NaN and signed zeros takes longer than the rest of the loop;
// branches are well predicted, since noise is rare.

func genericLater(dst, a, b []float64, by float64) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i, x := range a {
		dst[i] = later(b[i]+by, x)
	}
}

func genericSum(dst, a, b []float64, by float64) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i, x := range a {
		dst[i] = x + (b[i] + by)
	}
}

// later returns the later of two times, y if they are equal.
func later(x, y float64) float64 {
	if x > y {
		return x
	}
	return y
}

func genericEarlier(dst, a, b []float64, by float64) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i, x := range a {
		dst[i] = earlier(b[i]+by, x)
	}
}

// earlier returns the earlier of two times, y if they are equal.
func earlier(x, y float64) float64 {
	if x < y {
		return x
	}
	return y
}

func genericShift(dst, src []float64, by float64) {
	src = src[:len(dst)]
	for i, x := range src {
		dst[i] = x + by
	}
}

func genericRaise(v []float64, from, to float64) {
	for i, x := range v {
		if !(x < from) { // as of kernels, also if it is not a number
			v[i] = to
		}
	}
}

func genericExtremes(v []float64) (least, most float64) {
	all := nothing
	for _, x := range v {
		all = all.with(x)
	}
	return all.least, all.most
}

// An extent is the least and the largest of some numbers.
type extent struct{ least, most float64 }

// nothing is the extent of no numbers.
var nothing = extent{math.Inf(1), math.Inf(-1)}

// with returns the extent of the numbers and another one.
func (e extent) with(x float64) extent { return extent{earlier(x, e.least), later(x, e.most)} }

func genericExchange(dst, src []float64, mask int) {
	src = src[:len(dst)]
	switch {
	case mask == 0:
		copy(dst, src)
	case mask == 1:
		for i := 0; i+1 < len(dst); i += 2 {
			dst[i], dst[i+1] = src[i+1], src[i]
		}
	case mask&(mask-1) == 0:
		for i := 0; i < len(dst); i += 2 * mask {
			copy(dst[i:i+mask], src[i+mask:])
			copy(dst[i+mask:i+2*mask], src[i:])
		}
	default:
		for i := range dst {
			dst[i] = src[(i^mask)&(len(src)-1)]
		}
	}
}

// runs returns the length of runs of indices that a mask maps to runs.
func runs(n, mask int) int {
	if mask == 0 {
		return n
	}
	return mask & -mask
}

// genericAdvance is [Advance] of the numbers from lo on, whose bits are clear.
func genericAdvance(t, limit []float64, by, known, width float64, hit Bitmask, lo int) {
	limit = limit[:len(t)]
	if math.IsInf(width, 1) {
		for i := lo; i < len(t); i++ {
			end := t[i] + by
			if end >= limit[i] || end >= known {
				hit[i/64] |= 1 << (i % 64)
				continue
			}
			t[i] = end
		}
		return
	}
	for i := lo; i < len(t); i++ {
		end, low := t[i]+by, limit[i]-width
		if end >= limit[i] || end >= known || t[i] < low && low < math.Inf(1) {
			hit[i/64] |= 1 << (i % 64)
			continue
		}
		t[i] = end
	}
}

// genericAdvanceIn is [AdvanceIn] of the numbers from lo on, whose bits are clear.
func genericAdvanceIn(t, since, until []float64, by float64, hit Bitmask, lo int) {
	since, until = since[:len(t)], until[:len(t)]
	for i := lo; i < len(t); i++ {
		end := t[i] + by
		if end >= until[i] || t[i] < since[i] {
			hit[i/64] |= 1 << (i % 64)
			continue
		}
		t[i] = end
	}
}

// genericDraw is [Draw] of the numbers from lo on.
func genericDraw(v, also []float64, from, width float64, c rng.Counter, lo int) {
	for i := lo; i < len(v); i++ {
		if v[i] >= math.Inf(1) {
			v[i] = from + float64(width*rng.Unit(c.Word(i)))
			also[i] = v[i]
		}
	}
}

// genericAddCounts is [AddCounts] of the numbers from lo on.
func genericAddCounts(v []float64, bounds []uint64, each float64, c rng.Counter, lo int) {
	for i := lo; i < len(v); i++ {
		count, word := 0, c.Word(i)
		for count < len(bounds) && word >= bounds[count] {
			count++
		}
		v[i] += float64(float64(count) * each)
	}
}

// genericAddLines is [AddLines] of the numbers from lo on, whose bits are clear.
func genericAddLines(v []float64, lines *Lines, c rng.Counter, hit Bitmask, lo int) {
	for i := lo; i < len(v); i++ {
		word := c.Word(i)
		line := &lines[word>>56]
		if y := line.At + float64(line.Slope*rng.Unit(word)); y >= 0 {
			v[i] += y
		} else {
			hit[i/64] |= 1 << (i % 64)
		}
	}
}

// genericResume is [Resume] of the numbers from lo on.
func genericResume(
	t, first, gapEnd []float64, work float64, d *PeriodicDetours, hit Bitmask, lo int,
) {
	for i := range hit.All {
		if i >= lo {
			t[i] = d.Work(t[i], work, first[i], &gapEnd[i])
			hit[i/64] &^= 1 << (i % 64)
		}
	}
}
