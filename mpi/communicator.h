/*
 * What the library keeps for each communicator of the program, as an attribute, and from MPI_Init
 * to MPI_Finalize.
 */
#ifndef JITTERFLY_COMMUNICATOR_H
#define JITTERFLY_COMMUNICATOR_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

#include "plan.h"
#include "request.h"

struct communicator;

/* communicators_begin shares the rules of rank 0 of MPI_COMM_WORLD, of which all ranks must call
 * it, at the end of MPI_Init. Before, and where there are no rules, all calls are native. */
void communicators_begin(void);

/* communicators_end waits for all messages and calls PMPI_Finalize, whose code it returns. Calls of
 * functions that MPI_Finalize calls back are native: ranks may have other orders of them. */
int communicators_end(void);

/* communicators_taking returns whether any call may be taken. It notes that a call came here. */
bool communicators_taking(void);

/* communicator_of returns what is kept for a communicator, or NULL if it is not valid or is being
 * freed. */
struct communicator *communicator_of(MPI_Comm comm);

/* How a call is made. A nonblocking one must not wait for other ranks, which connecting takes. */
enum manner { BLOCKING, NONBLOCKING, PERSISTENT };

/* communicator_plan returns TAKEN and the plan for vectors of the given bytes, 0 for a barrier, or
 * why the call is native. All ranks of the communicator must call it alike. The first persistent call
 * connects the ranks, and so does the first blocking one of MPI_COMM_WORLD. Another communicator has
 * some YOUNG calls first (rules.h), since connecting costs more than many calls, and programs make
 * communicators for a few. Nonblocking calls before that are EARLY. */
enum outcome communicator_plan(struct communicator *c, size_t bytes, enum manner manner,
                               struct plan **plan);

/* communicator_requests returns the nonblocking and persistent calls of a communicator, with the tally of
 * all its calls. */
struct requests *communicator_requests(struct communicator *c);

/* communicator_force lets a communicator use a choice for vectors of any length, whatever the rules
 * are. */
void communicator_force(MPI_Comm comm, const struct choice *choice);

#endif
