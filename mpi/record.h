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
	COMPLETED = 32, /* nonblocking or persistent: the times are those of the call that completes it */
	STARTED = 64,   /* the same, of the call that starts it */
	REDUNDANT = 128 /* by a rule, with redundant exchanges */
};

/* A call of a program. */
struct called {
	uint64_t entry, exit; /* of the clock [ns] */
	uint64_t bytes;       /* of the vector of this rank */
	const void *site;     /* where the call returns to */
	MPI_Comm comm;
	uint32_t number; /* of the communicator, or 0 to look it up */
	MPI_Op op;       /* or MPI_OP_NULL */
	int kind;
};

/* record_begin begins to record, if rank 0's environment asks for it. All ranks of MPI_COMM_WORLD
 * must call it, in MPI_Init. */
void record_begin(void);

/* record_end ends the file. All ranks must call it, before PMPI_Finalize. */
void record_end(void);

/* record_flush writes what is not in the file yet. */
void record_flush(void);

/* A start of a nonblocking or persistent collective. */
struct start {
	uint64_t request; /* its handle */
	uint64_t number;  /* of those on its communicator, from 0 */
	uint32_t comm;    /* 0 if there was no room */
	uint8_t kind, operation;
};

/* record_call notes a call that succeeded. One that has started a collective gets to know its start,
 * if there is room for it; of others start is NULL. */
void record_call(const struct called *call, struct start *start);

/* record_communicator returns the number of a communicator, 0 if there is no room for it. */
uint32_t record_communicator(MPI_Comm comm);

/* record_completion notes a call that has completed what was started. */
void record_completion(const struct start *start, uint64_t entry, uint64_t exit, const void *site);

extern atomic_bool recording;

/* record_entry returns the time, or 0 if calls are not recorded. */
static inline uint64_t record_entry(void) {
	return atomic_load_explicit(&recording, memory_order_relaxed) ? record_clock() : 0;
}

#endif
