/*
 * The functions of C that the library intercepts: collectives, which it may take or record, and
 * MPI_Abort.
 */
#include "collectives.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "allreduce.h"
#include "communicator.h"
#include "completion.h"
#include "record.h"

/* size returns the bytes of a vector. */
static uint64_t size(MPI_Count count, MPI_Datatype type) {
	int bytes = 0;
	PMPI_Type_size(type, &bytes);
	return (uint64_t)count * (uint64_t)bytes;
}

unsigned others(MPI_Comm comm) {
	int inter = 0, ranks = 0;
	PMPI_Comm_test_inter(comm, &inter);
	inter ? PMPI_Comm_remote_size(comm, &ranks) : PMPI_Comm_size(comm, &ranks);
	return (unsigned)ranks;
}

/* own returns the rank. */
static int own(MPI_Comm comm) {
	int rank = 0;
	PMPI_Comm_rank(comm, &rank);
	return rank;
}

static MPI_Count total_of(const int *counts, unsigned ranks) {
	MPI_Count sum = 0;
	for (unsigned i = 0; i < ranks; i++)
		sum += counts[i];
	return sum;
}

/* What the table names: bytes of a vector, of what a rank puts in where it may be in place, of what
 * it gets, and the total of an array of counts. */
#define SIZE(count, type) size(count, type)
#define PUT(in_place) (from == MPI_IN_PLACE ? SIZE(in_place, to_type) : SIZE(count, type))
#define GOT(in_place) (to == MPI_IN_PLACE ? SIZE(in_place, type) : SIZE(to_count, to_type))
#define TOTAL(counts) total_of(counts, others(comm))

/* Whether a rule takes a call: of the others, never. */
#define NATIVE_CALL false
#define EMPTY_CALL (communicators_taking() && barrier_call(comm, &code))
#define OURS_CALL (communicators_taking() && allreduce_call(from, to, count, type, op, comm, &code))
#define NATIVE_REQUEST(persistent) false
#define EMPTY_REQUEST(persistent)                                                                  \
	(communicators_taking() && barrier_request(persistent, comm, request, &code))
#define OURS_REQUEST(persistent)                                                                   \
	(communicators_taking() &&                                                                     \
	 allreduce_request(persistent, from, to, count, type, op, comm, request, &code))

/* RECORD notes a call, if its entry is known. */
#define RECORD(kind_of, op_of, bytes_of, note)                                                     \
	if (entry && code == MPI_SUCCESS) {                                                            \
		struct called called = {                                                                   \
		    .entry = entry, .exit = record_clock(), .site = site, .comm = comm};                   \
		called.bytes = bytes_of;                                                                   \
		called.op = op_of;                                                                         \
		called.kind = (kind_of) | (redundant ? REDUNDANT : 0);                                     \
		note;                                                                                      \
	}

#define INLINE static inline __attribute__((always_inline))

/* BLOCKING, NONBLOCKING and PERSISTENT make the three functions of a collective, with the prefix of
 * their parameters. */
#define BLOCKING(C, Name, name, suffix, taken, kind, op, bytes)                                    \
	INLINE int do_##name##suffix(const void *site, ARGS_##Name(C)) {                               \
		int code = MPI_SUCCESS;                                                                    \
		uint64_t entry = record_entry();                                                           \
		bool redundant = taken##_CALL;                                                             \
		if (!redundant)                                                                            \
			code = PMPI_##Name##suffix(ARGS_##Name(PASS_));                                        \
		RECORD(kind, op, bytes, record_call(&called, NULL))                                        \
		return code;                                                                               \
	}                                                                                              \
	EXPORT int MPI_##Name##suffix(ARGS_##Name(C)) {                                                \
		return do_##name##suffix(__builtin_return_address(0), ARGS_##Name(PASS_));                 \
	}

#define NONBLOCKING(C, Name, name, suffix, taken, kind, op, bytes)                                 \
	INLINE int do_i##name##suffix(const void *site, ARGS_##Name(C), MPI_Request *request) {        \
		int code = MPI_SUCCESS;                                                                    \
		uint64_t entry = record_entry();                                                           \
		bool redundant = taken##_REQUEST(false);                                                   \
		if (!redundant)                                                                            \
			code = PMPI_I##name##suffix(ARGS_##Name(PASS_), request);                              \
		RECORD((kind) | STARTED, op, bytes, completion_start(*request, &called))                   \
		return code;                                                                               \
	}                                                                                              \
	EXPORT int MPI_I##name##suffix(ARGS_##Name(C), MPI_Request *request) {                         \
		return do_i##name##suffix(__builtin_return_address(0), ARGS_##Name(PASS_), request);       \
	}

#define PERSISTENT(C, MPI, Name, suffix, taken, kind, op, bytes)                                   \
	EXPORT int MPI##_##Name##_init##suffix(ARGS_##Name(C), MPI_Info info, MPI_Request *request) {  \
		int code = MPI_SUCCESS;                                                                    \
		const void *site = NULL;                                                                   \
		uint64_t entry = record_entry();                                                           \
		bool redundant = taken##_REQUEST(true);                                                    \
		if (!redundant)                                                                            \
			code = P##MPI##_##Name##_init##suffix(ARGS_##Name(PASS_), info, request);              \
		RECORD((kind) | STARTED, op, bytes, completion_persistent(*request, &called))              \
		return code;                                                                               \
	}

#define FUNCTIONS(Name, name, taken, kind, op, bytes)                                              \
	BLOCKING(C_, Name, name, , taken, kind, op, bytes)                                             \
	NONBLOCKING(C_, Name, name, , taken, kind, op, bytes)
FUNCTIONS(Barrier, barrier, EMPTY, BARRIER, MPI_OP_NULL, 0)
COLLECTIVES(FUNCTIONS)
COLLECTIVES_V(FUNCTIONS)

/* Calls from elsewhere, such as Fortran. */
#define CALLS(Name, name, taken, kind, op, bytes)                                                  \
	int call_##name(const void *site, ARGS_##Name(C_)) {                                           \
		return do_##name(site, ARGS_##Name(PASS_));                                                \
	}                                                                                              \
	int call_i##name(const void *site, ARGS_##Name(C_), MPI_Request *request) {                    \
		return do_i##name(site, ARGS_##Name(PASS_), request);                                      \
	}
CALLS(Barrier, barrier, , , , )
COLLECTIVES(CALLS)
COLLECTIVES_V(CALLS)

/* Open MPI 4 has persistent collectives by the name that they had before they were standard. */
#if MPI_VERSION >= 4 || (defined OMPI_MAJOR_VERSION && OMPI_MAJOR_VERSION >= 5)
#define INITS(Name, name, taken, kind, op, bytes)                                                  \
	PERSISTENT(C_, MPI, Name, , taken, kind, op, bytes)
#elif defined OMPI_MAJOR_VERSION
#include <mpi-ext.h>
#ifdef OMPI_HAVE_MPI_EXT_PCOLLREQ
#define INITS(Name, name, taken, kind, op, bytes)                                                  \
	PERSISTENT(C_, MPIX, Name, , taken, kind, op, bytes)
#endif
#endif

#ifdef INITS
INITS(Barrier, barrier, EMPTY, BARRIER, MPI_OP_NULL, 0)
COLLECTIVES(INITS)
COLLECTIVES_V(INITS)
#endif

/* Functions with counts beyond those of int. */
#if MPI_VERSION >= 4
#define L_FROM(x) const void *x
#define L_TO(x) void *x
#define L_COUNT(x) MPI_Count x
#define L_COUNTS(x) const MPI_Count x[]
#define L_PLACES(x) const MPI_Aint x[]
#define L_TYPE(x) MPI_Datatype x
#define L_OP(x) MPI_Op x
#define L_ROOT(x) int x
#define L_COMM(x) MPI_Comm x

static MPI_Count total_of_large(const MPI_Count *counts, unsigned ranks) {
	MPI_Count sum = 0;
	for (unsigned i = 0; i < ranks; i++)
		sum += counts[i];
	return sum;
}
#undef TOTAL
#define TOTAL(counts) total_of_large(counts, others(comm))

#define LARGE(Name, name, taken, kind, op, bytes)                                                  \
	BLOCKING(L_, Name, name, _c, taken, kind, op, bytes)                                           \
	NONBLOCKING(L_, Name, name, _c, taken, kind, op, bytes)                                        \
	PERSISTENT(L_, MPI, Name, _c, taken, kind, op, bytes)
COLLECTIVES(LARGE)
COLLECTIVES_V(LARGE)
#endif

/* MPI_Abort ends the program with no more than this. */
EXPORT int MPI_Abort(MPI_Comm comm, int code) {
	record_flush();
	return PMPI_Abort(comm, code);
}
