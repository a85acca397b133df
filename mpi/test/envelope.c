/*
 * What valid programs do around MPI_Allreduce that asks nothing of the library but not to break it.
 * The program knows nothing of the library, which is preloaded or not; all sums are checked.
 *
 *	envelope CASE [ARGUMENT]...
 */
#include <dlfcn.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

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

/* sum checks a sum of ones. */
static void sum(MPI_Comm comm, int right) {
	double one = 1, result = -1;
	CHECK(MPI_Allreduce(&one, &result, 1, MPI_DOUBLE, MPI_SUM, comm) == MPI_SUCCESS);
	CHECK(result == right);
}

/* nonblocking_sum is the same by a request. */
static void nonblocking_sum(MPI_Comm comm, int right) {
	double one = 1, result = -1;
	MPI_Request request;
	MPI_Iallreduce(&one, &result, 1, MPI_DOUBLE, MPI_SUM, comm, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	CHECK(result == right);
}

/* Parents and children, which have the library or not, sum on what they merge to, and on parts of
 * it in another order. */
static void merged(MPI_Comm both, bool child, int all) {
	MPI_Comm one, part;
	sum(both, child ? all - 2 : 2);
	MPI_Intercomm_merge(both, child, &one);
	MPI_Comm_split(one, 0, -rank - 2 * child, &part);
	for (int i = 0; i < 5; i++) {
		sum(one, all);
		sum(part, all);
		sum(MPI_COMM_WORLD, ranks);
		nonblocking_sum(part, all);
	}
	nonblocking_sum(both, child ? all - 2 : 2);
	MPI_Barrier(both);
	MPI_Barrier(one);
	MPI_Comm_free(&part);
	MPI_Comm_free(&one);
	MPI_Comm_disconnect(&both);
}

/* spawn PROGRAM ARGUMENTS... starts two children so; the last argument is "child". */
static void test_spawn(char **command) {
	MPI_Comm both;
	sum(MPI_COMM_WORLD, ranks);
	MPI_Comm_spawn(command[0], command + 1, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &both,
	               MPI_ERRCODES_IGNORE);
	merged(both, false, ranks + 2);
}

static void test_child(char **unused) {
	MPI_Comm both;
	(void)unused;
	MPI_Comm_get_parent(&both);
	merged(both, true, 4);
}

/* The halves of the ranks connect by a port. */
static void test_connect(char **unused) {
	char port[MPI_MAX_PORT_NAME];
	MPI_Comm half, both, one;
	int upper = 2 * rank >= ranks, boundary = (ranks + 1) / 2;
	(void)unused;
	MPI_Comm_split(MPI_COMM_WORLD, upper, 0, &half);
	if (rank == 0) {
		MPI_Open_port(MPI_INFO_NULL, port);
		MPI_Send(port, sizeof port, MPI_CHAR, boundary, 0, MPI_COMM_WORLD);
	} else if (rank == boundary) {
		MPI_Recv(port, sizeof port, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	if (upper)
		MPI_Comm_connect(port, MPI_INFO_NULL, 0, half, &both);
	else
		MPI_Comm_accept(port, MPI_INFO_NULL, 0, half, &both);
	MPI_Intercomm_merge(both, upper, &one);
	for (int i = 0; i < 5; i++)
		sum(one, ranks);
	MPI_Comm_free(&one);
	MPI_Comm_disconnect(&both);
	MPI_Comm_free(&half);
}

static int sum_at_end(MPI_Comm comm, int key, void *value, void *state) {
	(void)comm, (void)key, (void)value, (void)state;
	for (int i = 0; i < 5; i++)
		sum(MPI_COMM_WORLD, ranks);
	MPI_Barrier(MPI_COMM_WORLD);
	nonblocking_sum(MPI_COMM_WORLD, ranks);
	return MPI_SUCCESS;
}

/* A callback sums during MPI_Finalize. Some ranks have set it before their first allreduce. */
static void test_finalize(char **unused) {
	int key;
	(void)unused;
	MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, sum_at_end, &key, NULL);
	if (rank % 2 == 0)
		MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
	sum(MPI_COMM_WORLD, ranks);
	if (rank % 2 == 1)
		MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
}

/* Communicators that live at the same time, of which an MPI library may have two thousand. */
static void test_many(char **unused) {
	enum { MANY = 1500 };
	static MPI_Comm comms[MANY];
	(void)unused;
	for (int i = 0; i < MANY; i++) {
		MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
		sum(comms[i], ranks);
	}
	for (int i = 0; i < MANY; i++) {
		sum(comms[i], ranks);
		MPI_Comm_free(&comms[i]);
	}
	sum(MPI_COMM_WORLD, ranks);
}

/* Ranks disagree on the length, and go on after the error that some of them get. */
static void test_disagree(char **unused) {
	double vector[4] = {1, 1, 1, 1}, result[4];
	(void)unused;
	MPI_Comm comm;
	MPI_Comm_dup(MPI_COMM_WORLD, &comm);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
	sum(comm, ranks);
	MPI_Allreduce(vector, result, rank == 0 ? 4 : 1, MPI_DOUBLE, MPI_SUM, comm);
	sum(MPI_COMM_WORLD, ranks);
}

/* peak returns the most memory that the process has had [KiB]. */
static long peak(void) {
	struct rusage usage;
	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_maxrss;
}

/* A vector of 64 MB takes no more than thrice that, besides the program's own two. */
static void test_long(char **unused) {
	int count = 64000000 / (int)sizeof(double);
	double *from = malloc(64000000), *to = malloc(64000000);
	(void)unused;
	for (int i = 0; i < count; i++)
		from[i] = to[i] = i % 1000 + rank;
	long before = peak();
	MPI_Allreduce(from, to, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	CHECK(peak() - before < 3 * 64000);
	for (int i = 0; i < count; i++)
		CHECK(to[i] == i % 1000 * ranks + ranks * (ranks - 1) / 2);
	for (int i = 0; i < count; i++)
		to[i] = i % 777;
	MPI_Allreduce(MPI_IN_PLACE, to, count - 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
	for (int i = 0; i < count; i++)
		CHECK(to[i] == i % 777);
	free(from);
	free(to);
}

/* device LIBRARY... loads runtimes that say that vectors are of a device: on all ranks, or on one.
 */
static void test_device(char **libraries) {
	for (; *libraries; libraries++) {
		sum(MPI_COMM_WORLD, ranks);
		void *library = dlopen(*libraries, RTLD_NOW | RTLD_LOCAL);
		CHECK(library);
		const void **device = dlsym(library, "fake_device");
		CHECK(device);
		double one = 1, result = -1;
		*device = &one;
		MPI_Allreduce(&one, &result, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
		CHECK(result == ranks);
		*device = rank == 0 ? &result : NULL;
		MPI_Allreduce(&one, &result, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
		CHECK(result == ranks);
		*device = NULL;
		sum(MPI_COMM_WORLD, ranks);
	}
}

#ifdef OPEN_MPI
/* buffered starts buffered messages, of which the first is still on its way when the next is
 * started. */
static void buffered(void (*start)(MPI_Fint *, MPI_Fint *),
                     void (*startall)(MPI_Fint *, MPI_Fint *, MPI_Fint *)) {
	enum { LENGTH = 16000, MESSAGES = 20 };
	static char vector[LENGTH], buffer[2 * MESSAGES * LENGTH];
	int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks, length;
	MPI_Request request;
	MPI_Fint code = -1, one = 1;
	void *detached;
	MPI_Buffer_attach(buffer, sizeof buffer);
	MPI_Bsend_init(vector, LENGTH, MPI_CHAR, next, 0, MPI_COMM_WORLD, &request);
	MPI_Fint number = MPI_Request_c2f(request);
	for (int i = 0; i < MESSAGES; i++) {
		if (i % 2 == 0)
			start(&number, &code);
		else
			startall(&one, &number, &code);
		CHECK(code == MPI_SUCCESS);
		request = MPI_Request_f2c(number);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	}
	for (int i = 0; i < MESSAGES; i++)
		MPI_Recv(vector, LENGTH, MPI_CHAR, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Request_free(&request);
	MPI_Buffer_detach(&detached, &length);
}
#endif

/* Fortran starts and frees persistent requests that C has made. */
static void test_mixed(char **library) {
#ifdef OPEN_MPI
	void *fortran = dlopen(*library, RTLD_NOW | RTLD_GLOBAL), *found = RTLD_DEFAULT;
	CHECK(fortran);
	void (*start)(MPI_Fint *, MPI_Fint *) = dlsym(found, "mpi_start_");
	void (*startall)(MPI_Fint *, MPI_Fint *, MPI_Fint *) = dlsym(found, "mpi_startall_");
	void (*release)(MPI_Fint *, MPI_Fint *) = dlsym(found, "mpi_request_free_");
	CHECK(start && startall && release);
	for (int i = 0; i < 20; i++) {
		double one = 1, results[2] = {0};
		MPI_Request requests[2];
		MPI_Fint numbers[2], code = -1, two = 2;
		for (int j = 0; j < 2; j++) {
			MPI_Allreduce_init(&one, &results[j], 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD,
			                   MPI_INFO_NULL, &requests[j]);
			numbers[j] = MPI_Request_c2f(requests[j]);
		}
		start(&numbers[0], &code);
		CHECK(code == MPI_SUCCESS);
		start(&numbers[1], &code);
		MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
		CHECK(results[0] == ranks && results[1] == ranks);
		results[0] = results[1] = 0;
		startall(&two, numbers, &code);
		CHECK(code == MPI_SUCCESS);
		MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
		CHECK(results[0] == ranks && results[1] == ranks);
		for (int j = 0; j < 2; j++) {
			release(&numbers[j], &code);
			CHECK(code == MPI_SUCCESS && numbers[j] == MPI_Request_c2f(MPI_REQUEST_NULL));
		}
		/* A receive may get the handle of what is freed. */
		int mine = rank, theirs = -1;
		MPI_Recv_init(&theirs, 1, MPI_INT, (rank + 1) % ranks, 0, MPI_COMM_WORLD, &requests[0]);
		MPI_Start(&requests[0]);
		MPI_Send(&mine, 1, MPI_INT, (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD);
		MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
		CHECK(theirs == (rank + 1) % ranks);
		MPI_Request_free(&requests[0]);
	}
	buffered(start, startall);
#else
	(void)library;
	MPI_Abort(MPI_COMM_WORLD, 77);
#endif
}

#if MPI_VERSION >= 4
/* session makes a communicator of all processes by a session. */
static MPI_Comm session(MPI_Session *s) {
	MPI_Group group;
	MPI_Comm comm;
	MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, s);
	MPI_Group_from_session_pset(*s, "mpi://WORLD", &group);
	MPI_Comm_create_from_group(group, "envelope", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
	MPI_Group_free(&group);
	MPI_Barrier(comm);
	MPI_Comm_rank(comm, &rank);
	MPI_Comm_size(comm, &ranks);
	return comm;
}

static void end_session(MPI_Session *s, MPI_Comm *comm) {
	MPI_Comm_free(comm);
	MPI_Session_finalize(s);
}

/* Sessions one after the other. */
static void test_again(void) {
	for (int i = 0; i < 2; i++) {
		MPI_Session one;
		MPI_Comm comm = session(&one);
		sum(comm, ranks);
		end_session(&one, &comm);
	}
}

/* Two sessions at once, and no MPI_Init. */
static void test_sessions(void) {
	MPI_Session sessions[2];
	MPI_Comm comms[2];
	for (int i = 0; i < 2; i++)
		comms[i] = session(&sessions[i]);
	for (int i = 0; i < 10; i++)
		sum(comms[i % 2], ranks);
	for (int i = 0; i < 2; i++)
		end_session(&sessions[i], &comms[i]);
}

/* A session that is used before MPI_Init, with MPI_COMM_WORLD, and after MPI_Finalize. */
static void test_both(void) {
	MPI_Session s;
	MPI_Comm comm = session(&s);
	sum(comm, ranks);
	MPI_Init(NULL, NULL);
	for (int i = 0; i < 5; i++) {
		sum(comm, ranks);
		sum(MPI_COMM_WORLD, ranks);
	}
	MPI_Barrier(comm);
	MPI_Finalize();
	MPI_Barrier(comm);
	sum(comm, ranks);
	end_session(&s, &comm);
}
#endif

int main(int argc, char **argv) {
	static const struct {
		const char *name;
		void (*test)(char **arguments);
	} cases[] = {{"spawn", test_spawn},       {"child", test_child},   {"connect", test_connect},
	             {"finalize", test_finalize}, {"many", test_many},     {"disagree", test_disagree},
	             {"long", test_long},         {"device", test_device}, {"mixed", test_mixed}};
	const char *name = argc > 1 ? argv[1] : "";
#if MPI_VERSION >= 4
	if (strcmp(name, "sessions") == 0)
		return test_sessions(), 0;
	if (strcmp(name, "again") == 0)
		return test_again(), 0;
	if (strcmp(name, "both") == 0)
		return test_both(), 0;
#endif
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		if (strcmp(name, cases[i].name) == 0) {
			cases[i].test(argv + 2);
			return MPI_Finalize();
		}
	fprintf(stderr, "envelope: there is no such case\n");
	MPI_Abort(MPI_COMM_WORLD, 2);
}
