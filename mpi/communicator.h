/*
 * What the library keeps for each communicator of the program, as an attribute.
 */
#ifndef JITTERFLY_COMMUNICATOR_H
#define JITTERFLY_COMMUNICATOR_H

#include <mpi.h>
#include <stddef.h>

#include "plan.h"

/* communicator_plan returns the plan for vectors of so many bytes, or NULL for the native
 * allreduce. All ranks of the communicator must call it alike; the first call is collective. */
struct plan *communicator_plan(MPI_Comm comm, size_t bytes);

#endif
