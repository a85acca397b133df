/*
 * Clocks that differ by rank, each rank on a node of its own: the clock of rank r is 3 r seconds
 * early, and gains 100 r ppm.
 */
#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>

static inline uint64_t skewed(uint64_t now) {
	const char *rank = getenv("OMPI_COMM_WORLD_RANK");
	rank = rank ? rank : getenv("PMI_RANK");
	uint64_t r = rank ? (uint64_t)atoi(rank) : 0;
	return now + r * 3000000000 + now / 10000 * r;
}

#define CLOCK_SKEW(now) skewed(now)
#define CLOCK_SPLIT(rank, node) PMPI_Comm_split(MPI_COMM_WORLD, rank, 0, node)
