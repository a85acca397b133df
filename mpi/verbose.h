/*
 * What becomes of calls, and what the library says of it where JITTERFLY_MPI_VERBOSE asks for that.
 */
#ifndef JITTERFLY_VERBOSE_H
#define JITTERFLY_VERBOSE_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rules.h"

/* What became of a call: taken, or native, and why. */
enum outcome {
	TAKEN,
	NO_RULE,
	TOO_LONG,
	NOT_TAKEN,
	OUTSIDE,
	NOT_MADE,
	WITHDRAWN,
	NO_PROGRESS,
	EARLY,
	YOUNG,
	OUTCOMES
};

/* Calls by outcome, and the bytes and barriers of those taken. */
struct tally {
	uint64_t calls[OUTCOMES], bytes, barriers;
};

/* tally_count counts a call of the given bytes, 0 for a barrier; tally_any returns whether a call of
 * this rank has been taken. */
void tally_count(struct tally *t, enum outcome outcome, size_t bytes);
bool tally_any(void);

/* verbose_choice writes what a communicator uses for a choice, if any, from a call of the given
 * bytes on, 0 for a barrier. It does so once for all unnamed communicators of the same size. */
void verbose_choice(MPI_Comm comm, int ranks, size_t bytes, const struct choice *choice,
                    enum outcome outcome, size_t max_bytes);

/* verbose_calls writes how many calls of a communicator were taken, and why others were not. Those
 * without a name are added up, for verbose_end to write. */
void verbose_calls(MPI_Comm comm, int ranks, const struct tally *t);
void verbose_end(void);

/* verbose_nothing writes that no call was taken, and why, or NULL if other lines say so. */
void verbose_nothing(const char *why);

#endif
