package cli

import (
	"fmt"
	"os"
	"strconv"

	"github.com/rogpeppe/go-internal/testscript"

	"jitterfly/internal/rng"
	"jitterfly/internal/tests"
	"jitterfly/program"
)

// makerecording DIR RANKS ITERATIONS COMPUTE IMBALANCE [KILLED [PROCESSORS]] records a program whose ranks
// compute for COMPUTE ns with a random IMBALANCE, of which rank 3 has twice as much, and then call
// an allreduce of 8 B that takes 20 µs after the last has arrived. Every tenth time a barrier
// follows at once. There are four ranks on a node, whose clocks differ. The rank KILLED stops half
// way, if it is not -1. The ranks of a node may use as many PROCESSORS, if that is known.
func makeRecording(ts *testscript.TestScript, _ bool, args []string) {
	var numbers []int
	for _, a := range args[1:] {
		n, err := strconv.Atoi(a)
		ts.Check(err)
		numbers = append(numbers, n)
	}
	numbers = append(numbers, []int{-1, 0}[len(numbers)-4:]...)
	dir := ts.MkAbs(args[0])
	ts.Check(record(dir, numbers[0], numbers[1], float64(numbers[2]), float64(numbers[3]), numbers[4],
		numbers[5]))
}

// record is makerecording; killed is -1 if no rank is, and processors 0 if unknown.
func record(dir string, ranks, iterations int, compute, imbalance float64, killed, processors int) error {
	writers, clock := make([]*tests.CallWriter, ranks), make([]uint64, ranks)
	for r := range writers {
		w := tests.NewCallWriter(r, ranks, fmt.Sprintf("node%02d", r/4), 4, uint32(processors))
		clock[r] = uint64(1e9 * (1 + r/4))
		w.Clock(clock[r], 1e9-int64(clock[r]), 200)
		w.Site(1, "/opt/app/bin/solver", "dot_product", 0x4711)
		w.Site(2, "/opt/app/bin/solver", "", 0x8800)
		w.Communicator(0, r, 1, tests.WorldMembers(ranks))
		writers[r] = w
	}
	now := make([]float64, ranks)
	for i := range iterations {
		enter, last := make([]float64, ranks), 0.0
		for r := range ranks {
			share := 1.0
			if r == 3 {
				share = 2
			}
			draw := rng.NewKey(1, "recording").Derive(uint64(i)).Derive(uint64(r)).Uniform(0)
			enter[r] = now[r] + compute + imbalance*(2*draw+share-1)
			last = max(last, enter[r])
		}
		for r, w := range writers {
			now[r] = last + 20e3
			if r == killed && 2*i >= iterations {
				continue
			}
			at := func(t float64) uint64 { return clock[r] + uint64(t) }
			w.Events(tests.CallEvent{Entry: at(enter[r]), Exit: at(now[r]), Bytes: 8, Site: 1,
				Kind: uint8(program.Allreduce)})
			if i%10 == 9 {
				w.Events(tests.CallEvent{Entry: at(now[r]), Exit: at(now[r] + 5e3), Site: 2, Kind: uint8(program.Barrier)})
				now[r] += 5e3
			}
		}
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for r, w := range writers {
		if r != killed {
			w.Clock(clock[r]+uint64(now[r]), 1e9-int64(clock[r]), 300)
			w.End(0)
		}
		if err := w.Write(dir); err != nil {
			return err
		}
	}
	return nil
}
