/*
 * Programs that other libraries have been wrong with, each small:
 *
 *	programs signal exit|abort    a signal's handler ends the program in the midst of allreduces
 *	programs alias                the same buffer twice, where MPI_IN_PLACE belongs
 *	programs connect BATCHES CALLS  communicators with CALLS sums each, and the time of one [us]
 *	programs extremes               least and greatest integers, of which MPI libraries have wrong ones
 *	programs templates TIMES        memory that TIMES persistent requests leave behind [KiB]
 *	programs waits                  ranks wait for the last, 20 ms, in what is no plain collective
 *	programs copies TIMES           TIMES communicators of the same ranks, each with a sum
 *	programs deletes TIMES          the same, with another sum when the program's attribute is deleted
 */
#include <mpi.h>
#include <stdio.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#ifdef OMPI_HAVE_MPI_EXT_PCOLLREQ
#define MPI_Barrier_init MPIX_Barrier_init
#endif
#endif
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

static int rank, ranks;
static volatile int aborts;

static void leave(int number) {
	(void)number;
	if (aborts)
		MPI_Abort(MPI_COMM_WORLD, 3);
	exit(3);
}

/* Handlers of PETSc do so. */
static void signals(const char *how) {
	struct itimerval t = {.it_value = {.tv_usec = 30000 + getpid() % 1000 * 37}};
	double a = 1, b;
	aborts = strcmp(how, "abort") == 0;
	signal(SIGALRM, leave);
	setitimer(ITIMER_REAL, &t, NULL);
	for (;;)
		MPI_Allreduce(&a, &b, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF);
}

/* Erroneous, but some MPI libraries let it pass. */
static void alias(void) {
	double x = 1;
	int code, class = MPI_SUCCESS;
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	code = MPI_Allreduce(&x, &x, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	MPI_Error_class(code, &class);
	printf("rank %d: class %d, x = %g\n", rank, class, x);
}

/* connect makes communicators for a few calls, and prints the time of one in the fastest batch. */
static void connect(int batches, int calls) {
	enum { BATCH = 50 };
	double a = 1, b = 0, best = 1;
	for (int batch = 0; batch < batches; batch++) {
		double begin = MPI_Wtime();
		for (int i = 0; i < BATCH; i++) {
			MPI_Comm copy;
			MPI_Comm_dup(MPI_COMM_WORLD, &copy);
			for (int k = 0; k < calls; k++)
				MPI_Allreduce(&a, &b, 1, MPI_DOUBLE, MPI_SUM, copy);
			MPI_Comm_free(&copy);
			if (b != ranks)
				MPI_Abort(MPI_COMM_WORLD, 4);
		}
		double each = (MPI_Wtime() - begin) / BATCH;
		best = each < best ? each : best;
	}
	if (rank == 0)
		printf("%.1f\n", best * 1e6);
}

#define EXTREME(type, mpi, low, high)                                                              \
	{                                                                                              \
		type in[2] = {rank == ranks - 1 ? (low) : (high), rank == 0 ? (high) : (low)}, out[2];     \
		MPI_Allreduce(in, out, 2, mpi, MPI_MIN, MPI_COMM_WORLD);                                   \
		if (out[0] != (low) || out[1] != (low))                                                    \
			printf("rank %d: wrong MPI_MIN of %s\n", rank, #mpi);                                  \
		MPI_Allreduce(in, out, 2, mpi, MPI_MAX, MPI_COMM_WORLD);                                   \
		if (out[0] != (high) || out[1] != (high))                                                  \
			printf("rank %d: wrong MPI_MAX of %s\n", rank, #mpi);                                  \
	}

static void extremes(void) {
	EXTREME(unsigned char, MPI_UNSIGNED_CHAR, 0, UCHAR_MAX)
	EXTREME(signed char, MPI_SIGNED_CHAR, SCHAR_MIN, SCHAR_MAX)
	EXTREME(unsigned short, MPI_UNSIGNED_SHORT, 0, USHRT_MAX)
	EXTREME(unsigned, MPI_UNSIGNED, 0, UINT_MAX)
	EXTREME(unsigned long, MPI_UNSIGNED_LONG, 0, ULONG_MAX)
	EXTREME(uint8_t, MPI_UINT8_T, 0, UINT8_MAX)
	EXTREME(uint16_t, MPI_UINT16_T, 0, UINT16_MAX)
	EXTREME(uint32_t, MPI_UINT32_T, 0, UINT32_MAX)
	EXTREME(uint64_t, MPI_UINT64_T, 0, UINT64_MAX)
	EXTREME(int64_t, MPI_INT64_T, INT64_MIN, INT64_MAX)
	EXTREME(MPI_Aint, MPI_AINT, LONG_MIN, LONG_MAX)
	EXTREME(MPI_Offset, MPI_OFFSET, LLONG_MIN, LLONG_MAX)
	EXTREME(MPI_Count, MPI_COUNT, LLONG_MIN, LLONG_MAX)
	EXTREME(int, MPI_INT, INT_MIN, INT_MAX)
	EXTREME(short, MPI_SHORT, SHRT_MIN, SHRT_MAX)
}

static long memory(void) {
	long all = 0, resident = 0;
	FILE *f = fopen("/proc/self/statm", "r");
	if (!f || fscanf(f, "%ld %ld", &all, &resident) != 2)
		MPI_Abort(MPI_COMM_WORLD, 5);
	fclose(f);
	return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

static void templates(int times) {
	long before = 0;
	for (int i = -times / 10; i < times; i++) {
		MPI_Request request;
		if (i == 0)
			before = memory();
		MPI_Barrier_init(MPI_COMM_SELF, MPI_INFO_NULL, &request);
		MPI_Request_free(&request);
	}
	printf("%ld\n", memory() - before);
}

static void waits(void) {
	enum { MOST = 16 };
	int counts[MOST], places[MOST], ring = 0;
	double in[MOST] = {0}, out[MOST];
	MPI_Datatype types[MOST];
	MPI_Comm line, part;
	for (int i = 0; i < ranks && i < MOST; i++) {
		counts[i] = 1;
		places[i] = 8 * i;
		types[i] = MPI_DOUBLE;
	}
	MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &ring, 0, &line);
	for (int i = 0; i < 10; i++)
		for (int what = 0; what < 3; what++) {
			if (rank == ranks - 1)
				usleep(20000);
			if (what == 0)
				MPI_Alltoallw(in, counts, places, types, out, counts, places, types, line);
			if (what == 1)
				MPI_Neighbor_allgather(in, 1, MPI_DOUBLE, out, 1, MPI_DOUBLE, line);
			if (what == 2) {
				MPI_Comm_split(line, 0, rank, &part);
				MPI_Comm_free(&part);
			}
		}
	MPI_Allreduce(in, out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static int sum_of(MPI_Comm comm, int key, void *value, void *state) {
	double a = 1, b = 0;
	(void)key, (void)value, (void)state;
	MPI_Allreduce(&a, &b, 1, MPI_DOUBLE, MPI_SUM, comm);
	if (b != ranks)
		MPI_Abort(MPI_COMM_WORLD, 6);
	return MPI_SUCCESS;
}

static void copies(int times) {
	for (int i = 0; i < times; i++) {
		MPI_Comm copy;
		MPI_Comm_dup(MPI_COMM_WORLD, &copy);
		sum_of(copy, 0, NULL, NULL);
		MPI_Comm_free(&copy);
	}
}

/* Ranks have the attribute before or after the library has its own. */
static void deletes(int times) {
	int key;
	MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, sum_of, &key, NULL);
	for (int i = 0; i < times; i++) {
		MPI_Comm copy;
		MPI_Comm_dup(MPI_COMM_WORLD, &copy);
		if ((i + rank) % 4 != 0)
			MPI_Comm_set_attr(copy, key, NULL);
		sum_of(copy, 0, NULL, NULL);
		if ((i + rank) % 4 == 0)
			MPI_Comm_set_attr(copy, key, NULL);
		(i % 2 == 0 ? MPI_Comm_free : MPI_Comm_disconnect)(&copy);
	}
	MPI_Comm_free_keyval(&key);
}

int main(int argc, char **argv) {
	const char *what = argc > 1 ? argv[1] : "", *how = argc > 2 ? argv[2] : "";
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	if (strcmp(what, "signal") == 0)
		signals(how);
	else if (strcmp(what, "alias") == 0)
		alias();
	else if (strcmp(what, "connect") == 0 && argc > 3)
		connect(atoi(how), atoi(argv[3]));
	else if (strcmp(what, "templates") == 0)
		templates(atoi(how));
	else if (strcmp(what, "extremes") == 0)
		extremes();
	else if (strcmp(what, "waits") == 0)
		waits();
	else if (strcmp(what, "copies") == 0)
		copies(atoi(how));
	else if (strcmp(what, "deletes") == 0)
		deletes(atoi(how));
	else
		MPI_Abort(MPI_COMM_WORLD, 2);
	MPI_Finalize();
	return 0;
}
