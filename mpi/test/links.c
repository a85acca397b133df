/*
 * Calls of MPI_Allreduce under SimGrid's SMPI on shared links, in simulated time:
 *
 *	smpirun -np P … links BYTES
 *
 * It prints how long one call takes after a barrier, and each of ten back to back on average [s].
 */
#include <math.h>
#include <mpi.h>
#include <simgrid/actor.h>
#include <stdio.h>
#include <stdlib.h>

enum { CALLS = 10 };

/* operate returns how long some calls take until the last rank returns [s]. */
static double operate(float *in, float *out, int count, int calls) {
	PMPI_Barrier(MPI_COMM_WORLD);
	double launch = ceil(MPI_Wtime() + 1), took, last;
	sg_actor_sleep_for(launch - MPI_Wtime());
	for (int i = 0; i < calls; i++)
		MPI_Allreduce(in, out, count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
	took = MPI_Wtime() - launch;
	PMPI_Allreduce(&took, &last, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
	return last;
}

int main(int argc, char **argv) {
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (argc != 2)
		MPI_Abort(MPI_COMM_WORLD, 2);
	int count = atoi(argv[1]) / (int)sizeof(float);
	float *in = calloc((size_t)count, sizeof *in), *out = calloc((size_t)count, sizeof *out);
	operate(in, out, count, 1); /* the library reads its rules */
	double one = operate(in, out, count, 1), ten = operate(in, out, count, CALLS) / CALLS;
	if (rank == 0)
		printf("%.9g %.9g\n", one, ten);
	free(in);
	free(out);
	MPI_Finalize();
	return 0;
}
