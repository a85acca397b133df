package formats

import "strings"

// A Format is a layout that [Read] knows.
type Format struct {
	Name  string
	Tool  string // and where it comes from
	Gives string
	Sign  string // text by which the format is recognised

	matches func(head []string) bool
	parse   func(*source, *Measurement)
}

// All are the known formats, in the order in which they are tried. Those without a
// header come last.
var All = []Format{
	{"netgauge selfish", "netgauge, pattern noise (Hoefler)", "detours with times",
		"# Selfish Benchmark", has("# Selfish Benchmark", "selfish duration [ns]"), readSelfish},
	{"netgauge fwq", "netgauge, pattern noise (Hoefler)", "detours by quantum",
		"# Fixed Work Quantum Benchmark", has("# Fixed Work Quantum Benchmark"), readNetgaugeFWQ},
	{"netgauge ftq", "netgauge, pattern noise (Hoefler)", "detours by quantum",
		"# Fixed Time Quantum Benchmark", has("# Fixed Time Quantum Benchmark"), readNetgaugeFTQ},
	{"netgauge loggp", "netgauge, pattern loggp (Hoefler)",
		"LogGP parameters by size, a one-way curve",
		"PRTT(1,0,s) in the header", has("PRTT(1,0,s)"), readLogGP},
	{"netgauge one_one", "netgauge, pattern one_one (Hoefler)", "a one-way curve, with the spread",
		"## Netgauge, #size rtt, or lines of <n> bytes -> <t> us", matchesOneOne, readOneOne},
	{"netgauge stdout", "netgauge, standard output (Hoefler)",
		"LogGP parameters by size; of pattern noise an error that tells what to import",
		"L=… s=… o_s=…, or CPU overhead due to noise:", matchesNetgaugeStdout, readNetgaugeStdout},
	{"rtla hist", "rtla osnoise hist and rtla timerlat hist of Linux (Bristot)",
		"a histogram for each core",
		"# RTLA … histogram, or Index CPU-000", matchesRTLA, readRTLA},
	{"rtla top", "rtla osnoise top, hwnoise and timerlat top of Linux (Bristot)",
		"for each core the noise and its longest detour",
		"CPU Period Runtime Noise, or IRQ Timer Latency", matchesRTLATop, readRTLATop},
	{"timerlat trace", "the timerlat tracer of Linux (Bristot)", "a histogram for each core",
		"context thread timer_latency", matchesTimerlat, readTimerlat},
	{"osnoise trace", "the osnoise tracer of Linux (Bristot)", "detours with times, by core",
		"sample_threshold: start, or # tracer: osnoise", has("sample_threshold: start",
			"# tracer: osnoise", "irq_noise: ", "thread_noise: "), readOsnoise},
	{"cyclictest", "cyclictest of rt-tests (Gleixner, Williams), with -h, -v or neither",
		"a histogram of wakeups for each thread",
		"# Histogram, or lines T: 0 (…", matchesCyclictest, readCyclictest},
	{"oslat", "oslat of rt-tests (Xu)", "a histogram for each core",
		"Core: and lines 001 (us):", matchesOslat("Core:"), readOslat},
	{"rt-tests JSON", "cyclictest and oslat of rt-tests, with --json",
		"a histogram for each thread or core", `{ … "num_threads": …`, matchesJSON, readJSON},
	{"sysjitter 2", "sysjitter 2 (Xu)", "a histogram for each core",
		"core_i: and lines 001 (us):", matchesOslat("core_i:"), readOslat},
	{"sysjitter", "sysjitter (Riddoch)", "quantiles of detours for each core, as a histogram",
		"core_i:", startsWith("core_i:"), readSysjitter},
	{"sysjitter raw", "sysjitter --raw (Riddoch)", "detours with times",
		"# total_interruption or <== interruption =>", has("# total_interruption",
			"<== interruption =>"), readSysjitterRaw},
	{"hwlatdetect", "hwlatdetect of rt-tests (Williams)",
		"detours with times, by hardware or firmware",
		"hwlatdetect:, or lines ts: …, inner:…, outer:…", matchesHwlat, readHwlat},
	{"OSU", "OSU Micro-Benchmarks (Ohio State University), latencies",
		"a one-way or a collective's curve, with quantiles if printed",
		"# OSU, or # Size Latency (us)", matchesOSU, readOSU},
	{"IMB", "Intel MPI Benchmarks, PingPong and collectives", "a curve for each table",
		"# Benchmarking, or #bytes #repetitions", has("# Benchmarking ", "#bytes #repetitions",
			"MPI Benchmark"), readIMB},
	{"jitterfly bench", "mpi/bench of jitterfly", "α and what a redundant copy costs",
		benchSign, startsWith(benchSign), readBench},
	{"perftest", "perftest of linux-rdma: ib_write_lat, ib_send_lat, ib_read_lat",
		"a one-way curve, with quantiles", "#bytes #iterations t_min[usec]", matchesPerftest,
		readPerftest},
	{"sockperf", "sockperf (Mellanox), ping-pong or under load",
		"the one-way latency of one size, with quantiles", "sockperf:, or packet, txTime(sec), …",
		matchesSockperf, readSockperf},
	{"nccl-tests", "nccl-tests (NVIDIA) and rccl-tests (AMD)",
		"a curve for each table, of messages where that is sendrecv_perf",
		"# size … algbw busbw", matchesNCCL, readNCCL},
	{"FTQ", "FTQ (Sottile, Minnich)", "detours by quantum",
		"# Ticks per ns", startsWith("# Ticks per ns"), readFTQ},
	{"fwq", "fwq of LLNL (Sottile, Seager, León)", "detours by quantum, by process",
		"GHz and a number, then one number a line", matchesFWQ, readFWQ},
	{"LogGOPSim", "noise traces of LogGOPSim (Hoefler)", "detours with times",
		"two numbers a line, with a tab between, the first ascending", matchesLogGOPSim, readLogGOPSim},
	{"ticks", "FTQ or fwq without a header", "an error that tells what to add",
		"one or two whole numbers a line", matchesTicks, readTicks},
}

// has returns a function that reports whether a line contains any of the signs.
func has(signs ...string) func([]string) bool {
	return func(head []string) bool { return anyLine(head, strings.Contains, signs) }
}

// startsWith returns a function that reports whether a line begins with any of the
// signs.
func startsWith(signs ...string) func([]string) bool {
	return func(head []string) bool { return anyLine(head, strings.HasPrefix, signs) }
}

func anyLine(head []string, holds func(line, sign string) bool, signs []string) bool {
	for _, line := range head {
		for _, sign := range signs {
			if holds(line, sign) {
				return true
			}
		}
	}
	return false
}

// firstData returns the first line that is neither empty nor a comment.
func firstData(head []string) string {
	for _, line := range head {
		if line != "" && line[0] != '#' {
			return line
		}
	}
	return ""
}
