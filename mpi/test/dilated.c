/*
 * Compares the operations of bench-held, but those of leaders, with the machines in simulated time, under the same detours
 * and with the latency that quiet operations have.
 *
 *	dilated FILE     exits 1 if a median differs by more than 10 %, and 77 if quiet operations
 *	                 show that other programs use the processors
 */
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "virtual.h"

enum { MAX_ROWS = 100000, MAX_RANKS = 4096, SKIPPED = 77 };

struct row {
	long number;
	int sources, copies;
	bool noisy;
	double seconds;
};

static struct row rows[MAX_ROWS];
static double values[MAX_ROWS], finish[MAX_RANKS];
static long count;
static int ranks;
static double held;
static struct detours detours;

static bool read_file(const char *name) {
	char line[512], kind[16], text[64];
	unsigned long seed;
	FILE *f = fopen(name, "r");
	if (!f)
		return false;
	while (fgets(line, sizeof line, f)) {
		struct row *r = &rows[count];
		if (sscanf(line, "# seed: %lu", &seed) == 1)
			detours.seed = seed;
		else if (sscanf(line, "# launch: %63s", text) == 1)
			detours.synchronized = strcmp(text, "quiet") == 0;
		else if (line[0] == '#')
			sscanf(line, "# ranks: %d", &ranks), sscanf(line, "# held: %lf", &held),
			    sscanf(line, "# period: %lf", &detours.period),
			    sscanf(line, "# duration: %lf", &detours.duration);
		else if (count < MAX_ROWS &&
		         sscanf(line, "%ld,%*d,%d,%d,0,0,%15[a-z],0,0,%lf", &r->number, &r->sources, &r->copies,
		                kind, &r->seconds) == 5 &&
		         r->sources > 0) {
			r->noisy = strcmp(kind, "noisy") == 0;
			count++;
		}
	}
	fclose(f);
	return count > 0 && held > 0 && ranks > 1 && ranks <= MAX_RANKS && detours.period > 0;
}

static int by_value(const void *a, const void *b) {
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static double median(long n) {
	qsort(values, (size_t)n, sizeof *values, by_value);
	return n > 0 ? values[n / 2] : 0;
}

/* predict returns what an operation takes [s] with a latency, with R and T. */
static double predict(long number, double wire, int sources, int copies) {
	struct world w = {.wire = wire, .processor = true, .detours = detours};
	double last = 0;
	if (shape_init(&w.shape, ranks, sources, copies))
		return DBL_MAX;
	virtual_run(&w, (uint64_t)number, finish);
	for (int r = 0; r < ranks; r++)
		last = fmax(last, finish[r]);
	return last;
}

static bool same(const struct row *a, const struct row *b) {
	return a->sources == b->sources && a->copies == b->copies;
}

/* check compares the operations of one R and T, and returns an exit code. */
static int check(const struct row *first) {
	int rounds = 0;
	long n = 0;
	double measured = 0, predicted = 0, wire;
	while (ranks >> (rounds + 1) > 0)
		rounds++;
	for (long i = 0; i < count; i++)
		if (same(&rows[i], first) && !rows[i].noisy)
			values[n++] = rows[i].seconds;
	wire = median(n) / rounds;
	if (wire > 1.25 * held) {
		printf("dilated: left out: a quiet message takes %.3g ms instead of %.3g ms, so others use "
		       "the "
		       "processors\n",
		       1e3 * wire, 1e3 * held);
		return SKIPPED;
	}
	n = 0;
	for (long i = 0; i < count; i++)
		if (same(&rows[i], first) && rows[i].noisy) {
			double right = predict(rows[i].number, wire, first->sources, first->copies);
			measured += rows[i].seconds;
			predicted += right;
			values[n++] = rows[i].seconds / right;
		}
	double middle = median(n);
	printf(
	    "dilated: P = %d, R = %d, T = %d: %ld operations, mean %.4g ms measured, %.4g ms predicted "
	    "(%.3f), median ratio %.3f\n",
	    ranks, first->sources, first->copies, n, 1e3 * measured / (double)n,
	    1e3 * predicted / (double)n, measured / predicted, middle);

	/* Where the plain butterfly would take 1.2 times as long, the measured time is not its. */
	n = 0;
	for (long i = 0; i < count; i++)
		if (same(&rows[i], first) && rows[i].noisy) {
			double right = predict(rows[i].number, wire, first->sources, first->copies);
			double plain = predict(rows[i].number, wire, 1, 0);
			if (plain > 1.2 * right)
				values[n++] = (rows[i].seconds - right) / (plain - right);
		}
	double absorbed = median(n);
	if (n > 0)
		printf("         of %ld operations in which a delay is absorbed, %.2f of it is left\n", n,
		       absorbed);
	return middle < 0.9 || middle > 1.1 || (n >= 8 && absorbed > 0.5);
}

int main(int argc, char **argv) {
	if (argc != 2 || !read_file(argv[1])) {
		fprintf(stderr, "dilated: give a file that bench-held wrote with --hold\n");
		return 2;
	}
	int code = 0;
	for (long i = 0; i < count; i++) {
		bool seen = false;
		for (long j = 0; j < i && !seen; j++)
			seen = same(&rows[i], &rows[j]);
		if (seen)
			continue;
		int one = check(&rows[i]);
		code = one == 1 || code == 0 ? one : code;
	}
	return code;
}
