/*
 * A tool that is named before the library, and hides it: it calls the PMPI functions.
 */
#include <mpi.h>

int MPI_Allreduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm) {
	return PMPI_Allreduce(from, to, count, type, op, comm);
}

#ifdef HIDE_ALL
int MPI_Init(int *count, char ***arguments) { return PMPI_Init(count, arguments); }
int MPI_Finalize(void) { return PMPI_Finalize(); }
#endif
