/*
 * Times allreduces of 8 bytes under SimGrid's SMPI, the library's and SMPI's own alike, in
 *simulated time and under detours:
 *
 *	smpirun -np P … native OPERATIONS PERIOD DURATION [SEED]
 *
 * Operations last from a common start to the return of the last rank. It prints their mean and its
 * standard error [s]. Whoever waits for a message continues outside of detours: a rank in a detour
 * neither takes nor forwards, while messages are on the way. So that this holds for SMPI's own
 * collectives too, a build with -DPRELOADED has their functions that wait.
 */
#include <dlfcn.h>
#include <math.h>
#include <mpi.h>
#include <simgrid/actor.h>
#include <simgrid/engine.h>
#include <stdio.h>
#include <stdlib.h>

#include "detours.h"

void continue_outside(double (*until)(double now));

#ifdef PRELOADED
/* Each rank has a copy of the program, with a function of its own. */
static double (*of_rank[1 << 16])(double now);

void continue_outside(double (*until)(double now)) { of_rank[sg_actor_self_get_pid()] = until; }

static void wait_outside(void) {
	double now = simgrid_get_clock(), (*until)(double) = of_rank[sg_actor_self_get_pid()];
	double free = until ? until(now) : now;
	if (free > now)
		sg_actor_sleep_for(free - now);
}

#define WAIT _ZN7simgrid4smpi7Request4waitEPPS1_P10MPI_Status
#define WAITANY _ZN7simgrid4smpi7Request7waitanyEiPPS1_P10MPI_Status
#define NEXT(name) dlsym(RTLD_NEXT, name)
#define STRING(name) #name
#define NAME(name) STRING(name)

int WAIT(MPI_Request *request, MPI_Status *status) {
	static int (*next)(MPI_Request *, MPI_Status *);
	if (!next)
		next = (int (*)(MPI_Request *, MPI_Status *))NEXT(NAME(WAIT));
	int code = next(request, status);
	wait_outside();
	return code;
}

int WAITANY(int count, MPI_Request requests[], MPI_Status *status) {
	static int (*next)(int, MPI_Request *, MPI_Status *);
	if (!next)
		next = (int (*)(int, MPI_Request *, MPI_Status *))NEXT(NAME(WAITANY));
	int index = next(count, requests, status);
	wait_outside();
	return index;
}
#else
static struct detours detours;
static double launch = HUGE_VAL; /* of the operation [s] */
static double first;             /* detour of the rank, after the launch [s] */

static double until(double now) {
	return now < launch ? now : launch + detours_finish(&detours, first, now - launch, 0);
}

/* operate returns how long an operation took, until the last rank had the result [s]. */
static double operate(int rank, int ranks, uint64_t number) {
	double mine = rank + 1, sum, took, last;
	PMPI_Barrier(MPI_COMM_WORLD);
	double start = ceil(MPI_Wtime() + 1);
	sg_actor_sleep_for(start - MPI_Wtime());
	first = detours_first(&detours, number, rank);
	launch = start;
	sg_actor_sleep_for(until(start) - start);
	MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	took = MPI_Wtime() - start;
	launch = HUGE_VAL;
	if (sum != ranks * (ranks + 1) / 2.0)
		MPI_Abort(MPI_COMM_WORLD, 1);
	PMPI_Allreduce(&took, &last, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
	return last;
}

int main(int argc, char **argv) {
	int rank, ranks;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	if (argc < 4)
		MPI_Abort(MPI_COMM_WORLD, 2);
	int operations = atoi(argv[1]);
	detours.period = strtod(argv[2], NULL);
	detours.duration = strtod(argv[3], NULL);
	detours.seed = argc > 4 ? strtoull(argv[4], NULL, 10) : 1;
	continue_outside(until);
	MPI_Allreduce(MPI_IN_PLACE, &(double){0}, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);

	double sum = 0, squares = 0;
	for (int i = 0; i < operations; i++) {
		double took = operate(rank, ranks, (uint64_t)i);
		sum += took;
		squares += took * took;
	}
	double mean = sum / operations;
	if (rank == 0)
		printf("%.9g %.2g\n", mean, sqrt(fmax(0, squares / operations - mean * mean) / operations));
	MPI_Finalize();
	return 0;
}
#endif
