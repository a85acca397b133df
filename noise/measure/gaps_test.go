package measure

import "testing"

// histogram returns the counts of the given numbers of gaps by length in ticks.
func histogram(gaps map[int64]int) *gapCounts {
	g := newGapCounts()
	for length, n := range gaps {
		for range n {
			g.add(length)
		}
	}
	return g
}

func TestLoopAndStepOfGaps(t *testing.T) {
	for _, test := range []struct {
		name       string
		gaps       map[int64]int
		loop, step int64
	}{
		{"Intel", map[int64]int{16: 2, 18: 8700, 20: 900, 22: 80, 5000: 3}, 18, 18},
		{"AMD", map[int64]int{1: 1, 26: 9900, 52: 99}, 26, 26},
		{"AMD, 5 % of one tick", map[int64]int{1: 530, 25: 520, 26: 8900, 52: 50, 9886214: 1}, 26,
			26},
		{"AMD at a low frequency", map[int64]int{1: 60, 26: 3900, 52: 6000}, 52, 52},
		{"one tick as often as the next", map[int64]int{1: 100, 25: 100, 26: 101}, 26, 26},
		{"a busy core", map[int64]int{1: 20, 26: 700, 52: 200, 78: 90, 104: 60, 7800000: 400, 10400000: 150}, 26, 26},
		{"a counter of 25 MHz", map[int64]int{0: 7000, 1: 2990, 2: 10}, 0, 1},
		{"a coarse clock", map[int64]int{0: 8000, 40: 1990, 80: 10}, 0, 40},
		{"a clock that traps", map[int64]int{40000: 1, 41000: 500, 42000: 300}, 40000, 40000},
		{"coarse, with steps too long to count", map[int64]int{0: 9000, 4000000: 10}, 0, 4000000},
		{"quanta of work", map[int64]int{2600000: 1, 2600020: 5, 2700000: 14}, 2600000, 2600000},
		{"two as often", map[int64]int{26: 50, 52: 50}, 26, 26},
		{"a clock that stands still", map[int64]int{0: 50}, 0, 0},
	} {
		g := histogram(test.gaps)
		if loop, step := g.loop(), g.step(); loop != test.loop || step != test.step {
			t.Errorf("%s: loop %d, step %d; want %d, %d", test.name, loop, step, test.loop,
				test.step)
		}
	}
}
