/*
 * A program that knows what it calls, to be compared with what is recorded of it:
 *
 *	recording calls DIRECTORY      each collective, with lines for what is to be recorded in
 *	                               DIRECTORY/want-RANK: BYTES COMMUNICATOR KIND OPERATION
 *	recording many CALLS [END]     sums; then it ends by kill, abort or exit, or before them it
 *	                               limits the length of its files, if so asked
 *	recording cost CALLS [started] sums, and the time of the processor for each [ns]; started: each
 *is started and waited for recording delays CALLS         sums, each 5 ms later in the next rank
 *	recording threads CALLS        sums of four threads, with a communicator each
 *	recording simulated            sums after computing of known length, in simulated time
 */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#ifdef SMPI_H
#include <simgrid/actor.h>
#endif

static int rank, ranks;
static FILE *want;

/* wanted writes what is to be recorded. */
static void wanted(int bytes, int comm, int kind, int operation) {
	fprintf(want, "%d %d %d %d\n", bytes, comm, kind, operation);
}

/* Two places that call, with names. */
__attribute__((noinline)) void site_of_sums(MPI_Comm comm);
__attribute__((noinline)) void site_of_barriers(MPI_Comm comm);
void site_of_sums(MPI_Comm comm) {
	double one = 1, sum;
	MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, comm);
}
void site_of_barriers(MPI_Comm comm) {
	if (MPI_Barrier(comm) != MPI_SUCCESS) /* which is not the last that the function does */
		abort();
}

static void sum_of_firsts(void *from, void *to, int *count, MPI_Datatype *type) {
	(void)count, (void)type;
	*(double *)to += *(double *)from;
}

enum { MOST = 16 };

/* simple calls what has one count, or two. */
static void simple(int first) {
	double in[3 * MOST] = {0}, out[3 * MOST];
	MPI_Comm c = MPI_COMM_WORLD;
	int p = ranks;
	MPI_Op op;
	MPI_Op_create(sum_of_firsts, 1, &op);
	MPI_Allreduce(in, out, 1, MPI_DOUBLE, op, c), wanted(8, first, 1, 7);
	MPI_Op_free(&op);
	MPI_Allreduce(MPI_IN_PLACE, out, 3, MPI_INT, MPI_MAX, c), wanted(12, first, 1, 2);
	MPI_Allreduce(in, out, 0, MPI_INT, MPI_BAND, c), wanted(0, first, 1, 6);
	MPI_Reduce(in, out, 2, MPI_DOUBLE, MPI_PROD, 1, c), wanted(16, first, 3, 4);
	MPI_Bcast(out, 5, MPI_CHAR, 1, c), wanted(5, first, 4, 0);
	MPI_Allgather(in, 2, MPI_INT, out, 8, MPI_BYTE, c), wanted(8, first, 5, 0);
	MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, out, 3, MPI_INT, c), wanted(12, first, 5, 0);
	MPI_Alltoall(in, 1, MPI_DOUBLE, out, 1, MPI_DOUBLE, c), wanted(8 * p, first, 6, 0);
	MPI_Reduce_scatter_block(in, out, 2, MPI_INT, MPI_LOR, c), wanted(8 * p, first, 7, 5);
	MPI_Scan(in, out, 1, MPI_INT, MPI_MIN, c), wanted(4, first, 8, 3);
	MPI_Exscan(in, out, 1, MPI_INT, MPI_SUM, c), wanted(4, first, 8, 1);
	MPI_Gather(in, 1, MPI_INT, out, 1, MPI_INT, 1, c), wanted(4, first, 8, 0);
	MPI_Scatter(in, 2, MPI_INT, rank == 1 ? MPI_IN_PLACE : out, 2, MPI_INT, 1, c);
	wanted(8, first, 8, 0);
}

/* arrays calls what has arrays of counts: of rank r, r + 1. */
static void arrays(int first) {
	int counts[MOST], places[MOST], ones[MOST], total = 0, mine = rank + 1;
	int in[MOST * MOST] = {0}, out[MOST * MOST];
	MPI_Comm c = MPI_COMM_WORLD;
	for (int i = 0; i < ranks; i++) {
		counts[i] = i + 1;
		ones[i] = 1;
		places[i] = total;
		total += counts[i];
	}
	MPI_Reduce_scatter(in, out, counts, MPI_INT, MPI_SUM, c), wanted(4 * total, first, 7, 1);
	MPI_Allgatherv(in, mine, MPI_INT, out, counts, places, MPI_INT, c),
	    wanted(4 * mine, first, 5, 0);
	MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, out, counts, places, MPI_INT, c);
	wanted(4 * mine, first, 5, 0);
	MPI_Alltoallv(in, ones, places, MPI_INT, out, ones, places, MPI_INT, c);
	wanted(4 * ranks, first, 6, 0);
	MPI_Gatherv(in, mine, MPI_INT, out, counts, places, MPI_INT, 0, c),
	    wanted(4 * mine, first, 8, 0);
	MPI_Scatterv(in, counts, places, MPI_INT, out, mine, MPI_INT, 0, c);
	wanted(4 * mine, first, 8, 0);
}

/* What is started and complete on a communicator. */
static int number;

/* begin starts a sum, and begun notes one. */
static void begun(int comm, int operation) { wanted(8, comm, 1 + 64, operation), number++; }
static void begin(int comm, MPI_Request *request) {
	static double in = 1, out[8];
	MPI_Iallreduce(&in, &out[number % 8], 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, request);
	begun(comm, 1);
}

/* ended notes that a sum is complete: the last one, or the one that many before it. */
static void ended(int comm, int before, int operation) {
	wanted(number - 1 - before, comm, 1 + 32, operation);
}

/* finish completes requests by each function that does. */
static void finish(int how, MPI_Request *r, int count) {
	int flag = 0, index, done = 0, some, indices[4];
	while (done < count) {
#ifdef SMPI_H /* where tests take no time, and MPI_Testany takes no collective */
		sg_actor_sleep_for(1e-6);
		how = how == 6 ? 7 : how;
#endif
		switch (how) {
		case 0:
			MPI_Wait(&r[done++], MPI_STATUS_IGNORE);
			break;
		case 1:
			MPI_Waitall(count, r, MPI_STATUSES_IGNORE), done = count;
			break;
		case 2:
			MPI_Waitany(count, r, &index, MPI_STATUS_IGNORE), done++;
			break;
		case 3:
			MPI_Waitsome(count, r, &some, indices, MPI_STATUSES_IGNORE), done += some;
			break;
		case 4:
			MPI_Test(&r[done], &flag, MPI_STATUS_IGNORE), done += flag;
			break;
		case 5:
			MPI_Testall(count, r, &flag, MPI_STATUSES_IGNORE), done = flag ? count : 0;
			break;
		case 6:
			MPI_Testany(count, r, &index, &flag, MPI_STATUS_IGNORE), done += flag;
			break;
		default:
			MPI_Testsome(count, r, &some, indices, MPI_STATUSES_IGNORE), done += some;
		}
	}
}

/* started calls nonblocking and persistent collectives, among messages. */
static void started(int first) {
	double in = 1, out;
	int to = rank, from;
	MPI_Request r[3];
	MPI_Ibarrier(MPI_COMM_WORLD, r), wanted(0, first, 2 + 64, 0);
	MPI_Wait(r, MPI_STATUS_IGNORE), wanted(number++, first, 2 + 32, 0);
	for (int how = 0; how < 8; how++) {
		MPI_Irecv(&from, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &r[0]);
		begin(first, &r[1]);
		MPI_Isend(&to, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &r[2]);
		finish(how, r, 3), ended(first, 0, 1);
	}
	/* Several at once, the last one first, and one that a message follows. */
	begin(first, &r[0]), begin(first, &r[1]);
	finish(1, r, 2), ended(first, 1, 1), ended(first, 0, 1);
	begin(first, &r[0]), begin(first, &r[1]);
	finish(4, &r[1], 1), ended(first, 0, 1);
	finish(0, &r[0], 1), ended(first, 1, 1);
	for (int i = 0; i < 100; i++)
		MPI_Isend(&to, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &r[0]),
		    MPI_Irecv(&from, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &r[1]), finish(i % 8, r, 2);
#if MPI_VERSION >= 4
	MPI_Allreduce_init(&in, &out, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD, MPI_INFO_NULL, r);
	for (int how = 0; how < 8; how++) {
		if (how == 5)
			continue; /* MPI_Testall of MPICH 4.0 fails for them */
		if (how % 2 == 0)
			MPI_Start(r);
		else
			MPI_Startall(1, r);
		begun(first, 2);
		finish(how, r, 1), ended(first, 0, 2);
		MPI_Wait(r, MPI_STATUS_IGNORE); /* which is at once */
	}
	MPI_Request_free(r);
	MPI_Allreduce_c(&in, &out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD), wanted(8, first, 1, 1);
#endif
	(void)in, (void)out;
}

/* communicators calls with several, one of which gets the handle of another that is freed. */
static void communicators(int next) {
	MPI_Comm half, again, inter;
	double value = 1;
	for (int i = 0; i < 3; i++) {
		MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half), wanted(0, 1, 10, 0);
		site_of_sums(half), wanted(8, next, 1, 1);
		MPI_Comm_dup(half, &again), wanted(0, next, 10, 0);
		site_of_sums(half), wanted(8, next++, 1, 1);
		site_of_sums(again), wanted(8, next++, 1, 1);
		MPI_Comm_free(&again);
		if (i == 2)
			break;
		MPI_Comm_free(&half);
	}
#ifndef SMPI_H
	MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 0, &inter);
	wanted(0, next - 2, 10, 0);
	int root = rank % 2 ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
	site_of_barriers(inter), wanted(0, next, 2, 0);
	MPI_Bcast(&value, 1, MPI_DOUBLE, root, inter);
	wanted(root == MPI_PROC_NULL ? 0 : 8, next, 4, 0);
	/* Counts are those of the rank's own group, which may be the smaller one. */
	double in[MOST * MOST] = {0}, out[MOST];
	int own, others, counts[MOST];
	MPI_Comm_size(inter, &own);
	MPI_Comm_remote_size(inter, &others);
	for (int i = 0; i < MOST; i++)
		counts[i] = i < own ? others : 1000;
	MPI_Reduce_scatter_block(in, out, others, MPI_DOUBLE, MPI_SUM, inter);
	wanted(8 * own * others, next, 7, 1);
	MPI_Reduce_scatter(in, out, counts, MPI_DOUBLE, MPI_SUM, inter);
	wanted(8 * own * others, next++, 7, 1);
	MPI_Comm_free(&inter);
#endif
	(void)inter, (void)value;
	MPI_Comm_free(&half);
}

/* types calls what has an array of types: of ranks without elements they may be invalid. */
static void types(int first) {
	int counts[MOST], places[MOST], in[MOST] = {0}, out[MOST];
	MPI_Datatype ints[MOST];
	MPI_Request request;
	for (int i = 0; i < ranks; i++) {
		counts[i] = 1;
		places[i] = i * (int)sizeof(int);
		ints[i] = MPI_INT;
	}
	MPI_Alltoallw(in, counts, places, ints, out, counts, places, ints, MPI_COMM_WORLD);
	wanted(4 * ranks, first, 6, 0);
	MPI_Ialltoallw(in, counts, places, ints, out, counts, places, ints, MPI_COMM_WORLD, &request);
	wanted(4 * ranks, first, 6 + 64, 0), number++;
	MPI_Wait(&request, MPI_STATUS_IGNORE), wanted(number - 1, first, 6 + 32, 0);
}

/* objects calls what ranks wait in besides: neighbours, windows and files. */
static void objects(const char *directory, int next) {
#ifndef SMPI_H
	char name[1000];
	int ring = 1, mine = rank, theirs[2];
	MPI_Comm circle;
	MPI_Request request;
	MPI_Win window;
	MPI_File file;
	MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &ring, 0, &circle), wanted(0, 1, 10, 0);
	MPI_Neighbor_allgather(&mine, 1, MPI_INT, theirs, 1, MPI_INT, circle), wanted(0, next, 9, 0);
	MPI_Ineighbor_allgather(&mine, 1, MPI_INT, theirs, 1, MPI_INT, circle, &request);
	wanted(0, next, 9 + 64, 0);
	MPI_Wait(&request, MPI_STATUS_IGNORE), wanted(0, next++, 9 + 32, 0);
	MPI_Comm_free(&circle);
	for (int i = 0; i < 2; i++) { /* the second may get the handle of the first */
		MPI_Win_create(&mine, sizeof mine, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
		wanted(0, 1, 11, 0);
		MPI_Win_fence(0, window), wanted(0, next, 11, 0);
		MPI_Win_free(&window), wanted(0, next++, 11, 0);
	}
	snprintf(name, sizeof name, "%s/data", directory);
	MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
	wanted(0, 1, 12, 0);
	MPI_File_write_ordered(file, &mine, 1, MPI_INT, MPI_STATUS_IGNORE), wanted(0, next, 12, 0);
	MPI_File_close(&file), wanted(0, next, 12, 0);
#endif
	(void)directory, (void)next;
}

static void calls(const char *directory) {
	char name[1000];
	snprintf(name, sizeof name, "%s/want-%d", directory, rank);
	want = fopen(name, "w");
	simple(1);
	arrays(1);
	started(1);
	types(1);
	site_of_barriers(MPI_COMM_SELF), wanted(0, 2, 2, 0);
	communicators(3);
	objects(directory, 10);
	fclose(want);
	/* What fails is not recorded. */
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
#ifndef SMPI_H
	double value = 0;
	if (MPI_Bcast(&value, 1, MPI_DOUBLE, ranks, MPI_COMM_WORLD) == MPI_SUCCESS)
		MPI_Abort(MPI_COMM_WORLD, 1);
#endif
}

static void many(int count, const char *end) {
	if (strcmp(end, "limit") == 0)
		setrlimit(RLIMIT_FSIZE, &(struct rlimit){1500000, 1500000});
	for (int i = 0; i < count; i++)
		site_of_sums(MPI_COMM_WORLD);
	if (strcmp(end, "kill") == 0)
		kill(getpid(), SIGKILL);
	if (strcmp(end, "abort") == 0)
		MPI_Abort(MPI_COMM_WORLD, 3);
	if (strcmp(end, "exit") == 0)
		exit(0);
}

/* many_started starts sums, and waits for each. */
static void many_started(int count) {
	double one = 1, sum;
	for (int i = 0; i < count; i++) {
		MPI_Request request;
		MPI_Iallreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	}
}

static void cost(int count, bool started) {
	clock_t begin = 0;
	for (int calls = count / 10; calls <= count; calls += count - count / 10) {
		begin = clock();
		started ? many_started(calls) : many(calls, "");
	}
	if (rank == 0)
		printf("%.1f\n", (double)(clock() - begin) / CLOCKS_PER_SEC / count * 1e9);
}

static void delays(int count) {
	for (int i = 0; i < count; i++) {
		nanosleep(&(struct timespec){.tv_nsec = rank * 5000000}, NULL);
		site_of_sums(MPI_COMM_WORLD);
	}
}

static int calls_of_threads;

static void *thread(void *comm) {
	for (int i = 0; i < calls_of_threads; i++)
		site_of_sums(*(MPI_Comm *)comm);
	return NULL;
}

static void threads(int count) {
	pthread_t all[4];
	MPI_Comm comms[4];
	calls_of_threads = count;
	for (int i = 0; i < 4; i++)
		MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
	for (int i = 0; i < 4; i++)
		pthread_create(&all[i], NULL, thread, &comms[i]);
	for (int i = 0; i < 4; i++)
		pthread_join(all[i], NULL);
	for (int i = 0; i < 4; i++)
		MPI_Comm_free(&comms[i]);
}

#ifdef SMPI_H
/* Computing of rank r before call i takes (1 + r) (1 + i) 1.234567 ms. */
static void simulated(void) {
	for (int i = 0; i < 10; i++) {
		sg_actor_sleep_for((1 + rank) * (1 + i) * 1.234567e-3);
		site_of_sums(MPI_COMM_WORLD);
	}
}
#endif

int main(int argc, char **argv) {
	int provided, level = MPI_THREAD_SINGLE;
	const char *mode = argc > 1 ? argv[1] : "", *value = argc > 2 ? argv[2] : "";
	if (strcmp(mode, "threads") == 0)
		level = MPI_THREAD_MULTIPLE;
	MPI_Init_thread(&argc, &argv, level, &provided);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	if (provided < level || ranks > MOST)
		MPI_Abort(MPI_COMM_WORLD, 77);
	if (strcmp(mode, "calls") == 0)
		calls(value);
	if (strcmp(mode, "many") == 0)
		many(atoi(value), argc > 3 ? argv[3] : "");
	if (strcmp(mode, "cost") == 0)
		cost(atoi(value), argc > 3);
	if (strcmp(mode, "delays") == 0)
		delays(atoi(value));
	if (strcmp(mode, "threads") == 0)
		threads(atoi(value));
#ifdef SMPI_H
	if (strcmp(mode, "simulated") == 0)
		simulated();
#endif
	MPI_Finalize();
	return 0;
}
