/*
 * Nonblocking and persistent allreduces and barriers.
 *
 * They go on while the program is in any function of MPI: a function that the MPI library's own
 * progress calls, as its nonblocking collectives do, runs them. Only Open MPI has such a hook,
 * which is not a part of its interface: versions 1.0 to 5.0 have it; where it lacks, these calls
 * are native. The request that the program has is the MPI library's own: a receive from the rank
 * itself, by a message that is sent when the vector is there. So all functions of requests take it
 * as it is.
 *
 * Those of one communicator run one after the other, in the order of their starts, which all ranks
 * have.
 */
#ifndef JITTERFLY_REQUEST_H
#define JITTERFLY_REQUEST_H

#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "plan.h"
#include "verbose.h"

/* The requests of a communicator. */
struct requests {
	MPI_Comm program;   /* whose error handler is called */
	struct tally tally; /* of the communicator's calls */
	atomic_int open;    /* that are started and not complete */
	int persistent;     /* that are not freed */

	struct request *first, *final; /* that are open */
	struct requests *next;         /* of another communicator with open ones */
};

/* requests_possible returns whether there is a hook to run them, and uses it from now on. */
bool requests_possible(void);

/* request_start starts a nonblocking call. */
int request_start(struct requests *all, struct plan *plan, const struct call *call,
                  MPI_Request *handle);

/* request_init makes a persistent one. */
int request_init(struct requests *all, struct plan *plan, const struct call *call,
                 MPI_Request *handle);

/* request_started starts a persistent request that the MPI library has started, if it is one of
 * these. */
void request_started(MPI_Request handle);

/* requests_wait waits until no request of a communicator is open. */
void requests_wait(struct requests *r);

/* requests_fail calls the error handler of the program's communicator, and returns the code. */
int requests_fail(const struct requests *r, int code);

/* requests_end ends the use of the hook. */
void requests_end(void);

#endif
