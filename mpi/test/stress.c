/*
 * Random calls of MPI_Allreduce, each compared bit by bit with the fixed tree of the library, which
 * every rank computes from the vectors of all.
 *
 *	stress CALLS [SEED]
 */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../bench/random.h"
#include "plan_of.h"

enum { COMMS = 6, MAX_COUNT = 96, ROOM = MAX_COUNT * 32, GUARD = 64, MAX_RANKS = 64 };

static uint64_t seed = 1;
static int rank; /* in MPI_COMM_WORLD */

/* A matrix of 2 × 2, whose product does not commute but is exact. */
static MPI_Datatype matrix;
static MPI_Op multiply, concatenate;

static void multiply_matrices(void *left, void *right, int *count, MPI_Datatype *type) {
	(void)type;
	for (int i = 0; i < *count; i++) {
		uint32_t *a = (uint32_t *)left + 4 * i, *b = (uint32_t *)right + 4 * i;
		uint32_t c[4] = {a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3],
		                 a[2] * b[0] + a[3] * b[2], a[2] * b[1] + a[3] * b[3]};
		memcpy(b, c, sizeof c);
	}
}

/* An operation that is neither commutative nor associative: it tells trees apart. */
static void hash_words(void *left, void *right, int *count, MPI_Datatype *type) {
	(void)type;
	uint64_t *a = left, *b = right;
	for (int i = 0; i < *count; i++)
		b[i] = mix(a[i] * 3 + mix(b[i]));
}

struct kind {
	MPI_Datatype type;
	MPI_Op op;
	int bytes; /* of an element */
};

static struct kind kinds[40];
static int kind_count;

static void kind(MPI_Datatype type, MPI_Op op) {
	int bytes;
	MPI_Type_size(type, &bytes);
	kinds[kind_count++] = (struct kind){type, op, bytes};
}

static void make_kinds(void) {
	MPI_Type_contiguous(4, MPI_UINT32_T, &matrix);
	MPI_Type_commit(&matrix);
	MPI_Op_create(multiply_matrices, 0, &multiply);
	MPI_Op_create(hash_words, 0, &concatenate);
	kind(matrix, multiply);
	kind(MPI_UINT64_T, concatenate);
	kind(MPI_DOUBLE, MPI_SUM);
	kind(MPI_DOUBLE, MPI_PROD);
	kind(MPI_DOUBLE, MPI_MAX);
	kind(MPI_FLOAT, MPI_SUM);
	kind(MPI_FLOAT, MPI_MIN);
	kind(MPI_LONG_DOUBLE, MPI_SUM);
	kind(MPI_C_DOUBLE_COMPLEX, MPI_PROD);
	kind(MPI_C_FLOAT_COMPLEX, MPI_SUM);
	kind(MPI_INT, MPI_SUM);
	kind(MPI_INT, MPI_LXOR);
	kind(MPI_SIGNED_CHAR, MPI_MIN);
	kind(MPI_UNSIGNED_SHORT, MPI_PROD);
	kind(MPI_INT64_T, MPI_BXOR);
	kind(MPI_BYTE, MPI_BAND);
	kind(MPI_C_BOOL, MPI_LOR);
	kind(MPI_2INT, MPI_MAXLOC);
	kind(MPI_FLOAT_INT, MPI_MINLOC);
	kind(MPI_AINT, MPI_MAX);
}

/* fill writes the vector of a rank in a call: small numbers of many bits. */
static void fill(void *vector, const struct kind *k, int count, uint64_t call, int from) {
	for (int i = 0; i < count; i++) {
		uint64_t w = word(seed, call, (uint64_t)from * MAX_COUNT + (uint64_t)i);
		double x = (double)(w >> 11) * 0x1p-53 - 0.4;
		char *at = (char *)vector + (size_t)i * (size_t)k->bytes;
		if (k->type == MPI_DOUBLE)
			memcpy(at, &x, 8);
		else if (k->type == MPI_FLOAT)
			memcpy(at, &(float){(float)x}, 4);
		else if (k->type == MPI_LONG_DOUBLE) {
			memset(at, 0, sizeof(long double));
			*(long double *)at = (long double)x / 3;
		} else if (k->type == MPI_C_DOUBLE_COMPLEX)
			memcpy(at, (double[]){x, x * x}, 16);
		else if (k->type == MPI_C_FLOAT_COMPLEX)
			memcpy(at, (float[]){(float)x, (float)(x * x)}, 8);
		else if (k->type == MPI_C_BOOL)
			*at = (char)(w & 1);
		else if (k->type == MPI_2INT)
			memcpy(at, (int[]){(int)(w % 3), (int)(w >> 40)}, 8);
		else if (k->type == MPI_FLOAT_INT) {
			memcpy(at, (float[]){(float)(w % 3)}, 4);
			memcpy(at + 4, (int[]){(int)(w >> 40)}, 4);
		} else
			for (int b = 0; b < k->bytes; b++)
				at[b] = (char)(w >> b % 8 * 8);
	}
}

/* sum computes the sum of the vectors of some ranks, as halves of halves of a power of two. */
static void sum(char *vector, const struct kind *k, int count, uint64_t call, int first, int width,
                int end) {
	if (width == 1) {
		fill(vector, k, count, call, first);
		return;
	}
	int half = width / 2;
	if (first + half >= end) {
		sum(vector, k, count, call, first, half, end);
		return;
	}
	char left[ROOM] __attribute__((aligned(64)));
	sum(left, k, count, call, first, half, end);
	sum(vector, k, count, call, first + half, half, end);
	PMPI_Reduce_local(left, vector, count, k->type, k->op);
}

/* leaf computes the vector of a rank, or of a node's ranks. */
static void leaf(char *vector, const struct kind *k, int count, uint64_t call, int at, int ranks,
                 int each) {
	int end = (at + 1) * each < ranks ? (at + 1) * each : ranks, width = 1;
	while (width < each)
		width *= 2;
	sum(vector, k, count, call, at * each, width, end);
}

/* expect computes the result: folded pairs, then halves of halves, left before right. On nodes of
 * several ranks these are nodes. */
static void expect(char *result, const struct kind *k, int count, uint64_t call, int all,
                   int each) {
	int ranks = (all + each - 1) / each;
	static char vectors[MAX_RANKS][ROOM] __attribute__((aligned(64)));
	size_t bytes = (size_t)count * (size_t)k->bytes;
	int core = 1;
	while (2 * core <= ranks)
		core *= 2;
	for (int v = 0, r = 0; v < core; v++) {
		leaf(vectors[v], k, count, call, r++, all, each);
		if (v >= ranks - core)
			continue;
		char right[ROOM] __attribute__((aligned(64)));
		leaf(right, k, count, call, r++, all, each);
		PMPI_Reduce_local(vectors[v], right, count, k->type, k->op);
		memcpy(vectors[v], right, bytes);
	}
	for (int step = 1; step < core; step *= 2)
		for (int v = 0; v < core; v += 2 * step) {
			PMPI_Reduce_local(vectors[v], vectors[v + step], count, k->type, k->op);
			memcpy(vectors[v], vectors[v + step], bytes);
		}
	memcpy(result, vectors[0], bytes);
}

/* Communicators of the test: other orders and numbers of ranks, with another R and T each. */
static MPI_Comm comms[COMMS];
static int made[COMMS];

static void make(int i) {
	int ranks, half = i == 3 ? rank % 2 : 0;
	uint64_t w = word(seed + 1, (uint64_t)i, (uint64_t)made[i]++);
	MPI_Comm_split(MPI_COMM_WORLD, half, i == 2 ? -rank : rank, &comms[i]);
	MPI_Comm_size(comms[i], &ranks);
	int levels = 0, core = 1;
	while (2 * core <= ranks)
		core *= 2, levels++;
	int sources = 1 + (int)(w % (uint64_t)(core > 2 ? core / 2 : 1));
	int copies = (int)((w >> 32) % (uint64_t)(levels + 1));
	if (i < COMMS - 1 && !getenv("JITTERFLY_MPI_NODE_RANKS")) /* the last has the rules */
		communicator_force(
		    comms[i], &(struct choice){.last = SIZE_MAX, .sources = sources, .copies = copies});
}

static void fail(uint64_t call, const char *what) {
	fprintf(stderr, "stress: rank %d: call %llu: %s\n", rank, (unsigned long long)call, what);
	MPI_Abort(MPI_COMM_WORLD, 1);
}

/* one makes a call, and returns whether the library took it. */
static bool one(uint64_t call) {
	static char from[ROOM + GUARD] __attribute__((aligned(64)));
	static char to[ROOM + GUARD] __attribute__((aligned(64))), right[ROOM];
	uint64_t w = word(seed + 2, call, 0);
	const struct kind *k = &kinds[w % (uint64_t)kind_count];
	MPI_Comm comm = comms[(w >> 8) % COMMS];
	int count = 1 + (int)((w >> 16) % ((w >> 32) % 4 ? 4 : MAX_COUNT)), me, ranks;
	size_t bytes = (size_t)count * (size_t)k->bytes;
	MPI_Comm_rank(comm, &me);
	MPI_Comm_size(comm, &ranks);

	memset(to, 0x55, sizeof to);
	bool in_place = (w >> 40) % 3 == 0;
	fill(in_place ? to : from, k, count, call, me);
	if (word(seed + 3, call, (uint64_t)rank) % 64 == 0) /* a rank is late */
		usleep((useconds_t)(word(seed + 4, call, (uint64_t)rank) % 300));
	if (MPI_Allreduce(in_place ? MPI_IN_PLACE : from, to, count, k->type, k->op, comm) !=
	    MPI_SUCCESS)
		fail(call, "an error");
	const struct plan *plan = ranks > 1 ? plan_of(comm, bytes) : NULL;
	const char *each = getenv("JITTERFLY_MPI_NODE_RANKS");
	expect(right, k, count, call, ranks, plan && plan->node && each ? atoi(each) : 1);
	bool taken = plan != NULL;
	if (k->type == MPI_LONG_DOUBLE) /* of 16 bytes 6 are of no number */
		for (int i = 0; i < count; i++)
			memset(to + 16 * i + 10, 0, 6), memset(right + 16 * i + 10, 0, 6);
	if (taken && memcmp(to, right, bytes) != 0)
		fail(call, "the result is not that of the tree");
	for (size_t i = bytes; i < bytes + GUARD; i++)
		if (to[i] != 0x55)
			fail(call, "bytes after the result have changed");
	return taken;
}

int main(int argc, char **argv) {
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	uint64_t calls = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000, taken = 0;
	seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	make_kinds();
	for (int i = 0; i < COMMS; i++)
		make(i);

	/* A receive of the program that matches anything must see none of the library's messages. */
	int anything;
	MPI_Request request;
	MPI_Irecv(&anything, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comms[0], &request);
	for (uint64_t call = 0; call < calls; call++) {
		taken += one(call);
		int again = 1 + (int)(word(seed + 5, call, 0) % (COMMS - 1));
		if (word(seed + 6, call, 0) % 100 == 0) {
			MPI_Comm_free(&comms[again]);
			make(again);
		}
	}
	int arrived;
	MPI_Test(&request, &arrived, MPI_STATUS_IGNORE);
	if (arrived)
		fail(calls, "the program received a message of the library");
	MPI_Cancel(&request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_Type_free(&matrix);
	MPI_Op_free(&multiply);
	MPI_Op_free(&concatenate);
	if (taken < calls / 2)
		fail(calls, "the library took few calls");
	if (rank == 0)
		printf("stress: %llu calls, %llu taken, all bits right\n", (unsigned long long)calls,
		       (unsigned long long)taken);
	return MPI_Finalize();
}
