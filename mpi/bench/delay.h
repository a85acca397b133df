/*
 * For builds of the library whose messages are delayed: it receives, sends and yields the processor
 * by these instead.
 */
#ifndef JITTERFLY_DELAY_H
#define JITTERFLY_DELAY_H

#include <mpi.h>
#include <sched.h>

int delayed_Waitany(int count, MPI_Request *requests, int *index, MPI_Status *status);
int delayed_Testany(int count, MPI_Request *requests, int *index, int *found, MPI_Status *status);
int delayed_Irecv(void *buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                  MPI_Request *request);
int delayed_Isend(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                  MPI_Request *request);
int delayed_yield(void);

#define PMPI_Waitany delayed_Waitany
#define PMPI_Testany delayed_Testany
#define PMPI_Irecv delayed_Irecv
#define PMPI_Isend delayed_Isend
#define sched_yield delayed_yield

#endif
