package measured

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"jitterfly/internal/tests"
	"jitterfly/internal/units"
)

// A synthetic clock advances by the loop's time at each reading, and by some
// detours more: after[i] of them at the i-th reading.
func synthetic(loop uint64, after map[int]uint64) func() uint64 {
	now, reading := uint64(1000), 0
	return func() uint64 {
		reading++
		now += loop + after[reading]
		return now
	}
}

// watched lets a detector with a loop of 10 ticks watch for 1000 ticks, from
// the reading 1100, its tenth, on.
func watched(room int, after map[int]uint64) *detector {
	d := &detector{
		clock: synthetic(10, after), loop: 10, threshold: 90, begin: 1100, end: 2100,
		stop: new(uint32), notes: make([]note, 0, room),
	}
	d.watch()
	return d
}

func TestDetectorNotesDetours(t *testing.T) {
	for _, test := range []struct {
		name  string
		room  int
		after map[int]uint64
		want  []note
		near  int64
		last  uint64
	}{
		{"none", 5, nil, nil, 0, 2100},
		{"before the begin", 5, map[int]uint64{3: 20}, nil, 0, 2100},
		{"two", 5, map[int]uint64{20: 90, 30: 200}, []note{{1190, 90}, {1380, 200}}, 0, 2100},
		{"near the threshold", 5, map[int]uint64{20: 89, 30: 45, 40: 44}, nil, 134, 2108},
		{"over the begin", 5, map[int]uint64{10: 300}, []note{{1100, 300}}, 0, 2100},
		{"over the end", 5, map[int]uint64{105: 500}, []note{{2040, 500}}, 0, 2550},
		{"one after the other", 5, map[int]uint64{20: 90, 21: 100}, []note{{1190, 90}, {1290, 100}},
			0, 2100},
		{"no more room", 2, map[int]uint64{20: 90, 30: 90, 40: 90}, []note{{1190, 90}, {1380, 90}},
			0, 1480},
	} {
		d := watched(test.room, test.after)
		if !slices.Equal(d.notes, test.want) || d.near != test.near || d.last != test.last {
			t.Errorf("%s: %v, near %d, until %d; want %v, near %d, until %d", test.name, d.notes,
				d.near, d.last, test.want, test.near, test.last)
		}
	}
}

func TestDetectorStops(t *testing.T) {
	d := &detector{begin: 1100, end: 1e9, loop: 10, threshold: 90, stop: new(uint32),
		notes: make([]note, 0, 1)}
	clock := synthetic(10, nil)
	d.clock = func() uint64 {
		now := clock()
		if now == 5000 {
			*d.stop = 1
		}
		return now
	}
	d.watch()
	if d.last != 5000 {
		t.Errorf("stopped at 5000, watched until %d", d.last)
	}
	d.watch()
	if d.last != d.begin {
		t.Errorf("stopped before, watched until %d", d.last)
	}
}

func TestDetectorCalibrates(t *testing.T) {
	for _, test := range []struct {
		name       string
		clock      func() uint64
		least      int64
		loop, step int64
		total      int64
	}{
		{"even", synthetic(8, map[int]uint64{5: 100, 20: 3}), 1, 8, 8, 487},
		{"core taken away", synthetic(8, map[int]uint64{2: 1e6}), 30, 8, 8, 30},
	} {
		d := &detector{clock: test.clock, gaps: newGapCounts()}
		d.calibrate(5000, test.least)
		if loop, step := d.gaps.loop(), d.gaps.step(); loop != test.loop || step != test.step {
			t.Errorf("%s: loop %d, step %d; want %d, %d", test.name, loop, step, test.loop,
				test.step)
		}
		if d.gaps.total != test.total {
			t.Errorf("%s: %d gaps, want %d", test.name, d.gaps.total, test.total)
		}
	}
}

// A clock that is now and then read again one tick later, as on AMD processors,
// has a loop and a threshold of its usual gaps, and no detours.
func TestDetectorOnAMD(t *testing.T) {
	now, reading := uint64(1000), 0
	clock := func() uint64 {
		switch reading++; {
		case reading%19 == 0:
			now++
		case reading%500 == 0:
			now += 52
		default:
			now += 26
		}
		return now
	}
	d := &detector{clock: clock, gaps: newGapCounts(), stop: new(uint32),
		notes: make([]note, 0, 10)}
	d.calibrate(1e6, 1)
	d.loop, d.step = d.gaps.loop(), d.gaps.step()
	d.threshold, _ = (Options{}).thresholdTicks(4e-10, []*detector{d})
	d.begin, d.end = now, now+1e6
	d.watch()
	if d.threshold != 9*26 || len(d.notes) > 0 || d.near > 0 {
		t.Errorf("threshold %d, %d detours, near %d; want 9·26 and none", d.threshold, len(d.notes),
			d.near)
	}
}

// Each reading but those before the begin has its work.
func TestDetectorWorks(t *testing.T) {
	d := &detector{clock: synthetic(10, nil), work: 7, loop: 10, threshold: 90, begin: 1100,
		end: 1150, stop: new(uint32), notes: make([]note, 0, 1)}
	d.watch()
	if want := multiply(0, 5*7); d.result != want {
		t.Errorf("the work of five quanta is %d, want %d", d.result, want)
	}
}

func TestThreshold(t *testing.T) {
	detectors := []*detector{{step: 20}, {step: 25}, {step: 22}}
	if got, err := (Options{}).thresholdTicks(1e-9, detectors); got != 9*25 || err != nil {
		t.Errorf("%d ticks, %v; want 9·25", got, err)
	}
	if got, err := (Options{Threshold: 1e-6}).thresholdTicks(4e-10, detectors); got != 2500 ||
		err != nil {
		t.Errorf("1 µs is %d ticks, %v; want 2500", got, err)
	}
	if _, err := (Options{Threshold: 9e-9}).thresholdTicks(4e-10, detectors); !errors.Is(err,
		ErrSaturated) {
		t.Errorf("less than a step of 10 ns: %v", err)
	}
}

func TestCoreInSeconds(t *testing.T) {
	d := watched(5, map[int]uint64{20: 90, 30: 45})
	d.step = 5
	seen, core, err := d.core(3, 0.001)
	tests.NoError(t, err)
	near := func(got, want float64) bool { return math.Abs(got-want) < 1e-12 }
	if seen.ID != 3 || !near(seen.Span, 1.005) || len(seen.Detours) != 1 ||
		!near(seen.Detours[0].Start, 0.09) || !near(seen.Detours[0].Length, 0.09) {
		t.Errorf("%+v", seen)
	}
	if core.ID != 3 || !near(core.Loop, 0.01) || !near(core.Step, 0.005) ||
		!near(core.Hidden, 0.045/1.005) || core.Full {
		t.Errorf("%+v", core)
	}
	if _, core, _ := watched(2, map[int]uint64{20: 90, 30: 90}).core(3, 0.001); !core.Full {
		t.Error("it is full and does not say so")
	}
}

func TestSaturated(t *testing.T) {
	// Room for room detours, each of length ticks beyond the 10 of the loop.
	dense := func(length int64, room int) *detector {
		d := &detector{
			clock: synthetic(uint64(10+length), nil), loop: 10, threshold: 1, begin: 5000, end: 1e9,
			stop: new(uint32), notes: make([]note, 0, room),
		}
		d.watch()
		return d
	}
	for _, test := range []struct {
		name      string
		detector  *detector
		tick      float64
		saturated bool
	}{
		{"every loop of 10 ns", dense(5, 100), 1e-9, true},
		{"every quantum of 10 µs", dense(5, 100), 1e-6, false},
		{"little time between", dense(1000, 100), 1e-6, true},
		{"one that takes nearly all", watched(5, map[int]uint64{11: 5000}), 1e-6, true},
		{"sparse", watched(5, map[int]uint64{20: 90}), 1e-9, false},
	} {
		_, _, err := test.detector.core(3, test.tick)
		if errors.Is(err, ErrSaturated) != test.saturated || err != nil != test.saturated {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}

func TestBusyCores(t *testing.T) {
	for _, test := range []struct {
		shared, overhead float64
		want             string
	}{
		{0, 0.01, ""},
		{0.1, 0.5, ""},
		{0.47, 0.48, "core 3: other programs, or the host of a virtual machine, had it for 47% of"},
		{0.02, 0.62, "core 3: detours take 62% of the time, more than noise of a system does; "},
	} {
		err := Core{ID: 3, Shared: test.shared}.checkBusy(test.overhead)
		if (err == nil) != (test.want == "") || err != nil && (!errors.Is(err, ErrBusy) ||
			!strings.HasPrefix(err.Error(), test.want)) {
			t.Errorf("%+v: %v", test, err)
		}
	}
}

func TestCores(t *testing.T) {
	for text, want := range map[string]string{"0": "0", "3,1": "1,3", "2-5": "2-5",
		"0,2-4,3,7,8": "0,2-4,7-8", "1, 2": "1-2"} {
		cores, err := ParseCores(text)
		if err != nil || units.Indexes(cores).String() != want {
			t.Errorf("%q is %v, %v, want %s", text, cores, err, want)
		}
	}
	for _, text := range []string{"", "x", "-1", "5-2", "1-", "1,,2", "70000", "1-99999999999"} {
		if cores, err := ParseCores(text); err == nil {
			t.Errorf("%q is %v", text, cores)
		}
	}
}

func TestOptions(t *testing.T) {
	good := Options{Cores: []int{1}, Duration: 10}
	if err := good.Check([]int{0, 1}); err != nil {
		t.Error(err)
	}
	for name, change := range map[string]func(*Options){
		"does not exist": func(o *Options) { o.Cores = []int{2} },
		"no duration":    func(o *Options) { o.Duration = 0 },
		"not a number":   func(o *Options) { o.Duration = math.NaN() },
		"too long":       func(o *Options) { o.Duration = 1e6 },
		"quantum":        func(o *Options) { o.Quantum = 2 },
		"negative":       func(o *Options) { o.Quantum = -1 },
		"threshold":      func(o *Options) { o.Threshold = 11 },
	} {
		o := good
		change(&o)
		if err := o.Check([]int{0, 1}); err == nil {
			t.Errorf("%s: %+v is taken", name, o)
		}
	}
}
