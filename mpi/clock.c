#include "clock.h"

#include <sched.h>
#include <time.h>

#ifndef CLOCK_SKEW
#define CLOCK_SKEW(now) (now)
#define CLOCK_SPLIT(rank, node)                                                                    \
	PMPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, node)
#endif

/* ROUND_TRIPS of messages between two ranks, the shortest of which counts. In STABLE nanoseconds
 * two clocks drift apart by at most one: each by 100 millionths. */
enum { ROUND_TRIPS = 32, STABLE = 5000, TAG = 0 };

/* Messages are on communicators of the library's own: nobody else receives them. Ranks of a node
 * have one clock, so that the first of them compares it for all. */
static MPI_Comm node = MPI_COMM_NULL, firsts = MPI_COMM_NULL;

uint64_t record_clock(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return CLOCK_SKEW((uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec);
}

void clock_begin(void) {
	int rank = 0, local = 0;
	PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
	CLOCK_SPLIT(rank, &node);
	PMPI_Comm_rank(node, &local);
	PMPI_Comm_split(MPI_COMM_WORLD, local == 0 ? 0 : MPI_UNDEFINED, rank, &firsts);
}

void clock_end(void) {
	PMPI_Comm_free(&node);
	if (firsts != MPI_COMM_NULL)
		PMPI_Comm_free(&firsts);
}

struct on_node clock_node(void) {
	int ranks = 0;
	cpu_set_t all;
	CPU_ZERO(&all);
	sched_getaffinity(0, sizeof all, &all); /* of a rank that is bound a part of the node */
	PMPI_Allreduce(MPI_IN_PLACE, &all, sizeof all, MPI_BYTE, MPI_BOR, node);
	PMPI_Comm_size(node, &ranks);
	return (struct on_node){(uint32_t)ranks, (uint32_t)CPU_COUNT(&all)};
}

/* ask compares the clock with the clock of a rank that is compared already. */
static struct comparison ask(int rank) {
	struct comparison best = {.error = UINT64_MAX}, theirs;
	for (int i = 0; i < ROUND_TRIPS; i++) {
		uint64_t sent = record_clock();
		PMPI_Send(NULL, 0, MPI_BYTE, rank, TAG, firsts);
		PMPI_Recv(&theirs, sizeof theirs, MPI_BYTE, rank, TAG, firsts, MPI_STATUS_IGNORE);
		uint64_t received = record_clock(), half = (received - sent + 1) / 2;
		if (half + theirs.error < best.error)
			best = (struct comparison){
			    .at = sent + half,
			    .offset = (int64_t)(theirs.at - (sent + half)) + theirs.offset,
			    .error = half + theirs.error,
			};
	}
	return best;
}

/* answer answers a rank that asks. The comparison with rank 0, if it is another, has aged. */
static void answer(int rank, struct comparison compared) {
	for (int i = 0; i < ROUND_TRIPS; i++) {
		PMPI_Recv(NULL, 0, MPI_BYTE, rank, TAG, firsts, MPI_STATUS_IGNORE);
		struct comparison mine = compared;
		mine.at = record_clock();
		if (compared.error > 0)
			mine.error += (mine.at - compared.at) / STABLE;
		PMPI_Send(&mine, sizeof mine, MPI_BYTE, rank, TAG, firsts);
	}
}

struct comparison clock_compare(void) {
	struct comparison mine = {0};
	if (firsts != MPI_COMM_NULL) {
		/* A binomial tree: the rank's parent is without its lowest bit, and its children have one
		 * bit more below that, the one with most descendants first. */
		int rank = 0, ranks = 1, bit = 1;
		PMPI_Comm_rank(firsts, &rank);
		PMPI_Comm_size(firsts, &ranks);
		while (bit < ranks && !(rank & bit))
			bit *= 2;
		mine.at = record_clock();
		if (rank > 0)
			mine = ask(rank - bit);
		for (bit /= 2; bit > 0; bit /= 2)
			if (rank + bit < ranks)
				answer(rank + bit, mine);
	}
	PMPI_Bcast(&mine, sizeof mine, MPI_BYTE, 0, node);
	return mine;
}
