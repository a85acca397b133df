package vector

import "math"

// The twins in plain Go. Slices are cut to one length first, so that the compiler drops
// the bounds checks from the loops. They compare rather than call the built-in max and
// min, whose care for NaN and signed zeros costs more than the rest of the loop; branches
// are well predicted, since noise is rare.

func genericLater(dst, a, b []float64, by float64) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i, x := range a {
		if y := b[i] + by; y > x {
			x = y
		}
		dst[i] = x
	}
}

func genericEarlier(dst, a, b []float64, by float64) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i, x := range a {
		if y := b[i] + by; y < x {
			x = y
		}
		dst[i] = x
	}
}

// genericExtremes takes two at a time, which do not wait for each other.
func genericExtremes(v []float64) (least, most float64) {
	least, most = math.Inf(1), math.Inf(-1)
	least2, most2 := least, most
	for ; len(v) >= 2; v = v[2:] {
		x, y := v[0], v[1]
		if x < least {
			least = x
		}
		if y < least2 {
			least2 = y
		}
		if x > most {
			most = x
		}
		if y > most2 {
			most2 = y
		}
	}
	for _, x := range v {
		least, most = min(least, x), max(most, x)
	}
	return min(least, least2), max(most, most2)
}

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

// The two below go over the indices without the bit skip, if there is one.

func genericLaterAcross(x, y []float64, mask, skip int, by float64) {
	y = y[:len(x)]
	for i := 0; i < len(x); i = ((i | skip) + 1) &^ skip {
		a, b := x[i], y[(i^mask)&(len(y)-1)]
		if t := b + by; t > a {
			x[i] = t
		}
		if t := a + by; t > b {
			y[i^mask] = t
		}
	}
}

func genericEarlierAcross(x, y []float64, mask, skip int, by float64) {
	y = y[:len(x)]
	for i := 0; i < len(x); i = ((i | skip) + 1) &^ skip {
		a, b := x[i], y[(i^mask)&(len(y)-1)]
		if t := b + by; t < a {
			x[i] = t
		}
		if t := a + by; t < b {
			y[i^mask] = t
		}
	}
}

func genericRaise(v []float64, from, to float64) {
	for i, x := range v {
		if x >= from {
			v[i] = to
		}
	}
}

// genericAdvance does the numbers from lo, whose bits are clear.
func genericAdvance(t, limit []float64, by, width float64, held Held, lo int) {
	limit = limit[:len(t)]
	for i := lo; i < len(t); i++ {
		start := t[i]
		end := start + by
		if end >= limit[i] || start < limit[i]-width {
			held[i/64] |= 1 << (i % 64)
			end = start
		}
		t[i] = end
	}
}
