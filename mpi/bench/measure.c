#include <math.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "../communicator.h"
#include "bench.h"

static int by_value(const void *a, const void *b) {
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static double median(double *values, int count) {
	qsort(values, (size_t)count, sizeof *values, by_value);
	return values[count / 2];
}

MPI_Comm scheme_comm(const struct choice *choice) {
	MPI_Comm comm;
	MPI_Comm_dup(MPI_COMM_WORLD, &comm);
	communicator_force(comm, choice);
	for (int i = 0, one = 1, sum; i < 4; i++)
		MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
	return comm;
}

enum { TRIPS = 400 };

/* trip returns half the median round trip of messages between rank 0 and another. */
static double trip(int other, int bytes) {
	int rank;
	char *message = calloc((size_t)bytes, 1);
	double times[TRIPS];
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 0; i < TRIPS && (rank == 0 || rank == other); i++) {
		double begin = clock_now();
		if (rank == 0)
			PMPI_Send(message, bytes, MPI_BYTE, other, 0, MPI_COMM_WORLD);
		PMPI_Recv(message, bytes, MPI_BYTE, other - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		if (rank != 0)
			PMPI_Send(message, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
		times[i] = (clock_now() - begin) / 2;
	}
	free(message);
	return rank == 0 || rank == other ? median(times, TRIPS) : 0;
}

enum { COPIES = 5, BATCHES = 60, CALLS = 100 };
static const double most_seconds = 5; /* of all batches: ranks may be more than processors */

/* another returns whether all ranks time another batch, after some since a time. */
static bool another(int batches, double begin) {
	int more = batches == 0 || (batches < BATCHES && clock_now() - begin < most_seconds);
	PMPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD);
	return more;
}

/* back_to_back returns the mean time of some calls, one after the other: native for t = -1. */
static double back_to_back(MPI_Comm comm, int t) {
	double sum = 0, value = 1, begin;
	PMPI_Barrier(MPI_COMM_WORLD);
	begin = clock_now();
	for (int i = 0; i < CALLS; i++)
		if (t < 0)
			PMPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, comm);
		else
			MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, comm);
	return (clock_now() - begin) / CALLS;
}

double preloaded_cost(void) {
	double through[BATCHES], native[BATCHES], begin = clock_now();
	int batches = 0;
	if (communicators_taking())
		return 0;
	for (; another(batches, begin); batches++) {
		native[batches] = back_to_back(MPI_COMM_WORLD, -1);
		through[batches] = back_to_back(MPI_COMM_WORLD, 0);
	}
	return median(through, batches) / median(native, batches);
}

/* calls measures calls of 8 bytes, native and with R = 1 and all T in turns, and by least squares
 * how their median depends on T. */
static void calls(struct parameters *p, int ranks) {
	MPI_Comm comms[COPIES];
	double times[COPIES + 1][BATCHES], medians[COPIES], mean = 0, above = 0, below = 0;
	int count = 1, batches = 0;
	while (count < COPIES && ranks >> count > 0)
		count++;
	for (int t = 0; t < count; t++)
		comms[t] = scheme_comm(&(struct choice){.last = SIZE_MAX, .sources = 1, .copies = t});
	for (double begin = clock_now(); another(batches, begin); batches++)
		for (int t = -1; t < count; t++)
			times[t + 1][batches] = back_to_back(comms[t < 0 ? 0 : t], t);
	for (int t = 0; t < count; t++) {
		mean += (medians[t] = median(times[t + 1], batches)) / count;
		MPI_Comm_free(&comms[t]);
	}
	for (int t = 0; t < count; t++) {
		double distance = t - (count - 1) / 2.0;
		above += distance * (medians[t] - mean);
		below += distance * distance;
	}
	p->native = median(times[0], batches);
	p->plain = medians[0];
	p->send_overhead = fmax(0, above / below);
}

/* exchange returns half the median round trip of a number between the first two ranks of a node,
 * who poll as the library does. */
static double exchange(MPI_Comm node, int rank, atomic_int *number) {
	double times[TRIPS];
	PMPI_Barrier(node);
	for (int i = 0; i < TRIPS && rank < 2; i++) {
		double begin = clock_now();
		if (rank == 0)
			atomic_store_explicit(number, 2 * i + 1, memory_order_release);
		for (unsigned turn = 1;
		     atomic_load_explicit(number, memory_order_acquire) != 2 * i + 1 + (rank == 0); turn++)
			if (turn % 64 == 0)
				sched_yield();
		if (rank == 1)
			atomic_store_explicit(number, 2 * i + 2, memory_order_release);
		times[i] = (clock_now() - begin) / 2;
	}
	PMPI_Barrier(node);
	return rank < 2 ? median(times, TRIPS) : 0;
}

/* measure_node measures the memory of rank 0's node, and counts ranks of nodes. */
static void measure_node(struct parameters *p) {
	const char *limit = getenv("JITTERFLY_MPI_NODE_RANKS");
	MPI_Comm node;
	MPI_Win window;
	MPI_Aint bytes;
	atomic_int *number = NULL;
	int rank, ranks, unit;
	PMPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
	PMPI_Comm_rank(node, &rank);
	PMPI_Comm_size(node, &ranks);
	PMPI_Win_allocate_shared(rank == 0 ? 64 : 0, 1, MPI_INFO_NULL, node, &number, &window);
	PMPI_Win_shared_query(window, 0, &bytes, &unit, &number);
	if (ranks > 1)
		p->node_latency = exchange(node, rank, number);
	PMPI_Win_free(&window);
	PMPI_Comm_free(&node);
	if (limit && atoi(limit) > 0 && atoi(limit) < ranks)
		ranks = atoi(limit);
	PMPI_Allreduce(&ranks, &p->ranks_per_node, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
}

struct parameters parameters_measure(const struct options *o) {
	int ranks, least = o->sizes[0], most = o->sizes[0], header = (int)sizeof(struct header);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	for (int i = 0; i < o->size_count; i++) {
		least = o->sizes[i] < least ? o->sizes[i] : least;
		most = o->sizes[i] > most ? o->sizes[i] : most;
	}
	struct parameters p = {.latency = trip(ranks - 1, header + least)};
	if (most > least)
		p.bandwidth = (most - least) / fmax(1e-12, trip(ranks - 1, header + most) - p.latency);
	p.latency += o->hold;
	measure_node(&p);
	if (o->hold <= 0)
		calls(&p, ranks);
	PMPI_Barrier(MPI_COMM_WORLD);
	return p;
}

double clock_offset(MPI_Comm comm) {
	enum { PROBES = 50 };
	MPI_Comm node;
	int rank, ranks, together;
	double offset = 0;
	MPI_Comm_rank(comm, &rank);
	MPI_Comm_size(comm, &ranks);
	MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
	MPI_Comm_size(node, &together);
	MPI_Comm_free(&node);
	together = together == ranks;
	PMPI_Allreduce(MPI_IN_PLACE, &together, 1, MPI_INT, MPI_LAND, comm);
	if (together)
		return 0;

	/* The shortest of some round trips says what rank 0's clock was in its middle (Cristian,
	 * "Probabilistic clock synchronization", 1989). */
	for (int other = 1; other < ranks; other++) {
		double shortest = HUGE_VAL;
		for (int i = 0; i < PROBES && (rank == 0 || rank == other); i++) {
			double begin = clock_now(), theirs = begin;
			if (rank == 0) {
				PMPI_Recv(&theirs, 1, MPI_DOUBLE, other, 0, comm, MPI_STATUS_IGNORE);
				theirs = clock_now();
				PMPI_Send(&theirs, 1, MPI_DOUBLE, other, 0, comm);
				continue;
			}
			PMPI_Send(&begin, 1, MPI_DOUBLE, 0, 0, comm);
			PMPI_Recv(&theirs, 1, MPI_DOUBLE, 0, 0, comm, MPI_STATUS_IGNORE);
			double end = clock_now();
			if (end - begin < shortest) {
				shortest = end - begin;
				offset = (begin + end) / 2 - theirs;
			}
		}
	}
	return offset;
}
