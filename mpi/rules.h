/*
 * Which R and T communicators use: what the environment and a file of rules say.
 */
#ifndef JITTERFLY_RULES_H
#define JITTERFLY_RULES_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* A rule is a line of the file: for what numbers of ranks and bytes it was simulated. R is 0 for
 * the native allreduce. */
struct rule {
	long long ranks_min, ranks_max, bytes_min, bytes_max;
	int sources, copies, leaders, line;
	bool share;
};

/* A choice applies to vectors of a range of bytes. */
struct choice {
	size_t bytes, last;  /* from, to */
	int sources, copies; /* R and T; R is 0 for the native allreduce */
	int line;            /* of the file of rules, or 0 */
	int leaders;         /* of each node, or 0 for all ranks */
	bool share;          /* what leaders have after each round */
};

/* Rules are what a program is started with. They hold no pointers but the list, so that a rank can
 * send them to others. */
struct rules {
	struct rule *list;
	int count;
	struct choice forced; /* of all calls, in place of rules; R is 0 for rules */
	int node_ranks;       /* of a node at most, or 0 */
	int connect;          /* the blocking call with which a communicator connects */
	size_t max_bytes;     /* longer vectors are left to the native allreduce */
	bool any;             /* whether a call may be taken */
	bool verbose;
	char file[PATH_MAX];
};

/* choice_read reads R,T or R,T,leaders or R,T,leaders,share, of vectors of any length, and returns
 * whether the text is that. */
bool choice_read(const char *text, struct choice *choice);

/* rules_read returns what JITTERFLY_MPI_FORCE says, or else the file that JITTERFLY_MPI_RULES
 * names, which is what "jitterfly choose --format csv" prints. What is wrong with either is written
 * to stderr, once, and leaves no rule. The list is to be freed. */
struct rules rules_read(void);

/* rules_choose writes the choices for the ranks, in ascending order of bytes, into a list with
 * room for all rules and one more, and returns how many these are. A rule reaches the next ranks
 * and bytes that were simulated, or twice its own. If it speaks, it writes to stderr what is wrong
 * with a rule for these ranks, which leaves them the native allreduce. */
int rules_choose(const struct rules *r, int ranks, bool speak, struct choice *list);

#endif
