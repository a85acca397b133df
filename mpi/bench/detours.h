/*
 * Periodic detours of ranks: rank r is in one during [first + i·period, first + i·period +
 * duration), i = 0, 1, 2, ... Times are in seconds after the launch of an operation.
 */
#ifndef JITTERFLY_DETOURS_H
#define JITTERFLY_DETOURS_H

#include <math.h>
#include <stdbool.h>

#include "random.h"

struct detours {
	double period, duration; /* a duration of 0 is no detour */
	bool synchronized;       /* at the launch no rank is in a detour */
	uint64_t seed;
};

/* detours_first returns when the first detour of a rank begins; before 0 if the rank is in it at
 * the launch. */
static inline double detours_first(const struct detours *d, uint64_t launch, int rank) {
	double at = uniform(d->seed, launch, (uint64_t)rank) * d->period;
	return d->synchronized ? at : at - d->duration;
}

/* detours_finish returns when work that may begin at a time is done, given the first detour: a
 * detour that begins before the work is done extends it (docs/model/core.md, the preemption rule).
 */
static inline double detours_finish(const struct detours *d, double first, double at, double work) {
	if (d->duration <= 0)
		return at + work;
	double i = at < first ? -1 : floor((at - first) / d->period);
	if (i >= 0 && at < first + i * d->period + d->duration)
		at = first + i * d->period + d->duration;
	for (;;) {
		double next = first + ++i * d->period;
		if (at + work <= next)
			return at + work;
		work -= next - at;
		at = next + d->duration;
	}
}

#endif
