/*
 * Allreduces with redundant exchanges, and barriers, which are allreduces of nothing: nobody has
 * the result before all have begun. What these do not take is for the MPI library: all that no rule
 * covers, and all that is invalid.
 */
#ifndef JITTERFLY_ALLREDUCE_H
#define JITTERFLY_ALLREDUCE_H

#include <mpi.h>
#include <stdbool.h>

/* allreduce_call makes a blocking call, with its code, and returns whether it took it. */
bool allreduce_call(const void *from, void *to, MPI_Count count, MPI_Datatype type, MPI_Op op,
                    MPI_Comm comm, int *code);

/* allreduce_request does so with a nonblocking or a persistent one. */
bool allreduce_request(bool persistent, const void *from, void *to, MPI_Count count,
                       MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request *request,
                       int *code);

/* barrier_call and barrier_request do so with barriers. */
bool barrier_call(MPI_Comm comm, int *code);
bool barrier_request(bool persistent, MPI_Comm comm, MPI_Request *request, int *code);

#endif
