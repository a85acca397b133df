package formats

import (
	"regexp"
	"slices"
	"strings"
)

// A Format is a layout that [Read] knows.
type Format struct {
	Name string
	Tool string // and where it comes from

	signs signs
	parse func(*source, *Measurement)
}

// signs are the lines by which a format is recognised: one that matches any of these expressions, and
// one that matches also, if that is given; or a first line, neither empty nor a comment nor one that
// matches before, that matches first.
type signs struct {
	any                 []expression
	also, before, first expression
}

// All are the known formats, in the order in which they are tried. Those without a
// header come last.
var All = []Format{
	{"netgauge selfish", "netgauge, pattern noise (Hoefler)",
		has("# Selfish Benchmark", "selfish duration [ns]"), readSelfish},
	{"netgauge fwq", "netgauge, pattern noise (Hoefler)",
		has("# Fixed Work Quantum Benchmark"), readNetgaugeFWQ},
	{"netgauge ftq", "netgauge, pattern noise (Hoefler)",
		has("# Fixed Time Quantum Benchmark"), readNetgaugeFTQ},
	{"netgauge loggp", "netgauge, pattern loggp (Hoefler)", has("PRTT(1,0,s)"), readLogGP},
	{"netgauge one_one", "netgauge, pattern one_one (Hoefler)",
		like(oneOneRun, oneOneHead, oneOneEach, oneOneShort), readOneOne},
	{"netgauge stdout", "netgauge, standard output (Hoefler)",
		like(netgaugeLogGP, netgaugeSum), readNetgaugeStdout},
	{"rtla hist", "rtla osnoise hist and rtla timerlat hist of Linux (Bristot)",
		like(rtlaTitle, rtlaIndex), readRTLA},
	{"rtla top", "rtla osnoise top, hwnoise and timerlat top of Linux (Bristot)",
		like(topHeader, topTitles), readRTLATop},
	{"timerlat trace", "the timerlat tracer of Linux (Bristot)", like(timerlatSample), readTimerlat},
	{"osnoise trace", "the osnoise tracer of Linux (Bristot)",
		has("sample_threshold: ", "# tracer: osnoise", "irq_noise: ", "thread_noise: "), readOsnoise},
	{"cyclictest", "cyclictest of rt-tests (Gleixner, Williams), with -h, -v or neither",
		signs{any: []expression{cyclicHead, cyclicThread, cyclicCycle, cyclicEvery}, before: cyclicCommand,
			first: cyclicTable}, readCyclictest},
	{"oslat", "oslat of rt-tests (Xu)", like(`^Core:`).and(oslatTurns), readOslat},
	{"rt-tests JSON", "cyclictest and oslat of rt-tests, with --json",
		has(`"rt_test_version`, `"num_threads"`).and(`^\{`), readJSON},
	{"sysjitter 2", "sysjitter 2 (Xu)", like(jitterCores).and(oslatTurns), readOslat},
	{"sysjitter", "sysjitter (Riddoch)", like(jitterCores), readSysjitter},
	{"sysjitter raw", "sysjitter --raw (Riddoch)",
		has("# total_interruption", "<== interruption =>"), readSysjitterRaw},
	{"hwlatdetect", "hwlatdetect of rt-tests (Williams)",
		like(hwlatTitle, hwlatSample, hwlatTrace, hwlatModule), readHwlat},
	{"OSU", "OSU Micro-Benchmarks (Ohio State University), latencies", like(osuSuite, osuHeader), readOSU},
	{"IMB", "Intel MPI Benchmarks, PingPong and collectives",
		has("# Benchmarking ", "#bytes #repetitions", "MPI Benchmark"), readIMB},
	{"jitterfly bench", "mpi/bench of jitterfly", like("^# " + benchKey + ":"), readBench},
	{"perftest", "perftest of linux-rdma: ib_write_lat, ib_send_lat, ib_read_lat",
		like(perftestHeader), readPerftest},
	{"perftest JSON", "perftest of linux-rdma, with --out_json", like(perftestSize), readPerftestJSON},
	{"sockperf", "sockperf (Mellanox), ping-pong or under load",
		like(`^sockperf: `, sockLog), readSockperf},
	{"bpftrace", "bpftrace's histograms, as of runqlat.bt (Gregg)", like(bpfBin).and(bpfMap), readBpftrace},
	{"HdrHistogram log", "histogram logs of HdrHistogram (Tene), as of jHiccup",
		has("#[Histogram log format version", "Interval_Compressed_Histogram"), readHdrLog},
	{"nccl-tests", "nccl-tests (NVIDIA) and rccl-tests (AMD)", like(ncclHeader), readNCCL},
	{"FTQ", "FTQ (Sottile, Minnich)", like(`^# Ticks per ns`), readFTQ},
	{"fwq", "fwq of LLNL (Sottile, Seager, León)", like(fwqGHz), readFWQ},
	{"LogGOPSim", "noise traces of LogGOPSim (Hoefler)", signs{first: loggopsimRow}, readLogGOPSim},
}

// has returns the signs of a format that has any of the texts in a line.
func has(texts ...string) signs {
	for i, text := range texts {
		texts[i] = regexp.QuoteMeta(text)
	}
	return like(expression(strings.Join(texts, "|")))
}

// like returns the signs of a format that has a line of any of the expressions.
func like(expressions ...expression) signs { return signs{any: expressions} }

// and adds an expression that another line must match.
func (s signs) and(also expression) signs {
	s.also = also
	return s
}

// in reports whether the lines have the signs.
func (s signs) in(head []string) bool {
	hasLine := func(e expression) bool { return slices.ContainsFunc(head, e.regexp().MatchString) }
	if s.first != "" {
		if i := firstRow(head, s.before); i >= 0 && s.first.regexp().MatchString(head[i]) {
			return true
		}
	}
	return slices.ContainsFunc(s.any, hasLine) && (s.also == "" || hasLine(s.also))
}

// firstRow returns the index of the first line that is neither empty nor a comment nor matches before, if
// that is given; -1 if there is none.
func firstRow(head []string, before expression) int {
	return slices.IndexFunc(head, func(line string) bool {
		return line != "" && line[0] != '#' && (before == "" || !before.regexp().MatchString(line))
	})
}
