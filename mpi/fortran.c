/*
 * Fortran interfaces call PMPI functions, so theirs are taken too: all of Open MPI's, by the names
 * of mpif.h and "use mpi" and by those that "use mpi_f08" calls; of MPICH's those by which "use
 * mpi_f08" begins and ends. Its others call the functions of C.
 */
#include <mpi.h>
#include <stddef.h>

#include "collectives.h"
#include "communicator.h"
#include "completion.h"
#include "request.h"

#ifdef OPEN_MPI
#define F08(name) ompi_##name##_f
#else
#define F08(name) mpi_##name##_f08_
#endif

EXPORT void F08(init)(MPI_Fint *code);
EXPORT void F08(init_thread)(MPI_Fint *required, MPI_Fint *provided, MPI_Fint *code);
EXPORT void F08(finalize)(MPI_Fint *code);

/* set sets an error code, which is optional. */
static void set(MPI_Fint *code, int result) {
	if (code)
		*code = (MPI_Fint)result;
}

void F08(init)(MPI_Fint *code) { set(code, MPI_Init(NULL, NULL)); }

void F08(init_thread)(MPI_Fint *required, MPI_Fint *provided, MPI_Fint *code) {
	int given = MPI_THREAD_SINGLE;
	set(code, MPI_Init_thread(NULL, NULL, (int)*required, &given));
	*provided = (MPI_Fint)given;
}

void F08(finalize)(MPI_Fint *code) { set(code, MPI_Finalize()); }

#ifdef OPEN_MPI
EXPORT void mpi_init_(MPI_Fint *code) __attribute__((alias("ompi_init_f")));
EXPORT void mpi_init_thread_(MPI_Fint *required, MPI_Fint *provided, MPI_Fint *code)
    __attribute__((alias("ompi_init_thread_f")));
EXPORT void mpi_finalize_(MPI_Fint *code) __attribute__((alias("ompi_finalize_f")));
/* What MPI_IN_PLACE and MPI_BOTTOM are in Fortran: variables that are known by their addresses. */
extern int mpi_fortran_in_place_, mpi_fortran_bottom_;

static void *buffer(void *from) {
	if (from == (void *)&mpi_fortran_in_place_)
		return MPI_IN_PLACE;
	return from == (void *)&mpi_fortran_bottom_ ? MPI_BOTTOM : from;
}

/* Parameters of functions of Fortran, and what they are in C. */
#define F_FROM(x) void *x
#define F_TO(x) void *x
#define F_COUNT(x) const MPI_Fint *x
#define F_COUNTS(x) const MPI_Fint *x
#define F_PLACES(x) const MPI_Fint *x
#define F_TYPE(x) const MPI_Fint *x
#define F_OP(x) const MPI_Fint *x
#define F_ROOT(x) const MPI_Fint *x
#define F_COMM(x) const MPI_Fint *x

#define TO_C_FROM(x) buffer(x)
#define TO_C_TO(x) buffer(x)
#define TO_C_COUNT(x) (int)*x
#define TO_C_COUNTS(x) ints(x, copied, copies + copied * x##_copy)
#define TO_C_PLACES(x) TO_C_COUNTS(x)
#define TO_C_TYPE(x) PMPI_Type_f2c(*x)
#define TO_C_OP(x) PMPI_Op_f2c(*x)
#define TO_C_ROOT(x) (int)*x
#define TO_C_COMM(x) PMPI_Comm_f2c(*x)

/* Room for copies of arrays, where integers of Fortran are longer than those of C. */
enum { counts_copy, places_copy, to_counts_copy, to_places_copy, COPIES };

static const int *ints(const MPI_Fint *from, unsigned count, int *copy) {
	for (unsigned i = 0; i < count; i++)
		copy[i] = (int)from[i];
	return count > 0 ? copy : (const int *)from;
}

/* Fortran's functions that complete requests are not taken, so nothing is expected of its requests.
 * BLOCKING, NONBLOCKING and BLOCKING_V make functions of Fortran, by both names. */
#define NAMED(name, ...)                                                                           \
	EXPORT void ompi_##name##_f(__VA_ARGS__);                                                      \
	EXPORT void mpi_##name##_(__VA_ARGS__) __attribute__((alias("ompi_" #name "_f")));             \
	void ompi_##name##_f(__VA_ARGS__)

#define BLOCKING(Name, name, taken, kind, op, bytes)                                               \
	NAMED(name, ARGS_##Name(F_), MPI_Fint *code) {                                                 \
		set(code, call_##name(__builtin_return_address(0), ARGS_##Name(TO_C_)));                   \
	}

#define NONBLOCKING(Name, name, taken, kind, op, bytes)                                            \
	NAMED(i##name, ARGS_##Name(F_), MPI_Fint *request, MPI_Fint *code) {                           \
		MPI_Request started = MPI_REQUEST_NULL;                                                    \
		int result = call_i##name(__builtin_return_address(0), ARGS_##Name(TO_C_), &started);      \
		if (result == MPI_SUCCESS) {                                                               \
			*request = PMPI_Request_c2f(started);                                                  \
			if (completing_any())                                                                  \
				completion_release(started);                                                       \
		}                                                                                          \
		set(code, result);                                                                         \
	}

#define BLOCKING_V(Name, name, taken, kind, op, bytes)                                             \
	NAMED(name, ARGS_##Name(F_), MPI_Fint *code) {                                                 \
		unsigned copied = sizeof(MPI_Fint) > sizeof(int) ? others(PMPI_Comm_f2c(*comm)) : 0;       \
		int copies[COPIES * copied + 1];                                                           \
		set(code, call_##name(__builtin_return_address(0), ARGS_##Name(TO_C_)));                   \
	}

BLOCKING(Barrier, barrier, , , , )
NONBLOCKING(Barrier, barrier, , , , )
COLLECTIVES(BLOCKING)
COLLECTIVES(NONBLOCKING)
COLLECTIVES_V(BLOCKING_V)

/* Requests that C has made. Those that Fortran starts are not recorded. */
NAMED(start, const MPI_Fint *request, MPI_Fint *code) {
	MPI_Request started = PMPI_Request_f2c(*request);
	int result = PMPI_Start(&started);
	if (result == MPI_SUCCESS)
		request_started(started);
	set(code, result);
}

NAMED(startall, const MPI_Fint *count, const MPI_Fint *requests, MPI_Fint *code) {
	MPI_Fint result = MPI_SUCCESS;
	for (MPI_Fint i = 0; i < *count && result == MPI_SUCCESS; i++)
		mpi_start_(&requests[i], &result);
	set(code, (int)result);
}

NAMED(request_free, MPI_Fint *request, MPI_Fint *code) {
	MPI_Request freed = PMPI_Request_f2c(*request);
	int result = MPI_Request_free(&freed);
	if (result == MPI_SUCCESS)
		*request = PMPI_Request_c2f(freed);
	set(code, result);
}

NAMED(cancel, const MPI_Fint *request, MPI_Fint *code) {
	MPI_Request cancelled = PMPI_Request_f2c(*request);
	set(code, MPI_Cancel(&cancelled));
}

NAMED(abort, const MPI_Fint *comm, const MPI_Fint *with, MPI_Fint *code) {
	set(code, MPI_Abort(PMPI_Comm_f2c(*comm), (int)*with));
}
#endif
