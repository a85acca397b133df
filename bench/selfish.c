// The loop of "jitterfly measure" in C, which shows that its results are not caused by Go's
// runtime. bench/measure.sh compares the two.
//
//	selfish CORE SECONDS THRESHOLD_NS
//	selfish CORE SECONDS gaps
//
// The first prints overhead in %, detours per second, and the least, median, mean, 99th and
// 99.9th percentile and largest length in µs. The second prints how often the clock advanced
// by how many ticks between two readings, as noise/measured/testdata has it.
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <x86intrin.h>
static inline uint64_t ticks(void) { return __rdtsc(); }
#elif defined(__aarch64__)
static inline uint64_t ticks(void)
{
	uint64_t t;
	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(t));
	return t;
}
#else
#error "this needs the counter of an amd64 or arm64 processor"
#endif

#define ROOM (1 << 22)
#define GAPS (1 << 20) // longer gaps are counted as this

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + 1e-9 * t.tv_nsec;
}

static int ascending(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return (x > y) - (x < y);
}

// quantile interpolates as NumPy does.
static double quantile(const int64_t *sorted, long n, double p)
{
	double at = p * (n - 1);
	long i = (long)at;
	return i + 1 == n ? (double)sorted[i] : sorted[i] + (double)(sorted[i + 1] - sorted[i]) * (at - i);
}

static uint32_t gaps[GAPS + 1];

// count counts gaps for ticks_long ticks, and returns the most frequent one.
static int64_t count(double ticks_long)
{
	uint64_t last = ticks(), end = last + ticks_long;
	while (last < end) {
		uint64_t c = ticks();
		gaps[c - last < GAPS ? c - last : GAPS]++;
		last = c;
	}
	int64_t most = 0;
	for (int64_t i = 0; i < GAPS; i++)
		if (gaps[i] > gaps[most])
			most = i;
	return most;
}

int main(int argc, char **argv)
{
	if (argc != 4) {
		fprintf(stderr, "usage: selfish CORE SECONDS THRESHOLD_NS|gaps\n");
		return 2;
	}
	cpu_set_t set;
	CPU_ZERO(&set);
	CPU_SET(atoi(argv[1]), &set);
	if (sched_setaffinity(0, sizeof set, &set)) {
		perror("selfish: sched_setaffinity");
		return 1;
	}
	sigset_t all;
	sigfillset(&all);
	int64_t *lengths = malloc(ROOM * sizeof *lengths);
	memset(lengths, 1, ROOM * sizeof *lengths);

	double t0 = now();
	uint64_t c0 = ticks();
	usleep(100000);
	double tick = (now() - t0) / (ticks() - c0);

	memset(gaps, 0, sizeof gaps);
	if (!strcmp(argv[3], "gaps")) {
		count(atof(argv[2]) / tick);
		printf("# ticks of %.4g ns, and how often\n", tick * 1e9);
		for (int64_t i = 0; i <= GAPS; i++)
			if (gaps[i])
				printf("%lld %u\n", (long long)i, gaps[i]);
		return 0;
	}
	int64_t usual = count(0.1 / tick), threshold = atof(argv[3]) * 1e-9 / tick;
	sigprocmask(SIG_BLOCK, &all, NULL);
	long n = 0;
	int64_t sum = 0;
	uint64_t last = ticks(), begin = last, end = begin + atof(argv[2]) / tick;
	while (last < end && n < ROOM) {
		uint64_t c = ticks();
		int64_t length = c - last - usual;
		if (length >= threshold) {
			lengths[n++] = length;
			sum += length;
		}
		last = c;
	}
	double span = (last - begin) * tick, us = tick * 1e6;
	if (n == 0) {
		printf("0 0 - - - - - -\n");
		return 0;
	}
	qsort(lengths, n, sizeof *lengths, ascending);
	printf("%.4g %.5g %.3g %.3g %.3g %.3g %.4g %.4g\n", 100 * sum * tick / span, n / span, lengths[0] * us,
	       quantile(lengths, n, 0.5) * us, (double)sum / n * us, quantile(lengths, n, 0.99) * us,
	       quantile(lengths, n, 0.999) * us, lengths[n - 1] * us);
	return 0;
}
