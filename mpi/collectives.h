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

/* own returns the rank. */
static inline int own(MPI_Comm comm) {
	int rank = 0;
	PMPI_Comm_rank(comm, &rank);
	return rank;
}

/* TOTALS makes functions of arrays of counts: of their sum, and of the bytes of vectors of them. */
#define TOTALS(total, bytes, count)                                                                \
	static inline MPI_Count total(const count *counts, unsigned ranks) {                           \
		MPI_Count sum = 0;                                                                         \
		for (unsigned i = 0; i < ranks; i++)                                                       \
			sum += counts[i];                                                                      \
		return sum;                                                                                \
	}                                                                                              \
	static inline uint64_t bytes(const count *counts, const MPI_Datatype *types, unsigned ranks) { \
		uint64_t sum = 0;                                                                          \
		for (unsigned i = 0; i < ranks; i++)                                                       \
			sum += vector_size(counts[i], types[i]);                                               \
		return sum;                                                                                \
	}
TOTALS(total_of, bytes_of, int)
TOTALS(total_of_large, bytes_of_large, MPI_Count)

/* What the table names: bytes of a vector, of what a rank puts in where it may be in place, of what
 * it gets, the total of an array of counts, and the bytes of vectors of different types. */
#define SIZE(count, type) vector_size(count, type)
#define PUT(in_place) (from == MPI_IN_PLACE ? SIZE(in_place, to_type) : SIZE(count, type))
#define GOT(in_place) (to == MPI_IN_PLACE ? SIZE(in_place, type) : SIZE(to_count, to_type))
#define TOTAL(counts)                                                                              \
	_Generic(*(counts), int: total_of, const int: total_of, default: total_of_large)(              \
	    (const void *)(counts), others(comm))
#define EACH(counts, types)                                                                        \
	_Generic(*(counts), int: bytes_of, const int: bytes_of, default: bytes_of_large)(              \
	    (const void *)(counts), types, others(comm))

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
