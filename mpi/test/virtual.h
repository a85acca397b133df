/*
 * The machines of all ranks in simulated time.
 */
#ifndef JITTERFLY_VIRTUAL_H
#define JITTERFLY_VIRTUAL_H

#include "../bench/detours.h"
#include "../machine.h"

/* A world is what an operation runs in. */
struct world {
	struct shape shape;
	struct detours detours;
	double wire;     /* transit of a message [s] */
	double combine;  /* processor time to combine two vectors [s] */
	double spread;   /* maximum extra time of a message, drawn for each [s] */
	double copy;     /* c, of posting a copy [s] */
	bool processor;  /* a rank receives with its processor, so never in a detour */
	int withdrawing; /* rank that withdraws at its beginning, from 1; 0 is no rank */
};

/* A finish is when a rank has the result, without posting copies [s]. */
typedef void simulator(const struct world *w, uint64_t launch, double *finish);

/* virtual_run simulates the machines event by event. */
simulator virtual_run;

/* virtual_solve computes the same from the equations of docs/model/core.md: the rounds, and then
 * the shortest paths of results. */
simulator virtual_solve;

/* virtual_transit returns what a message of a rank takes [s]. */
double virtual_transit(const struct world *w, uint64_t launch, int rank, int channel);

/* virtual_leave returns what posting copies adds before a message leaves [s]: m·c for the m-th
 * source of a round, (j+1)·c for copy j. */
double virtual_leave(const struct world *w, int channel);

#endif
