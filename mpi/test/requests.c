/*
 * What valid programs do with nonblocking and persistent allreduces. The program knows nothing of
 * the library, which is preloaded or not; all sums are checked.
 *
 *	requests CASE [ARGUMENT]...
 */
#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if MPI_VERSION < 4 && defined OMPI_MAJOR_VERSION && OMPI_MAJOR_VERSION < 5
#include <mpi-ext.h>
#define MPI_Allreduce_init MPIX_Allreduce_init
#endif

static int rank, ranks;

#define CHECK(condition)                                                                           \
	do {                                                                                           \
		if (!(condition)) {                                                                        \
			fprintf(stderr, "%s:%d: rank %d: not %s\n", __FILE__, __LINE__, rank, #condition);     \
			abort();                                                                               \
		}                                                                                          \
	} while (0)

/* A sum of the ranks' numbers, plus a value of all. */
struct sum {
	double from, to;
	int value;
};

static void fill(struct sum *s, int value) { *s = (struct sum){rank + value, -1, value}; }

static void check(const struct sum *s) {
	CHECK(s->to == ranks * (ranks - 1) / 2.0 + ranks * s->value);
}

static void blocking(MPI_Comm comm) {
	struct sum s;
	fill(&s, 7);
	CHECK(MPI_Allreduce(&s.from, &s.to, 1, MPI_DOUBLE, MPI_SUM, comm) == MPI_SUCCESS);
	check(&s);
}

static void start(struct sum *s, int value, MPI_Comm comm, MPI_Request *request) {
	fill(s, value);
	if (value % 2 == 0) {
		s->to = s->from;
		MPI_Iallreduce(MPI_IN_PLACE, &s->to, 1, MPI_DOUBLE, MPI_SUM, comm, request);
	} else {
		MPI_Iallreduce(&s->from, &s->to, 1, MPI_DOUBLE, MPI_SUM, comm, request);
	}
}

static void init(struct sum *s, MPI_Comm comm, MPI_Request *request) {
	CHECK(MPI_Allreduce_init(&s->from, &s->to, 1, MPI_DOUBLE, MPI_SUM, comm, MPI_INFO_NULL,
	                         request) == MPI_SUCCESS);
}

/* A copy of MPI_COMM_WORLD on which there has been a blocking call. */
static MPI_Comm copy(void) {
	MPI_Comm comm;
	MPI_Comm_dup(MPI_COMM_WORLD, &comm);
	MPI_Comm_set_name(comm, "requests");
	blocking(comm);
	return comm;
}

/* finish completes requests in one of the ways that there are. */
static void finish(int way, int count, MPI_Request *requests) {
	int index, done = 0, indices[16];
	switch (way % 6) {
	case 0:
		MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
		return;
	case 1:
		for (int i = count; i-- > 0;)
			MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
		return;
	case 2:
		while (MPI_Waitany(count, requests, &index, MPI_STATUS_IGNORE), index != MPI_UNDEFINED)
			CHECK(requests[index] == MPI_REQUEST_NULL);
		return;
	case 3:
		for (int found, all = 0; all < count; all += found && index != MPI_UNDEFINED)
			MPI_Testany(count, requests, &index, &found, MPI_STATUS_IGNORE);
		return;
	case 4:
		while (MPI_Waitsome(count, requests, &done, indices, MPI_STATUSES_IGNORE),
		       done != MPI_UNDEFINED)
			;
		return;
	default:
		for (int i = 0; i < count; i++)
			for (done = 0; !done;)
				MPI_Request_get_status(requests[i], &done, MPI_STATUS_IGNORE);
		MPI_Testall(count, requests, &done, MPI_STATUSES_IGNORE);
		CHECK(done);
	}
}

/* Many requests at once, on several communicators, with messages and blocking calls among them. */
static void test_overlap(char **unused) {
	enum { SUMS = 6, ROUNDS = 120 };
	MPI_Comm comms[3] = {copy(), copy(), copy()};
	(void)unused;
	for (int round = 0; round < ROUNDS; round++) {
		struct sum sums[SUMS];
		MPI_Request requests[SUMS + 2];
		int mine = rank, theirs = -1, next = (rank + 1) % ranks, last = (rank + ranks - 1) % ranks;
		MPI_Irecv(&theirs, 1, MPI_INT, last, 0, MPI_COMM_WORLD, &requests[0]);
		for (int i = 0; i < SUMS; i++)
			start(&sums[i], round + i, comms[(round + i * i) % 3], &requests[i + 1]);
		MPI_Isend(&mine, 1, MPI_INT, next, 0, MPI_COMM_WORLD, &requests[SUMS + 1]);
		if (round % 5 == 0)
			blocking(comms[round % 3]);
		if (round % 7 == rank)
			usleep(300);
		finish(round, SUMS + 2, requests);
		for (int i = 0; i < SUMS; i++)
			check(&sums[i]);
		CHECK(theirs == last);
	}
	for (int i = 0; i < 3; i++)
		MPI_Comm_free(&comms[i]);
}

/* A rank that is in another function of MPI does its part of what others wait for. */
static void test_progress(char **unused) {
	MPI_Comm one = copy(), other = copy();
	(void)unused;
	for (int i = 0; i < 20; i++) {
		struct sum sum, second;
		MPI_Request request, both[2];
		int word = i;
		start(&sum, i, one, &request);
		if (rank == 0)
			MPI_Recv(&word, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		if (rank == 1)
			MPI_Send(&word, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
		check(&sum);

		start(&sum, i, one, &request);
		if (rank == 0)
			MPI_Barrier(other);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		if (rank != 0)
			MPI_Barrier(other);
		check(&sum);

		/* Ranks may have several orders of calls on several communicators. */
		if (rank != 0)
			MPI_Barrier(other);
		start(&sum, i, one, &request);
		if (rank == 0)
			MPI_Barrier(other);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		check(&sum);

		start(&sum, i, rank % 2 ? one : other, &both[0]);
		start(&second, i, rank % 2 ? other : one, &both[1]);
		MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
		check(&sum);
		check(&second);
	}
	MPI_Comm_free(&one);
	MPI_Comm_free(&other);
}

static void test_persistent(char **unused) {
	struct sum sums[3], other;
	MPI_Request requests[5];
	int mine = rank, theirs = -1, next = (rank + 1) % ranks, last = (rank + ranks - 1) % ranks,
	    done;
	MPI_Comm comm;
	(void)unused;
	MPI_Comm_dup(MPI_COMM_WORLD, &comm); /* without a blocking call */
	MPI_Comm_set_name(comm, "requests");
	for (int i = 0; i < 3; i++)
		init(&sums[i], comm, &requests[i]);
	MPI_Recv_init(&theirs, 1, MPI_INT, last, 0, MPI_COMM_WORLD, &requests[3]);
	MPI_Send_init(&mine, 1, MPI_INT, next, 0, MPI_COMM_WORLD, &requests[4]);
	MPI_Waitall(5, requests, MPI_STATUSES_IGNORE); /* they are not active */
	for (int round = 0; round < 60; round++) {
		MPI_Request request;
		theirs = -1;
		for (int i = 0; i < 3; i++)
			fill(&sums[i], round + i);
		if (round % 2 == 0)
			MPI_Startall(5, requests);
		else
			for (int i = 0; i < 5; i++)
				MPI_Start(&requests[i]);
		start(&other, round, comm, &request);
		if (round % 3 == 0) {
			for (int i = 0; i < 5; i++)
				MPI_Wait(&requests[4 - i], MPI_STATUS_IGNORE);
		} else if (round % 3 == 1) {
			for (done = 0; !done;)
				MPI_Testall(5, requests, &done, MPI_STATUSES_IGNORE);
		} else {
			for (int i = 0; i < 5; i++)
				for (done = 0; !done;)
					MPI_Test(&requests[i], &done, MPI_STATUS_IGNORE);
		}
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		for (int i = 0; i < 3; i++)
			check(&sums[i]);
		check(&other);
		CHECK(theirs == last);
	}
	for (int i = 0; i < 5; i++)
		MPI_Request_free(&requests[i]);
	CHECK(requests[0] == MPI_REQUEST_NULL);
	MPI_Comm_free(&comm);
}

/* Requests outlive the handle of the communicator: one that is under way, and a persistent one. */
static void test_outlive(char **unused) {
	struct sum sums[2];
	MPI_Request requests[2];
	MPI_Comm comm = copy();
	(void)unused;
	init(&sums[0], comm, &requests[0]);
	if (rank == 0)
		usleep(1000);
	start(&sums[1], 1, comm, &requests[1]);
	MPI_Comm_free(&comm);
	MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
	check(&sums[1]);
	for (int i = 0; i < 3; i++) {
		fill(&sums[0], i);
		MPI_Start(&requests[0]);
		blocking(MPI_COMM_WORLD);
		MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
		check(&sums[0]);
	}
	MPI_Request_free(&requests[0]);
}

static void add(void *from, void *to, int *count, MPI_Datatype *type) {
	(void)type;
	for (int i = 0; i < 2 * *count; i++)
		((double *)to)[i] += ((double *)from)[i];
}

/* Datatypes and operations are freed while the calls are under way. */
static void test_freed(char **unused) {
	MPI_Comm comm = copy();
	(void)unused;
	for (int i = 0; i < 20; i++) {
		double vector[4] = {1, 1, 1, 1}, result[4] = {0};
		struct sum sum;
		MPI_Request requests[2];
		MPI_Datatype pair;
		MPI_Op op;
		MPI_Type_contiguous(2, MPI_DOUBLE, &pair);
		MPI_Type_commit(&pair);
		MPI_Op_create(add, 1, &op);
		if (i % 3 == rank)
			usleep(500);
		MPI_Iallreduce(vector, result, 2, pair, op, comm, &requests[0]);
		start(&sum, i, comm, &requests[1]);
		MPI_Op_free(&op);
		MPI_Type_free(&pair);
		MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
		check(&sum);
		for (int j = 0; j < 4; j++)
			CHECK(result[j] == ranks);
	}
	MPI_Comm_free(&comm);
}

/* Errors come back from functions of requests, and the program ends. */
static void test_disagree(char **unused) {
	double vector[4] = {1, 1, 1, 1}, result[4];
	MPI_Request request;
	MPI_Comm comm = copy();
	(void)unused;
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
	MPI_Iallreduce(vector, result, rank == 0 ? 4 : 1, MPI_DOUBLE, MPI_SUM, comm, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	CHECK(request == MPI_REQUEST_NULL);
	blocking(MPI_COMM_WORLD);
}

static MPI_Comm broken;
static int handled;

/* handle is an error handler that makes calls of its own, with a persistent request among them. */
static void handle(MPI_Comm *comm, int *code, ...) {
	struct sum s;
	MPI_Request requests[2];
	int mine = 1, theirs = 0;
	(void)code;
	handled += *comm == broken;
	MPI_Recv_init(&theirs, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &requests[0]);
	MPI_Start(&requests[0]);
	MPI_Send(&mine, 1, MPI_INT, 0, 0, MPI_COMM_SELF);
	MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
	CHECK(theirs == 1);
	MPI_Request_free(&requests[0]);
	fill(&s, 1);
	MPI_Iallreduce(&s.from, &s.to, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF, &requests[1]);
	MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
}

/* Error handlers may call MPI. Some rank has a vector that is too long for another's. */
static void test_handler(char **unused) {
	double vector[4] = {1, 1, 1, 1}, result[4];
	struct sum sum;
	MPI_Request request, persistent;
	MPI_Errhandler handler;
	MPI_Comm other = copy();
	(void)unused;
	broken = copy();
	init(&sum, other, &persistent);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_create_errhandler(handle, &handler);
	MPI_Comm_set_errhandler(broken, handler);
	MPI_Iallreduce(vector, result, rank == 0 ? 4 : 1, MPI_DOUBLE, MPI_SUM, broken, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	CHECK(request == MPI_REQUEST_NULL);
	MPI_Allreduce(MPI_IN_PLACE, &handled, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	CHECK(handled > 0);
	fill(&sum, 1);
	MPI_Start(&persistent);
	MPI_Wait(&persistent, MPI_STATUS_IGNORE);
	check(&sum);
	MPI_Request_free(&persistent);
}

static struct sum last_sum;
static MPI_Request last_request;

static int start_last(MPI_Comm comm, int key, void *value, void *state) {
	(void)comm, (void)key, (void)value, (void)state;
	for (int i = 0; i < 3; i++) {
		fill(&last_sum, i);
		MPI_Start(&last_request);
		MPI_Wait(&last_request, MPI_STATUS_IGNORE);
		check(&last_sum);
	}
	MPI_Request_free(&last_request);
	return MPI_SUCCESS;
}

/* MPI_Finalize calls back a function that starts a persistent request. */
static void test_last(char **unused) {
	int key;
	(void)unused;
	init(&last_sum, MPI_COMM_WORLD, &last_request);
	MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, start_last, &key, NULL);
	MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
}

/* device LIBRARY loads a runtime that says that a vector is of a device, on one rank. */
static void test_device(char **libraries) {
	MPI_Comm comm = copy();
	void *library = dlopen(*libraries, RTLD_NOW | RTLD_LOCAL);
	CHECK(library);
	const void **device = dlsym(library, "fake_device");
	for (int i = 0; i < 10; i++) {
		struct sum sums[2];
		MPI_Request requests[2];
		*device = rank == i % ranks ? &sums[0].to : NULL;
		start(&sums[0], i, comm, &requests[0]);
		start(&sums[1], i, comm, &requests[1]);
		blocking(comm);
		finish(i, 2, requests);
		check(&sums[0]);
		check(&sums[1]);
	}
	*device = NULL;
	MPI_Comm_free(&comm);
}

/* A collective cannot be cancelled, and is right after the attempt. */
static void test_cancel(char **unused) {
	struct sum sum, again;
	MPI_Request request, persistent;
	MPI_Comm comm = copy();
	(void)unused;
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
	init(&again, comm, &persistent);
	if (rank == 0)
		usleep(1000);
	start(&sum, 1, comm, &request);
	fill(&again, 3);
	MPI_Start(&persistent);
	MPI_Cancel(&request);
	MPI_Cancel(&persistent);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_Wait(&persistent, MPI_STATUS_IGNORE);
	check(&sum);
	check(&again);
	MPI_Request_free(&persistent);
	blocking(comm);
}

/* MPI_Finalize finds a persistent request that is not freed, and one that was not waited for. */
static void test_open(char **unused) {
	static struct sum sums[2];
	MPI_Request requests[2];
	MPI_Comm comm = copy();
	(void)unused;
	init(&sums[0], comm, &requests[0]);
	fill(&sums[0], 3);
	MPI_Start(&requests[0]);
	MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
	check(&sums[0]);
	start(&sums[1], 2, comm, &requests[1]);
}

/* The first calls are nonblocking, and ranks make them when they like. */
static void test_early(char **unused) {
	struct sum sums[6];
	MPI_Request requests[6];
	int word = 0;
	(void)unused;
	if (rank == 1)
		MPI_Recv(&word, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	for (int i = 0; i < 3; i++)
		start(&sums[i], i, MPI_COMM_WORLD, &requests[i]);
	if (rank == 0)
		MPI_Send(&word, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
	blocking(MPI_COMM_WORLD);
	for (int i = 3; i < 6; i++)
		start(&sums[i], i, MPI_COMM_WORLD, &requests[i]);
	finish(0, 6, requests);
	for (int i = 0; i < 6; i++)
		check(&sums[i]);
}

static void *loop(void *comm) {
	for (int i = 0; i < 200; i++) {
		struct sum sum;
		MPI_Request request;
		start(&sum, i, *(MPI_Comm *)comm, &request);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		check(&sum);
		if (i % 10 == 0)
			blocking(*(MPI_Comm *)comm);
	}
	return NULL;
}

/* Two threads, with a communicator each. */
static void test_threads(char **unused) {
	MPI_Comm comms[2] = {copy(), copy()};
	pthread_t thread;
	(void)unused;
	pthread_create(&thread, NULL, loop, &comms[0]);
	loop(&comms[1]);
	pthread_join(thread, NULL);
}

int main(int argc, char **argv) {
	static const struct {
		const char *name;
		void (*test)(char **arguments);
	} cases[] = {
	    {"overlap", test_overlap}, {"progress", test_progress}, {"persistent", test_persistent},
	    {"freed", test_freed},     {"outlive", test_outlive},   {"disagree", test_disagree},
	    {"device", test_device},   {"cancel", test_cancel},     {"open", test_open},
	    {"early", test_early},     {"threads", test_threads},   {"handler", test_handler},
	    {"last", test_last}};
	int provided;
	bool threads = argc > 1 && strcmp(argv[1], "threads") == 0;
	MPI_Init_thread(&argc, &argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	for (size_t i = 0; argc > 1 && i < sizeof cases / sizeof *cases; i++)
		if (strcmp(argv[1], cases[i].name) == 0) {
			cases[i].test(argv + 2);
			return MPI_Finalize();
		}
	fprintf(stderr, "requests: there is no such case\n");
	MPI_Abort(MPI_COMM_WORLD, 2);
}
