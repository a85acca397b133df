#include "virtual.h"

#include <assert.h>
#include <stdlib.h>

double virtual_transit(const struct world *w, uint64_t launch, int rank, int channel) {
	if (w->spread <= 0)
		return w->wire;
	uint64_t name = (uint64_t)rank * MACHINE_CHANNELS + (uint64_t)channel;
	return w->wire + w->spread * uniform(w->detours.seed + 1, launch, name);
}

double virtual_leave(const struct world *w, int channel) {
	const struct shape *s = &w->shape;
	int k = 0;
	while (k < s->rounds && channel >= s->first[k + 1])
		k++;
	int before = channel - s->first[k]; /* posted in the round, or as copies */
	if (channel == s->fold)
		return 0;
	return (k < s->rounds ? before : before + 1) * w->copy;
}

/* Events at one time are in the order of their kinds: a rank that gets a partial result and the
 * result at once has sent on the first. */
enum { COMBINED = -1 };

struct event {
	double time;
	int kind; /* COMBINED, or the content of a message */
	int rank, channel;
	int level;     /* of COMBINED */
	bool received; /* whether the processor has received the message too */
};

struct queue {
	struct event *events; /* a heap */
	int count, room;
};

static bool before(const struct event *a, const struct event *b) {
	return a->time != b->time ? a->time < b->time : a->kind < b->kind;
}

static void push(struct queue *q, struct event e) {
	if (q->count == q->room) {
		q->room = 2 * q->room + 64;
		q->events = realloc(q->events, (size_t)q->room * sizeof e);
		assert(q->events);
	}
	int i = q->count++;
	for (; i > 0 && before(&e, &q->events[(i - 1) / 2]); i = (i - 1) / 2)
		q->events[i] = q->events[(i - 1) / 2];
	q->events[i] = e;
}

static struct event pop(struct queue *q) {
	struct event first = q->events[0], last = q->events[--q->count];
	int i = 0;
	for (int child; (child = 2 * i + 1) < q->count; i = child) {
		if (child + 1 < q->count && before(&q->events[child + 1], &q->events[child]))
			child++;
		if (!before(&q->events[child], &last))
			break;
		q->events[i] = q->events[child];
	}
	q->events[i] = last;
	return first;
}

/* A run is one operation. */
struct run {
	const struct world *world;
	uint64_t launch;
	struct queue queue;
	struct machine *machines;
	double *first;  /* detour of each rank */
	int *combining; /* level that each rank is making; before it begins, one beyond all */
	int *messages;  /* on each channel of each rank */
	double *finish;
};

static void send(struct run *r, int rank, double now, struct step step) {
	const struct world *w = r->world;
	int to = shape_peer(&w->shape, rank, step.channel);
	assert(to >= 0);
	r->messages[rank * w->shape.channels + step.channel]++;
	double leave = now + virtual_leave(w, step.channel);
	push(&r->queue,
	     (struct event){.time = leave + virtual_transit(w, r->launch, rank, step.channel),
	                    .kind = (int)step.content,
	                    .rank = to,
	                    .channel = step.channel});
}

/* drive lets a rank do what it can at a time. */
static void drive(struct run *r, int rank, double now) {
	const struct world *w = r->world;
	struct machine *m = &r->machines[rank];
	if (m->result == NONE && !m->withdrawn && r->combining[rank] > m->level)
		return;
	for (;;) {
		struct step step = machine_next(m);
		switch (step.action) {
		case SEND:
			send(r, rank, now, step);
			break;
		case COMBINE:
			r->combining[rank] = step.level + 1;
			push(&r->queue, (struct event){.time = detours_finish(&w->detours, r->first[rank], now,
			                                                      w->combine),
			                               .kind = COMBINED,
			                               .rank = rank,
			                               .level = step.level + 1});
			return;
		case WAIT:
			return;
		case RETURN:
			if (r->finish[rank] < 0)
				r->finish[rank] = now;
			return;
		}
	}
}

static void handle(struct run *r, struct event e) {
	const struct world *w = r->world;
	struct machine *m = &r->machines[e.rank];
	if (e.channel == OWN) {
		r->combining[e.rank] = m->level;
		if (e.rank + 1 == w->withdrawing)
			machine_withdraw(m);
	} else if (e.kind == COMBINED) {
		/* The result may have come earlier from another rank. */
		if (m->result != NONE || m->withdrawn)
			return;
		assert(e.level == m->level + 1);
		machine_combined(m);
	} else {
		double at = detours_finish(&w->detours, r->first[e.rank], e.time, 0);
		if (w->processor && !e.received && at > e.time) {
			e.time = at;
			e.received = true;
			push(&r->queue, e);
			return;
		}
		machine_arrived(m, e.channel, (enum content)e.kind);
	}
	drive(r, e.rank, e.time);
}

void virtual_run(const struct world *w, uint64_t launch, double *finish) {
	size_t ranks = (size_t)w->shape.ranks, channels = (size_t)w->shape.channels;
	struct run r = {.world = w,
	                .launch = launch,
	                .machines = calloc(ranks, sizeof *r.machines),
	                .first = calloc(ranks, sizeof *r.first),
	                .combining = calloc(ranks, sizeof *r.combining),
	                .messages = calloc(ranks * channels, sizeof *r.messages),
	                .finish = finish};
	assert(r.machines && r.first && r.combining && r.messages);
	for (int i = 0; i < w->shape.ranks; i++) {
		finish[i] = -1;
		r.combining[i] = MACHINE_ROUNDS + 1;
		r.first[i] = detours_first(&w->detours, launch, i);
		machine_begin(&r.machines[i], &w->shape, i);
		/* A rank that begins in a detour is like one that gets its own vector late. */
		push(&r.queue, (struct event){.time = detours_finish(&w->detours, r.first[i], 0, 0),
		                              .kind = PARTIAL,
		                              .rank = i,
		                              .channel = OWN});
	}
	while (r.queue.count > 0) {
		struct event e = pop(&r.queue);
		handle(&r, e);
	}

	/* Every channel has carried one message each way, and every rank has returned. */
	for (int i = 0; i < w->shape.ranks; i++) {
		assert(finish[i] >= 0);
		assert(r.machines[i].withdrawn == (w->withdrawing > 0));
		for (int c = 0; c < w->shape.channels; c++)
			assert(r.messages[(size_t)i * channels + (size_t)c] ==
			       (shape_peer(&w->shape, i, c) >= 0));
	}
	free(r.queue.events);
	free(r.machines);
	free(r.first);
	free(r.combining);
	free(r.messages);
}
