#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench.h"

static void head(FILE *f, const struct options *o, const struct parameters *p, int ranks) {
	char mpi[MPI_MAX_LIBRARY_VERSION_STRING];
	int length;
	MPI_Get_library_version(mpi, &length);
	mpi[strcspn(mpi, "\n")] = 0;
	for (char *c = mpi; *c; c++)
		*c = *c == '\t' ? ' ' : *c;
	fprintf(f, "# jitterfly-mpi bench: 2\n# version: %s\n# mpi: %s\n", JITTERFLY_VERSION, mpi);
	fprintf(f, "# ranks: %d\n# ranks_per_node: %d\n", ranks, p->ranks_per_node);
	fprintf(f, "# latency: %.9g\n", p->latency);
	if (p->ranks_per_node > 1)
		fprintf(f, "# node_latency: %.9g\n", p->node_latency);
	if (p->bandwidth > 0)
		fprintf(f, "# bandwidth: %.9g\n", p->bandwidth);
	fprintf(f, "# send_overhead: %.9g\n", p->send_overhead);
	fprintf(f, "# call_native: %.9g\n# call_plain: %.9g\n", p->native, p->plain);
	fprintf(f, "# noise: %s\n", o->machine ? "machine" : "injected");
	if (!o->machine)
		fprintf(f, "# period: %.9g\n# duration: %.9g\n", o->detours.period, o->detours.duration);
	fprintf(f, "# launch: %s\n", o->detours.synchronized ? "quiet" : "stationary");
	fprintf(f, "# held: %.9g\n# seed: %llu\n", o->hold, (unsigned long long)o->detours.seed);
}

bool report_write(const struct options *o, const struct parameters *p, int ranks,
                  const struct row *rows, long count) {
	FILE *f = fopen(o->out, "w");
	if (!f)
		return false;
	head(f, o, p, ranks);
	fprintf(f, "operation,bytes,r,t,leaders,share,noise,iterations,compute,seconds\n");
	for (long i = 0; i < count; i++) {
		const struct choice *c = &o->schemes[rows[i].scheme].choice;
		fprintf(f, "%ld,%d,%d,%d,%d,%d,%s,%d,%.9g,%.9g\n", i, rows[i].bytes, c->sources, c->copies,
		        c->leaders, c->share, rows[i].noisy ? "noisy" : "quiet", o->iterations, o->compute,
		        rows[i].seconds);
	}
	return fclose(f) == 0;
}

static int by_value(const void *a, const void *b) {
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* summary is of the operations of one size, scheme and kind. */
struct summary {
	double median, mean, p99;
	double error; /* standard error of the mean, by it */
};

static struct summary summarize(const struct row *rows, long count, int bytes, int scheme,
                                bool noisy) {
	double *values = malloc((size_t)count * sizeof *values), sum = 0, squares = 0;
	long n = 0;
	for (long i = 0; i < count; i++)
		if (rows[i].bytes == bytes && rows[i].scheme == scheme && rows[i].noisy == noisy)
			sum += values[n++] = rows[i].seconds;
	struct summary s = {0};
	if (n > 0) {
		qsort(values, (size_t)n, sizeof *values, by_value);
		double mean = sum / (double)n;
		for (long i = 0; i < n; i++)
			squares += (values[i] / mean - 1) * (values[i] / mean - 1);
		double error = sqrt(squares / fmax(1, (double)(n - 1)) / (double)n);
		s = (struct summary){values[n / 2], mean, values[n - 1 - n / 100], error};
	}
	free(values);
	return s;
}

/* print_cells writes what is measured of one size, scheme and kind, in us, beside the native one.
 */
static void print_cells(const struct row *rows, long count, int bytes, int scheme, bool noisy) {
	struct summary s = summarize(rows, count, bytes, scheme, noisy);
	struct summary native = summarize(rows, count, bytes, 0, noisy);
	double ratio = s.mean / native.mean;
	printf(" %10.3f %10.3f %10.3f", s.median * 1e6, s.mean * 1e6, s.p99 * 1e6);
	if (scheme > 0)
		printf(" %6.3f+-%5.3f", ratio, ratio * hypot(s.error, native.error));
	else
		printf(" %13s", "1");
}

void report_print(const struct options *o, const struct parameters *p, const struct row *rows,
                  long count) {
	printf("latency %.3g us\n", p->latency * 1e6);
	if (p->native > 0)
		printf("calls one after the other: native %.3g us, R = 1 and T = 0 %.3g us (%.2fx), a copy "
		       "%.3g us\n",
		       p->native * 1e6, p->plain * 1e6, p->plain / p->native, p->send_overhead * 1e6);
	if (p->ranks_per_node > 1)
		printf("ranks of a node read what others have written after %.3g us\n",
		       p->node_latency * 1e6);
	if (p->preloaded > 0)
		printf("a native call through the library without rules: %.3fx\n", p->preloaded);
	printf("\n\"by native\": the mean over the native allreduce's, under the same noise, and its "
	       "standard error.\n\n");
	printf("%8s %12s", "bytes", "scheme");
	for (int noisy = o->machine; noisy < 2; noisy++)
		printf(" %10s %10s %10s %13s", noisy ? "noisy (us)" : "quiet (us)", "mean", "p99",
		       "by native");
	putchar('\n');
	for (int i = 0; i < o->size_count; i++)
		for (int s = 0; s < o->scheme_count; s++) {
			char name[48];
			scheme_name(&o->schemes[s], name, sizeof name);
			printf("%8d %12s", o->sizes[i], name);
			for (int noisy = o->machine; noisy < 2; noisy++)
				print_cells(rows, count, o->sizes[i], s, noisy);
			putchar('\n');
		}
}
