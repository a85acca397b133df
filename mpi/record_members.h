/*
 * The ranks of communicators, as recordings describe them.
 */
#ifndef JITTERFLY_RECORD_MEMBERS_H
#define JITTERFLY_RECORD_MEMBERS_H

#include <mpi.h>
#include <stdint.h>

#include "record_file.h"

struct members {
	struct bytes ranks; /* in MPI_COMM_WORLD, 32 bits each; both groups of an intercommunicator */
	uint32_t rank;      /* the place of this rank among them */
	uint64_t hash;      /* of ranks */
};

/* members_of returns the ranks of a communicator. All its ranks get the same ranks and hash. */
struct members members_of(MPI_Comm comm);

/* members_of_group does so for a group in which this rank is, and frees it. */
struct members members_of_group(MPI_Group group);

#endif
