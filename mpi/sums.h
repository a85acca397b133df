/*
 * The sum of the vectors of a node, as one leader makes it: in the order of ranks, as a fixed tree
 * of halves of halves, of whichever vectors are there. After the last of n vectors no more than
 * ⌈log2 n⌉ combinations are left, if the others came early enough.
 */
#ifndef JITTERFLY_SUMS_H
#define JITTERFLY_SUMS_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

struct sums {
	int count, added; /* vectors, and those that are added */
	size_t room;      /* bytes of a vector, at most */
	int *width; /* by place: how many places the sum from there on is of, 0 before it is added */
	const char **sum; /* by place: the sum */
	char *memory;     /* of the sums, by the place of their right half */
};

/* sums_create returns sums of count vectors of at most room bytes, or NULL if memory lacks. */
struct sums *sums_create(int count, size_t room);

/* sums_begin forgets all vectors. */
void sums_begin(struct sums *s);

/* sums_add adds the vector at a place, which must stay until sums_begin, and returns an error code
 * of MPI. Once all are added, sum[0] is of all. */
int sums_add(struct sums *s, int place, const char *vector, size_t bytes, int count,
             MPI_Datatype type, MPI_Op op);

void sums_free(struct sums *s);

#endif
