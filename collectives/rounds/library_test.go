package rounds_test

import (
	"bufio"
	"bytes"
	"fmt"
	"math"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"jitterfly/collectives"
	"jitterfly/internal/tests"
	"jitterfly/internal/tests/models"
)

// What the library of mpi/ does, run in simulated time by its own test program, takes the time
// that is predicted for forwarded results, in every operation, to 13 digits.
func TestLibraryIsWhatIsSimulated(t *testing.T) {
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("no C compiler: ", err)
	}
	program := filepath.Join(t.TempDir(), "virtual_test")
	build := exec.Command(cc, "-std=c11", "-D_GNU_SOURCE", "-O1", "-ffp-contract=off", "-o", program,
		"machine.c", "test/virtual.c", "test/solve.c", "test/virtual_test.c", "-lm")
	build.Dir = "../../mpi"
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v:\n%s", err, out)
	}
	for _, ranks := range tests.Part([]int{4, 7, 16, 100, 256}, []int{4, 7, 16}) {
		for _, sources := range []int{1, 2} {
			for copies := range 3 {
				r := collectives.Redundancy{Max: copies, Sources: sources, Forward: true}
				compareWithLibrary(t, program, ranks, r)
				r.SendOverhead = 2e-7
				compareWithLibrary(t, program, ranks, r)
				r.Reception = collectives.CPU
				compareWithLibrary(t, program, ranks, r)
			}
		}
	}
}

func compareWithLibrary(t *testing.T, program string, ranks int, r collectives.Redundancy) {
	t.Helper()
	const period, duration, operations = 60e-6, 15e-6, 40
	p := collectives.Problem{
		Ranks: ranks, Bytes: 8, Latency: 1e-6,
		Bandwidth: math.Inf(1), MemoryBandwidth: 8 / 1e-7, Redundancy: r,
	}
	processor := 0
	if r.Reception == collectives.CPU {
		processor = 1
	}
	spec := fmt.Sprintln(p.Ranks, r.Sources, r.Max, p.Latency, 8/p.MemoryBandwidth, r.SendOverhead,
		period, duration, processor, 0, operations)
	out, err := exec.Command(program, spec).CombinedOutput()
	if err != nil {
		t.Fatalf("%v:\n%s", err, out)
	}
	s := models.Schedule(t, "butterfly", p)
	network := noDelays(3*len(s.Rounds), p.Ranks)
	lines := bufio.NewScanner(bytes.NewReader(out))
	for n := range operations {
		if !lines.Scan() {
			t.Fatalf("%d ranks, %+v: %d operations instead of %d", ranks, r, n, operations)
		}
		var times []float64
		for _, word := range strings.Fields(lines.Text()) {
			x := tests.Must(strconv.ParseFloat(word, 64))(t)
			times = append(times, x)
		}
		os := make(preempted, p.Ranks)
		for r := range os {
			rank := r
			if s.Place != nil {
				rank = s.Place(r)
			}
			for i := range 100 {
				begin := times[1+rank] + float64(float64(i)*period)
				os[r] = append(os[r], detour{begin, begin + duration})
			}
		}
		trial := simulateSchedule(t, s, p, os, network)
		got := trial.Completion[r.Max]
		if math.Abs(got-times[0]) > 1e-12*got {
			t.Fatalf("%d ranks, %+v: operation %d takes %v, and the library's %v", ranks, r, n, got, times[0])
		}
	}
}
