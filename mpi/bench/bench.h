/*
 * The benchmark: what its parts know of each other. Times are in seconds; those of the clock are
 * CLOCK_MONOTONIC of the rank's own node.
 */
#ifndef JITTERFLY_BENCH_H
#define JITTERFLY_BENCH_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "../rules.h"
#include "detours.h"

enum { MAX_SIZES = 32, MAX_SCHEMES = 32 };

/* A scheme is an allreduce to measure. */
struct scheme {
	struct choice choice;
	MPI_Comm comm; /* of its own, on which the library uses it */
};

struct options {
	int sizes[MAX_SIZES], size_count; /* bytes */
	struct scheme schemes[MAX_SCHEMES];
	int scheme_count;
	int operations;         /* of each kind, quiet and noisy */
	struct detours detours; /* of noisy operations */
	bool machine;           /* no detours but the machine's own */
	int iterations;         /* of an application loop; 0 is one launch */
	double compute;         /* of an iteration */
	double lead;            /* from agreeing on a launch to it */
	double hold;            /* delay of each message; ranks then sleep instead of spinning */
	const char *out;
};

/* scheme_name writes how options name a scheme, or "native". */
void scheme_name(const struct scheme *s, char *text, size_t room);

/* options_read returns whether the arguments are good, or writes to stderr what is not. */
bool options_read(struct options *o, int argc, char **argv, bool can_hold, FILE *errors);

/* clock_now returns the time. */
double clock_now(void);

/* clock_wait waits until a time, asleep or spinning. */
void clock_wait(double until, bool asleep);

/* clock_offset returns what to add to rank 0's clock for this rank's; 0 if all are on one node. It
 * is collective. */
double clock_offset(MPI_Comm comm);

/* detours_start lets the rank have detours from a launch on, in which it is interrupted and waits.
 * It returns at the launch, or if the rank is in a detour then, when that ends. */
void detours_start(const struct detours *d, double first, double launch, bool asleep);

/* detours_stop ends them. */
void detours_stop(void);

/* compute uses the processor for the seconds, detours excluded. */
void compute(double seconds, bool asleep);

/* Parameters of the machine, as rank 0 has them. */
struct parameters {
	int ranks_per_node;   /* of the node that has most */
	double latency;       /* half a round trip of the smallest message to the last rank */
	double node_latency;  /* of another rank that reads what one of its node wrote; 0 for 1 rank */
	double bandwidth;     /* by the largest; 0 if there is one size only */
	double native, plain; /* calls one after the other, of 8 bytes: native, and with T = 0 */
	double send_overhead; /* what a copy adds to such a call: the slope over T */
	double preloaded;     /* what preloaded_cost returned */
};

/* parameters_measure is collective. */
struct parameters parameters_measure(const struct options *o);

/* preloaded_cost returns the time of a native call through the library, which has no rules, over
 * the time of one that does not reach it: of 8 bytes, one after the other, in turns. It returns 0
 * if there are rules. It is collective, and must be called before any scheme_comm. */
double preloaded_cost(void);

/* scheme_comm returns a communicator on which the library uses a choice. It is collective. */
MPI_Comm scheme_comm(const struct choice *choice);

/* A row is a timed operation. */
struct row {
	int bytes, scheme;
	bool noisy;
	double seconds;
};

/* report_write writes the file; report_print a table of medians and means. */
bool report_write(const struct options *o, const struct parameters *p, int ranks,
                  const struct row *rows, long count);
void report_print(const struct options *o, const struct parameters *p, const struct row *rows,
                  long count);

/* hold_set sets how long messages are held, in a build that can. */
void hold_set(double seconds) __attribute__((weak));

#endif
