#include <assert.h>
#include <float.h>
#include <stdlib.h>

#include "virtual.h"

/* A system is the equations of one operation. */
struct system {
	const struct world *world;
	uint64_t launch;
	double *first; /* detour of each rank */
	double *ready; /* when each rank has S_-1 ... S_K without any result of others */
	double *finish;
};

/* ready returns where the time of a partial result of a rank is. */
static double *ready(const struct system *s, int rank, int level) {
	return &s->ready[rank * (s->world->shape.rounds + 2) + level + 1];
}

static double arrival(const struct system *s, int from, int channel, double at) {
	return at + virtual_leave(s->world, channel) +
	       virtual_transit(s->world, s->launch, from, channel);
}

/* combine sets a partial result from the rank's own before it and the earliest message. */
static void combine(struct system *s, int rank, int level, double message) {
	const struct world *w = s->world;
	double own = *ready(s, rank, level - 1);
	*ready(s, rank, level) =
	    detours_finish(&w->detours, s->first[rank], own > message ? own : message, w->combine);
}

static void rounds(struct system *s) {
	const struct shape *shape = &s->world->shape;
	for (int r = 0; r < shape->ranks; r++) {
		double start = detours_finish(&s->world->detours, s->first[r], 0, 0);
		*ready(s, r, -1) = *ready(s, r, 0) = start;
	}
	for (int r = 0; r < 2 * shape->folded; r += 2)
		combine(s, r, 0, arrival(s, r + 1, shape->fold, *ready(s, r + 1, -1)));
	for (int k = 0; k < shape->rounds; k++)
		for (int r = 0; r < shape->ranks; r++) {
			double earliest = DBL_MAX;
			for (int c = shape->first[k]; c < shape->first[k + 1]; c++) {
				int from = shape_peer(shape, r, c);
				if (from < 0)
					continue;
				double at = arrival(s, from, c, *ready(s, from, k));
				earliest = at < earliest ? at : earliest;
			}
			if (earliest < DBL_MAX)
				combine(s, r, k + 1, earliest);
		}
}

/* relax gives the result of a rank to the ranks that it sends it to. */
static void relax(struct system *s, int rank) {
	const struct shape *shape = &s->world->shape;
	for (int c = 0; c < shape->channels; c++) {
		int to = shape_peer(shape, rank, c), k = 0;
		while (k < shape->rounds && c >= shape->first[k + 1])
			k++;
		bool away = rank < 2 * shape->folded && rank % 2 == 1;
		bool in_place = c < shape->first[shape->rounds] && s->finish[rank] >= *ready(s, rank, k);
		if (to < 0 || away || in_place)
			continue;
		double at = arrival(s, rank, c, s->finish[rank]);
		if (s->world->processor)
			at = detours_finish(&s->world->detours, s->first[to], at, 0);
		if (at < s->finish[to])
			s->finish[to] = at;
	}
}

void virtual_solve(const struct world *w, uint64_t launch, double *finish) {
	size_t ranks = (size_t)w->shape.ranks;
	struct system s = {.world = w,
	                   .launch = launch,
	                   .first = calloc(ranks, sizeof *s.first),
	                   .ready = calloc(ranks * (size_t)(w->shape.rounds + 2), sizeof *s.ready),
	                   .finish = finish};
	bool *settled = calloc(ranks, sizeof *settled);
	assert(s.first && s.ready && settled);
	for (int r = 0; r < w->shape.ranks; r++)
		s.first[r] = detours_first(&w->detours, launch, r);
	rounds(&s);
	for (int r = 0; r < w->shape.ranks; r++)
		finish[r] =
		    r < 2 * w->shape.folded && r % 2 == 1 ? DBL_MAX : *ready(&s, r, w->shape.rounds);

	/* Dijkstra's shortest paths, from all ranks at once. */
	for (size_t left = ranks; left > 0; left--) {
		int next = -1;
		for (int r = 0; r < w->shape.ranks; r++)
			if (!settled[r] && (next < 0 || finish[r] < finish[next]))
				next = r;
		settled[next] = true;
		relax(&s, next);
	}
	free(s.first);
	free(s.ready);
	free(settled);
}
