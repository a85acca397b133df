/*
 * Fortran interfaces call PMPI functions, so theirs are taken too: all of Open MPI's, by the names
 * of mpif.h and "use mpi" and by those that "use mpi_f08" calls; of MPICH's those by which "use
 * mpi_f08" begins, ends, frees communicators and has barriers. Its others call the functions of C.
 */
#ifndef JITTERFLY_FORTRAN_H
#define JITTERFLY_FORTRAN_H

#include <mpi.h>

#include "completion.h"
#include "export.h"

/* set sets an error code, which is optional. */
static inline void set(MPI_Fint *code, int result) {
	if (code)
		*code = (MPI_Fint)result;
}

#ifdef OPEN_MPI
/* FORTRAN begins a function of Fortran, by both names. */
#define FORTRAN(name, ...)                                                                         \
	EXPORT void ompi_##name##_f(__VA_ARGS__);                                                      \
	EXPORT void mpi_##name##_(__VA_ARGS__) __attribute__((alias("ompi_" #name "_f")));             \
	void ompi_##name##_f(__VA_ARGS__)

/* What MPI_IN_PLACE and MPI_BOTTOM are in Fortran: variables that are known by their addresses. */
extern int mpi_fortran_in_place_, mpi_fortran_bottom_;

static inline void *buffer(void *from) {
	if (from == (void *)&mpi_fortran_in_place_)
		return MPI_IN_PLACE;
	return from == (void *)&mpi_fortran_bottom_ ? MPI_BOTTOM : from;
}

/* ints returns an array as C has it: a copy of count integers at *copy, which it moves on, or the array
 * itself if count is 0. */
static inline const int *ints(const MPI_Fint *from, unsigned count, int **copy) {
	int *to = *copy;
	for (unsigned i = 0; i < count; i++)
		to[i] = (int)from[i];
	*copy += count;
	return count > 0 ? to : (const int *)from;
}

/* started_by_fortran gives Fortran a request. Its functions that complete requests are not taken, so
 * that nothing is expected of them. */
static inline void started_by_fortran(int result, MPI_Request started, MPI_Fint *request) {
	if (result != MPI_SUCCESS)
		return;
	*request = PMPI_Request_c2f(started);
	if (completing_any())
		completion_release(started);
}
#endif

#endif
