/*
 * For builds of the library whose messages are delayed: it receives and sends by these instead.
 */
#ifndef JITTERFLY_DELAY_H
#define JITTERFLY_DELAY_H

#include <mpi.h>

int delayed_Waitany(int count, MPI_Request *requests, int *index, MPI_Status *status);
int delayed_Irecv(void *buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                  MPI_Request *request);
int delayed_Isend(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                  MPI_Request *request);

#define PMPI_Waitany delayed_Waitany
#define PMPI_Irecv delayed_Irecv
#define PMPI_Isend delayed_Isend

#endif
