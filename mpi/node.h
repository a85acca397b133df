/*
 * The memory that the ranks of a node share, for allreduces by leaders.
 *
 * Each rank writes its vector there. The first ranks of the node, its leaders, combine all of them,
 * and exchange the results with the leaders of other nodes by messages, the i-th with the i-th.
 * What a leader has is there too, so that others of its node can take it: the result, and if
 * leaders share, each partial result.
 *
 * An operation has a slot, as its messages have. Whoever begins an operation has returned from the
 * one before, for which all ranks of all nodes have written, and so returned from the one before
 * that: nobody reads a slot when it is written again.
 */
#ifndef JITTERFLY_NODE_H
#define JITTERFLY_NODE_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "machine.h"

/* The bytes of the longest vector that a slot holds. Longer ones are combined in segments. */
enum { NODE_SEGMENT = 8192 };

struct node {
	struct shape shape; /* of the nodes: what each leader exchanges */
	int nodes, index;   /* nodes, in the order of their first ranks, and this one */
	int size, place;    /* its ranks, and this rank among them */
	int leaders;        /* of each node */
	bool share;
	bool ordered; /* all nodes have consecutive ranks */
	int *first;   /* ranks of the leaders, node by node */
	MPI_Win window;
	char *memory;
};

/* What a leader has, of its node's: the partial result S_level as NODE_LEVEL + level. */
enum { NODE_NOTHING, NODE_LEVEL = 2, NODE_RESULT = 64, NODE_WITHDRAWN, NODE_FAILED };

/* node_create makes the memory of the nodes of a communicator, of which all ranks must call it. It
 * returns NULL if that or another rank's cannot be made. R and T are among nodes, and no larger
 * than they allow, nor are leaders more than the smallest node has ranks. If ranks is above 0, it
 * is the maximum for a node. */
struct node *node_create(MPI_Comm comm, const struct shape *wanted, int leaders, bool share,
                         int ranks);

/* node_leads returns whether this rank is a leader. */
bool node_leads(const struct node *n);

/* node_messages returns the messages of a leader in a slot, and sets the room of each [bytes]. */
char *node_messages(const struct node *n, int slot, int leader, size_t *room);

/* node_write writes the vector of this rank, of a call of n bytes, unless it is not able to
 * take part. */
void node_write(const struct node *n, int slot, uint32_t operation, const void *vector,
                size_t bytes, size_t call, bool able);

/* node_written returns whether the rank at a place of the node has written, and whether it can take
 * part in a call of the given bytes. */
bool node_written(const struct node *n, int slot, uint32_t operation, int place, size_t call,
                  bool *able);

/* node_vector returns what a rank of the node has written. */
const char *node_vector(const struct node *n, int slot, int place);

/* node_tell says what this leader has. */
void node_tell(const struct node *n, int slot, uint32_t operation, int has);

/* node_look returns what another leader has that serves a rank which waits for S_level, with its
 * message: the result, or if leaders share S_level; or that one withdrew or failed, for a rank that
 * is no leader. */
int node_look(const struct node *n, int slot, uint32_t operation, int level, const char **message);

/* node_free frees it. With windows all ranks of the node must call it. */
void node_free(struct node *n, bool windows);

#endif
