#include "plan.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

	size_t length = sizeof(struct header) + o->bytes;
	if (p->node) {
		if (length > s->room)
			length = s->room;
	} else if (s->room < length) {
		size_t room = (length + 63) / 64 * 64;
		free(s->memory);
		s->memory = aligned_alloc(64, room * (size_t)(p->shape.channels + p->shape.rounds + 2));
		s->room = s->memory ? room : 0;
		if (!s->memory)
			return MPI_ERR_NO_MEM;
	}
	o->begun = s->active = true;
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

/* receive takes a message of the operation, which it waits for or not. */
static int receive(struct operation *o, bool wait, bool *arrived) {
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
		withdraw(o);
	else
		machine_arrived(&o->machine, channel, (enum content)h->content);
	return MPI_SUCCESS;
}

/* slot_of returns the number of the slot. */
static int slot_of(const struct operation *o) { return (int)(o->slot - o->plan->slots); }

/* in_order returns whether leaders keep the order of ranks, or the operation does not need it. */
static bool in_order(const struct node *n, MPI_Op op) {
	int commutes = 0;
	return n->ordered || (PMPI_Op_commutative(op, &commutes) == MPI_SUCCESS && commutes);
}

/* waits returns whether a rank of a node has nothing to do before its node has something: a leader
 * before the vectors of the node are combined, and another rank before the result is there. */
static bool waits(const struct operation *o) {
	const struct node *n = o->plan->node;
	if (!n || o->machine.withdrawn)
		return false;
	return node_leads(n) ? !o->gathered && o->machine.result == NONE : !o->found;
}

/* tell lets the node know what this leader has. */
static void tell(struct operation *o) {
	const struct plan *p = o->plan;
	struct machine *m = &o->machine;
	if (!p->node || !node_leads(p->node))
		return;
	int has = o->gathered ? NODE_LEVEL + m->level : NODE_NOTHING;
	if (m->withdrawn)
		has = NODE_WITHDRAWN;
	if (m->result != NONE) {
		if (m->result != OWN)
			memcpy(partial(o, p->shape.rounds), result(o), sizeof(struct header) + o->bytes);
		machine_has(m);
		has = NODE_RESULT;
	}
	if (has == o->told)
		return;
	o->told = has;
	node_tell(p->node, slot_of(o), p->operations, has);
}

/* gather combines the vectors of the node that are there, and notes when these are all. */
static int gather(struct operation *o, bool *done) {
	const struct plan *p = o->plan;
	struct sums *s = p->sums;
	int code = MPI_SUCCESS;
	for (int i = 0; i < s->count && code == MPI_SUCCESS; i++) {
		bool able;
		if (s->width[i] > 0 ||
		    !node_written(p->node, slot_of(o), p->operations, i, o->call->bytes, &able))
			continue;
		o->unable = o->unable || !able;
		code = sums_add(s, i, node_vector(p->node, slot_of(o), i), o->unable ? 0 : o->bytes,
		                o->unable ? 0 : o->count, o->call->type, o->call->op);
	}
	*done = s->added == s->count;
	if (!*done || code != MPI_SUCCESS)
		return code;
	if (o->unable) {
		withdraw(o);
		return MPI_SUCCESS;
	}
	make(o, o->machine.level, s->sum[0]);
	o->gathered = true;
	if (p->shape.ranks == 1)
		machine_has(&o->machine);
	return MPI_SUCCESS;
}

/* take takes what another leader of the node has, if that serves. */
static int take(struct operation *o, bool *taken) {
	const struct plan *p = o->plan;
	struct machine *m = &o->machine;
	int level = o->gathered ? m->level + 1 : m->level;
	const char *message = NULL;
	int has = node_look(p->node, slot_of(o), p->operations, level, &message);
	*taken = has != NODE_NOTHING;
	if (has == NODE_FAILED)
		return MPI_ERR_OTHER;
	if (has == NODE_WITHDRAWN)
		machine_withdraw(m);
	else if (message && !node_leads(p->node))
		o->found = message;
	else if (message) {
		memcpy(partial(o, has == NODE_RESULT ? p->shape.rounds : level), message,
		       sizeof(struct header) + o->bytes);
		if (has == NODE_RESULT || p->shape.ranks == 1)
			machine_has(m);
		else if (o->gathered)
			machine_combined(m);
		o->gathered = true;
	}
	return MPI_SUCCESS;
}

/* look waits for a message or for what the node has, whichever is first. */
static int look(struct operation *o, bool wait, bool *arrived) {
	const struct plan *p = o->plan;
	int code = MPI_SUCCESS;
	*arrived = false;
	for (unsigned turn = 1; code == MPI_SUCCESS; turn++) {
		code = take(o, arrived);
		if (code == MPI_SUCCESS && !*arrived && node_leads(p->node)) {
			if (!o->gathered)
				code = gather(o, arrived);
			if (code == MPI_SUCCESS && !*arrived)
				code = receive(o, false, arrived);
		}
		if (*arrived || !wait || code != MPI_SUCCESS)
			break;
		if (turn % 64 == 0) { /* others may wait for messages of the program */
			int found;
			code = PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, p->comm, &found, MPI_STATUS_IGNORE);
			sched_yield();
		}
	}
	return code;
}

/* element returns the bytes of an element; a barrier has none. */
static size_t element(const struct call *call) {
	return call->count > 0 ? call->bytes / (size_t)call->count : 1;
}

/* begin begins the next segment, unless it would have to wait and may not. */
static int begin(struct operation *o, bool wait) {
	struct plan *p = o->plan;
	const struct call *call = o->call;
	size_t size = element(call);
	size_t segment = p->node ? NODE_SEGMENT : PLAN_SEGMENT;
	int most = size < segment ? (int)(segment / size) : 1, left = call->count - o->done;
	o->count = left < most ? left : most;
	o->bytes = (size_t)o->count * size;
	o->slot = &p->slots[p->operations % PLAN_DEPTH];
	int code = prepare(o, wait);
	if (code != MPI_SUCCESS || !o->begun)
		return code;
	machine_begin(&o->machine, &p->shape, p->rank);
	o->unable = o->gathered = false;
	if (p->sums)
		sums_begin(p->sums);
	o->told = NODE_NOTHING;
	o->found = NULL;
	if (p->node)
		node_write(p->node, slot_of(o), p->operations,
		           call_vector(call) + (size_t)o->done * size, o->bytes, call->bytes,
		           o->able && in_order(p->node, call->op));
	else if (o->able)
		make(o, o->machine.level, call_vector(call) + (size_t)o->done * size);
	else
		withdraw(o);
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
	const char *message = o->found ? o->found : result(o);
	memcpy((char *)call->to + (size_t)o->done * size, message + sizeof(struct header), o->bytes);
	o->done += o->count;
	if (o->done == call->count)
		o->state = COMPLETE;
	return MPI_SUCCESS;
}

/* run does what the machine says until the segment ends or, if it may not wait, a message lacks. */
static int run(struct operation *o, bool wait) {
	int code = MPI_SUCCESS;
	bool arrived = true;
	while (code == MPI_SUCCESS && arrived) {
		tell(o);
		struct step step = {.action = WAIT};
		if (!waits(o))
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
			code = o->plan->node ? look(o, wait, &arrived) : receive(o, wait, &arrived);
			break;
		case RETURN:
			return end(o);
		}
	}
	if (code != MPI_SUCCESS && o->plan->node && node_leads(o->plan->node))
		node_tell(o->plan->node, slot_of(o), o->plan->operations, NODE_FAILED);
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

struct plan *plan_create(int number, const struct shape *shape, struct node *node) {
	struct plan *p = calloc(1, sizeof *p);
	size_t requests = 2 * (size_t)shape->channels;
	MPI_Request *all = malloc(PLAN_DEPTH * requests * sizeof *all);
	bool leads = node && node_leads(node);
	struct sums *sums = leads ? sums_create(node->size, NODE_SEGMENT) : NULL;
	if (!p || !all || (leads && !sums)) {
		sums_free(sums);
		free(p);
		free(all);
		return NULL;
	}
	p->shape = *shape;
	p->node = node;
	p->sums = sums;
	p->number = number;
	p->failed = MPI_SUCCESS;
	for (size_t i = 0; i < PLAN_DEPTH * requests; i++)
		all[i] = MPI_REQUEST_NULL;
	for (size_t i = 0; i < PLAN_DEPTH; i++)
		p->slots[i].requests = all + i * requests;
	for (int i = 0; leads && i < PLAN_DEPTH; i++)
		p->slots[i].memory = node_messages(node, i, node->place, &p->slots[i].room);
	return p;
}

void plan_connect(struct plan *p, MPI_Comm comm) {
	p->comm = comm;
	p->failed = PMPI_Comm_rank(comm, &p->rank);
	if (p->node)
		p->rank = node_leads(p->node) ? p->node->index : 0;
	for (int c = 0; c < p->shape.channels; c++) {
		p->peers[c] = shape_peer(&p->shape, p->rank, c);
		if (p->node && p->peers[c] >= 0)
			p->peers[c] = p->node->first[p->peers[c] * p->node->leaders + p->node->place];
	}

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
		if (!given_up && !p->node) /* a message may still be sent from there */
			free(s->memory);
	}
	if (p->node)
		node_free(p->node, windows && p->failed == MPI_SUCCESS);
	free(p->slots[0].requests);
	sums_free(p->sums);
	free(p);
}
