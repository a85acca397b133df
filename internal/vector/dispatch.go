package vector

// kernels are those for one width of vector, with what their names say. Those that are nil do not
// exist. Each takes whole chunks.
type kernels struct {
	name  string
	lanes int // numbers of a register

	later, earlier, sum func(dst, a, b *float64, n int, by float64)

	shift     func(dst, src *float64, n int, by float64)
	raise     func(v *float64, n int, from, to float64)
	extremes  func(v *float64, n int) (least, most float64)
	exchange  func(dst, src *float64, n, mask int)
	advance   func(t, limit *float64, hit *uint64, n int, by, known, width float64)
	advanceIn func(t, since, until *float64, hit *uint64, n int, by float64)

	pairsLater, pairsEarlier pairsKernel
	// pairsWork does the work of ranks that meet a detour if there is resume, else it sets bits.
	pairsWork func(
		clockX, delayX, endX, firstX *float64, hitX *uint64,
		clockY, delayY, endY, firstY *float64, hitY *uint64,
		end, mask, run, skip int, by, sent, work float64, periodic *float64,
	) (mostX, mostY float64)

	addLines func(v *float64, n int, lines *float64, hit *uint64, at, step uint64)

	// These need to multiply words of 64 bits, or mask registers.
	resume func(t, first, gapEnd *float64, hit *uint64, n int, work float64, periodic *float64)
	draw   func(v, also *float64, n int, from, width float64, at, step uint64)
	// addCounts takes at least two bounds.
	addCounts func(v *float64, n int, bounds *uint64, m int, each float64, at, step uint64)
}

// A pairsKernel has two ranks receive from each other.
type pairsKernel func(
	clockX, delayX, clockY, delayY *float64, end, mask, run, skip int, by, sent float64,
) (leastX, mostX, leastY, mostY float64)

// levels are the kernels that the processor has, from none to the widest.
var levels = append([]kernels{{name: "plain"}}, detect()...)

// widest are the kernels in use.
var widest = levels[len(levels)-1]

// whole returns how many of n numbers are in whole chunks for a kernel, if that exists.
func whole(n int, exists bool) int {
	if !exists {
		return 0
	}
	return n &^ (Chunk - 1)
}
