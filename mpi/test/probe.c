/*
 * A program that knows nothing of the library: sums of several lengths, checked, and barriers.
 *
 *	probe [BYTES]...      8 without any; 0 for barriers
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
	int rank, ranks, wrong = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	for (int i = 1; i < argc || i == 1; i++) {
		int count = (argc > 1 ? atoi(argv[i]) : 8) / 8;
		double *vector = malloc((size_t)count * sizeof *vector);
		for (int call = 0; call < 20; call++) {
			for (int j = 0; j < count; j++)
				vector[j] = rank + j + call;
			if (count == 0)
				MPI_Barrier(MPI_COMM_WORLD);
			else
				MPI_Allreduce(MPI_IN_PLACE, vector, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
			for (int j = 0; j < count; j++)
				wrong += vector[j] != ranks * (ranks - 1) / 2.0 + ranks * (j + call);
		}
		free(vector);
	}
	if (wrong)
		fprintf(stderr, "probe: rank %d has %d wrong sums\n", rank, wrong);
	MPI_Finalize();
	return wrong > 0;
}
