#include "freeing.h"

#include <stddef.h>

#include "export.h"

static _Thread_local struct freeing *innermost;

struct freeing *freeing(MPI_Comm comm) {
	struct freeing *f = innermost;
	while (f && f->comm != comm)
		f = f->outer;
	return f;
}

/* release frees a communicator by a function of MPI. */
static int release(int (*native)(MPI_Comm *), MPI_Comm *comm) {
	struct freeing this = {.comm = comm ? *comm : MPI_COMM_NULL, .outer = innermost};
	innermost = &this;
	int code = native(comm);
	innermost = this.outer;
	return code;
}

EXPORT int MPI_Comm_free(MPI_Comm *comm) { return release(PMPI_Comm_free, comm); }

EXPORT int MPI_Comm_disconnect(MPI_Comm *comm) { return release(PMPI_Comm_disconnect, comm); }
