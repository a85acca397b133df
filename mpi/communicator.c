#include "communicator.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "rules.h"

/* The version of the messages between ranks. All ranks of a communicator must have the same. */
#ifndef JITTERFLY_MPI_PROTOCOL
#define JITTERFLY_MPI_PROTOCOL 1
#endif

/* A communicator of the program has a private one of the same ranks, for messages, and a plan for
 * each R and T that has been used. */
struct communicator {
	MPI_Comm comm;
	struct choices choices;
	struct plan *plans; /* the newest first */
	bool *said;         /* whether verbose has said so, of choices, and of no choice */
	struct communicator *next;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct communicator *all; /* that are not freed */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int key = MPI_KEYVAL_INVALID;

/* release waits for the messages of a communicator. */
static void release(struct communicator *c) {
	while (c->plans) {
		struct plan *next = c->plans->next;
		plan_free(c->plans);
		c->plans = next;
	}
	free(c->choices.list);
	free(c->said);
	free(c);
}

/* forget is called when the program frees a communicator. */
static int forget(MPI_Comm comm, int keyval, void *value, void *state) {
	(void)comm, (void)keyval, (void)state;
	pthread_mutex_lock(&mutex);
	struct communicator **at = &all, *c;
	while (*at && *at != value)
		at = &(*at)->next;
	c = *at;
	if (c)
		*at = c->next;
	pthread_mutex_unlock(&mutex);
	if (!c)
		return MPI_SUCCESS;
	MPI_Comm private = c->comm;
	release(c);
	return private == MPI_COMM_NULL ? MPI_SUCCESS : PMPI_Comm_free(&private);
}

/* forget_all is called when MPI_Finalize frees MPI_COMM_SELF, before all else. */
static int forget_all(MPI_Comm comm, int keyval, void *value, void *state) {
	(void)comm, (void)keyval, (void)value, (void)state;
	while (all) {
		struct communicator *c = all;
		all = c->next;
		release(c);
	}
	return MPI_SUCCESS;
}

static void initialize(void) {
	int self;
	PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &key, NULL);
	PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget_all, &self, NULL);
	PMPI_Comm_set_attr(MPI_COMM_SELF, self, NULL);
}

/* fatal ends the program: the other ranks would wait for this one. */
static void fatal(MPI_Comm comm, const char *what) {
	fprintf(stderr, "jitterfly-mpi: %s\n", what);
	PMPI_Abort(comm, 1);
}

/* name returns what messages call a communicator. */
static const char *name(MPI_Comm comm, char text[MPI_MAX_OBJECT_NAME]) {
	int length = 0;
	PMPI_Comm_get_name(comm, text, &length);
	return length > 0 ? text : "a communicator";
}

/* share gives all ranks the choices of rank 0, or none if their libraries differ. */
static void share(struct communicator *c, MPI_Comm comm, int rank, int ranks) {
	/* This exchange is the same in all versions. */
	int versions[2] = {JITTERFLY_MPI_PROTOCOL, -JITTERFLY_MPI_PROTOCOL};
	PMPI_Allreduce(MPI_IN_PLACE, versions, 2, MPI_INT, MPI_MIN, comm);
	if (versions[0] != -versions[1]) {
		char text[MPI_MAX_OBJECT_NAME];
		if (rank == 0)
			fprintf(stderr,
			        "jitterfly-mpi: %s has ranks with versions %d to %d of libjitterfly-mpi.so: "
			        "preload the same file everywhere; using the native allreduce\n",
			        name(comm, text), versions[0], -versions[1]);
		return;
	}
	if (rank == 0)
		c->choices = rules_choose(ranks);
	PMPI_Bcast(&c->choices, sizeof c->choices, MPI_BYTE, 0, comm);
	if (rank != 0)
		c->choices.list = malloc((size_t)(c->choices.count + 1) * sizeof *c->choices.list);
	c->said = calloc((size_t)c->choices.count + 1, sizeof *c->said);
	if (!c->choices.list || !c->said)
		fatal(comm, "no memory");
	PMPI_Bcast(c->choices.list, c->choices.count * (int)sizeof *c->choices.list, MPI_BYTE, 0, comm);
	c->choices.verbose = c->choices.verbose && rank == 0;
}

/* adopt makes what is kept for a communicator. */
static struct communicator *adopt(MPI_Comm comm) {
	int rank, ranks, inter;
	struct communicator *c = calloc(1, sizeof *c);
	if (!c)
		fatal(comm, "no memory");
	PMPI_Comm_rank(comm, &rank);
	PMPI_Comm_size(comm, &ranks);
	PMPI_Comm_test_inter(comm, &inter);
	c->comm = MPI_COMM_NULL;
	if (!inter && ranks > 1)
		share(c, comm, rank, ranks);
	if (c->choices.count > 0) {
		/* MPI_Comm_dup would call functions of the program, to copy its attributes. */
		MPI_Group group;
		PMPI_Comm_group(comm, &group);
		PMPI_Comm_create(comm, group, &c->comm);
		PMPI_Group_free(&group);
		PMPI_Comm_set_errhandler(c->comm, MPI_ERRORS_RETURN);
	}
	PMPI_Comm_set_attr(comm, key, c);
	pthread_mutex_lock(&mutex);
	c->next = all;
	all = c;
	pthread_mutex_unlock(&mutex);
	return c;
}

/* say writes once what is used for a choice. */
static void say(struct communicator *c, MPI_Comm comm, size_t bytes, int i) {
	bool *said = &c->said[i < 0 ? c->choices.count : i];
	if (*said)
		return;
	*said = true;
	char text[MPI_MAX_OBJECT_NAME], how[64] = "the native allreduce";
	int ranks;
	const struct choice *choice = &c->choices.list[i];
	PMPI_Comm_size(comm, &ranks);
	if (i >= 0 && choice->sources > 0)
		snprintf(how, sizeof how, "R = %d, T = %d", choice->sources, choice->copies);
	fprintf(stderr, "jitterfly-mpi: %s, %d ranks, %zu B: %s", name(comm, text), ranks, bytes, how);
	if (bytes > c->choices.max_bytes)
		fprintf(stderr, " (more than JITTERFLY_MPI_MAX_BYTES, %zu)", c->choices.max_bytes);
	else if (i >= 0 && choice->line > 0)
		fprintf(stderr, " (line %d of the rules)", choice->line);
	fputc('\n', stderr);
}

/* plan returns the plan of a choice, and makes it if there is none. */
static struct plan *plan(struct communicator *c, MPI_Comm comm, const struct choice *choice) {
	struct shape shape;
	struct plan *p = c->plans;
	int ranks;
	while (p && (p->shape.sources != choice->sources || p->shape.copies != choice->copies))
		p = p->next;
	if (p)
		return p;
	PMPI_Comm_size(comm, &ranks);
	shape_init(&shape, ranks, choice->sources, choice->copies);
	p = plan_create(c->comm, c->plans ? c->plans->number + 1 : 0, &shape);
	if (!p)
		fatal(comm, "cannot exchange messages on a communicator of its own");
	p->next = c->plans;
	return c->plans = p;
}

struct plan *communicator_plan(MPI_Comm comm, size_t bytes) {
	struct communicator *c;
	int found;
	pthread_once(&once, initialize);
	if (PMPI_Comm_get_attr(comm, key, &c, &found) != MPI_SUCCESS)
		return NULL;
	if (!found)
		c = adopt(comm);
	int i = bytes > c->choices.max_bytes ? -1 : c->choices.count - 1;
	while (i >= 0 && c->choices.list[i].bytes > bytes)
		i--;
	if (c->choices.verbose)
		say(c, comm, bytes, i);
	return i < 0 || c->choices.list[i].sources == 0 ? NULL : plan(c, comm, &c->choices.list[i]);
}
