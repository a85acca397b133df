/*
 * Leaders of nodes exchange messages for all ranks of their nodes (node.h).
 */
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "plan.h"

static bool leaders_create(struct plan *p) {
	if (!node_leads(p->node))
		return true;
	p->sums = sums_create(p->node->size, NODE_SEGMENT);
	for (int i = 0; i < PLAN_DEPTH; i++)
		p->slots[i].memory = node_messages(p->node, i, p->node->place, &p->slots[i].room);
	return p->sums != NULL;
}

static void leaders_release(struct plan *p, bool windows) {
	node_free(p->node, windows);
	sums_free(p->sums);
}

/* The ranks of the shape are nodes, and the i-th leader of one exchanges with the i-th of others. */
static void leaders_place(struct plan *p) {
	const struct node *n = p->node;
	p->rank = node_leads(n) ? n->index : 0;
	for (int c = 0; c < p->shape.channels; c++) {
		p->peers[c] = shape_peer(&p->shape, p->rank, c);
		if (p->peers[c] >= 0)
			p->peers[c] = n->first[p->peers[c] * n->leaders + n->place];
	}
}

/* Vectors of one element that have no room are those of ranks that withdraw. */
static size_t leaders_room(struct plan *p, struct slot *s, size_t length) {
	return node_leads(p->node) && s->room < length ? s->room : length;
}

/* in_order returns whether leaders keep the order of ranks, or the operation does not need it. */
static bool in_order(const struct node *n, MPI_Op op) {
	int commutes = 0;
	return n->ordered || (PMPI_Op_commutative(op, &commutes) == MPI_SUCCESS && commutes);
}

static void leaders_enter(struct operation *o, const char *vector) {
	const struct plan *p = o->plan;
	o->unable = o->gathered = false;
	o->told = NODE_NOTHING;
	if (p->sums)
		sums_begin(p->sums);
	node_write(p->node, operation_slot(o), p->operations, vector, o->bytes, o->call->bytes,
	           o->able && in_order(p->node, o->call->op));
}

/* tell lets the node know what this leader has. */
static void tell(struct operation *o) {
	const struct plan *p = o->plan;
	struct machine *m = &o->machine;
	if (!node_leads(p->node))
		return;
	int has = o->gathered ? NODE_LEVEL + m->level : NODE_NOTHING;
	if (m->withdrawn)
		has = NODE_WITHDRAWN;
	if (m->result != NONE) {
		if (m->result != OWN)
			memcpy(operation_partial(o, p->shape.rounds), operation_result(o), sizeof(struct header) + o->bytes);
		machine_has(m);
		has = NODE_RESULT;
	}
	if (has == o->told)
		return;
	o->told = has;
	node_tell(p->node, operation_slot(o), p->operations, has);
}

/* gather combines the vectors of the node that are there, and notes when these are all. */
static int gather(struct operation *o, bool *done) {
	const struct plan *p = o->plan;
	struct sums *s = p->sums;
	int code = MPI_SUCCESS;
	for (int i = 0; i < s->count && code == MPI_SUCCESS; i++) {
		bool able;
		if (s->width[i] > 0 ||
		    !node_written(p->node, operation_slot(o), p->operations, i, o->call->bytes, &able))
			continue;
		o->unable = o->unable || !able;
		code = sums_add(s, i, node_vector(p->node, operation_slot(o), i), o->unable ? 0 : o->bytes,
		                o->unable ? 0 : o->count, o->call->type, o->call->op);
	}
	*done = s->added == s->count;
	if (!*done || code != MPI_SUCCESS)
		return code;
	if (o->unable) {
		operation_withdraw(o);
		return MPI_SUCCESS;
	}
	operation_make(o, o->machine.level, s->sum[0]);
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
	int has = node_look(p->node, operation_slot(o), p->operations, level, &message);
	*taken = has != NODE_NOTHING;
	if (has == NODE_FAILED)
		return MPI_ERR_OTHER;
	if (has == NODE_WITHDRAWN)
		machine_withdraw(m);
	else if (message && !node_leads(p->node))
		o->found = message;
	else if (message) {
		memcpy(operation_partial(o, has == NODE_RESULT ? p->shape.rounds : level), message,
		       sizeof(struct header) + o->bytes);
		if (has == NODE_RESULT || p->shape.ranks == 1)
			machine_has(m);
		else if (o->gathered)
			machine_combined(m);
		o->gathered = true;
	}
	return MPI_SUCCESS;
}

static int leaders_wait(struct operation *o, bool wait, bool *arrived) {
	const struct plan *p = o->plan;
	int code = MPI_SUCCESS;
	*arrived = false;
	for (unsigned turn = 1; code == MPI_SUCCESS; turn++) {
		code = take(o, arrived);
		if (code == MPI_SUCCESS && !*arrived && node_leads(p->node)) {
			if (!o->gathered)
				code = gather(o, arrived);
			if (code == MPI_SUCCESS && !*arrived)
				code = operation_receive(o, false, arrived);
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

/* A leader has nothing to do before the vectors of its node are combined, and another rank before the
 * result is there. */
static bool leaders_ready(struct operation *o) {
	tell(o);
	if (o->machine.withdrawn)
		return true;
	return node_leads(o->plan->node) ? o->gathered || o->machine.result != NONE : o->found != NULL;
}

static void leaders_fail(const struct operation *o) {
	if (node_leads(o->plan->node))
		node_tell(o->plan->node, operation_slot(o), o->plan->operations, NODE_FAILED);
}

const struct driver leaders_driver = {
    NODE_SEGMENT, leaders_create, leaders_release, leaders_place, leaders_room,
    leaders_enter, leaders_ready, leaders_wait, leaders_fail};
