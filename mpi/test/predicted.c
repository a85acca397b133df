/*
 * A program of known computing and detours, under SimGrid's SMPI:
 *
 *	smpirun -np P … predicted CALLS COMPUTE SPREAD PERIOD DURATION SEED
 *
 * Before each allreduce of 8 bytes a rank computes for COMPUTE·(1 ± SPREAD) seconds, evenly
 * distributed, and is in a detour of DURATION once in every PERIOD; SEED names when. Prints the
 *time of an iteration [s].
 */
#include <mpi.h>
#include <simgrid/actor.h>
#include <simgrid/engine.h>
#include <stdio.h>
#include <stdlib.h>

#include "../bench/detours.h"

void continue_outside(double (*until)(double now)); /* of bench/native.c */

static struct detours detours;
static double first;

static double until(double now) { return detours_finish(&detours, first, now, 0); }

int main(int argc, char **argv) {
	int rank;
	MPI_Init(&argc, &argv);
	if (argc != 7)
		MPI_Abort(MPI_COMM_WORLD, 2);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int calls = atoi(argv[1]);
	double compute = strtod(argv[2], NULL), spread = strtod(argv[3], NULL);
	detours = (struct detours){.period = strtod(argv[4], NULL),
	                           .duration = strtod(argv[5], NULL),
	                           .seed = strtoull(argv[6], NULL, 10)};
	first = detours_first(&detours, 0, rank);
	continue_outside(until);
	double begin = 0, mine = 1, sum, took, last;
	for (int i = 0; i <= calls; i++) {
		if (i == 1)
			begin = MPI_Wtime();
		double now = simgrid_get_clock();
		double work = compute * (1 + spread * (2 * uniform(7, (uint64_t)i, (uint64_t)rank) - 1));
		sg_actor_sleep_for(detours_finish(&detours, first, now, work) - now);
		MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	}
	took = (MPI_Wtime() - begin) / calls;
	PMPI_Reduce(&took, &last, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
	if (rank == 0)
		printf("%.9g\n", last);
	MPI_Finalize();
}
