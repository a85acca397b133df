/*
 * The collectives that the library intercepts, as a table: collectives.c makes the functions of C
 * from it, fortran.c those of Fortran.
 */
#ifndef JITTERFLY_COLLECTIVES_H
#define JITTERFLY_COLLECTIVES_H

#include <mpi.h>

/* Parameters of each collective. M is a prefix of macros with the ways to write one, by its kind.
 */
#define ARGS_Barrier(M) M##COMM(comm)
#define ARGS_Bcast(M) M##TO(to), M##COUNT(count), M##TYPE(type), M##ROOT(root), M##COMM(comm)
#define ARGS_Allreduce(M)                                                                          \
	M##FROM(from), M##TO(to), M##COUNT(count), M##TYPE(type), M##OP(op), M##COMM(comm)
#define ARGS_Reduce(M)                                                                             \
	M##FROM(from), M##TO(to), M##COUNT(count), M##TYPE(type), M##OP(op), M##ROOT(root),            \
	    M##COMM(comm)
#define ARGS_Reduce_scatter_block(M) ARGS_Allreduce(M)
#define ARGS_Reduce_scatter(M)                                                                     \
	M##FROM(from), M##TO(to), M##COUNTS(counts), M##TYPE(type), M##OP(op), M##COMM(comm)
#define ARGS_Scan(M) ARGS_Allreduce(M)
#define ARGS_Exscan(M) ARGS_Allreduce(M)
#define ARGS_Allgather(M)                                                                          \
	M##FROM(from), M##COUNT(count), M##TYPE(type), M##TO(to), M##COUNT(to_count),                  \
	    M##TYPE(to_type), M##COMM(comm)
#define ARGS_Alltoall(M) ARGS_Allgather(M)
#define ARGS_Gather(M)                                                                             \
	M##FROM(from), M##COUNT(count), M##TYPE(type), M##TO(to), M##COUNT(to_count),                  \
	    M##TYPE(to_type), M##ROOT(root), M##COMM(comm)
#define ARGS_Scatter(M) ARGS_Gather(M)
#define ARGS_Allgatherv(M)                                                                         \
	M##FROM(from), M##COUNT(count), M##TYPE(type), M##TO(to), M##COUNTS(to_counts),                \
	    M##PLACES(to_places), M##TYPE(to_type), M##COMM(comm)
#define ARGS_Alltoallv(M)                                                                          \
	M##FROM(from), M##COUNTS(counts), M##PLACES(places), M##TYPE(type), M##TO(to),                 \
	    M##COUNTS(to_counts), M##PLACES(to_places), M##TYPE(to_type), M##COMM(comm)
#define ARGS_Gatherv(M)                                                                            \
	M##FROM(from), M##COUNT(count), M##TYPE(type), M##TO(to), M##COUNTS(to_counts),                \
	    M##PLACES(to_places), M##TYPE(to_type), M##ROOT(root), M##COMM(comm)
#define ARGS_Scatterv(M)                                                                           \
	M##FROM(from), M##COUNTS(counts), M##PLACES(places), M##TYPE(type), M##TO(to),                 \
	    M##COUNT(to_count), M##TYPE(to_type), M##ROOT(root), M##COMM(comm)

/* The collectives: name, name in lower case, whether rules may take it (OURS), kind, operation, and
 * bytes of a rank's vector, by the parameters of a call that succeeded. Parameters that do not
 * count may be invalid: of all but the root, and at the root of an intercommunicator. */
#define COLLECTIVES(X)                                                                             \
	X(Bcast, bcast, NATIVE, BCAST, MPI_OP_NULL, root == MPI_PROC_NULL ? 0 : SIZE(count, type))     \
	X(Allreduce, allreduce, OURS, ALLREDUCE, op, SIZE(count, type))                                \
	X(Reduce, reduce, NATIVE, REDUCE, op, root == MPI_PROC_NULL ? 0 : SIZE(count, type))           \
	X(Reduce_scatter_block, reduce_scatter_block, NATIVE, REDUCE_SCATTER, op,                      \
	  SIZE(count, type) * others(comm))                                                            \
	X(Scan, scan, NATIVE, OTHER_KIND, op, SIZE(count, type))                                       \
	X(Exscan, exscan, NATIVE, OTHER_KIND, op, SIZE(count, type))                                   \
	X(Allgather, allgather, NATIVE, ALLGATHER, MPI_OP_NULL, PUT(to_count))                         \
	X(Alltoall, alltoall, NATIVE, ALLTOALL, MPI_OP_NULL, PUT(to_count) * others(comm))             \
	X(Gather, gather, NATIVE, OTHER_KIND, MPI_OP_NULL, root < 0 ? 0 : PUT(to_count))               \
	X(Scatter, scatter, NATIVE, OTHER_KIND, MPI_OP_NULL, root < 0 ? 0 : GOT(count))

/* The collectives with arrays of counts. */
#define COLLECTIVES_V(X)                                                                           \
	X(Reduce_scatter, reduce_scatter, NATIVE, REDUCE_SCATTER, op, SIZE(TOTAL(counts), type))       \
	X(Allgatherv, allgatherv, NATIVE, ALLGATHER, MPI_OP_NULL, PUT(to_counts[own(comm)]))           \
	X(Alltoallv, alltoallv, NATIVE, ALLTOALL, MPI_OP_NULL,                                         \
	  from == MPI_IN_PLACE ? SIZE(TOTAL(to_counts), to_type) : SIZE(TOTAL(counts), type))          \
	X(Gatherv, gatherv, NATIVE, OTHER_KIND, MPI_OP_NULL, root < 0 ? 0 : PUT(to_counts[own(comm)])) \
	X(Scatterv, scatterv, NATIVE, OTHER_KIND, MPI_OP_NULL, root < 0 ? 0 : GOT(counts[own(comm)]))

/* Parameters of functions of C, and those that they pass on. */
#define C_FROM(x) const void *x
#define C_TO(x) void *x
#define C_COUNT(x) int x
#define C_COUNTS(x) const int x[]
#define C_PLACES(x) const int x[]
#define C_TYPE(x) MPI_Datatype x
#define C_OP(x) MPI_Op x
#define C_ROOT(x) int x
#define C_COMM(x) MPI_Comm x

#define PASS_FROM(x) x
#define PASS_TO(x) x
#define PASS_COUNT(x) x
#define PASS_COUNTS(x) x
#define PASS_PLACES(x) x
#define PASS_TYPE(x) x
#define PASS_OP(x) x
#define PASS_ROOT(x) x
#define PASS_COMM(x) x

/* Calls, with where they come from. */
#define DECLARE(Name, name, taken, kind, op, bytes)                                                \
	int call_##name(const void *site, ARGS_##Name(C_));                                            \
	int call_i##name(const void *site, ARGS_##Name(C_), MPI_Request *request);
DECLARE(Barrier, barrier, , , , )
COLLECTIVES(DECLARE)
COLLECTIVES_V(DECLARE)
#undef DECLARE

/* others returns how many ranks a rank exchanges with: all of its communicator, or those of the
 * other group of an intercommunicator. */
unsigned others(MPI_Comm comm);

#endif
