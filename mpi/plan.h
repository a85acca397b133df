/*
 * Allreduces with one R and T on one communicator, by messages of MPI.
 */
#ifndef JITTERFLY_PLAN_H
#define JITTERFLY_PLAN_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#include "machine.h"

/* A header precedes the vector in each message. */
struct header {
	uint32_t operation; /* of the plan, from 0 */
	uint32_t bytes;
	uint32_t final; /* whether it is the result */
	uint32_t spare;
};
_Static_assert(sizeof(struct header) == 16, "vectors follow headers at an alignment of 16");

/* Operations whose messages can be on the way at the same time. A rank that begins one knows that
 * all others have begun the one before, and so have sent all of the one before that: it hardly ever
 * waits for the operation PLAN_DEPTH before. */
enum { PLAN_DEPTH = 4 };

/* A slot has the buffers and requests of one operation. Requests are those of receives, by channel,
 * and then of sends; some outlast the call. */
struct slot {
	char *memory;
	size_t room; /* of a message, with its header */
	bool active; /* whether requests may be incomplete */
	MPI_Request *requests;
};

struct plan {
	struct shape shape;
	struct plan *next; /* of the communicator */
	MPI_Comm comm;
	int rank;
	int number; /* of the communicator's plans */
	int peers[MACHINE_CHANNELS];
	uint32_t operations;
	struct slot slots[PLAN_DEPTH];
};

/* plan_create makes the number-th plan of a communicator, and connects all ranks that exchange
 * messages. All ranks must call it. It returns NULL where memory or MPI fails. */
struct plan *plan_create(MPI_Comm comm, int number, const struct shape *shape);

/* plan_allreduce combines the vectors of all ranks in the order of ranks, as a fixed tree. It
 * returns an error code of MPI. */
int plan_allreduce(struct plan *p, const void *from, void *to, size_t bytes, int count,
                   MPI_Datatype type, MPI_Op op);

/* plan_free waits for messages on the way, which all ranks have sent or will send before they
 * return from their last operation. */
void plan_free(struct plan *p);

#endif
