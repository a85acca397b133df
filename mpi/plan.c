#include "plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int tag(const struct plan *p, int channel) { return p->number * MACHINE_CHANNELS + channel; }

static char *received(const struct operation *o, int channel) {
	return o->slot->memory + (size_t)channel * o->slot->room;
}

char *operation_partial(const struct operation *o, int level) {
	return received(o, o->plan->shape.channels + 1 + level);
}

/* head writes the header of a message. */
static void head(const struct operation *o, char *message, enum content content) {
	*(struct header *)message = (struct header){
	    .operation = o->plan->operations, .bytes = (uint32_t)o->call->bytes, .content = content};
}

void operation_make(struct operation *o, int level, const void *vector) {
	char *message = operation_partial(o, level);
	head(o, message, level == o->plan->shape.rounds ? RESULT : PARTIAL);
	memcpy(message + sizeof(struct header), vector, o->bytes);
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

/* vacant returns whether no message of the slot's last operation is on the way. */
static bool vacant(const struct plan *p, struct slot *s, int *code) {
	int all = 1;
	if (!s->active)
		return true;
	*code = PMPI_Testall(2 * p->shape.channels, s->requests, &all, MPI_STATUSES_IGNORE);
	if (*code != MPI_SUCCESS)
		*code = finish(p, s);
	s->active = s->active && !all;
	return !s->active;
}

/* prepare makes room for messages and posts the receives of a segment, or returns early if it would
 * have to wait and may not. */
static int prepare(struct operation *o, bool wait) {
	struct plan *p = o->plan;
	struct slot *s = o->slot;
	int code = MPI_SUCCESS;
	if (wait)
		code = finish(p, s);
	else if (!vacant(p, s, &code))
		return code;
	if (code != MPI_SUCCESS)
		return code;

	size_t length = p->driver->room(p, s, sizeof(struct header) + o->bytes);
	if (length == 0)
		return MPI_ERR_NO_MEM;
	o->begun = s->active = true;
	for (int c = 0; c < p->shape.channels && code == MPI_SUCCESS; c++)
		if (p->peers[c] >= 0)
			code = PMPI_Irecv(received(o, c), (int)length, MPI_BYTE, p->peers[c], tag(p, c),
			                  p->comm, &s->requests[c]);
	return code;
}

/* combine makes the next partial result, in the order of ranks. */
static int combine(struct operation *o, struct step step) {
	char *mine = operation_partial(o, step.level) + sizeof(struct header);
	char *theirs = received(o, step.channel) + sizeof(struct header);
	operation_make(o, step.level + 1, step.lower ? theirs : mine);
	return PMPI_Reduce_local(step.lower ? mine : theirs,
	                         operation_partial(o, step.level + 1) + sizeof(struct header), o->count,
	                         o->call->type, o->call->op);
}

/* A rank that withdraws has no result: the withdrawal is in its place. */
void operation_withdraw(struct operation *o) {
	machine_withdraw(&o->machine);
	head(o, operation_partial(o, o->plan->shape.rounds), WITHDRAWAL);
}

char *operation_result(const struct operation *o) {
	int from = o->machine.result;
	return from == OWN || o->machine.withdrawn ? operation_partial(o, o->plan->shape.rounds)
	                                           : received(o, from);
}

static int send(const struct operation *o, struct step step) {
	struct plan *p = o->plan;
	const char *message = step.content == PARTIAL ? operation_partial(o, step.level) : operation_result(o);
	size_t bytes = step.content == WITHDRAWAL ? 0 : o->bytes;
	return PMPI_Isend(message, (int)(sizeof(struct header) + bytes), MPI_BYTE,
	                  p->peers[step.channel], tag(p, step.channel), p->comm,
	                  &o->slot->requests[p->shape.channels + step.channel]);
}

int operation_receive(struct operation *o, bool wait, bool *arrived) {
	const struct plan *p = o->plan;
	int channel = MPI_UNDEFINED, found = 1, code;
	if (wait)
		code = PMPI_Waitany(p->shape.channels, o->slot->requests, &channel, MPI_STATUS_IGNORE);
	else
		code =
		    PMPI_Testany(p->shape.channels, o->slot->requests, &channel, &found, MPI_STATUS_IGNORE);
	if (code != MPI_SUCCESS && !truncated(code))
		return code;
	*arrived = found && channel != MPI_UNDEFINED;
	if (!*arrived)
		return wait ? MPI_ERR_INTERN : MPI_SUCCESS;
	const struct header *h = (const struct header *)received(o, channel);
	bool alike = code == MPI_SUCCESS && h->operation == p->operations &&
	             (h->bytes == o->call->bytes || h->content == WITHDRAWAL);
	if (!alike)
		fprintf(stderr,
		        "jitterfly-mpi: rank %d has a vector of %zu B, rank %d of another length: ranks "
		        "disagree on count, datatype or order of calls; using the native allreduce\n",
		        p->rank, o->call->bytes, p->peers[channel]);
	if (!alike || h->content == WITHDRAWAL)
		operation_withdraw(o);
	else
		machine_arrived(&o->machine, channel, (enum content)h->content);
	return MPI_SUCCESS;
}

int operation_slot(const struct operation *o) { return (int)(o->slot - o->plan->slots); }

/* element returns the bytes of an element; a barrier has none. */
static size_t element(const struct call *call) {
	return call->count > 0 ? call->bytes / (size_t)call->count : 1;
}

/* begin begins the next segment, unless it would have to wait and may not. */
static int begin(struct operation *o, bool wait) {
	struct plan *p = o->plan;
	const struct call *call = o->call;
	size_t size = element(call);
	size_t segment = p->driver->segment;
	int most = size < segment ? (int)(segment / size) : 1, left = call->count - o->done;
	o->count = left < most ? left : most;
	o->bytes = (size_t)o->count * size;
	o->slot = &p->slots[p->operations % PLAN_DEPTH];
	int code = prepare(o, wait);
	if (code != MPI_SUCCESS || !o->begun)
		return code;
	machine_begin(&o->machine, &p->shape, p->rank);
	o->found = NULL;
	p->driver->enter(o, call_vector(call) + (size_t)o->done * size);
	return MPI_SUCCESS;
}

/* end takes the result of a segment. */
static int end(struct operation *o) {
	const struct call *call = o->call;
	size_t size = element(call);
	o->begun = false;
	o->plan->operations++;
	if (o->machine.withdrawn) {
		o->state = WITHDREW;
		return o->done == 0 ? MPI_SUCCESS : MPI_ERR_TRUNCATE; /* the elements have other sizes */
	}
	const char *message = o->found ? o->found : operation_result(o);
	memcpy((char *)call->to + (size_t)o->done * size, message + sizeof(struct header), o->bytes);
	o->done += o->count;
	if (o->done == call->count)
		o->state = COMPLETE;
	return MPI_SUCCESS;
}

/* run does what the machine says until the segment ends or, if it may not wait, a message lacks. */
static int run(struct operation *o, bool wait) {
	const struct driver *driver = o->plan->driver;
	int code = MPI_SUCCESS;
	bool arrived = true;
	while (code == MPI_SUCCESS && arrived) {
		struct step step = {.action = WAIT};
		if (!driver->ready || driver->ready(o))
			step = machine_next(&o->machine);
		switch (step.action) {
		case COMBINE:
			code = combine(o, step);
			machine_combined(&o->machine);
			break;
		case SEND:
			code = send(o, step);
			break;
		case WAIT:
			code = driver->wait(o, wait, &arrived);
			break;
		case RETURN:
			return end(o);
		}
	}
	if (code != MPI_SUCCESS && driver->fail)
		driver->fail(o);
	return code;
}

void operation_begin(struct operation *o, struct plan *p, const struct call *call, bool able) {
	*o = (struct operation){.plan = p, .call = call, .able = able && call->from != call->to};
}

int operation_run(struct operation *o, bool wait) {
	int *failed = &o->plan->failed;
	while (o->state == RUNNING && *failed == MPI_SUCCESS) {
		if (!o->begun)
			*failed = begin(o, wait);
		if (!o->begun)
			break;
		if (*failed == MPI_SUCCESS)
			*failed = run(o, wait);
		if (o->begun)
			break;
	}
	return *failed;
}

int plan_allreduce(struct plan *p, const struct call *call, bool able, bool *taken) {
	struct operation o;
	operation_begin(&o, p, call, able);
	int code = operation_run(&o, true);
	*taken = code != MPI_SUCCESS || o.state == COMPLETE;
	return code;
}

/* All ranks exchange messages, in memory that grows with them. */
static void flat_release(struct plan *p, bool windows) {
	(void)windows;
	for (int i = 0; i < PLAN_DEPTH; i++)
		free(p->slots[i].memory);
}

static void flat_place(struct plan *p) {
	for (int c = 0; c < p->shape.channels; c++)
		p->peers[c] = shape_peer(&p->shape, p->rank, c);
}

static size_t flat_room(struct plan *p, struct slot *s, size_t length) {
	if (s->room >= length)
		return length;
	size_t room = (length + 63) / 64 * 64;
	free(s->memory);
	s->memory = aligned_alloc(64, room * (size_t)(p->shape.channels + p->shape.rounds + 2));
	s->room = s->memory ? room : 0;
	return s->memory ? length : 0;
}

static void flat_enter(struct operation *o, const char *vector) {
	if (o->able)
		operation_make(o, o->machine.level, vector);
	else
		operation_withdraw(o);
}

static const struct driver flat_driver = {.segment = PLAN_SEGMENT, .release = flat_release,
                                          .place = flat_place, .room = flat_room,
                                          .enter = flat_enter, .wait = operation_receive};

struct plan *plan_create(int number, const struct shape *shape, struct node *node) {
	struct plan *p = calloc(1, sizeof *p);
	size_t requests = 2 * (size_t)shape->channels;
	MPI_Request *all = malloc(PLAN_DEPTH * requests * sizeof *all);
	if (!p || !all) {
		free(p);
		free(all);
		return NULL;
	}
	p->driver = node ? &leaders_driver : &flat_driver;
	p->shape = *shape;
	p->node = node;
	p->number = number;
	p->failed = MPI_SUCCESS;
	for (size_t i = 0; i < PLAN_DEPTH * requests; i++)
		all[i] = MPI_REQUEST_NULL;
	for (size_t i = 0; i < PLAN_DEPTH; i++)
		p->slots[i].requests = all + i * requests;
	if (!p->driver->create || p->driver->create(p))
		return p;
	free(all);
	free(p);
	return NULL;
}

void plan_connect(struct plan *p, MPI_Comm comm) {
	p->comm = comm;
	p->failed = PMPI_Comm_rank(comm, &p->rank);
	p->driver->place(p);

	/* Connections are made by the first message. */
	int one = 1;
	bool taken;
	struct call first = {MPI_IN_PLACE, &one, sizeof one, 1, MPI_INT, MPI_SUM};
	if (plan_allreduce(p, &first, true, &taken) == MPI_SUCCESS)
		p->failed = finish(p, &p->slots[0]);
}

void plan_free(struct plan *p, bool windows) {
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
		if (given_up) /* a message may still be sent from there */
			s->memory = NULL;
	}
	p->driver->release(p, windows && p->failed == MPI_SUCCESS);
	free(p->slots[0].requests);
	free(p);
}
