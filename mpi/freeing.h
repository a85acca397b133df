/*
 * Communicators that the program is freeing. Their attributes are deleted then, in no certain
 * order, by functions of the program and of the library. Those of the program may call collectives:
 * these are native, and nobody looks for an attribute, which MPICH has freed before it calls the
 * next function.
 */
#ifndef JITTERFLY_FREEING_H
#define JITTERFLY_FREEING_H

#include <mpi.h>
#include <stdint.h>

struct freeing {
	MPI_Comm comm;
	uint32_t number;       /* in a recording, once its attribute there is deleted */
	struct freeing *outer; /* which this one is freed within */
};

/* freeing returns what is kept of a communicator while this thread frees it, or NULL. */
struct freeing *freeing(MPI_Comm comm);

#endif
