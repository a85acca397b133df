#include "plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An operation combines a segment of a call. */
struct operation {
	struct plan *plan;
	struct slot *slot;
	struct machine machine;
	const struct call *call;
	size_t bytes;
	int count;
};

static int tag(const struct plan *p, int channel) { return p->number * MACHINE_CHANNELS + channel; }

static char *received(const struct operation *o, int channel) {
	return o->slot->memory + (size_t)channel * o->slot->room;
}

static char *partial(const struct operation *o, int level) {
	return received(o, o->plan->shape.channels + 1 + level);
}

/* head writes the header of a message. */
static void head(const struct operation *o, char *message, enum content content) {
	*(struct header *)message = (struct header){
	    .operation = o->plan->operations, .bytes = (uint32_t)o->call->bytes, .content = content};
}

/* make begins a partial result, by a copy of a vector, and returns where that is. */
static char *make(const struct operation *o, int level, const void *vector) {
	char *message = partial(o, level);
	head(o, message, level == o->plan->shape.rounds ? RESULT : PARTIAL);
	return memcpy(message + sizeof(struct header), vector, o->bytes);
}

/* truncated returns whether an error is a message of another length, which has been received. */
static bool truncated(int code) {
	int class = MPI_SUCCESS;
	return code != MPI_SUCCESS && PMPI_Error_class(code, &class) == MPI_SUCCESS &&
	       class == MPI_ERR_TRUNCATE;
}

/* finish waits for all messages of the slot. Those that another rank sent before it withdrew, as
 * lengths differ, may be of another length. */
static int finish(const struct plan *p, struct slot *s) {
	if (!s->active)
		return MPI_SUCCESS;
	s->active = false;
	int all = 2 * p->shape.channels;
	if (PMPI_Waitall(all, s->requests, MPI_STATUSES_IGNORE) == MPI_SUCCESS)
		return MPI_SUCCESS;
	int first = MPI_SUCCESS;
	for (int i = 0; i < all; i++) {
		int code = PMPI_Wait(&s->requests[i], MPI_STATUS_IGNORE);
		if (first == MPI_SUCCESS && !truncated(code))
			first = code;
	}
	return first;
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
	return PMPI_Reduce_local(step.lower ? mine : theirs, next, o->count, o->call->type,
	                         o->call->op);
}

/* withdraw makes a withdrawal where the result would be, which a rank that withdraws has not. */
static void withdraw(struct operation *o) {
	machine_withdraw(&o->machine);
	head(o, partial(o, o->plan->shape.rounds), WITHDRAWAL);
}

/* result returns the message with the result, or the withdrawal. */
static char *result(const struct operation *o) {
	int from = o->machine.result;
	return from == OWN || o->machine.withdrawn ? partial(o, o->plan->shape.rounds)
	                                           : received(o, from);
}

static int send(const struct operation *o, struct step step) {
	struct plan *p = o->plan;
	const char *message = step.content == PARTIAL ? partial(o, step.level) : result(o);
	size_t bytes = step.content == WITHDRAWAL ? 0 : o->bytes;
	return PMPI_Isend(message, (int)(sizeof(struct header) + bytes), MPI_BYTE,
	                  p->peers[step.channel], tag(p, step.channel), p->comm,
	                  &o->slot->requests[p->shape.channels + step.channel]);
}

/* receive waits for a message of the operation. */
static int receive(struct operation *o) {
	const struct plan *p = o->plan;
	int channel = MPI_UNDEFINED;
	int code = PMPI_Waitany(p->shape.channels, o->slot->requests, &channel, MPI_STATUS_IGNORE);
	if (code != MPI_SUCCESS && !truncated(code))
		return code;
	if (channel == MPI_UNDEFINED)
		return MPI_ERR_INTERN;
	const struct header *h = (const struct header *)received(o, channel);
	bool alike = code == MPI_SUCCESS && h->operation == p->operations &&
	             (h->bytes == o->call->bytes || h->content == WITHDRAWAL);
	if (!alike)
		fprintf(stderr,
		        "jitterfly-mpi: rank %d has a vector of %zu B, and rank %d has not: ranks disagree "
		        "on count, datatype or order of calls; using the native allreduce\n",
		        p->rank, o->call->bytes, p->peers[channel]);
	if (!alike || h->content == WITHDRAWAL)
		withdraw(o);
	else
		machine_arrived(&o->machine, channel, (enum content)h->content);
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

/* operate combines a segment, of count elements after those that are done. */
static int operate(struct plan *p, const struct call *call, int done, int count, bool able,
                   bool *taken) {
	size_t size = call->bytes / (size_t)call->count, offset = (size_t)done * size;
	struct operation o = {.plan = p,
	                      .slot = &p->slots[p->operations % PLAN_DEPTH],
	                      .call = call,
	                      .bytes = (size_t)count * size,
	                      .count = count};
	int code = prepare(&o);
	if (code != MPI_SUCCESS)
		return code;
	machine_begin(&o.machine, &p->shape, p->rank);
	if (able)
		make(&o, o.machine.level, (const char *)call->from + offset);
	else
		withdraw(&o);
	code = run(&o);
	*taken = !o.machine.withdrawn;
	if (code == MPI_SUCCESS && *taken)
		memcpy((char *)call->to + offset, result(&o) + sizeof(struct header), o.bytes);
	p->operations++;
	return code;
}

int plan_allreduce(struct plan *p, const struct call *call, bool able, bool *taken) {
	size_t size = call->bytes / (size_t)call->count;
	int most = size < PLAN_SEGMENT ? (int)(PLAN_SEGMENT / size) : 1;
	*taken = true;
	for (int done = 0; done < call->count && p->failed == MPI_SUCCESS; done += most) {
		int left = call->count - done;
		p->failed = operate(p, call, done, left < most ? left : most, able, taken);
		if (p->failed == MPI_SUCCESS && !*taken) {
			if (done == 0)
				return MPI_SUCCESS;
			p->failed = MPI_ERR_TRUNCATE; /* the elements have other sizes */
		}
	}
	*taken = true;
	return p->failed;
}

struct plan *plan_create(int number, const struct shape *shape) {
	struct plan *p = calloc(1, sizeof *p);
	size_t requests = 2 * (size_t)shape->channels;
	MPI_Request *all = malloc(PLAN_DEPTH * requests * sizeof *all);
	if (!p || !all) {
		free(p);
		free(all);
		return NULL;
	}
	p->shape = *shape;
	p->number = number;
	p->failed = MPI_SUCCESS;
	for (size_t i = 0; i < PLAN_DEPTH * requests; i++)
		all[i] = MPI_REQUEST_NULL;
	for (size_t i = 0; i < PLAN_DEPTH; i++)
		p->slots[i].requests = all + i * requests;
	return p;
}

void plan_connect(struct plan *p, MPI_Comm comm) {
	p->comm = comm;
	p->failed = PMPI_Comm_rank(comm, &p->rank);
	for (int c = 0; c < p->shape.channels; c++)
		p->peers[c] = shape_peer(&p->shape, p->rank, c);

	/* Connections are made by the first message. */
	int one = 1;
	bool taken;
	struct call first = {&one, &one, sizeof one, 1, MPI_INT, MPI_SUM};
	if (plan_allreduce(p, &first, true, &taken) == MPI_SUCCESS)
		p->failed = finish(p, &p->slots[0]);
}

void plan_free(struct plan *p) {
	int channels = p->shape.channels;
	for (int i = 0; i < PLAN_DEPTH; i++) {
		struct slot *s = &p->slots[i];
		bool given_up = p->failed != MPI_SUCCESS && s->active;
		for (int c = 0; given_up && c < 2 * channels; c++)
			if (s->requests[c] != MPI_REQUEST_NULL) {
				if (c < channels)
					PMPI_Cancel(&s->requests[c]);
				else
					PMPI_Request_free(&s->requests[c]);
			}
		finish(p, s);
		if (!given_up) /* a message may still be sent from there */
			free(s->memory);
	}
	free(p->slots[0].requests);
	free(p);
}
