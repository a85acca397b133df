/*
 * Records the collective calls of a program: each rank writes its calls to a file of its own, with
 * the times at which it entered and left them, in the format of docs/format.md. Ranks send no
 * messages for it while the program runs; in MPI_Init and MPI_Finalize they compare their clocks
 * (clock.h). The file is that of record_file.h.
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
	NEIGHBOR,      /* of neighbourhoods */
	COMMUNICATORS, /* what makes communicators */
	WINDOWS,       /* what all ranks of a window call */
	FILES,         /* and of a file */
	COMPLETED = 32, /* added: a call that completes a nonblocking or persistent collective */
	STARTED = 64,   /* added: a call that starts one */
	REDUNDANT = 128 /* added: a rule took it, with redundant exchanges */
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

/* The start of a nonblocking or persistent collective. */
struct start {
	uint64_t number; /* among the starts on its communicator, from 0 */
	uint32_t comm;   /* 0 if there was no room */
	uint8_t kind, operation;
};

/* record_call notes a call that succeeded. If it has started a collective, it sets start, or leaves
 * it if there is no room for more events; otherwise start is NULL. */
void record_call(const struct called *call, struct start *start);

/* record_communicator returns the number of a communicator, 0 if there is no room for it. */
uint32_t record_communicator(MPI_Comm comm);

/* record_group does so with a group of another object of MPI, whose handle is a number, and frees the
 * group. record_forget forgets it before another may get its handle. */
uint32_t record_group(uint64_t handle, MPI_Group group);
void record_forget(uint64_t handle);

/* record_completion notes a call that has completed what was started. */
void record_completion(const struct start *start, uint64_t entry, uint64_t exit, const void *site);

extern atomic_bool recording;

/* record_entry returns the time, or 0 if calls are not recorded. */
static inline uint64_t record_entry(void) {
	return atomic_load_explicit(&recording, memory_order_relaxed) ? record_clock() : 0;
}

#endif
