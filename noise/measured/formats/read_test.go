package formats

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"jitterfly/noise"
)

// cores returns a trace.
func cores(resolution float64, all ...noise.Core) *noise.Trace {
	return &noise.Trace{Cores: all, Resolution: resolution}
}

// core returns one with detours of starts and lengths in turn.
func core(id int, span float64, times ...float64) noise.Core {
	c := noise.Core{ID: id, Span: span}
	for i := 0; i < len(times); i += 2 {
		c.Detours = append(c.Detours, noise.Detour{Start: times[i], Length: times[i+1]})
	}
	return c
}

func quantiles(shareLength ...float64) []noise.Quantile {
	var q []noise.Quantile
	for i := 0; i < len(shareLength); i += 2 {
		q = append(q, noise.Quantile{Share: shareLength[i], Length: shareLength[i+1]})
	}
	return q
}

// steps returns the quantiles of ascending times, with a point on each side of each jump.
func steps(times ...float64) (q []noise.Quantile) {
	n := float64(len(times))
	for i, t := range times {
		from, to := (float64(i)+0.001)/n, (float64(i)+0.999)/n
		if i == 0 {
			from = 0
		}
		if i == len(times)-1 {
			to = 1
		}
		q = append(q, quantiles(from, t, to, t)...)
	}
	return q
}

const us, ns = 1e-6, 1e-9

var nan = math.NaN()

// osnoiseSamples are those of the tracer in two files.
func osnoiseSamples() *noise.Trace {
	return cores(0, core(1, 10002*us, 0, 5*us, 999.5*us, 13*us, 2999.5*us, 150*us, 10000*us, 2*us))
}

// osnoiseSources are those of the events in the same two files. The samples take 2 µs beyond the
// timer, and 3 µs beyond the kworker and the interrupt in it.
func osnoiseSources() []noise.Cause {
	source := func(name string, times ...float64) noise.Cause {
		return noise.Cause{Name: name, Trace: *cores(0, core(1, 10002*us, times...))}
	}
	return []noise.Cause{
		source(hardware, 2999.5*us, 150*us),
		source("kworker", 1000.5*us, 11*us, 4999.5*us, 3*us),
		source("local_timer", 0, 5*us),
		source(unrecorded, 10000*us, 2*us),
		source("IPI", 1002.5*us, 2*us),
		source("NMI", 3999.5*us, 1.5*us),
		source("softirq SCHED", 2000.5*us, 1*us),
	}
}

// All that is in each file of testdata, worked out by hand.
var want = map[string]Measurement{
	"netgauge_selfish.txt": {
		Format: "netgauge selfish",
		Trace: cores(160*ns,
			core(0, 20002*us, 0, 3200*ns, 4000*us, 3150.5*ns, 16000*us, 9000*ns, 20000*us, 2000*ns),
			core(0, 1001.5*us, 0, 1000*ns, 1000*us, 1500*ns)),
		Merged: 1,
		Provenance: []Fact{
			{"sysname", "Linux"}, {"nodename", "nid001234"}, {"release",
				"5.14.21-150400.24.81_12.0.87-cray_shasta_c"},
			{"version", "#1 SMP Tue Nov 14 11:26:23 UTC 2023 (e3f1b44)"}, {"machine", "Linux"},
		},
		Lines: 34,
		Skipped: []Skip{{comment, 8, 2}, {negative, 1, 17}, {notANumber, 1, 18},
			{zeroLength, 1, 19}},
		Notes: []string{"the tool gives an overhead of 5%, the detours of core 0 give 0.2496%"},
	},
	"jitterfly_bench.txt": {
		Format: "jitterfly bench",
		Bench: &Bench{
			Ranks: 16, RanksPerNode: 8, Latency: 1.9e-6, Bandwidth: 12e9, SendOverhead: 80e-9,
			Period: 1e-3, Duration: 10e-6, Random: true,
			Operations: []Operation{
				{0, Scheme{Bytes: 8}, false, 7.1e-6},
				{1, Scheme{Bytes: 8, Sources: 1}, false, 8.31e-6},
				{2, Scheme{Bytes: 8, Sources: 1}, true, 18.42e-6},
				{3, Scheme{64, 2, 1, 0, false, 100, 100e-6}, true, 104e-6},
			},
		},
		Provenance: []Fact{
			{"version", "0.1.0"}, {"mpi", "Open MPI v4.1.4, package: Debian OpenMPI"}, {"ranks", "16"},
			{"ranks_per_node", "8"}, {"latency", "1.9e-06"}, {"bandwidth", "1.2e+10"},
			{"send_overhead", "8e-08"}, {"noise", "injected"}, {"period", "0.001"},
			{"duration", "1e-05"}, {"launch", "stationary"}, {"held", "0"}, {"seed", "7"},
		},
		Lines: 19,
	},
	"jitterfly_bench_leaders.txt": {
		Format: "jitterfly bench",
		Bench: &Bench{
			Ranks: 15, RanksPerNode: 4, Latency: 5.01e-3, NodeLatency: 210e-9, Machine: true, Held: 5e-3,
			Operations: []Operation{
				{0, Scheme{Bytes: 8}, false, 7.1e-3},
				{1, Scheme{Bytes: 8, Sources: 1, Leaders: 1}, false, 10.2e-3},
				{2, Scheme{64, 2, 1, 2, true, 0, 0}, true, 18.4e-3},
			},
		},
		Provenance: []Fact{
			{"version", "0.1.0"}, {"ranks", "15"}, {"ranks_per_node", "4"}, {"latency", "5.01e-03"},
			{"node_latency", "2.1e-07"}, {"send_overhead", "0"}, {"noise", "machine"},
			{"held", "0.005"},
		},
		Lines: 13,
	},
	"netgauge_fwq.txt": {
		Format: "netgauge fwq", Trace: cores(1*us, core(0, 4251*us, 0, 1*us, 2001*us, 250*us)),
		Provenance: []Fact{{"sysname", "Linux"}}, Lines: 11,
		Skipped: []Skip{{comment, 2, 3}, {beyond, 1, 11}},
	},
	"netgauge_ftq.txt": {
		Format: "netgauge ftq", Trace: cores(1*us, core(0, 4000*us, 1000*us, 100*us, 3000*us,
			200*us)), Lines: 9,
		Skipped: []Skip{{comment, 2, 3}},
	},
	"netgauge_loggp.txt": {
		Format: "netgauge loggp",
		Curves: []Curve{{Pattern: OneWay, Operation: "loggp", Points: []Point{
			{Size: 1, Seconds: 2.05 * us}, {Size: 1025, Seconds: 2.3 * us}, {Size: 2049,
				Seconds: 2.55 * us},
		}}},
		LogGP: []LogGP{
			{1, 2.05 * us, .31 * us, .32 * us, nan, nan, nan},
			{1025, 2.05 * us, nan, .4 * us, .55 * us, 1.2e-10, .01},
			{2049, 2.05 * us, .3 * us, .41 * us, nan, 1.2e-10, .02},
		},
		Lines: 6, Skipped: []Skip{{comment, 2, 2}, {notANumber, 4, 4}, {negative, 1, 5}},
	},
	"netgauge_stdout.txt": {
		Format: "netgauge stdout",
		LogGP: []LogGP{
			{1, 2.05 * us, .31 * us, .32 * us, nan, nan, nan},
			{1025, 2.05 * us, nan, .4 * us, .55 * us, 1.2e-10, .01},
		},
		Lines: 7,
		Skipped: []Skip{{"a message of the tool", 2, 1}, {notARow, 3, 2}, {notANumber, 3, 5},
			{negative, 1, 7}},
	},
	"netgauge_oneone.txt": {
		Format: "netgauge one_one",
		Curves: []Curve{{Pattern: OneWay, Operation: "one_one", Points: []Point{
			{Size: 1, Seconds: 2.15 * us, Mean: 2.31 * us, Least: 1.19 * us, Most: 113 * us,
				Quantiles: quantiles(0, 1.19*us, .5, 2.15*us, 1, 113*us)},
			{Size: 1024, Seconds: 2.5 * us, Mean: 2.6 * us, Least: 1.9 * us, Most: 80 * us,
				Quantiles: quantiles(0, 1.9*us, .5, 2.5*us, 1, 80*us)},
		}}},
		Provenance: []Fact{{"sysname", "Linux"}, {"nodename", "nid00012"}, {"version", "v2.4.8"}},
		Lines:      14, Skipped: []Skip{{comment, 8, 4},
			{"a minimum, median and maximum that do not ascend", 1, 14}},
	},
	"netgauge_oneone_short.txt": {
		Format: "netgauge one_one",
		Curves: []Curve{{Pattern: OneWay, Operation: "one_one", Points: []Point{
			{Size: 1, Seconds: 1.55 * us, Least: 1.55 * us}, {Size: 2, Seconds: 1.56 * us,
				Least: 1.56 * us},
		}}},
		Lines: 4, Skipped: []Skip{{comment, 2, 1}},
	},
	"netgauge_oneone_samples.txt": {
		Format: "netgauge one_one",
		Curves: []Curve{{Pattern: OneWay, Operation: "one_one", Points: []Point{
			{Size: 1, Seconds: 3 * us, Mean: 2.5 * us, Least: 1 * us, Most: 4 * us, Samples: 4,
				Quantiles: steps(1*us, 2*us, 3*us, 4*us)},
			{Size: 8, Seconds: 5 * us, Mean: 5 * us, Least: 5 * us, Most: 5 * us, Samples: 1,
				Quantiles: quantiles(0, 5*us, 1, 5*us)},
		}}},
		Lines: 7, Skipped: []Skip{{notANumber, 1, 7}},
	},
	"loggopsim.txt": {
		Format: "LogGOPSim", Trace: cores(0, core(0, 2010*ns, 100*ns, 50*ns, 1000.5*ns, 20.25*ns,
			2000*ns, 10*ns)),
		Lines: 5, Skipped: []Skip{{comment, 1, 1}},
	},
	"osnoise.txt": {
		Format: "osnoise trace",
		Trace: cores(0, core(8, 10002*us, 0, 8812*ns, 10000*us, 2000*ns),
			core(9, 10002*us, 595445*ns, 1000*ns)),
		Sources: []noise.Cause{
			{Name: "migration", Trace: *cores(0, core(8, 10876626*ns, 874626*ns, 8812*ns),
				core(9, 10876626*ns))},
			{Name: unrecorded, Trace: *cores(0, core(8, 10876626*ns, 10874626*ns, 2000*ns),
				core(9, 10876626*ns, 1470071*ns, 1000*ns))},
			{Name: "local_timer", Trace: *cores(0, core(8, 10876626*ns, 0, 1845*ns),
				core(9, 10876626*ns))},
		},
		Lines: 11, Skipped: []Skip{{comment, 4, 1}, {"events that the tracer lost", 1, 8}},
		Notes: []string{"the tracer lost 12 events; make its buffer larger"},
	},
	"osnoise_events.txt": {
		Format: "osnoise trace", Trace: osnoiseSamples(), Sources: osnoiseSources(),
		Lines: 16, Skipped: []Skip{{comment, 4, 1}, {"an event of the idle thread", 1, 14}},
		Notes: []string{"the tracer's thread did not run on these CPUs, whose events are left out: 2"},
	},
	"osnoise_tracecmd.txt": {
		Format: "osnoise trace", Trace: osnoiseSamples(), Sources: osnoiseSources(),
		Lines: 11, Skipped: []Skip{{otherEvent, 1, 1}},
	},
	"timerlat_trace.txt": {
		Format: "timerlat trace",
		Histograms: []Histogram{
			{Core: 0, Column: "IRQ-000", Kind: Interrupts, Samples: 2,
				Bins: []Bin{{769 * ns, 770 * ns, 1}, {932 * ns, 933 * ns, 1}}},
			{Core: 0, Column: "Thr-000", Kind: Wakeups, Samples: 2,
				Bins: []Bin{{3070 * ns, 3071 * ns, 1}, {11700 * ns, 11701 * ns, 1}}},
			{Core: 1, Column: "IRQ-001", Kind: Interrupts, Samples: 2,
				Bins: []Bin{{935 * ns, 936 * ns, 1}, {2833 * ns, 2834 * ns, 1}}},
			{Core: 1, Column: "Thr-001", Kind: Wakeups, Samples: 2,
				Bins: []Bin{{4351 * ns, 4352 * ns, 1}, {9820 * ns, 9821 * ns, 1}}},
		},
		Lines: 17, Skipped: []Skip{{comment, 8, 1}, {otherEvent, 1, 9}},
	},
	"osnoise_sums.txt": {
		Format: "osnoise trace",
		Histograms: []Histogram{
			{Core: 0, Column: "CPU-0", Kind: Detours, Samples: 182, Span: 2, Most: 9 * us, Mean: 290. / 182 * us,
				Bins: []Bin{{281. / 181 * us, 281. / 181 * us, 181}, {9 * us, 9 * us, 1}}},
			{Core: 1, Column: "CPU-1", Kind: Detours, Samples: 583, Span: 1, Most: 74 * us, Mean: 656. / 583 * us,
				Bins: []Bin{{1 * us, 1 * us, 582}, {74 * us, 74 * us, 1}}},
		},
		Lines: 13, Skipped: []Skip{{comment, 10, 1}},
		Notes: []string{"sums of noise without lengths: assuming 765 short detours, where 41 of the " +
			"longest would be as much; use rtla osnoise hist for the lengths"},
	},
	"rtla_osnoise.txt": {
		Format: "rtla hist",
		Histograms: []Histogram{
			{
				Core: 0, Column: "CPU-000", Kind: Detours, Unit: us, Over: 1,
				Samples: 538, Least: 0, Mean: 3.25 * us, Most: 812 * us, Span: 60,
				Bins: []Bin{{0, 10 * us, 430}, {10 * us, 20 * us, 88}, {20 * us, 30 * us, 19}},
			},
			{
				Core: 3, Column: "CPU-003", Kind: Detours, Unit: us,
				Samples: 10, Least: 10 * us, Mean: 21 * us, Most: 53 * us, Span: 60,
				Bins: []Bin{{10 * us, 20 * us, 7}, {20 * us, 30 * us, 1}, {50 * us, 60 * us, 2}},
			},
		},
		Lines: 13, Notes: []string{"the tool gives a count of 11 for CPU-003; what is read has 10",
			"the tool gives a mean of 3.25 µs for CPU-000; what is read has 3.851 µs to 12.83 µs",
			"78.5% of the detours are in the first bin, 0 to 10 µs: each is taken to last half of " +
				"that, which is 0.00179% of the time, and may be 0 to 0.00358%; narrower bins leave less open"},
	},
	"rtla_timerlat.txt": {
		Format: "rtla hist",
		Histograms: []Histogram{
			{
				Core: 0, Column: "IRQ-000", Kind: Interrupts, Unit: ns,
				Samples: 5902, Least: 512 * ns, Mean: 777 * ns, Most: 1490 * ns, Span: 87001,
				Bins: []Bin{{531.9403592 * ns, 1000 * ns, 5760}, {1031.9403592 * ns, 1500 * ns, 142}},
			},
			{
				Core: 0, Column: "Thr-000", Kind: Wakeups, Unit: ns,
				Samples: 5902, Least: 1021 * ns, Mean: 1234 * ns, Most: 1999 * ns, Span: 87001,
				Bins: []Bin{{1000 * ns, 1464.5781091 * ns, 5870}, {1500 * ns, 1964.5781091 * ns, 32}},
			},
		},
		Lines: 17, Skipped: []Skip{{sums, 5, 13}},
	},
	"cyclictest.txt": {
		Format: "cyclictest",
		Histograms: []Histogram{
			{
				Core: 0, Column: "thread 0", Kind: Wakeups, Unit: us,
				Samples: 60001, Least: 1 * us, Mean: 2 * us, Most: 3 * us,
				Bins: []Bin{{1 * us, 2 * us, 3}, {2 * us, 3 * us, 59997}, {3 * us, 4 * us, 1}},
			},
			{
				Core: 1, Column: "thread 1", Kind: Wakeups, Unit: us,
				Samples: 60002, Over: 2, Least: 2 * us, Mean: 2 * us, Most: 417 * us,
				Bins: []Bin{{2 * us, 3 * us, 60000}},
			},
		},
		Lines: 15, Skipped: []Skip{{comment, 4, 1}},
	},
	"cyclictest_all.txt": {
		Format: "cyclictest",
		Histograms: []Histogram{
			{
				Core: 0, Column: "thread 0", Kind: Wakeups, Unit: us,
				Samples: 4, Least: 1 * us, Mean: 1 * us, Most: 2 * us, Interval: 1e-3,
				Bins: []Bin{{1 * us, 2 * us, 1}, {2 * us, 3 * us, 3}},
			},
			{
				Core: 1, Column: "thread 1", Kind: Wakeups, Unit: us,
				Samples: 5, Over: 1, Least: 2 * us, Mean: 85 * us, Most: 417 * us, Interval: 1.5e-3,
				Bins: []Bin{{2 * us, 3 * us, 4}},
			},
		},
		Lines: 14, Skipped: []Skip{{comment, 4, 1}},
	},
	"cyclictest_plain.txt": {
		Format: "cyclictest",
		Histograms: []Histogram{
			{Core: 0, Column: "thread 0", Kind: Wakeups, Samples: 100000, Least: 2 * us,
				Mean: 3 * us, Most: 27 * us, Interval: 1e-3},
			{Core: 1, Column: "thread 1", Kind: Wakeups, Samples: 66672, Least: 2 * us,
				Mean: 3 * us, Most: 41 * us, Interval: 1.5e-3},
		},
		Lines: 7, Skipped: []Skip{{comment, 1, 1}, {notARow, 1, 2}},
		Instead: "it has a summary only; run cyclictest with -h 400, for a histogram",
	},
	"cyclictest_verbose.txt": {
		Format: "cyclictest",
		Histograms: []Histogram{
			{Core: 0, Column: "thread 0", Kind: Wakeups, Unit: us, Samples: 3,
				Bins: []Bin{{3 * us, 4 * us, 2}, {12 * us, 13 * us, 1}}},
			{Core: 1, Column: "thread 1", Kind: Wakeups, Unit: us, Samples: 1,
				Bins: []Bin{{4 * us, 5 * us, 1}}},
		},
		Lines: 6, Skipped: []Skip{{notARow, 1, 1}, {negative, 1, 6}},
	},
	"rttests_cyclictest.txt": {
		Format: "rt-tests JSON",
		Histograms: []Histogram{
			{
				Core: 3, Column: "thread 0", Kind: Wakeups, Unit: us,
				Samples: 10000, Least: 2 * us, Mean: 2.12 * us, Most: 40 * us,
				Bins: []Bin{{2 * us, 3 * us, 9000}, {3 * us, 4 * us, 900}, {5 * us, 6 * us, 99},
					{40 * us, 41 * us, 1}},
			},
			{
				Core: 2, Column: "thread 1", Kind: Wakeups, Unit: us,
				Samples: 10000, Over: 2, OverMean: 12000 * us, Least: 1 * us, Mean: 3.4 * us, Most: 12000 * us,
				Bins: []Bin{{1 * us, 2 * us, 9998}},
			},
		},
		Provenance: []Fact{{"version", "2.11"}, {"nodename", "node7"}}, Lines: 38,
	},
	// A turn takes 1 µs but for those of noise, and labels are one too high.
	"rttests_oslat.txt": {
		Format: "rt-tests JSON",
		Histograms: []Histogram{
			{
				Core: 2, Column: "core 2", Kind: Detours, Samples: 24, Most: 11 * us, Span: 60,
				Bins: []Bin{{5 * us, 6 * us, 20}, {10 * us, 11 * us, 4}},
			},
			{
				Core: 3, Column: "core 3", Kind: Detours, Samples: 2, Over: 2,
				OverMean: ((30+90)/2.+90)/2*us - 1*us, Most: 89 * us, Span: 60,
			},
		},
		Provenance: []Fact{{"version", "2.60"}}, Lines: 15,
	},
	"sysjitter.txt": {
		Format: "sysjitter",
		Histograms: []Histogram{
			{
				Core: 0, Column: "core 0", Kind: Detours,
				Samples: 1000, Least: 210 * ns, Mean: 350 * ns, Most: 5000 * ns, Span: 10,
				Bins: sysjitterBins(),
			},
			{Core: 1, Column: "core 1", Kind: Detours, Span: 10},
		},
		Provenance: []Fact{{"threshold(ns)", "200"}, {"cpu_mhz", "2400"}}, Lines: 18,
	},
	"sysjitter_raw.txt": {
		Format: "sysjitter raw", Trace: cores(200*ns,
			core(0, .02, 0, 5*us, 4000*us, 3*us, 19000*us, 2*us)),
		Provenance: []Fact{{"cpu_mhz", "2000"},
			{"threshold", "200ns"}}, Lines: 14, Skipped: []Skip{{comment, 7, 3}},
	},
	"hwlatdetect.txt": {
		Format: "hwlatdetect", Trace: cores(10*us, core(0, 450, 0, 46*us, 29.999018426/2, 45*us,
			48.458310448/2, 13*us)),
		Provenance: []Fact{
			{"test duration", "900 seconds"}, {"Latency threshold", "10 us"}, {"Sample window",
				"1000000 us"}, {"Sample width", "500000 us"},
		},
		Lines: 17, Skipped: []Skip{{"a line of the report that is not a sample", 7, 2}},
		Notes: []string{"it watched 3 CPUs in turn, which are one core here"},
		Caveats: []string{"Only 50% of the time was watched: times and rates are of the time that was, " +
			"since there may be as many detours in the rest."},
	},
	"hwlatdetect_module.txt": {
		Format: "hwlatdetect", Trace: cores(15*us, core(0, 120, 0, 18*us, 73.010556403, 21*us)),
		Provenance: []Fact{{"test duration", "120 seconds"}, {"Latency threshold", "15 us"}},
		Lines:      8, Skipped: []Skip{{"a line of the report that is not a sample", 3, 2}},
	},
	"bpftrace.txt": {
		Format: "bpftrace",
		Histograms: []Histogram{{Column: "@usecs", Kind: Wakeups, Unit: us, Samples: 145, Bins: []Bin{
			{0, us, 4}, {us, 2 * us, 50}, {2 * us, 4 * us, 80}, {4 * us, 8 * us, 10}, {1024 * us, 2048 * us, 1},
		}}},
		Lines: 12, Skipped: []Skip{{notARow, 3, 1}},
	},
	"perftest.json": {
		Format: "perftest JSON",
		Curves: []Curve{{Pattern: OneWay, Operation: "write of perftest", Points: []Point{{128, 2.45 * us,
			2.46 * us, 2.4 * us, 5.4 * us, 5000,
			quantiles(0, 2.4*us, .5, 2.45*us, .99, 2.5*us, .999, 4*us)}}}},
		Provenance: []Fact{{"device", "rxe0"}, {"link type", "Ethernet"}}, Lines: 18,
	},
	"osu_latency.txt": {
		Format: "OSU",
		Curves: []Curve{{Pattern: OneWay, Operation: "latency", Points: []Point{
			{Size: 0, Seconds: 8.7 * us, Mean: 8.7 * us}, {Size: 1, Seconds: 1.93 * us, Mean: 1.93 * us},
			{Size: 1024, Seconds: 2.6 * us, Mean: 2.6 * us},
		}}},
		Provenance: []Fact{{"version", "5.6.2"}}, Lines: 8, Skipped: []Skip{{notARow, 1, 1},
			{notANumber, 1, 8}},
	},
	"osu_allreduce.txt": {
		Format: "OSU",
		Curves: []Curve{
			{Pattern: Collective, Operation: "allreduce", Points: []Point{
				{1, 28.46 * us, 28.46 * us, 21.1 * us, 33.87 * us, 1000,
					quantiles(.5, 28.01*us, .9, 30.2*us, .99, 41.9*us)},
				{4194304, 6996.27 * us, 6996.27 * us, 6000 * us, 7000.25 * us, 100,
					quantiles(.5, 6990*us, .9, 7001*us, .99, 7044*us)},
			}},
			{Pattern: Collective, Operation: "barrier", Points: []Point{{Seconds: 12.74 * us, Mean: 12.74 * us}}},
		},
		Provenance: []Fact{{"version", "7.4"}}, Lines: 11,
		Skipped: []Skip{{comment, 1, 3}, {"quantiles that do not ascend", 1, 6}},
		Instead: "it has times of whole collectives only; measure messages, with osu_latency",
	},
	"imb.txt": {
		Format: "IMB",
		Curves: []Curve{
			{Pattern: OneWay, Operation: "pingpong", Processes: 2, Points: []Point{
				{Size: 0, Seconds: 2.23 * us, Samples: 1000}, {Size: 1024, Seconds: 3.6 * us,
					Samples: 1000},
			}},
			{Pattern: Collective, Operation: "allreduce", Processes: 144, Points: []Point{
				{0, .03 * us, 0, .03 * us, .03 * us, 1000, nil}, {8, 11.69 * us, 0, 4.5 * us, 18.59 * us,
					1000, nil},
			}},
			{Pattern: Collective, Operation: "barrier", Processes: 144,
				Points: []Point{{0, 12.74 * us, 0, 12.73 * us, 12.75 * us, 1000, nil}}},
		},
		Provenance: []Fact{
			{"date", "Fri Dec 13 16:41:35 2024"}, {"machine", "x86_64"}, {"system", "Linux"},
			{"release", "4.18.0-553.8.1.el8_10.x86_64"}, {"version",
				"#1 SMP Tue Jul 2 05:18:08 PDT 2024"}, {"mpi version", "3.1"},
		},
		Lines: 53,
		Skipped: []Skip{{comment, 18, 1}, {anotherTable + ": Sendrecv", 1, 33},
			{"a size that was not measured", 1, 43}},
	},
	"ftq.txt": {
		Format: "FTQ", Trace: cores(10*us, core(7, 6000*us, 2000*us, 300*us, 3000*us, 1000*us)),
		Provenance: []Fact{{"ticks per ns", "2.4"},
			{"model name", "AMD EPYC 7763 64-Core Processor"}, {"cpu MHz", "2450.000"}},
		Lines: 19, Skipped: []Skip{{comment, 8, 3}},
	},
	"ftq_old.txt": {
		Format: "FTQ", Trace: cores(10*us, core(0, 3000*us, 1000*us, 100*us)),
		Provenance: []Fact{{"ticks per ns", "2.0"}}, Lines: 5,
	},
	"fwq_threads.txt": {
		Format: "fwq", Trace: cores(1*ns, core(4, 1550*ns, 500*ns, 50*ns),
			core(5, 3500*ns, 0, 500*ns)),
		Provenance: []Fact{{"GHz", "2.000000"}, {"GHz", "1.000000"}}, Lines: 10,
	},
	"fwq_mpi.txt": {
		Format: "fwq", Trace: cores(.5*ns, core(12, 1300*ns, 500*ns, 300*ns)),
		Provenance: []Fact{{"GHz", "2.000000"}}, Lines: 5, Skipped: []Skip{{negative, 1, 5}},
	},
	"fwq_bare.txt": {
		Format: "fwq", Trace: cores(1/2.4e9, core(0, 3*us, 1*us, 1*us)),
		Provenance: []Fact{{"GHz", "2.4"}}, Lines: 3,
	},
}

func diffCores(want, got []noise.Detour) string { return cmp.Diff(want, got, alike) }

// alike compares measurements but for the rounding of the last digits.
var alike = cmp.Options{
	cmpopts.EquateApprox(1e-9, 1e-18), cmpopts.EquateNaNs(), cmpopts.EquateEmpty(),
	cmpopts.IgnoreFields(Measurement{}, "Tool"), cmpopts.IgnoreFields(Histogram{}, "Digit"),
}

// sysjitterBins returns the bins between quantiles, whose middles are at the share w of their
// widths, so that they have the tool's mean, 350 ns: 1000·350 = 273200 + w·124600.
func sysjitterBins() []Bin {
	const cut = 1 - 2*(1-76800./124600)
	return []Bin{
		{(210 + 90*cut) * ns, 300 * ns, 500}, {(300 + 100*cut) * ns, 400 * ns, 400},
		{(400 + 400*cut) * ns, 800 * ns, 90}, {(800 + 400*cut) * ns, 1200 * ns, 9},
		{5000 * ns, 5000 * ns, 1},
	}
}

func TestReadEveryFormat(t *testing.T) {
	files := exampleFiles(t, "testdata")
	if len(files) != len(want) {
		t.Errorf("testdata has %d files, and %d are known", len(files), len(want))
	}
	seen := map[string]bool{"ticks": true} // which is an error
	for _, path := range files {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Read(f, path)
		_ = f.Close()
		if err != nil {
			t.Error(err)
			continue
		}
		if diff := cmp.Diff(want[filepath.Base(path)], got, alike); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
		if why := inconsistent(got); why != "" {
			t.Errorf("%s: %s", path, why)
		}
		seen[got.Format] = true
	}
	for _, r := range recorded {
		seen[r.format] = true
	}
	for _, f := range All {
		if !seen[f.Name] {
			t.Errorf("no file of testdata is of format %s", f.Name)
		}
	}
}
