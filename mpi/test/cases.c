/*
 * What programs do with communicators, datatypes, errors and threads around MPI_Allreduce. Run it
 * with JITTERFLY_MPI_FORCE=1,1; with 2 ranks it makes many communicators instead.
 */
#include <mpi.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plan_of.h"

static int rank, ranks;

#define CHECK(condition)                                                                           \
	do {                                                                                           \
		if (!(condition)) {                                                                        \
			fprintf(stderr, "%s:%d: rank %d: not %s\n", __FILE__, __LINE__, rank, #condition);     \
			MPI_Abort(MPI_COMM_WORLD, 1);                                                          \
		}                                                                                          \
	} while (0)

static double sum(double value, MPI_Comm comm) {
	double result = -1;
	CHECK(MPI_Allreduce(&value, &result, 1, MPI_DOUBLE, MPI_SUM, comm) == MPI_SUCCESS);
	return result;
}

/* The library takes what it should. */
static void test_taken(void) {
	CHECK(sum(rank, MPI_COMM_WORLD) == ranks * (ranks - 1) / 2.0);
	struct plan *plan = plan_of(MPI_COMM_WORLD, 8);
	CHECK(plan && plan->shape.sources == 1 && plan->shape.copies == 1);
	uint32_t operations = plan->operations;
	sum(rank, MPI_COMM_WORLD);
	CHECK(plan->operations == operations + 1);
	CHECK(plan_of(MPI_COMM_WORLD, 1 << 20) == NULL);
	CHECK(sum(3, MPI_COMM_SELF) == 3 && plan_of(MPI_COMM_SELF, 8) == NULL);
}

/* Datatypes of Fortran with a size in their names are taken; one that the MPI library has not is
 * not tested. */
static void test_sizes(void) {
	const struct {
		MPI_Datatype type;
		int bytes; /* of a number */
		bool real;
	} cases[] = {{MPI_INTEGER1, 1, false}, {MPI_INTEGER2, 2, false}, {MPI_INTEGER4, 4, false},
	             {MPI_INTEGER8, 8, false}, {MPI_REAL4, 4, true},     {MPI_REAL8, 8, true},
	             {MPI_COMPLEX8, 4, true},  {MPI_COMPLEX16, 8, true}};
	struct plan *plan = plan_of(MPI_COMM_WORLD, 8);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char numbers[16] = {0};
		int bytes, length = cases[i].bytes;
		uint32_t operations = plan->operations;
		if (cases[i].type == MPI_DATATYPE_NULL)
			continue;
		MPI_Type_size(cases[i].type, &bytes);
		for (int at = 0; at < bytes; at += length)
			if (!cases[i].real)
				numbers[at] = 1; /* the lowest byte is the first */
			else if (length == 4)
				memcpy(numbers + at, &(float){1}, 4);
			else
				memcpy(numbers + at, &(double){1}, 8);
		MPI_Allreduce(MPI_IN_PLACE, numbers, 1, cases[i].type, MPI_SUM, MPI_COMM_WORLD);
		CHECK(plan->operations == operations + 1);
		for (int at = 0; at < bytes; at += length)
			if (!cases[i].real)
				CHECK(numbers[at] == ranks);
			else if (length == 4)
				CHECK(memcmp(numbers + at, &(float){(float)ranks}, 4) == 0);
			else
				CHECK(memcmp(numbers + at, &(double){ranks}, 8) == 0);
	}
}

static void add_first(void *left, void *right, int *count, MPI_Datatype *type) {
	MPI_Aint low, extent;
	MPI_Type_get_extent(*type, &low, &extent);
	for (int i = 0; i < *count; i++)
		*(double *)((char *)right + i * extent) += *(double *)((char *)left + i * extent);
}

/* A datatype with gaps, and one that is longer than its elements, leave the gaps as they are. */
static void test_gaps(void) {
	MPI_Datatype strided, wide;
	MPI_Op add;
	double values[6] = {1, -7, 1, -7, 1, -7}, result[6] = {0, 5, 0, 5, 0, 5};
	uint32_t before = plan_of(MPI_COMM_WORLD, 8)->operations;
	MPI_Op_create(add_first, 1, &add);
	MPI_Type_create_resized(MPI_DOUBLE, 0, 16, &wide);
	MPI_Type_vector(1, 1, 2, wide, &strided);
	MPI_Type_commit(&wide);
	MPI_Type_commit(&strided);
	MPI_Allreduce(values, result, 3, wide, add, MPI_COMM_WORLD);
	for (int i = 0; i < 3; i++)
		CHECK(result[2 * i] == ranks && result[2 * i + 1] == 5);
	MPI_Allreduce(values, result, 3, strided, add, MPI_COMM_WORLD);
	for (int i = 0; i < 3; i++)
		CHECK(result[2 * i] == ranks && result[2 * i + 1] == 5);
	struct {
		double value;
		int where;
	} mine = {-rank, rank}, least;
	MPI_Allreduce(&mine, &least, 1, MPI_DOUBLE_INT, MPI_MINLOC, MPI_COMM_WORLD);
	CHECK(least.where == ranks - 1);
	CHECK(plan_of(MPI_COMM_WORLD, 8)->operations == before);
	MPI_Op_free(&add);
	MPI_Type_free(&wide);
	MPI_Type_free(&strided);
}

/* Errors are those of the native allreduce. Debian's MPICH ends the program at them, natively. */
static void test_errors(void) {
	char version[MPI_MAX_LIBRARY_VERSION_STRING];
	int length, value = 1, result;
	MPI_Get_library_version(version, &length);
	if (!strstr(version, "Open MPI"))
		return;
	MPI_Comm comm;
	MPI_Comm_dup(MPI_COMM_WORLD, &comm);
	MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
	sum(1, comm);
	const struct {
		const void *from;
		int count;
		MPI_Datatype type;
		MPI_Op op;
	} cases[] = {{&value, -1, MPI_INT, MPI_SUM},
	             {&value, 1, MPI_DATATYPE_NULL, MPI_SUM},
	             {&value, 1, MPI_INT, MPI_OP_NULL},
	             {&value, 1, MPI_FLOAT, MPI_BAND},
	             {&value, 1, MPI_INT, MPI_MAXLOC}};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		int ours =
		    MPI_Allreduce(cases[i].from, &result, cases[i].count, cases[i].type, cases[i].op, comm);
		int native = PMPI_Allreduce(cases[i].from, &result, cases[i].count, cases[i].type,
		                            cases[i].op, comm);
		CHECK(ours == native && ours != MPI_SUCCESS);
	}
	CHECK(MPI_Allreduce(&value, &result, 0, MPI_INT, MPI_SUM, comm) == MPI_SUCCESS);
	MPI_Comm_free(&comm);
}

/* A sum that an MPI library may lack is the native one, whose error is that of no other call. */
static void test_lacking(void) {
	static const _Alignas(64) char number[32];
	_Alignas(64) char result[32];
	MPI_Comm comm;
	if (MPI_COMPLEX32 == MPI_DATATYPE_NULL)
		return;
	MPI_Comm_dup(MPI_COMM_WORLD, &comm);
	MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
	sum(1, comm);
	int ours = MPI_Allreduce(number, result, 1, MPI_COMPLEX32, MPI_SUM, comm);
	int native = PMPI_Allreduce(number, result, 1, MPI_COMPLEX32, MPI_SUM, comm);
	CHECK((ours == MPI_SUCCESS) == (native == MPI_SUCCESS));
	CHECK(sum(1, comm) == ranks);
	MPI_Comm_free(&comm);
}

/* An allreduce between two groups is the native one. */
static void test_intercommunicator(void) {
	MPI_Comm half, both;
	MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
	MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 5, &both);
	int others = ranks / 2 + (rank % 2 == 1 && ranks % 2);
	CHECK(sum(1, both) == others);
	CHECK(plan_of(both, 8) == NULL);
	MPI_Comm_free(&both);
	MPI_Comm_free(&half);
}

static int copies, deletions;

static int copy(MPI_Comm comm, int key, void *state, void *in, void *out, int *flag) {
	(void)comm, (void)key, (void)state, (void)in, (void)out;
	copies++;
	*flag = 0;
	return MPI_SUCCESS;
}

static int delete (MPI_Comm comm, int key, void *value, void *state) {
	(void)comm, (void)key, (void)value, (void)state;
	deletions++;
	return MPI_SUCCESS;
}

/* The program's attributes are copied when it copies a communicator, and then only. */
static void test_attributes(void) {
	MPI_Comm first, second;
	int key;
	MPI_Comm_create_keyval(copy, delete, &key, NULL);
	MPI_Comm_dup(MPI_COMM_WORLD, &first);
	MPI_Comm_set_attr(first, key, NULL);
	sum(1, first);
	CHECK(copies == 0);
	MPI_Comm_dup(first, &second);
	CHECK(copies == 1 && sum(1, second) == ranks);
	CHECK(plan_of(first, 8) != plan_of(second, 8));
	MPI_Comm_free(&first);
	CHECK(deletions == 1 && sum(2, second) == 2 * ranks);
	MPI_Comm_free(&second);
	MPI_Comm_free_keyval(&key);
}

/* A communicator is freed while messages of its last call are on the way to a rank that is late. */
static void test_free(void) {
	for (int i = 0; i < 8; i++) {
		MPI_Comm comm;
		MPI_Comm_dup(MPI_COMM_WORLD, &comm);
		sum(1, comm);
		if (rank == i % ranks)
			usleep(10000);
		CHECK(sum(1, comm) == ranks);
		MPI_Comm_free(&comm);
	}
}

/* More communicators, one after the other, than an MPI library has at once. */
static void test_many(void) {
	for (int i = 0; i < 2500; i++) {
		MPI_Comm comm;
		MPI_Comm_dup(MPI_COMM_WORLD, &comm);
		CHECK(sum(i, comm) == (double)ranks * i);
		MPI_Comm_free(&comm);
	}
}

static void *call_often(void *comm) {
	for (int i = 0; i < 100; i++)
		CHECK(sum(i, *(MPI_Comm *)comm) == (double)ranks * i);
	return NULL;
}

/* Threads call at the same time, each on a communicator of its own that is new to the library. */
static void test_threads(void) {
	enum { THREADS = 3 };
	pthread_t threads[THREADS];
	MPI_Comm comms[THREADS];
	for (int i = 0; i < THREADS; i++)
		MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, call_often, &comms[i]);
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		MPI_Comm_free(&comms[i]);
	}
}

int main(int argc, char **argv) {
	int provided;
	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	test_taken();
	if (ranks == 2) {
		test_many();
	} else {
		test_sizes();
		test_gaps();
		test_errors();
		test_lacking();
		test_intercommunicator();
		test_attributes();
		test_free();
		if (provided == MPI_THREAD_MULTIPLE)
			test_threads();
	}
	if (rank == 0)
		printf("cases: all passed%s\n", provided == MPI_THREAD_MULTIPLE
		                                    ? ""
		                                    : ", without threads, which this MPI does not have");

	/* MPI_Finalize comes while a rank is late. */
	if (rank == ranks - 1)
		usleep(20000);
	sum(1, MPI_COMM_WORLD);
	return MPI_Finalize();
}
