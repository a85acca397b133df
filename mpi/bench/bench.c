/*
 * Times MPI_Allreduce from a common start to the return of the last rank: native and with redundant
 * exchanges, quiet and under detours, all in turns. "bench --help" lists what can be set; the file
 * is what "jitterfly import" and "jitterfly research validate" read.
 */
#include <stdlib.h>
#include <string.h>

#include "../communicator.h"
#include "bench.h"

static struct options options;
static int rank, ranks;
static double *from, *to;
static long late; /* operations whose launch was over when some rank heard of it */

/* call makes one allreduce. */
static void call(const struct scheme *s, int bytes) {
	if (s->choice.sources == 0)
		PMPI_Allreduce(from, to, bytes / 8, MPI_DOUBLE, MPI_SUM, s->comm);
	else
		MPI_Allreduce(from, to, bytes / 8, MPI_DOUBLE, MPI_SUM, s->comm);
}

/* operate times one launch, or one loop by its iterations. Phases are those of its number. */
static double operate(const struct scheme *s, int bytes, bool noisy, uint64_t number,
                      double offset) {
	const struct options *o = &options;
	bool asleep = o->hold > 0;
	double launch = clock_now() + o->lead;
	PMPI_Bcast(&launch, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
	launch += offset;
	bool missed = clock_now() > launch;
	if (!noisy || o->machine)
		clock_wait(launch, asleep);
	else
		detours_start(&o->detours, detours_first(&o->detours, number, rank), launch, asleep);
	for (int i = 0; i < o->iterations; i++) {
		compute(o->compute, asleep);
		call(s, bytes);
	}
	if (o->iterations == 0)
		call(s, bytes);
	double took = clock_now() - launch;
	if (noisy && !o->machine)
		detours_stop();
	if (to[0] != ranks * (ranks + 1) / 2.0) {
		fprintf(stderr, "bench: rank %d has a wrong sum\n", rank);
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
	double mine[2] = {took, missed}, last[2] = {0};
	PMPI_Reduce(mine, last, 2, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
	late += last[1] > 0;
	return last[0] / (o->iterations > 0 ? o->iterations : 1);
}

/* run times all operations, in turns, and returns how many there are. */
static long run(struct row *rows) {
	enum { CLOCKS = 200 }; /* launches between two looks at the clocks of other nodes */
	long count = 0, launches = 0;
	double offset = 0;
	for (int n = -1; n < options.operations; n++) /* the first is not written */
		for (int i = 0; i < options.size_count; i++)
			for (int s = 0; s < options.scheme_count; s++)
				for (int noisy = options.machine; noisy < 2; noisy++) {
					if (launches++ % CLOCKS == 0)
						offset = clock_offset(MPI_COMM_WORLD);
					double seconds = operate(&options.schemes[s], options.sizes[i], noisy,
					                         (uint64_t)count, offset);
					if (n >= 0)
						rows[count++] = (struct row){options.sizes[i], s, noisy, seconds};
				}
	return count;
}

/* refuse writes why a scheme is not possible for the ranks, and returns false. */
static bool refuse(const struct scheme *s, const char *why) {
	char name[48];
	scheme_name(s, name, sizeof name);
	if (rank == 0)
		fprintf(stderr, "bench: --schemes %s with %d ranks: %s\n", name, ranks, why);
	return false;
}

/* make makes the communicator of a scheme, if the ranks on these nodes can exchange like that. */
static bool make(struct scheme *scheme) {
	const struct choice *c = &scheme->choice;
	struct shape shape;
	struct plan *plan = NULL;
	char most[80];
	const char *wrong = NULL;
	if (c->leaders == 0 && (wrong = shape_init(&shape, ranks, c->sources, c->copies)))
		return refuse(scheme, wrong);
	scheme->comm = scheme_comm(c);
	if (communicator_plan(communicator_of(scheme->comm), 8, PERSISTENT, &plan) != TAKEN)
		return refuse(scheme, "no memory that ranks of a node share");
	const struct node *n = plan->node;
	if (!n || (n->shape.sources == c->sources && n->shape.copies == c->copies &&
	           n->leaders == c->leaders))
		return true;
	snprintf(most, sizeof most, "the nodes allow no more than R = %d, T = %d, %d leaders",
	         n->shape.sources, n->shape.copies, n->leaders);
	return refuse(scheme, most);
}

/* prepare makes vectors, and a communicator for each scheme. */
static bool prepare(void) {
	int most = 0;
	for (int i = 0; i < options.size_count; i++)
		most = options.sizes[i] > most ? options.sizes[i] : most;
	from = malloc((size_t)most);
	to = malloc((size_t)most);
	for (int i = 0; i < most / 8; i++)
		from[i] = rank + 1;
	MPI_Comm_dup(MPI_COMM_WORLD, &options.schemes[0].comm);
	for (int s = 1; s < options.scheme_count; s++)
		if (!make(&options.schemes[s]))
			return false;
	return from && to;
}

int main(int argc, char **argv) {
	int status = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	bool good = options_read(&options, argc, argv, hold_set != NULL,
	                         rank == 0 ? stderr : fopen("/dev/null", "w"));
	if (good && ranks < 2) {
		fprintf(stderr, "bench: start it with at least 2 ranks, as by mpirun -n 2\n");
		good = false;
	}
	if (good && hold_set)
		hold_set(options.hold);
	double preloaded = good && options.hold <= 0 ? preloaded_cost() : 0;
	if (!good || !prepare()) {
		MPI_Finalize();
		return 2;
	}
	struct parameters p = parameters_measure(&options);
	p.preloaded = preloaded;
	struct row *rows = malloc((size_t)options.operations * (size_t)options.size_count *
	                          (size_t)options.scheme_count * 2 * sizeof *rows);
	long count = run(rows);
	if (rank == 0) {
		report_print(&options, &p, rows, count);
		if (late > 0)
			fprintf(stderr, "bench: ranks heard of %ld launches too late: use a longer --lead\n",
			        late);
		if (!report_write(&options, &p, ranks, rows, count)) {
			perror(options.out);
			status = 1;
		}
	}
	free(rows);
	MPI_Finalize();
	return status;
}
