#include "plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An operation is what a call needs at hand. */
struct operation {
	struct plan *plan;
	struct slot *slot;
	struct machine machine;
	size_t bytes;
	int count;
	MPI_Datatype type;
	MPI_Op op;
};

static int tag(const struct plan *p, int channel) { return p->number * MACHINE_CHANNELS + channel; }

static char *received(const struct operation *o, int channel) {
	return o->slot->memory + (size_t)channel * o->slot->room;
}

static char *partial(const struct operation *o, int level) {
	return received(o, o->plan->shape.channels + 1 + level);
}

/* make begins a partial result, by a copy of a vector, and returns where that is. */
static char *make(const struct operation *o, int level, const void *vector) {
	char *message = partial(o, level);
	*(struct header *)message = (struct header){.operation = o->plan->operations,
	                                            .bytes = (uint32_t)o->bytes,
	                                            .final = level == o->plan->shape.rounds};
	return memcpy(message + sizeof(struct header), vector, o->bytes);
}

/* finish waits for all messages of the slot. */
static int finish(const struct plan *p, struct slot *s) {
	if (!s->active)
		return MPI_SUCCESS;
	s->active = false;
	return PMPI_Waitall(2 * p->shape.channels, s->requests, MPI_STATUSES_IGNORE);
}

/* prepare makes room for messages and posts the receives of an operation. */
static int prepare(struct operation *o) {
	struct plan *p = o->plan;
	struct slot *s = o->slot;
	int code = finish(p, s);
	if (code != MPI_SUCCESS)
		return code;

	size_t length = sizeof(struct header) + o->bytes;
	if (s->room < length) {
		size_t room = (length + 63) / 64 * 64;
		free(s->memory);
		s->memory = aligned_alloc(64, room * (size_t)(p->shape.channels + p->shape.rounds + 2));
		s->room = s->memory ? room : 0;
		if (!s->memory)
			return MPI_ERR_NO_MEM;
	}
	s->active = true;
	for (int c = 0; c < p->shape.channels && code == MPI_SUCCESS; c++)
		if (p->peers[c] >= 0)
			code = PMPI_Irecv(received(o, c), (int)length, MPI_BYTE, p->peers[c], tag(p, c),
			                  p->comm, &s->requests[c]);
	return code;
}

/* combine makes the next partial result, in the order of ranks. */
static int combine(const struct operation *o, struct step step) {
	char *mine = partial(o, step.level) + sizeof(struct header);
	char *theirs = received(o, step.channel) + sizeof(struct header);
	char *next = make(o, step.level + 1, step.lower ? theirs : mine);
	return PMPI_Reduce_local(step.lower ? mine : theirs, next, o->count, o->type, o->op);
}

/* result returns the message with the result. */
static char *result(const struct operation *o) {
	int from = o->machine.result;
	return from == OWN ? partial(o, o->plan->shape.rounds) : received(o, from);
}

static int send(const struct operation *o, struct step step) {
	struct plan *p = o->plan;
	const char *message = step.final ? result(o) : partial(o, step.level);
	return PMPI_Isend(message, (int)(sizeof(struct header) + o->bytes), MPI_BYTE,
	                  p->peers[step.channel], tag(p, step.channel), p->comm,
	                  &o->slot->requests[p->shape.channels + step.channel]);
}

/* receive waits for a message of the operation. */
static int receive(struct operation *o) {
	int channel = MPI_UNDEFINED;
	int code =
	    PMPI_Waitany(o->plan->shape.channels, o->slot->requests, &channel, MPI_STATUS_IGNORE);
	if (code != MPI_SUCCESS)
		return code;
	if (channel == MPI_UNDEFINED)
		return MPI_ERR_INTERN;
	const struct header *h = (const struct header *)received(o, channel);
	if (h->operation != o->plan->operations || h->bytes != o->bytes) {
		fprintf(
		    stderr,
		    "jitterfly-mpi: operation %u of %zu bytes met operation %u of %u bytes from rank %d: "
		    "ranks disagree on count, datatype or order of calls\n",
		    o->plan->operations, o->bytes, h->operation, (unsigned)h->bytes,
		    o->plan->peers[channel]);
		return MPI_ERR_TRUNCATE;
	}
	machine_arrived(&o->machine, channel, h->final);
	return MPI_SUCCESS;
}

/* run does what the machine says until the call may return. */
static int run(struct operation *o) {
	int code = MPI_SUCCESS;
	while (code == MPI_SUCCESS) {
		struct step step = machine_next(&o->machine);
		switch (step.action) {
		case COMBINE:
			code = combine(o, step);
			machine_combined(&o->machine);
			break;
		case SEND:
			code = send(o, step);
			break;
		case WAIT:
			code = receive(o);
			break;
		case RETURN:
			return MPI_SUCCESS;
		}
	}
	return code;
}

int plan_allreduce(struct plan *p, const void *from, void *to, size_t bytes, int count,
                   MPI_Datatype type, MPI_Op op) {
	struct operation o = {.plan = p,
	                      .slot = &p->slots[p->operations % PLAN_DEPTH],
	                      .bytes = bytes,
	                      .count = count,
	                      .type = type,
	                      .op = op};
	int code = prepare(&o);
	if (code != MPI_SUCCESS)
		return code;
	machine_begin(&o.machine, &p->shape, p->rank);
	make(&o, o.machine.level, from);
	code = run(&o);
	if (code == MPI_SUCCESS)
		memcpy(to, result(&o) + sizeof(struct header), bytes);
	p->operations++;
	return code;
}

struct plan *plan_create(MPI_Comm comm, int number, const struct shape *shape) {
	struct plan *p = calloc(1, sizeof *p);
	size_t requests = 2 * (size_t)shape->channels;
	MPI_Request *all = malloc(PLAN_DEPTH * requests * sizeof *all);
	if (!p || !all || PMPI_Comm_rank(comm, &p->rank) != MPI_SUCCESS) {
		free(p);
		free(all);
		return NULL;
	}
	p->shape = *shape;
	p->comm = comm;
	p->number = number;
	for (size_t i = 0; i < PLAN_DEPTH * requests; i++)
		all[i] = MPI_REQUEST_NULL;
	for (size_t i = 0; i < PLAN_DEPTH; i++)
		p->slots[i].requests = all + i * requests;
	for (int c = 0; c < shape->channels; c++)
		p->peers[c] = shape_peer(shape, p->rank, c);

	/* Connections are made by the first message. */
	int one = 1;
	if (plan_allreduce(p, &one, &one, sizeof one, 1, MPI_INT, MPI_SUM) != MPI_SUCCESS ||
	    finish(p, &p->slots[0]) != MPI_SUCCESS || one != shape->ranks) {
		plan_free(p);
		return NULL;
	}
	return p;
}

void plan_free(struct plan *p) {
	for (int i = 0; i < PLAN_DEPTH; i++) {
		finish(p, &p->slots[i]);
		free(p->slots[i].memory);
	}
	free(p->slots[0].requests);
	free(p);
}
