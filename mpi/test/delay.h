/*
 * For builds of the library whose messages are delayed by a test: it receives by this instead.
 */
#ifndef JITTERFLY_DELAY_H
#define JITTERFLY_DELAY_H

#include <mpi.h>

int delayed_Waitany(int count, MPI_Request *requests, int *index, MPI_Status *status);

#define PMPI_Waitany delayed_Waitany

#endif
