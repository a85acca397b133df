#include "communicator.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "freeing.h"
#include "record.h"
#include "rules.h"

/* The version of the messages between ranks. All ranks must have the same. */
#ifndef JITTERFLY_MPI_PROTOCOL
#define JITTERFLY_MPI_PROTOCOL 5
#endif

/* An MPI library has some two thousand communicators at a time. The program keeps most of them. */
enum { MOST_PRIVATE = 256 };

/* A communicator of the program has a private one of the same ranks, for messages, as soon as a
 * rule takes a call, and a plan for each R and T that has been used. */
struct communicator {
	MPI_Comm program, private;
	int ranks;
	bool first;          /* whether this is rank 0 */
	enum outcome native; /* why all calls are, or TAKEN */
	struct choice *choices;
	int choice_count;
	size_t max_bytes;   /* longer vectors are native */
	int young;          /* blocking calls before the one that connects it */
	bool *said;         /* whether verbose has said so: of barriers, of no choice, of choices */
	struct plan *plans; /* the newest first */
	struct requests requests;
	struct communicator *next;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct communicator *all; /* that are not freed */
static atomic_int privates;      /* that there are */
static int key = MPI_KEYVAL_INVALID;
static struct rules rules; /* set in MPI_Init, before which no other thread calls MPI */

/* Where the program is, of what the library sees of it. */
static _Atomic enum { BEFORE, BEGUN, ENDING, ENDED } phase;
static atomic_bool reached; /* an allreduce or a barrier has called the library */
static atomic_bool taking;  /* between MPI_Init and MPI_Finalize, where there are rules */
static bool ruled;          /* taking, when the program called MPI_Finalize */
static bool speaks;         /* of the whole program: whether this is rank 0 */

/* fatal ends the program: the other ranks would wait for this one. */
static void fatal(MPI_Comm comm, const char *what) {
	fprintf(stderr, "jitterfly-mpi: %s\n", what);
	PMPI_Abort(comm, 1);
}

/* summarize says what became of the calls of a communicator. */
static void summarize(const struct communicator *c) {
	if (rules.verbose && c->first)
		verbose_calls(c->program, c->ranks, &c->requests.tally);
}

/* end waits for the requests and messages of a communicator. */
static void end(struct communicator *c, bool windows) {
	requests_wait(&c->requests);
	while (c->plans) {
		struct plan *next = c->plans->next;
		plan_free(c->plans, windows);
		c->plans = next;
	}
}

/* forget is called when the program, or MPI_Finalize, frees a communicator. */
static int forget(MPI_Comm comm, int keyval, void *value, void *state) {
	(void)comm, (void)keyval, (void)state;
	struct communicator **at = &all, *c = value;
	requests_wait(&c->requests);
	if (phase == BEGUN)
		summarize(c);
	if (c->requests.persistent > 0) { /* which may be started again */
		c->requests.tally = (struct tally){0};
		c->program = c->requests.program = MPI_COMM_SELF;
		c->first = false;
		return MPI_SUCCESS;
	}
	pthread_mutex_lock(&mutex);
	while (*at && *at != c)
		at = &(*at)->next;
	if (*at)
		*at = c->next;
	privates -= c->private != MPI_COMM_NULL;
	pthread_mutex_unlock(&mutex);
	end(c, phase == BEGUN);
	MPI_Comm private = c->private;
	free(c->choices);
	free(c->said);
	free(c);
	return private == MPI_COMM_NULL || phase == ENDING ? MPI_SUCCESS : PMPI_Comm_free(&private);
}

/* same_version returns whether all ranks have this version, and says so where they differ. */
static bool same_version(int rank) {
	/* This exchange is the same in all versions from 2 on. */
	int versions[2] = {JITTERFLY_MPI_PROTOCOL, -JITTERFLY_MPI_PROTOCOL};
	if (PMPI_Allreduce(MPI_IN_PLACE, versions, 2, MPI_INT, MPI_MIN, MPI_COMM_WORLD) != MPI_SUCCESS)
		return false;
	if (versions[0] == -versions[1])
		return true;
	if (rank == 0)
		fprintf(stderr,
		        "jitterfly-mpi: ranks have versions %d to %d of libjitterfly-mpi.so: preload the "
		        "same file everywhere; using the native allreduce\n",
		        versions[0], -versions[1]);
	return false;
}

/* finish_all is called by MPI_Finalize, after what the program has it call back: that may start
 * persistent requests. */
static int finish_all(MPI_Comm self, int keyval, void *value, void *state) {
	(void)self, (void)keyval, (void)value, (void)state;
	for (struct communicator *c = all; c; c = c->next) {
		requests_wait(&c->requests);
		summarize(c);
		end(c, false); /* in an order of its own */
	}
	requests_end();
	verbose_end();
	const char *why = ruled ? NULL : "there are no rules";
	if (ruled && !reached)
		why = "no allreduce or barrier reached the library: preload it before other tools";
	if (rules.verbose && speaks && !tally_any())
		verbose_nothing(why);
	return MPI_SUCCESS;
}

/* end_last lets MPI_Finalize call finish_all: it deletes the attributes of MPI_COMM_SELF before all
 * else, the first of them last (MPI 3.1, section 8.7.1). */
static bool end_last(void) {
	int own;
	return PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, finish_all, &own, NULL) == MPI_SUCCESS &&
	       PMPI_Comm_set_attr(MPI_COMM_SELF, own, NULL) == MPI_SUCCESS;
}

void communicators_begin(void) {
	int rank = 0;
	if (phase != BEFORE)
		return;
	phase = BEGUN;
	PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
	speaks = rank == 0;
	if (!same_version(rank))
		return;
	record_begin();
	if (rank == 0)
		rules = rules_read();
	PMPI_Bcast(&rules, sizeof rules, MPI_BYTE, 0, MPI_COMM_WORLD);
	if (PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &key, NULL) != MPI_SUCCESS ||
	    !end_last() || !rules.any)
		return;
	if (rank != 0)
		rules.list = malloc((size_t)rules.count * sizeof *rules.list + 1);
	if (rules.count > 0 && !rules.list)
		fatal(MPI_COMM_WORLD, "no memory");
	PMPI_Bcast(rules.list, rules.count * (int)sizeof *rules.list, MPI_BYTE, 0, MPI_COMM_WORLD);
	atomic_store(&taking, true);
}

int communicators_end(void) {
	if (phase != BEGUN)
		return PMPI_Finalize();
	phase = ENDING;
	record_end();
	ruled = atomic_exchange(&taking, false);
	int code = PMPI_Finalize();
	phase = ENDED;
	return code;
}

/* adopt makes what is kept for a communicator. */
static struct communicator *adopt(MPI_Comm comm) {
	int rank = 0, inter = 1;
	size_t room = (size_t)rules.count + 1;
	struct communicator *c = calloc(1, sizeof *c);
	if (!c || !(c->choices = malloc(room * sizeof *c->choices)) ||
	    !(c->said = calloc(room + 2, sizeof *c->said)))
		fatal(comm, "no memory");
	c->program = c->requests.program = comm;
	c->private = MPI_COMM_NULL;
	c->max_bytes = rules.max_bytes;
	c->young = comm == MPI_COMM_WORLD ? 0 : rules.connect - 1;
	PMPI_Comm_test_inter(comm, &inter);
	PMPI_Comm_rank(comm, &rank);
	PMPI_Comm_size(comm, &c->ranks);
	if (inter || c->ranks < 2) {
		c->native = NOT_TAKEN;
	} else {
		c->first = rank == 0;
		c->choice_count = rules_choose(&rules, c->ranks, c->first, c->choices);
	}
	if (PMPI_Comm_set_attr(comm, key, c) != MPI_SUCCESS)
		fatal(comm, "cannot keep an attribute of a communicator");
	pthread_mutex_lock(&mutex);
	c->next = all;
	all = c;
	pthread_mutex_unlock(&mutex);
	return c;
}

bool communicators_taking(void) {
	if (!atomic_load_explicit(&reached, memory_order_relaxed))
		atomic_store(&reached, true);
	return atomic_load_explicit(&taking, memory_order_relaxed);
}

struct requests *communicator_requests(struct communicator *c) {
	return &c->requests;
}

struct communicator *communicator_of(MPI_Comm comm) {
	struct communicator *c = NULL;
	int found;
	if (comm == MPI_COMM_NULL || freeing(comm) ||
	    PMPI_Comm_get_attr(comm, key, &c, &found) != MPI_SUCCESS)
		return NULL;
	return found ? c : adopt(comm);
}

void communicator_force(MPI_Comm comm, const struct choice *choice) {
	atomic_store(&taking, true);
	struct communicator *c = communicator_of(comm);
	c->choices[0] = *choice;
	c->choice_count = 1;
	c->max_bytes = SIZE_MAX;
	c->young = 0;
}

/* outside returns whether there are ranks that are not in MPI_COMM_WORLD: such as were started by
 * the program, or connected to it. Who is in such a communicator finds some, as they find him, so
 * that all decide alike without a message. They may have no library. */
static bool outside(const struct communicator *c) {
	MPI_Group these = MPI_GROUP_NULL, world = MPI_GROUP_NULL, rest = MPI_GROUP_NULL;
	int ranks = 0;
	if (PMPI_Comm_group(c->program, &these) != MPI_SUCCESS ||
	    PMPI_Comm_group(MPI_COMM_WORLD, &world) != MPI_SUCCESS ||
	    PMPI_Group_difference(these, world, &rest) != MPI_SUCCESS)
		fatal(c->program, "cannot look up the ranks of a communicator");
	PMPI_Group_size(rest, &ranks);
	PMPI_Group_free(&these);
	PMPI_Group_free(&world);
	if (rest != MPI_GROUP_EMPTY)
		PMPI_Group_free(&rest);
	return ranks > 0;
}

/* agree returns whether all ranks can. */
static bool agree(const struct communicator *c, bool can) {
	int each = can, least = 0;
	return PMPI_Allreduce(&each, &least, 1, MPI_INT, MPI_MIN, c->program) == MPI_SUCCESS && least;
}

/* make_private makes the private communicator, by a function that calls none of the program's, as
 * MPI_Comm_dup does to copy its attributes. */
static bool make_private(struct communicator *c) {
	MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
	MPI_Group group;
	if (PMPI_Comm_get_errhandler(c->program, &handler) != MPI_SUCCESS)
		return false;
	PMPI_Comm_set_errhandler(c->program, MPI_ERRORS_RETURN);
	if (PMPI_Comm_group(c->program, &group) == MPI_SUCCESS) {
		if (PMPI_Comm_create(c->program, group, &c->private) != MPI_SUCCESS)
			c->private = MPI_COMM_NULL;
		PMPI_Group_free(&group);
	}
	if (handler != MPI_ERRHANDLER_NULL) { /* SimGrid's MPI has none at first */
		PMPI_Comm_set_errhandler(c->program, handler);
		PMPI_Errhandler_free(&handler);
	}
	return c->private != MPI_COMM_NULL &&
	       PMPI_Comm_set_errhandler(c->private, MPI_ERRORS_RETURN) == MPI_SUCCESS;
}

/* reserve returns whether the process may have another private communicator, and counts it. */
static bool reserve(void) {
	bool may = atomic_fetch_add(&privates, 1) < MOST_PRIVATE;
	if (!may)
		atomic_fetch_sub(&privates, 1);
	return may;
}

/* connected returns whether there is a private communicator, and tries once to make it. */
static bool connected(struct communicator *c) {
	if (c->private != MPI_COMM_NULL)
		return true;
	bool mine = reserve();
	bool made = agree(c, mine) && agree(c, make_private(c));
	if (mine && c->private == MPI_COMM_NULL)
		atomic_fetch_sub(&privates, 1);
	return made;
}

/* add makes the plan of a choice, or returns why all calls are native from now on. */
static enum outcome add(struct communicator *c, const struct choice *choice) {
	struct shape shape = {.sources = choice->sources, .copies = choice->copies};
	struct node *node = NULL;
	if (!c->plans && outside(c))
		return OUTSIDE;
	if (choice->leaders > 0) {
		if (!connected(c) || !(node = node_create(c->private, &shape, choice->leaders,
		                                          choice->share, rules.node_ranks)))
			return NOT_MADE;
		shape = node->shape;
	}
	const char *wrong = NULL;
	if (!node)
		wrong = shape_init(&shape, c->ranks, choice->sources, choice->copies);
	else if (!node_leads(node))
		wrong = shape_init(&shape, 1, 1, 0);
	struct plan *p = wrong ? NULL : plan_create(c->plans ? c->plans->number + 1 : 0, &shape, node);
	if (!agree(c, p != NULL) || !connected(c)) {
		if (p)
			plan_free(p, false);
		return NOT_MADE;
	}
	plan_connect(p, c->private);
	p->choice = *choice;
	p->next = c->plans;
	c->plans = p;
	return TAKEN;
}

/* same returns whether two choices have one plan. */
static bool same(const struct choice *a, const struct choice *b) {
	return a->sources == b->sources && a->copies == b->copies && a->leaders == b->leaders &&
	       a->share == b->share;
}

/* decide returns what becomes of a call of the i-th choice, or of none. */
static enum outcome decide(struct communicator *c, size_t bytes, int i, enum manner manner,
                           struct plan **plan) {
	if (bytes > c->max_bytes)
		return TOO_LONG;
	if (i < 0 || c->choices[i].sources == 0)
		return NO_RULE;
	const struct choice *choice = &c->choices[i];
	for (*plan = c->plans; *plan; *plan = (*plan)->next)
		if (same(&(*plan)->choice, choice))
			return TAKEN;
	if (manner == NONBLOCKING)
		return EARLY;
	if (manner == BLOCKING && c->private == MPI_COMM_NULL && c->young > 0) {
		c->young--;
		return YOUNG;
	}
	c->native = add(c, choice);
	*plan = c->native == TAKEN ? c->plans : NULL;
	return c->native;
}

/* choice_for returns the number of the choice for vectors of the given bytes, or -1. Barriers
 * have the choice for the shortest vectors. */
static int choice_for(const struct communicator *c, size_t bytes) {
	if (bytes == 0)
		return c->choice_count > 0 && c->choices[0].bytes <= c->max_bytes ? 0 : -1;
	int i = bytes > c->max_bytes ? -1 : c->choice_count - 1;
	while (i >= 0 && c->choices[i].bytes > bytes)
		i--;
	return i >= 0 && c->choices[i].last < bytes ? -1 : i;
}

/* limited sets what a choice of leaders is on these nodes. */
static void limited(struct choice *choice, const struct plan *plan) {
	const struct node *node = plan->node;
	if (!node)
		return;
	choice->sources = node->shape.sources;
	choice->copies = node->shape.copies;
	choice->leaders = node->leaders;
}

enum outcome communicator_plan(struct communicator *c, size_t bytes, enum manner manner,
                               struct plan **plan) {
	if (c->native != TAKEN)
		return c->native;
	int i = choice_for(c, bytes);
	enum outcome outcome = decide(c, bytes, i, manner, plan);
	bool *said = &c->said[bytes > 0 ? i + 2 : 0];
	if (!*said && rules.verbose && c->first && outcome != EARLY && outcome != YOUNG) {
		*said = true;
		struct choice used = i >= 0 ? c->choices[i] : (struct choice){0};
		if (outcome == TAKEN)
			limited(&used, *plan);
		verbose_choice(c->program, c->ranks, bytes, i >= 0 ? &used : NULL, outcome, c->max_bytes);
	}
	return outcome;
}

/* A program whose MPI_Init another tool hides has no line yet. Launchers number its processes. */
__attribute__((destructor)) static void explain(void) {
	static const char *const numbers[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK",
	                                      "SLURM_PROCID"};
	const char *verbose = getenv("JITTERFLY_MPI_VERBOSE");
	int initialized = 0;
	PMPI_Initialized(&initialized);
	if (phase != BEFORE || !(initialized || reached) || !verbose || atoi(verbose) == 0)
		return;
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		if (getenv(numbers[i]) && atoi(getenv(numbers[i])) > 0)
			return;
	verbose_nothing("MPI_Init did not reach the library: preload it before other tools (programs "
	                "that use only sessions are native)");
}
