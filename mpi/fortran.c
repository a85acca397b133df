#include "fortran.h"

#include "request.h"

#ifdef OPEN_MPI
#define F08(name) ompi_##name##_f
#else
#define F08(name) mpi_##name##_f08_
#endif

EXPORT void F08(init)(MPI_Fint *code);
EXPORT void F08(init_thread)(MPI_Fint *required, MPI_Fint *provided, MPI_Fint *code);
EXPORT void F08(finalize)(MPI_Fint *code);
EXPORT void F08(comm_free)(MPI_Fint *comm, MPI_Fint *code);
EXPORT void F08(comm_disconnect)(MPI_Fint *comm, MPI_Fint *code);

void F08(init)(MPI_Fint *code) { set(code, MPI_Init(NULL, NULL)); }

void F08(init_thread)(MPI_Fint *required, MPI_Fint *provided, MPI_Fint *code) {
	int given = MPI_THREAD_SINGLE;
	set(code, MPI_Init_thread(NULL, NULL, (int)*required, &given));
	*provided = (MPI_Fint)given;
}

void F08(finalize)(MPI_Fint *code) { set(code, MPI_Finalize()); }

/* release frees a communicator by a function of C. */
static void release(int (*function)(MPI_Comm *), MPI_Fint *comm, MPI_Fint *code) {
	MPI_Comm freed = PMPI_Comm_f2c(*comm);
	int result = function(&freed);
	if (result == MPI_SUCCESS)
		*comm = PMPI_Comm_c2f(freed);
	set(code, result);
}

void F08(comm_free)(MPI_Fint *comm, MPI_Fint *code) { release(MPI_Comm_free, comm, code); }

void F08(comm_disconnect)(MPI_Fint *comm, MPI_Fint *code) {
	release(MPI_Comm_disconnect, comm, code);
}

#ifdef OPEN_MPI
EXPORT void mpi_init_(MPI_Fint *code) __attribute__((alias("ompi_init_f")));
EXPORT void mpi_init_thread_(MPI_Fint *required, MPI_Fint *provided, MPI_Fint *code)
    __attribute__((alias("ompi_init_thread_f")));
EXPORT void mpi_finalize_(MPI_Fint *code) __attribute__((alias("ompi_finalize_f")));
EXPORT void mpi_comm_free_(MPI_Fint *comm, MPI_Fint *code)
    __attribute__((alias("ompi_comm_free_f")));
EXPORT void mpi_comm_disconnect_(MPI_Fint *comm, MPI_Fint *code)
    __attribute__((alias("ompi_comm_disconnect_f")));

/* Requests that C has made. Those that Fortran starts are not recorded. Open MPI makes another
 * request of one whose buffered message is still on its way. */
FORTRAN(start, MPI_Fint *request, MPI_Fint *code) {
	MPI_Request started = PMPI_Request_f2c(*request);
	int result = PMPI_Start(&started);
	if (result == MPI_SUCCESS) {
		request_started(started);
		*request = PMPI_Request_c2f(started);
	}
	set(code, result);
}

FORTRAN(startall, const MPI_Fint *count, MPI_Fint *requests, MPI_Fint *code) {
	MPI_Fint result = MPI_SUCCESS;
	for (MPI_Fint i = 0; i < *count && result == MPI_SUCCESS; i++)
		mpi_start_(&requests[i], &result);
	set(code, (int)result);
}

FORTRAN(request_free, MPI_Fint *request, MPI_Fint *code) {
	MPI_Request freed = PMPI_Request_f2c(*request);
	int result = MPI_Request_free(&freed);
	if (result == MPI_SUCCESS)
		*request = PMPI_Request_c2f(freed);
	set(code, result);
}

FORTRAN(cancel, const MPI_Fint *request, MPI_Fint *code) {
	MPI_Request cancelled = PMPI_Request_f2c(*request);
	set(code, MPI_Cancel(&cancelled));
}

FORTRAN(abort, const MPI_Fint *comm, const MPI_Fint *with, MPI_Fint *code) {
	set(code, MPI_Abort(PMPI_Comm_f2c(*comm), (int)*with));
}
#endif
