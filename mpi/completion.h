/*
 * Calls that complete requests of recorded collectives. The time in them is recorded, since ranks
 * wait for each other there, and not where nonblocking and persistent collectives start.
 */
#ifndef JITTERFLY_COMPLETION_H
#define JITTERFLY_COMPLETION_H

#include <mpi.h>
#include <stdatomic.h>
#include <stdint.h>

#include "record.h"

/* completion_start notes a call that has started a request. */
void completion_start(MPI_Request request, const struct called *call);

/* completion_persistent notes a persistent request, whose starts are calls like this one, and
 * completion_started starts of any requests, if they are such. completion_release forgets one. */
void completion_persistent(MPI_Request request, const struct called *call);
void completion_started(const MPI_Request *requests, int count, uint64_t entry, const void *site);
void completion_release(MPI_Request request);

/* How many requests are expected to complete. */
extern atomic_uint completions_expected;

/* completing_any returns whether any is. */
static inline int completing_any(void) {
	return atomic_load_explicit(&completions_expected, memory_order_relaxed) > 0;
}

/* Of how many requests of one call the completion is recorded. */
enum { MOST_COMPLETING = 64 };

/* A call that may complete requests. */
struct completing {
	uint64_t entry;
	const void *site;
	int count; /* of those that are expected to complete */
	struct {
		int at; /* its place among the requests, from first */
		MPI_Request request;
		struct start start;
	} list[MOST_COMPLETING];
};

/* completing_begin begins a call with count requests, whose indices start at first. */
void completing_begin(struct completing *c, int count, const MPI_Request *requests, int first,
                      const void *site);

/* completing_end ends it: completed requests are complete, at indices, or all if these are NULL;
 * none is expected any more if the call has failed, with code. */
void completing_end(struct completing *c, int code, int completed, const int *indices);

#endif
