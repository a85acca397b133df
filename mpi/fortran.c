/*
 * Fortran interfaces call PMPI functions, so theirs are taken too: all of Open MPI's, by the names
 * of mpif.h and "use mpi" and by those that "use mpi_f08" calls; of MPICH's those by which "use
 * mpi_f08" begins and ends. Its others call the functions of C.
 */
#include <mpi.h>
#include <stddef.h>

#include "communicator.h"

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
EXPORT void ompi_allreduce_f(void *from, void *to, MPI_Fint *count, MPI_Fint *type, MPI_Fint *op,
                             MPI_Fint *comm, MPI_Fint *code);
EXPORT void mpi_allreduce_(void *from, void *to, MPI_Fint *count, MPI_Fint *type, MPI_Fint *op,
                           MPI_Fint *comm, MPI_Fint *code)
    __attribute__((alias("ompi_allreduce_f")));

/* What MPI_IN_PLACE and MPI_BOTTOM are in Fortran: variables that are known by their addresses. */
extern int mpi_fortran_in_place_, mpi_fortran_bottom_;

static void *buffer(void *from) {
	if (from == (void *)&mpi_fortran_in_place_)
		return MPI_IN_PLACE;
	return from == (void *)&mpi_fortran_bottom_ ? MPI_BOTTOM : from;
}

void ompi_allreduce_f(void *from, void *to, MPI_Fint *count, MPI_Fint *type, MPI_Fint *op,
                      MPI_Fint *comm, MPI_Fint *code) {
	set(code, MPI_Allreduce(buffer(from), buffer(to), (int)*count, PMPI_Type_f2c(*type),
	                        PMPI_Op_f2c(*op), PMPI_Comm_f2c(*comm)));
}

EXPORT void ompi_iallreduce_f(void *from, void *to, MPI_Fint *count, MPI_Fint *type, MPI_Fint *op,
                              MPI_Fint *comm, MPI_Fint *request, MPI_Fint *code);
EXPORT void mpi_iallreduce_(void *from, void *to, MPI_Fint *count, MPI_Fint *type, MPI_Fint *op,
                            MPI_Fint *comm, MPI_Fint *request, MPI_Fint *code)
    __attribute__((alias("ompi_iallreduce_f")));

void ompi_iallreduce_f(void *from, void *to, MPI_Fint *count, MPI_Fint *type, MPI_Fint *op,
                       MPI_Fint *comm, MPI_Fint *request, MPI_Fint *code) {
	MPI_Request started = MPI_REQUEST_NULL;
	int result = MPI_Iallreduce(buffer(from), buffer(to), (int)*count, PMPI_Type_f2c(*type),
	                            PMPI_Op_f2c(*op), PMPI_Comm_f2c(*comm), &started);
	if (result == MPI_SUCCESS)
		*request = PMPI_Request_c2f(started);
	set(code, result);
}
#endif
