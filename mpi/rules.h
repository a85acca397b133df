/*
 * Which R and T a communicator uses: what the environment and a file of rules say.
 */
#ifndef JITTERFLY_RULES_H
#define JITTERFLY_RULES_H

#include <stddef.h>

/* A choice is made for vectors of at least so many bytes, up to the next choice. */
struct choice {
	size_t bytes;
	int sources, copies; /* R and T; R is 0 for the native allreduce */
	int line;            /* of the file of rules, or 0 */
};

/* Choices are those of one number of ranks, in ascending order of bytes. */
struct choices {
	struct choice *list;
	int count;
	size_t max_bytes; /* longer vectors are left to the native allreduce */
	int verbose;
};

/* rules_choose returns the choices for so many ranks: of JITTERFLY_MPI_FORCE=R,T, or else of the
 * file that JITTERFLY_MPI_RULES names, which is what "jitterfly choose --format csv" prints. What
 * is wrong with either is written to stderr, once, and leaves no choice. The list is to be freed.
 */
struct choices rules_choose(int ranks);

#endif
