/*
 * Allreduces with redundant exchanges, and barriers, which are allreduces of nothing: nobody has
 * the result before all have begun. What these do not take is for the MPI library: all that no rule
 * covers, and all that is invalid.
 */
#ifndef JITTERFLY_ALLREDUCE_H
#define JITTERFLY_ALLREDUCE_H

#include <mpi.h>
#include <stdbool.h>

#include "communicator.h"

/* allreduce_take makes a call, with its code, if a rule takes it, and returns whether all ranks took it.
 * A blocking one has no request. barrier_take does so with a barrier. */
bool allreduce_take(enum manner manner, const void *from, void *to, MPI_Count count,
                    MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request *request, int *code);
bool barrier_take(enum manner manner, MPI_Comm comm, MPI_Request *request, int *code);

#endif
