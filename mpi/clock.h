/*
 * Clocks of ranks, compared with the clock of rank 0.
 */
#ifndef JITTERFLY_CLOCK_H
#define JITTERFLY_CLOCK_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

/* A comparison: what to add to this rank's clock for the clock of rank 0, within an error. */
struct comparison {
	uint64_t at; /* of this rank's clock [ns] */
	int64_t offset;
	uint64_t error; /* half width [ns] */
};

/* record_clock returns the time of this rank's clock, which never goes back [ns]. */
uint64_t record_clock(void);

/* clock_begin prepares comparisons, and clock_end ends them. All ranks of MPI_COMM_WORLD call them.
 */
void clock_begin(void);
void clock_end(void);

/* clock_node returns the ranks of this rank's node and the processors that they may use, 0 if that is
 * not known. All ranks call it, after clock_begin. */
struct on_node {
	uint32_t ranks, processors;
} clock_node(void);

/* clock_compare compares clocks. All ranks call it; it takes log2 of the number of nodes round
 * trips of messages, 32 times. */
struct comparison clock_compare(void);

#endif
