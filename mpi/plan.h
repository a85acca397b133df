/*
 * Allreduces with one R and T on one communicator, by messages of MPI.
 */
#ifndef JITTERFLY_PLAN_H
#define JITTERFLY_PLAN_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#include "machine.h"
#include "node.h"
#include "rules.h"
#include "sums.h"

/* A header precedes the vector in each message. A withdrawal has no vector. */
struct header {
	uint32_t operation; /* of the plan, from 0 */
	uint32_t bytes;     /* of the call's vector */
	uint32_t content;
	uint32_t spare;
};
_Static_assert(sizeof(struct header) == 16, "vectors follow headers at an alignment of 16");

enum {
	/* Operations whose messages can be on the way at the same time. A rank that begins one knows
	 * that all others have begun the one before, and so have sent all of the one before that: it
	 * hardly ever waits for the operation PLAN_DEPTH before. */
	PLAN_DEPTH = 4,

	/* Longer vectors are combined in segments of this size, one operation after the other, so
	 * that messages take bounded memory. */
	PLAN_SEGMENT = 1 << 18
};

/* A slot has the buffers and requests of one operation. Requests are those of receives, by channel,
 * and then of sends; some outlast the call. */
struct slot {
	char *memory;
	size_t room; /* of a message, with its header */
	bool active; /* whether requests may be incomplete */
	MPI_Request *requests;
};

struct plan {
	const struct driver *driver;
	struct shape shape;
	struct plan *next; /* of the communicator */
	MPI_Comm comm;
	int rank;             /* in the shape */
	struct node *node;    /* of leaders, or NULL */
	struct sums *sums;    /* of a leader: of the vectors of its node */
	int number;           /* of the communicator's plans */
	struct choice choice; /* that it was made for */
	int peers[MACHINE_CHANNELS];
	uint32_t operations;
	int failed; /* the error of MPI after which ranks may lack messages, or MPI_SUCCESS */
	struct slot slots[PLAN_DEPTH];
};

/* A call is what the program asks for, by a datatype without gaps; from may be MPI_IN_PLACE. A
 * barrier has no elements. */
struct call {
	const void *from;
	void *to;
	size_t bytes;
	int count;
	MPI_Datatype type;
	MPI_Op op;
};

/* call_vector returns the vector of the rank. */
static inline const char *call_vector(const struct call *c) {
	return c->from == MPI_IN_PLACE ? c->to : c->from;
}

/* An operation is a call under way, by a plan whose operations run one after the other. A call that
 * any rank withdrew from has left the vectors as they were, on all ranks. */
struct operation {
	struct plan *plan;
	const struct call *call;
	bool able; /* to take part */
	enum { RUNNING, COMPLETE, WITHDREW } state;
	int done; /* elements */

	/* The segment after those. */
	bool begun;
	int count;
	size_t bytes;
	struct slot *slot;
	struct machine machine;
	const char *found; /* the message with the result, if it is not among this rank's */

	/* Of leaders (leaders.c). */
	bool unable;   /* a rank of the node cannot take part */
	bool gathered; /* the vectors of the node are combined */
	int told;      /* what other ranks of the node know that this one has */
};

/* operation_begin makes an operation. The call must outlive it. Where the same buffer is given twice
 * in place of MPI_IN_PLACE the rank withdraws: that is an error, which is for the MPI library. */
void operation_begin(struct operation *o, struct plan *p, const struct call *call, bool able);

/* operation_run does what can be done: all of it if it may wait, or else what needs no message that
 * has not come. It returns an error code of MPI, after which the plan is of no more use. */
int operation_run(struct operation *o, bool wait);

/* plan_create makes the number-th plan of a communicator, or returns NULL if there is no memory. Of
 * leaders it is for their nodes, which it frees when it is freed. */
struct plan *plan_create(int number, const struct shape *shape, struct node *node);

/* plan_connect connects all ranks that exchange messages, on a communicator of the plans. All its
 * ranks must call it. An error is that of all later calls. */
void plan_connect(struct plan *p, MPI_Comm comm);

/* plan_allreduce combines the vectors of all ranks in the order of ranks, as a fixed tree, and
 * returns an error code of MPI. If any rank is not able to take part, or ranks disagree on the
 * length, then no rank has taken the call, and the vectors are as they were. */
int plan_allreduce(struct plan *p, const struct call *call, bool able, bool *taken);

/* plan_free waits for messages on the way, which all ranks have sent or will send before they
 * return from their last operation. After an error it does not wait. With windows, that of the node
 * is freed, for which all its ranks must call it. */
void plan_free(struct plan *p, bool windows);

/* A driver is one of two ways in which the ranks of a plan come by a result: all exchange messages
 * (plan.c), or the leaders of nodes do (leaders.c). What follows is what both need of plan.c. */
struct driver {
	size_t segment; /* bytes of a vector that are combined at once */

	/* create makes what the plan has more, if anything, and returns whether there is memory; release
	 * frees it: the memory of slots, if they still have any, and with windows that of nodes. */
	bool (*create)(struct plan *p);
	void (*release)(struct plan *p, bool windows);

	/* place sets which rank of the shape this one is, and the ranks at the ends of its channels. */
	void (*place)(struct plan *p);

	/* room makes room in a slot for messages of length bytes, and returns for how many: fewer if the
	 * rank will withdraw, 0 if memory lacks and that is an error. */
	size_t (*room)(struct plan *p, struct slot *s, size_t length);

	/* enter begins a segment with the vector of the rank, or withdraws. */
	void (*enter)(struct operation *o, const char *vector);

	/* ready returns whether the machine has something to do before wait brings it; NULL if always. */
	bool (*ready)(struct operation *o);

	/* wait waits for a message or what else brings a result, or looks for it. */
	int (*wait)(struct operation *o, bool wait, bool *arrived);

	/* fail lets others know of an error, if that is not NULL. */
	void (*fail)(const struct operation *o);
};

extern const struct driver leaders_driver;

/* Messages of an operation: where the partial result S_level is, and the result or withdrawal. */
char *operation_partial(const struct operation *o, int level);
char *operation_result(const struct operation *o);

/* operation_make begins a partial result, by a copy of a vector. */
void operation_make(struct operation *o, int level, const void *vector);

/* operation_withdraw makes a withdrawal in place of the result. */
void operation_withdraw(struct operation *o);

/* operation_receive takes a message, which it waits for or not. */
int operation_receive(struct operation *o, bool wait, bool *arrived);

/* operation_slot returns the number of the slot. */
int operation_slot(const struct operation *o);

#endif
