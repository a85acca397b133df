/*
 * Programs that other libraries have been wrong with, each small:
 *
 *	programs signal exit|abort    a signal's handler ends the program in the midst of allreduces
 *	programs alias                the same buffer twice, where MPI_IN_PLACE belongs
 */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

static int rank, ranks;
static volatile int aborts;

static void leave(int number) {
	(void)number;
	if (aborts)
		MPI_Abort(MPI_COMM_WORLD, 3);
	exit(3);
}

/* Handlers of PETSc do so. */
static void signals(const char *how) {
	struct itimerval t = {.it_value = {.tv_usec = 30000 + getpid() % 1000 * 37}};
	double a = 1, b;
	aborts = strcmp(how, "abort") == 0;
	signal(SIGALRM, leave);
	setitimer(ITIMER_REAL, &t, NULL);
	for (;;)
		MPI_Allreduce(&a, &b, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF);
}

/* Erroneous, but some MPI libraries let it pass. */
static void alias(void) {
	double x = 1;
	int code, class = MPI_SUCCESS;
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	code = MPI_Allreduce(&x, &x, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	MPI_Error_class(code, &class);
	printf("rank %d: class %d, x = %g\n", rank, class, x);
}

int main(int argc, char **argv) {
	const char *what = argc > 1 ? argv[1] : "", *how = argc > 2 ? argv[2] : "";
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	if (strcmp(what, "signal") == 0)
		signals(how);
	else if (strcmp(what, "alias") == 0)
		alias();
	else
		MPI_Abort(MPI_COMM_WORLD, 2);
	MPI_Finalize();
	return 0;
}
