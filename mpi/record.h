/*
 * What a program does, written down: each collective call of a rank in its file, with the times at
 * which the rank entered and left. docs/format.md has the format. Nothing is sent while the program
 * runs. At both ends ranks compare their clocks (clock.h).
 */
#ifndef JITTERFLY_RECORD_H
#define JITTERFLY_RECORD_H

#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "clock.h"

/* The kinds of calls, as files have them. */
enum {
	ALLREDUCE = 1,
	BARRIER,
	REDUCE,
	BCAST,
	ALLGATHER,
	ALLTOALL,
	REDUCE_SCATTER,
	OTHER_KIND,
	STARTED = 64,   /* nonblocking or persistent: the times are those of the call that starts it */
	REDUNDANT = 128 /* by a rule, with redundant exchanges */
};

/* A call of a program. */
struct called {
	uint64_t entry, exit; /* of the clock [ns] */
	uint64_t bytes;       /* of the vector of this rank */
	const void *site;     /* where the call returns to */
	MPI_Comm comm;
	MPI_Op op; /* or MPI_OP_NULL */
	int kind;
};

/* record_begin begins to record, if rank 0's environment asks for it. All ranks of MPI_COMM_WORLD
 * must call it, in MPI_Init. */
void record_begin(void);

/* record_end ends the file. All ranks must call it, before PMPI_Finalize. */
void record_end(void);

/* record_flush writes what is not in the file yet. */
void record_flush(void);

/* record_call notes a call that succeeded. */
void record_call(const struct called *call);

/* record_persistent notes a persistent request, whose starts are calls like this one, and
 * record_start starts of any requests, if they are such. record_release forgets one. */
void record_persistent(MPI_Request request, const struct called *call);
void record_start(const MPI_Request *requests, int count, uint64_t entry, const void *site);
void record_release(MPI_Request request);

extern atomic_bool recording;

/* record_entry returns the time, or 0 if calls are not recorded. */
static inline uint64_t record_entry(void) {
	return atomic_load_explicit(&recording, memory_order_relaxed) ? record_clock() : 0;
}

#endif
