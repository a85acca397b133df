/*
 * What the functions name that calls.awk makes of calls.table: collectives, which the library may take
 * or record, by C and by Open MPI's Fortran.
 */
#ifndef JITTERFLY_COLLECTIVES_H
#define JITTERFLY_COLLECTIVES_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "allreduce.h"
#include "communicator.h"
#include "completion.h"
#include "export.h"
#include "fortran.h"
#include "record.h"

#define INLINE static inline __attribute__((always_inline))

/* Open MPI 4 has persistent collectives by the name that they had before they were standard. */
#if MPI_VERSION >= 4 || (defined OMPI_MAJOR_VERSION && OMPI_MAJOR_VERSION >= 5)
#define PERSISTENT_NAME(prefix, name) prefix##_##name
#elif defined OMPI_MAJOR_VERSION
#include <mpi-ext.h>
#ifdef OMPI_HAVE_MPI_EXT_PCOLLREQ
#define PERSISTENT_NAME(prefix, name) prefix##X_##name
#endif
#endif

/* vector_size returns the bytes of a vector. Of no elements the type may be invalid. */
static inline uint64_t vector_size(MPI_Count count, MPI_Datatype type) {
	int bytes = 0;
	if (count > 0)
		PMPI_Type_size(type, &bytes);
	return (uint64_t)count * (uint64_t)bytes;
}

/* others returns how many ranks a rank exchanges with: all of its communicator, or those of the
 * other group of an intercommunicator. */
static inline unsigned others(MPI_Comm comm) {
	int inter = 0, ranks = 0;
	PMPI_Comm_test_inter(comm, &inter);
	inter ? PMPI_Comm_remote_size(comm, &ranks) : PMPI_Comm_size(comm, &ranks);
	return (unsigned)ranks;
}

/* ours returns how many ranks are in a rank's own group. */
static inline unsigned ours(MPI_Comm comm) {
	int ranks = 0;
	PMPI_Comm_size(comm, &ranks);
	return (unsigned)ranks;
}

/* own returns the rank. */
static inline int own(MPI_Comm comm) {
	int rank = 0;
	PMPI_Comm_rank(comm, &rank);
	return rank;
}

/* What the table names: bytes of a vector, of what a rank puts in where it may be in place, and of what
 * it gets; of arrays of any counts, one for each of the others or of ours, the total, and the bytes of
 * vectors of different types. */
#define SIZE(count, type) vector_size(count, type)
#define PUT(in_place) (from == MPI_IN_PLACE ? SIZE(in_place, to_type) : SIZE(count, type))
#define GOT(in_place) (to == MPI_IN_PLACE ? SIZE(in_place, type) : SIZE(to_count, to_type))
#define SUM(type, ranks, each)                                                                     \
	__extension__({                                                                                \
		type sum = 0;                                                                              \
		for (unsigned i = 0, all = ranks(comm); i < all; i++)                                      \
			sum += each;                                                                           \
		sum;                                                                                       \
	})
#define TOTAL(counts, ranks) SUM(MPI_Count, ranks, counts[i])
#define EACH(counts, types) SUM(uint64_t, others, vector_size(counts[i], types[i]))

/* How many requests a function has completed that returns a number. */
#define SOME(number) (*(number) == MPI_UNDEFINED ? 0 : *(number))

/* number_of_win and number_of_file return the number of the ranks of a window or a file in a recording,
 * or 0 if there is none. */
static inline uint32_t number_of_win(MPI_Win win) {
	MPI_Group group;
	if (!record_entry() || win == MPI_WIN_NULL || PMPI_Win_get_group(win, &group) != MPI_SUCCESS)
		return 0;
	return record_group((uint64_t)(uintptr_t)win, group);
}

static inline uint32_t number_of_file(MPI_File file) {
	MPI_Group group;
	if (!record_entry() || file == MPI_FILE_NULL ||
	    PMPI_File_get_group(file, &group) != MPI_SUCCESS)
		return 0;
	return record_group((uint64_t)(uintptr_t)file, group);
}

/* waited records a call in which ranks may have waited for each other, on a communicator or of a
 * number. */
static inline void waited(int kind, MPI_Comm comm, uint32_t number, uint64_t entry,
                          const void *site) {
	struct called called = {
	    .entry = entry, .exit = record_clock(), .site = site, .comm = comm, .number = number};
	called.op = MPI_OP_NULL;
	called.kind = kind;
	if (number > 0 || comm != MPI_COMM_NULL)
		record_call(&called, NULL);
}

#endif
