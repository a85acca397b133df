/*
 * The library under SimGrid's SMPI, compared with the machines in simulated time, operation by
 * operation. Detours are slept in simulated time.
 *
 *	smpirun -np P … simulated R T OPERATIONS LATENCY
 *
 * By leaders, which poll, it writes what the benchmark writes for "jitterfly research validate":
 *
 *	smpirun -np P … simulated R T OPERATIONS LATENCY LEADERS SHARE
 */
#include <math.h>
#include <mpi.h>
#include <simgrid/actor.h>
#include <stdio.h>
#include <stdlib.h>

#include "../bench/delay.h"
#include "../communicator.h"
#include "virtual.h"
#undef PMPI_Waitany
#undef PMPI_Testany
#undef PMPI_Irecv
#undef PMPI_Isend

static struct world world;
static double launch; /* of the operation [s] */
static double first;  /* detour of the rank, after the launch [s] */

/* sleep_detour sleeps if the rank is in a detour. */
static void sleep_detour(void) {
	double now = MPI_Wtime() - launch, free = detours_finish(&world.detours, first, now, 0);
	if (free > now)
		sg_actor_sleep_for(free - now);
}

/* delayed_Waitany waits for a message outside of detours. Of those that arrive in one it returns
 * the first channel's first. */
int delayed_Waitany(int count, MPI_Request *requests, int *index, MPI_Status *status) {
	static MPI_Request *current;
	static bool arrived[MACHINE_CHANNELS];
	bool any = false;
	for (int i = 0; i < MACHINE_CHANNELS; i++) {
		arrived[i] = arrived[i] && requests == current;
		any |= arrived[i];
	}
	current = requests;
	if (!any) {
		PMPI_Waitany(count, requests, index, status);
		arrived[*index] = true;
		sleep_detour();
	}
	for (int found = 1; found;) {
		PMPI_Testany(count, requests, index, &found, status);
		found = found && *index != MPI_UNDEFINED;
		if (found)
			arrived[*index] = true;
	}
	for (*index = 0; !arrived[*index];)
		++*index;
	arrived[*index] = false;
	return MPI_SUCCESS;
}

/* Ranks of nodes poll: every hundredth of a message, outside of detours. */
int delayed_yield(void) {
	sg_actor_sleep_for(world.wire / 100);
	sleep_detour();
	return 0;
}

int delayed_Testany(int count, MPI_Request *requests, int *index, int *found, MPI_Status *status) {
	int code = PMPI_Testany(count, requests, index, found, status);
	if (!*found)
		delayed_yield();
	return code;
}

int delayed_Irecv(void *buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                  MPI_Request *request) {
	return PMPI_Irecv(buffer, count, type, from, tag, comm, request);
}

int delayed_Isend(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                  MPI_Request *request) {
	return PMPI_Isend(buffer, count, type, to, tag, comm, request);
}

/* operate returns how long an operation, an allreduce or a barrier, took until the last rank had
 * the result [s]. */
static double operate(int rank, uint64_t number) {
	double mine = rank + 1, sum, took, last;
	PMPI_Barrier(MPI_COMM_WORLD);
	launch = ceil(MPI_Wtime() + 1);
	first = detours_first(&world.detours, number, rank);
	sg_actor_sleep_for(launch - MPI_Wtime());
	sleep_detour();
	int ranks = world.shape.ranks;
	if (number % 4 < 2) {
		MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	} else {
		MPI_Barrier(MPI_COMM_WORLD);
		sum = ranks * (ranks + 1) / 2;
	}
	took = MPI_Wtime() - launch;
	if (sum != ranks * (ranks + 1) / 2)
		MPI_Abort(MPI_COMM_WORLD, 1);
	PMPI_Allreduce(&took, &last, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
	return last;
}

/* measure writes operations by leaders, quiet and noisy in turns. */
static void measure(int rank, uint64_t operations, const struct choice *c) {
	double duration = world.detours.duration;
	for (uint64_t i = 0; i < 2 * operations; i++) {
		world.detours.duration = i % 2 ? duration : 0;
		double took = operate(rank, i);
		if (rank == 0)
			printf("%d,8,%d,%d,%d,%d,%s,0,0,%.9g\n", (int)i, c->sources, c->copies, c->leaders,
			       c->share, i % 2 ? "noisy" : "quiet", took);
	}
}

/* compare returns how many operations take another time than the machines in simulated time. */
static int compare(int rank, uint64_t operations) {
	int ranks = world.shape.ranks, differ = 0;
	double mean = 0, most = 0, *finish = calloc((size_t)ranks, sizeof *finish);
	for (uint64_t i = 0; i < operations; i++) {
		world.detours.synchronized = i % 2;
		double took = operate(rank, i), right = 0;
		if (rank != 0)
			continue;
		virtual_run(&world, i, finish);
		for (int r = 0; r < ranks; r++)
			right = fmax(right, finish[r]);
		mean += took / (double)operations;
		most = fmax(most, fabs(took - right));
		if (fabs(took - right) > 1e-8 && !differ++)
			fprintf(stderr, "simulated: operation %d took %.12g s, not %.12g s\n", (int)i, took,
			        right);
	}
	if (rank == 0)
		printf("simulated: P = %d, R = %d, T = %d: %d operations, mean %.6g s, %d differ, at most "
		       "by %.1g s\n",
		       ranks, world.shape.sources, world.shape.copies, (int)operations, mean, differ, most);
	free(finish);
	return differ;
}

int main(int argc, char **argv) {
	int rank, ranks, differ = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	if (argc < 5 || shape_init(&world.shape, ranks, atoi(argv[1]), atoi(argv[2])))
		MPI_Abort(MPI_COMM_WORLD, 2);
	uint64_t operations = strtoull(argv[3], NULL, 10);
	world.wire = strtod(argv[4], NULL);
	world.processor = true;
	world.detours =
	    (struct detours){.period = 400 * world.wire, .duration = 40 * world.wire, .seed = 1};
	struct choice choice = {.last = SIZE_MAX,
	                        .sources = world.shape.sources,
	                        .copies = world.shape.copies,
	                        .leaders = argc > 6 ? atoi(argv[5]) : 0,
	                        .share = argc > 6 && atoi(argv[6])};
	communicator_force(MPI_COMM_WORLD, &choice);
	launch = 1e9; /* no detours before the first operation */
	first = 1e9;
	MPI_Allreduce(MPI_IN_PLACE, &(double){0}, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);

	if (choice.leaders > 0)
		measure(rank, operations, &choice);
	else
		differ = compare(rank, operations);
	MPI_Finalize();
	return differ > 0;
}
