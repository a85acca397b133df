package measured

import (
	"bufio"
	"fmt"
	"maps"
	"math/rand"
	"os"
	"slices"
	"strings"
	"testing"

	"jitterfly/internal/tests"
)

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
		{"AMD, 5% of one tick", map[int64]int{1: 530, 25: 520, 26: 8900, 52: 50, 9886214: 1}, 26,
			26},
		{"AMD at a low frequency", map[int64]int{1: 60, 26: 3900, 52: 6000}, 52, 52},
		{"one tick as often as the next", map[int64]int{1: 100, 25: 100, 26: 101}, 26, 26},
		{"a busy core", map[int64]int{1: 20, 26: 700, 52: 200, 78: 90, 104: 60, 7800000: 400, 10400000: 150},
			26, 26},
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

// recorded returns the gaps of a file of testdata: how often each was seen, by ticks.
func recorded(t *testing.T, name string) map[int64]int {
	t.Helper()
	f := tests.Must(os.Open("testdata/gaps/" + name + ".txt"))(t)
	defer func() { _ = f.Close() }()
	gaps := map[int64]int{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var gap int64
		var n int
		if _, err := fmt.Sscan(lines.Text(), &gap, &n); err == nil {
			gaps[gap] = n
		} else if !strings.HasPrefix(lines.Text(), "#") {
			t.Fatalf("%s: %q", name, lines.Text())
		}
	}
	return gaps
}

// With the gaps of processors, in any order, the detector finds the loop and the step,
// and notes exactly the gaps that are longer by nine steps, and no step of the clock.
func TestDetectorOnProcessors(t *testing.T) {
	for name, want := range map[string]struct {
		loop, step int64
		detours    int
	}{
		"intel-xeon":    {26, 26, 137},
		"amd-epyc":      {26, 26, 1},
		"amd-epyc-slow": {52, 52, 1},
		"arm-25mhz":     {0, 1, 21},
		"arm-122mhz":    {1, 1, 21},
		"arm-1ghz":      {12, 12, 13},
	} {
		counted := recorded(t, name)
		var gaps []int64
		for _, gap := range slices.Sorted(maps.Keys(counted)) {
			gaps = append(gaps, slices.Repeat([]int64{gap}, counted[gap])...)
		}
		rand.New(rand.NewSource(1)).Shuffle(len(gaps), func(i, j int) {
			gaps[i], gaps[j] = gaps[j], gaps[i]
		})
		now, at, total := uint64(0), 0, uint64(0)
		for _, gap := range gaps {
			total += uint64(gap)
		}
		d := &detector{gaps: newGapCounts(), stop: new(uint32), notes: make([]note, 0, 1000)}
		d.clock = func() uint64 { // the gaps, one after the other, again and again
			now += uint64(gaps[at])
			at = (at + 1) % len(gaps)
			return now
		}
		d.calibrate(total, int64(len(gaps)))
		d.loop, d.step = d.gaps.loop(), d.gaps.step()
		d.threshold, _ = (Options{}).thresholdTicks(1e-9, []*detector{d})
		d.begin, d.end = now, now+total
		d.watch()
		if d.loop != want.loop || d.step != want.step || len(d.notes) != want.detours {
			t.Errorf("%s: loop %d, step %d, %d detours; want %+v", name, d.loop, d.step,
				len(d.notes), want)
		}
	}
}
