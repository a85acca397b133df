/* The butterfly with redundant exchanges in straightforward C: from one vector of clocks into
   another, with one loop over ranks for each round. It reads the noise that noise.py
   writes, and prints what simulate prints:

   timeline TRIALS FILE */

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static struct {
	int64_t log2;
	double wire, combine, period, duration, delay;
} h;

static double *first;

/* finish returns when work that may begin at start is complete, if a detour may hit it. */
static double finish(double first, double start, double work)
{
	double until = first - start;
	if (until <= 0) {
		double into = -until - h.period * floor(-until / h.period);
		if (into < h.duration) {
			start += h.duration - into;
			into = h.duration;
		}
		until = h.period - into;
	}
	if (work <= until)
		return start + work;
	return start + work + ceil((work - until) / (h.period - h.duration)) * h.duration;
}

/* combined returns when rank r has combined a message that arrives at arrive. */
static double combined(int64_t r, double now, double arrive)
{
	double start = arrive > now ? arrive : now, end = start + h.combine;
	return end < first[r] ? end : finish(first[r], start, h.combine);
}

/* latest returns the largest of n times. */
static double latest(const double *t, int64_t n)
{
	double max = t[0];
	for (int64_t r = 1; r < n; r++)
		max = t[r] > max ? t[r] : max;
	return max;
}

/* need ends the program if the input is bad. */
static void need(int ok)
{
	if (!ok) {
		fprintf(stderr, "timeline: bad input\n");
		exit(1);
	}
}

/* simulate simulates a trial and sets the completion time at each T. */
static void simulate(int64_t n, double *t, double *next, int64_t *count, int64_t **events,
		     double *completion)
{
	for (int64_t r = 0; r < n; r++)
		t[r] = 0;
	for (int64_t round = 0; round < 2 * h.log2; round++) {
		int64_t mask = (int64_t)1 << round % h.log2;
		int spare = round >= h.log2;
		if (!spare)
			for (int64_t r = 0; r < n; r++)
				next[r] = combined(r, t[r], t[r ^ mask] + h.wire);
		else
			for (int64_t r = 0; r < n; r++) {
				double arrive = t[r ^ mask] + h.wire;
				next[r] = arrive < t[r] ? arrive : t[r];
			}
		for (int64_t i = 0; i < count[round];) { /* delayed messages again */
			int64_t r = events[round][i];
			double arrive = t[r ^ mask];
			for (; i < count[round] && events[round][i] == r; i++)
				arrive += h.delay;
			arrive += h.wire;
			if (!spare)
				next[r] = combined(r, t[r], arrive);
			else
				next[r] = arrive < t[r] ? arrive : t[r];
		}
		double *swap = t;
		t = next, next = swap;
		if (round >= h.log2 - 1)
			completion[round - (h.log2 - 1)] = latest(t, n);
	}
}

int main(int argc, char **argv)
{
	need(argc == 3);
	FILE *f = fopen(argv[2], "rb");
	need(f && fread(&h, sizeof h, 1, f) == 1);
	int64_t n = (int64_t)1 << h.log2, count[128], *events[128];
	double *t = malloc(n * sizeof *t), *next = malloc(n * sizeof *t), completion[64], best = INFINITY;
	first = malloc(n * sizeof *first);
	need(t && next && first && fread(first, sizeof *first, n, f) == (size_t)n);
	for (int64_t round = 0; round < 2 * h.log2; round++) {
		need(fread(&count[round], sizeof *count, 1, f) == 1);
		events[round] = malloc((count[round] + 1) * sizeof **events);
		need(events[round] && fread(events[round], sizeof **events, count[round], f) == (size_t)count[round]);
	}
	for (int trial = 0; trial < atoi(argv[1]); trial++) {
		struct timespec a, b;
		clock_gettime(CLOCK_MONOTONIC, &a);
		simulate(n, t, next, count, events, completion);
		clock_gettime(CLOCK_MONOTONIC, &b);
		double took = b.tv_sec - a.tv_sec + (b.tv_nsec - a.tv_nsec) * 1e-9;
		best = took < best ? took : best;
	}
	printf("%.9g %d %.17g %.17g\n", best, (int)(2 * h.log2), completion[0], completion[h.log2]);
	return 0;
}
