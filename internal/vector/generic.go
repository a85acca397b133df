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

func genericExtremes(v []float64) (least, most float64) {
	if len(v) == 0 {
		return math.Inf(1), math.Inf(-1)
	}
	least, most = v[0], v[0]
	for _, x := range v {
		if x > most {
			most = x
		} else if x < least {
			least = x
		}
	}
	return least, most
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

// The two below go over the indices without the bit skip, if there is one, by runs of
// those whose others are in a row too.

func genericLaterAcross(x, y []float64, mask, skip int, by float64) {
	run := runs(len(x), mask)
	for i := 0; i < len(x); i = ((i | skip) + run) &^ skip {
		x, y := x[i:i+run], y[i^mask:][:run]
		for k, a := range x {
			b := y[k]
			if t := b + by; t > a {
				x[k] = t
			}
			if t := a + by; t > b {
				y[k] = t
			}
		}
	}
}

func genericEarlierAcross(x, y []float64, mask, skip int, by float64) {
	run := runs(len(x), mask)
	for i := 0; i < len(x); i = ((i | skip) + run) &^ skip {
		x, y := x[i:i+run], y[i^mask:][:run]
		for k, a := range x {
			b := y[k]
			if t := b + by; t < a {
				x[k] = t
			}
			if t := a + by; t < b {
				y[k] = t
			}
		}
	}
}

// runs is how long they are.
func runs(n, mask int) int {
	if mask == 0 {
		return n
	}
	return mask & -mask
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
	if math.IsInf(width, 1) {
		for i := lo; i < len(t); i++ {
			end := t[i] + by
			if end >= limit[i] {
				held[i/64] |= 1 << (i % 64)
				continue
			}
			t[i] = end
		}
		return
	}
	for i := lo; i < len(t); i++ {
		end := t[i] + by
		if end >= limit[i] || t[i] < limit[i]-width {
			held[i/64] |= 1 << (i % 64)
			continue
		}
		t[i] = end
	}
}
