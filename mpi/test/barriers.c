/*
 * Barriers, blocking, nonblocking and persistent: nobody leaves one before the last rank, which is
 * late, has entered it. The program knows nothing of the library, which is preloaded or not; all
 * its ranks have one clock.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#if MPI_VERSION < 4 && defined OMPI_MAJOR_VERSION && OMPI_MAJOR_VERSION < 5
#include <mpi-ext.h>
#define MPI_Barrier_init MPIX_Barrier_init
#endif

static int rank, ranks;

static double now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void require(int good, const char *what) {
	if (good)
		return;
	fprintf(stderr, "barriers: rank %d: %s\n", rank, what);
	MPI_Abort(MPI_COMM_WORLD, 1);
}

enum way { BLOCKING, NONBLOCKING, PERSISTENT, WAYS };

/* pass passes a barrier one way. */
static void pass(MPI_Comm comm, enum way way) {
	MPI_Request request = MPI_REQUEST_NULL;
	int done = 0;
	if (way == BLOCKING)
		MPI_Barrier(comm);
	else if (way == NONBLOCKING)
		MPI_Ibarrier(comm, &request);
	else
		MPI_Barrier_init(comm, MPI_INFO_NULL, &request);
	for (int twice = 0; twice < 2 && way == PERSISTENT; twice++) {
		MPI_Start(&request);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	}
	while (!done && way == NONBLOCKING)
		MPI_Test(&request, &done, MPI_STATUS_IGNORE);
	if (way == PERSISTENT)
		MPI_Request_free(&request);
}

/* check lets each of the ranks of MPI_COMM_WORLD be late for a barrier of all, on a communicator or
 * two groups of one. */
static void check(MPI_Comm comm, enum way way) {
	for (int late = 0; late < ranks; late++) {
		double times[2], last[2]; /* entered, and left backwards */
		if (rank == late)
			usleep(2000);
		times[0] = now();
		pass(comm, way);
		times[1] = -now();
		MPI_Allreduce(times, last, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
		require(last[0] <= -last[1], "a rank left before another entered");
	}
}

/* In MPI_Finalize. */
static int at_end(MPI_Comm comm, int key, void *value, void *state) {
	(void)comm, (void)key, (void)value, (void)state;
	check(MPI_COMM_WORLD, BLOCKING);
	return MPI_SUCCESS;
}

int main(int argc, char **argv) {
	MPI_Comm all, other, half, groups;
	int key;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_end, &key, NULL);
	MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);

	MPI_Comm_dup(MPI_COMM_WORLD, &all);
	MPI_Comm_set_name(all, "all");
	MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &other);
	MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
	MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 5, &groups);
	for (enum way way = BLOCKING; way < WAYS; way++)
		check(all, way);
	for (int i = 0; i < 100; i++) {
		MPI_Barrier(i % 3 == 0 ? other : i % 3 == 1 ? half : MPI_COMM_SELF);
		MPI_Barrier(all);
	}
	check(other, BLOCKING);
	check(groups, BLOCKING);
	MPI_Comm_free(&groups);
	MPI_Comm_free(&half);
	MPI_Comm_free(&other);

	/* Some ranks begin the next barriers before others have left this one. */
	MPI_Request requests[8];
	for (int i = 0; i < 8; i++)
		MPI_Ibarrier(all, &requests[i]);
	MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
	require(MPI_Barrier(MPI_COMM_WORLD) == MPI_SUCCESS, "an error");
	MPI_Comm_free(&all);
	return MPI_Finalize();
}
