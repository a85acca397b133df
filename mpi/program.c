/*
 * Where the program begins and ends.
 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "communicator.h"
#include "export.h"
#include "record.h"

EXPORT int MPI_Init(int *count, char ***arguments) {
	int code = PMPI_Init(count, arguments);
	if (code == MPI_SUCCESS)
		communicators_begin();
	return code;
}

EXPORT int MPI_Init_thread(int *count, char ***arguments, int required, int *provided) {
	int code = PMPI_Init_thread(count, arguments, required, provided);
	if (code == MPI_SUCCESS)
		communicators_begin();
	return code;
}

EXPORT int MPI_Finalize(void) { return communicators_end(); }

/* MPI_Abort ends the program with no more than this. */
EXPORT int MPI_Abort(MPI_Comm comm, int code) {
	record_flush();
	return PMPI_Abort(comm, code);
}

/* What the library is built for, and what versions of libraries with another ABI contain. */
#ifdef OPEN_MPI
static const char built_for[] = "Open MPI";
static const char *const others[] = {"MPICH", "MVAPICH", "Intel(R) MPI"};
#else
static const char built_for[] = "MPICH";
static const char *const others[] = {"Open MPI"};
#endif

/* Built for another MPI library, this one takes the program's handles for what they are not. */
__attribute__((constructor)) static void check_library(void) {
	char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
	int length = 0;
	PMPI_Get_library_version(version, &length);
	version[strcspn(version, ",\n")] = 0;
	for (char *c = version; (c = strchr(c, '\t'));)
		*c = ' ';
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (strstr(version, others[i])) {
			fprintf(stderr,
			        "jitterfly-mpi: libjitterfly-mpi.so is built for %s, and the program runs with "
			        "%s: build it with the mpicc of that library\n",
			        built_for, version);
			_exit(2);
		}
}
