/*
 * The protocol of an allreduce with redundant exchanges, without MPI in it: who exchanges what with
 * whom, and what a rank does next. plan.c drives it with messages of MPI, test/virtual.c with
 * events in simulated time.
 *
 * P ranks are folded into 2^K core ones, K = floor(log2 P), in pairs of adjacent ranks (2i, 2i+1)
 * of which the lower is a core rank. In round k = 0 ... K-1 core rank v exchanges partial results
 * with v XOR (2^k | m) for m < min(R, 2^k), which all have the same, and continues with the first
 * that arrives. After the last round it sends T copies of the result, to v XOR 2^j for j < T.
 *
 * A rank that has the result early, from a copy, sends it in place of every partial result that it
 * has not sent. So each channel, a pair of ranks and what they exchange, carries exactly one
 * message each way per operation, and a rank that has returned has no
 * outstanding messages.
 *
 * A rank that cannot take part withdraws before it sends anything, or when it hears from ranks with
 * other lengths: it sends withdrawals in place of all that it has not sent, and so does who gets
 * one. No rank can have the result then, which takes what the first one has not sent, so that all
 * ranks withdraw.
 */
#ifndef JITTERFLY_MACHINE_H
#define JITTERFLY_MACHINE_H

#include <stdbool.h>

enum {
	MACHINE_CHANNELS = 128, /* of a rank, at most */
	MACHINE_ROUNDS = 30     /* K, at most */
};

/* A shape is what all ranks know of an operation. Channels are numbered alike at both ends: those
 * of the rounds, in their order, then the T copies, then the one to the other rank of a folded
 * pair. */
struct shape {
	int ranks, sources, copies;    /* P, R, T */
	int rounds;                    /* K */
	int folded;                    /* pairs of ranks that are folded */
	int first[MACHINE_ROUNDS + 1]; /* channel of each round; of round K, the first copy */
	int fold;                      /* channel inside pairs */
	int channels;                  /* of a rank, with that one */
};

/* shape_init returns NULL, or why that many ranks cannot exchange so: R is at least 1 and at most
 * the 2^(K-1) ranks that have the same partial result, T at most K. */
const char *shape_init(struct shape *s, int ranks, int sources, int copies);

/* shape_peer returns the rank at the other end of a channel of a rank, or -1 if the rank does not
 * use that channel: those folded away have one, and ranks outside of pairs have none inside. */
int shape_peer(const struct shape *s, int rank, int channel);

enum {
	OWN = -1, /* no channel: what the rank has itself */
	NONE = -2 /* no channel */
};

/* What a message carries. */
enum content { PARTIAL, RESULT, WITHDRAWAL };

/* A machine is the state of one rank in one operation. Its partial results are numbered: S_0 is
 * what is sent in round 0, S_K the result. In a folded pair the vector of the lower rank is S_-1.
 */
struct machine {
	const struct shape *shape;
	int core;                        /* rank among the core ones */
	bool away;                       /* folded away: has no part in the rounds */
	bool pair;                       /* has a partner in a folded pair */
	int level;                       /* number of the newest partial result */
	int sent;                        /* channels of rounds and copies before it are sent on */
	bool fold_sent;                  /* the channel inside the pair is */
	int arrived[MACHINE_ROUNDS + 1]; /* channel on which the other half of S_k came, or NONE */
	int result;                      /* where the result came from: a channel, OWN, or NONE */
	bool withdrawn;
};

/* What a rank does next. */
enum action {
	COMBINE, /* S_(level+1) from S_level and what came on the channel, then machine_combined */
	SEND,    /* S_level, the result or a withdrawal, on the channel */
	WAIT,    /* for a message, then machine_arrived */
	RETURN   /* the result is there, or the rank has withdrawn, and all is sent */
};

struct step {
	enum action action;
	int channel;
	int level;
	enum content content; /* of SEND */
	bool lower;           /* of COMBINE: whether the rank's own is the left operand */
};

/* machine_begin begins an operation. */
void machine_begin(struct machine *m, const struct shape *s, int rank);

/* machine_arrived notes a message. Those of one round, and all results, have the same content. */
void machine_arrived(struct machine *m, int channel, enum content content);

/* machine_withdraw lets the rank withdraw, unless it has the result. */
void machine_withdraw(struct machine *m);

/* machine_combined notes that the partial result of the last COMBINE is there. */
void machine_combined(struct machine *m);

/* machine_has notes that the result is where S_K is. */
void machine_has(struct machine *m);

/* machine_next returns what to do next. Sending is noted as done. */
struct step machine_next(struct machine *m);

#endif
