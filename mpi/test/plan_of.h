/*
 * What tests see of the library.
 */
#ifndef JITTERFLY_PLAN_OF_H
#define JITTERFLY_PLAN_OF_H

#include "../communicator.h"

/* plan_of returns the plan for vectors of the given bytes, or NULL if their calls are native. All
 * ranks must call it. */
static inline struct plan *plan_of(MPI_Comm comm, size_t bytes) {
	struct plan *plan = NULL;
	struct communicator *c = communicator_of(comm);
	return c && communicator_plan(c, bytes, PERSISTENT, &plan) == TAKEN ? plan : NULL;
}

#endif
