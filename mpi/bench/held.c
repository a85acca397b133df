/*
 * Messages that are held for a time after they were sent: the library's, in a build with delay.h.
 * Ranks sleep while they wait, so that many of them can share a processor.
 */
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include "../plan.h"
#include "bench.h"
#include "delay.h"
#undef PMPI_Waitany
#undef PMPI_Testany
#undef PMPI_Irecv
#undef PMPI_Isend
#undef sched_yield

/* Open MPI yields the processor while it waits, in its own collectives too. */
int sched_yield(void) { return usleep(100); }

static double hold;

void hold_set(double seconds) { hold = seconds; }

/* The time of sending is in the header, in µs, modulo 2^32. */
static uint32_t stamp(void) { return (uint32_t)(uint64_t)(clock_now() * 1e6); }

int delayed_Isend(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                  MPI_Request *request) {
	((struct header *)buffer)->spare = stamp();
	return PMPI_Isend(buffer, count, type, to, tag, comm, request);
}

/* Receives by where their requests are. */
enum { RECEIVES = 1 << 14 };
static struct {
	MPI_Request *request;
	const struct header *message;
	bool arrived;
} receives[RECEIVES];

static unsigned place(MPI_Request *request) {
	unsigned i = (unsigned)(mix((uintptr_t)request) % RECEIVES);
	while (receives[i].request && receives[i].request != request)
		i = (i + 1) % RECEIVES;
	return i;
}

int delayed_Irecv(void *buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                  MPI_Request *request) {
	unsigned i = place(request);
	receives[i].request = request;
	receives[i].message = buffer;
	receives[i].arrived = false;
	return PMPI_Irecv(buffer, count, type, from, tag, comm, request);
}

/* left returns how long a message is still held [s]. */
static double left(const struct header *h) {
	return hold - (double)(int32_t)(stamp() - h->spare) * 1e-6;
}

/* arrived notes the messages that have come, and returns a channel whose message is no longer held,
 * the first of these, or how long the next is held [s]. */
static int arrived(int count, MPI_Request *requests, int *index, MPI_Status *status,
                   double *soonest) {
	for (int found = 1; found;) {
		int code = PMPI_Testany(count, requests, index, &found, status);
		if (code != MPI_SUCCESS)
			return code;
		found = found && *index != MPI_UNDEFINED;
		if (found)
			receives[place(&requests[*index])].arrived = true;
	}
	*index = MPI_UNDEFINED;
	for (int i = 0; i < count; i++) {
		unsigned at = place(&requests[i]);
		if (!receives[at].request || !receives[at].arrived)
			continue;
		double more = left(receives[at].message);
		if (more <= 0) {
			receives[at].arrived = false;
			*index = i;
			return MPI_SUCCESS;
		}
		*soonest = more < *soonest ? more : *soonest;
	}
	return MPI_SUCCESS;
}

int delayed_Waitany(int count, MPI_Request *requests, int *index, MPI_Status *status) {
	for (;;) {
		double soonest = hold / 10;
		int code = arrived(count, requests, index, status, &soonest);
		if (code != MPI_SUCCESS || *index != MPI_UNDEFINED)
			return code;
		clock_wait(clock_now() + soonest, true);
	}
}

int delayed_Testany(int count, MPI_Request *requests, int *index, int *found, MPI_Status *status) {
	double soonest = hold;
	int code = arrived(count, requests, index, status, &soonest);
	*found = *index != MPI_UNDEFINED;
	return code;
}

int delayed_yield(void) {
	clock_wait(clock_now() + hold / 100, true);
	return 0;
}
