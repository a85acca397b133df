#include "allreduce.h"

#include <limits.h>
#include <stddef.h>

#include "communicator.h"
#include "device.h"
#include "request.h"

/* The kinds of predefined datatypes that operations are defined on (MPI 3.1, section 5.9.2). */
enum { INTEGER = 1, OTHER_INTEGER = 2, REAL = 4, COMPLEX = 8, LOGICAL = 16, BYTE = 32, PAIR = 64 };
enum { ANY_INTEGER = INTEGER | OTHER_INTEGER };

/* kind returns that of a datatype, or 0. MPI_COMPLEX32 has none: MPICH has the datatype and no
 * operation on it, which it tells whoever calls one. */
static int kind(MPI_Datatype type) {
	static const struct {
		int kind, count;
		MPI_Datatype types[18];
	} kinds[] = {
	    {REAL,
	     8,
	     {MPI_DOUBLE, MPI_FLOAT, MPI_LONG_DOUBLE, MPI_REAL, MPI_DOUBLE_PRECISION, MPI_REAL4,
	      MPI_REAL8, MPI_REAL16}},
	    {INTEGER,
	     18,
	     {MPI_INT, MPI_LONG, MPI_LONG_LONG, MPI_SHORT, MPI_SIGNED_CHAR, MPI_UNSIGNED,
	      MPI_UNSIGNED_LONG, MPI_UNSIGNED_LONG_LONG, MPI_UNSIGNED_SHORT, MPI_UNSIGNED_CHAR,
	      MPI_INT64_T, MPI_INT32_T, MPI_INT16_T, MPI_INT8_T, MPI_UINT64_T, MPI_UINT32_T,
	      MPI_UINT16_T, MPI_UINT8_T}},
	    {OTHER_INTEGER,
	     8,
	     {MPI_INTEGER, MPI_AINT, MPI_OFFSET, MPI_COUNT, MPI_INTEGER1, MPI_INTEGER2, MPI_INTEGER4,
	      MPI_INTEGER8}},
	    {COMPLEX,
	     10,
	     {MPI_C_DOUBLE_COMPLEX, MPI_C_FLOAT_COMPLEX, MPI_C_LONG_DOUBLE_COMPLEX, MPI_COMPLEX,
	      MPI_DOUBLE_COMPLEX, MPI_COMPLEX8, MPI_COMPLEX16, MPI_CXX_DOUBLE_COMPLEX,
	      MPI_CXX_FLOAT_COMPLEX, MPI_CXX_LONG_DOUBLE_COMPLEX}},
	    {LOGICAL, 3, {MPI_C_BOOL, MPI_LOGICAL, MPI_CXX_BOOL}},
	    {BYTE, 1, {MPI_BYTE}},
	    {PAIR, 5, {MPI_2INT, MPI_FLOAT_INT, MPI_2INTEGER, MPI_2REAL, MPI_2DOUBLE_PRECISION}},
	};
	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
		for (int i = 0; i < kinds[k].count; i++)
			if (kinds[k].types[i] == type)
				return kinds[k].kind;
	return 0;
}

/* kinds_of returns the kinds that an operation is defined on, or -1 for all: it is the program's.
 */
static int kinds_of(MPI_Op op) {
	if (op == MPI_SUM || op == MPI_PROD)
		return ANY_INTEGER | REAL | COMPLEX;
	if (op == MPI_MAX || op == MPI_MIN)
		return ANY_INTEGER | REAL;
	if (op == MPI_LAND || op == MPI_LOR || op == MPI_LXOR)
		return INTEGER | LOGICAL;
	if (op == MPI_BAND || op == MPI_BOR || op == MPI_BXOR)
		return ANY_INTEGER | BYTE;
	if (op == MPI_MAXLOC || op == MPI_MINLOC)
		return PAIR;
	return op == MPI_OP_NULL || op == MPI_REPLACE || op == MPI_NO_OP ? 0 : -1;
}

/* size returns the bytes of a datatype, or 0 if there are gaps in it or between two of it. */
static size_t size(MPI_Datatype type) {
	MPI_Aint low, extent, true_low, true_extent;
	int bytes;
	if (PMPI_Type_size(type, &bytes) != MPI_SUCCESS || bytes <= 0 ||
	    PMPI_Type_get_extent(type, &low, &extent) != MPI_SUCCESS ||
	    PMPI_Type_get_true_extent(type, &true_low, &true_extent) != MPI_SUCCESS)
		return 0;
	return low == 0 && true_low == 0 && extent == bytes && true_extent == bytes ? (size_t)bytes : 0;
}

/* length returns the bytes of a vector that is taken, or 0. */
static size_t length(int count, MPI_Datatype type, MPI_Op op) {
	if (count <= 0 || type == MPI_DATATYPE_NULL)
		return 0;
	int kinds = kinds_of(op);
	if (kinds != -1 && !(kinds & kind(type)))
		return 0;
	size_t bytes = (size_t)count * size(type);
	return bytes <= INT_MAX / 2 ? bytes : 0;
}

/* measure sets the bytes of a call, and returns whether it is one that can be taken. */
static bool measure(struct call *call, enum manner manner) {
	if (!call->from || !call->to || call->to == MPI_IN_PLACE)
		return false;
	/* The program may free its operation before the call is complete. */
	if (manner != BLOCKING && kinds_of(call->op) == -1)
		return false;
	call->bytes = length(call->count, call->type, call->op);
	return call->bytes > 0;
}

/* consider returns whether a call is taken, and if so by which plan. It counts the others. */
static bool consider(struct communicator *c, enum manner manner, const struct call *call,
                     bool possible, struct plan **plan) {
	enum outcome outcome = NOT_TAKEN;
	if (possible && manner != BLOCKING && !requests_possible())
		outcome = NO_PROGRESS;
	else if (possible)
		outcome = communicator_plan(c, call->bytes, manner, plan);
	if (outcome != TAKEN)
		tally_count(&communicator_requests(c)->tally, outcome, 0);
	return outcome == TAKEN;
}

/* blocking makes a blocking call, and returns whether all ranks took it. */
static bool blocking(struct requests *all, struct plan *plan, const struct call *call, int *code) {
	bool alike;
	requests_wait(all);
	*code = plan_allreduce(plan, call, !device_owns(call_vector(call), call->to), &alike);
	if (*code != MPI_SUCCESS)
		requests_fail(all, *code);
	else
		tally_count(&all->tally, alike ? TAKEN : WITHDRAWN, call->bytes);
	return alike;
}

/* take makes a call that is possible, if a rule takes it. */
static bool take(enum manner manner, const struct call *call, bool possible, MPI_Comm comm,
                 MPI_Request *request, int *code) {
	struct communicator *c = communicator_of(comm);
	struct plan *plan = NULL;
	if (!c || (manner != BLOCKING && !request) || !consider(c, manner, call, possible, &plan))
		return false;
	struct requests *all = communicator_requests(c);
	if (manner == BLOCKING)
		return blocking(all, plan, call, code);
	*code = (manner == PERSISTENT ? request_init : request_start)(all, plan, call, request);
	return true;
}

bool allreduce_take(enum manner manner, const void *from, void *to, MPI_Count count,
                    MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request *request, int *code) {
	/* Vectors of counts beyond those of int are longer than any that is taken. */
	struct call call = {from, to, 0, count <= INT_MAX ? (int)count : 0, type, op};
	return take(manner, &call, measure(&call, manner), comm, request, code);
}

bool barrier_take(enum manner manner, MPI_Comm comm, MPI_Request *request, int *code) {
	static char nothing; /* which a barrier combines */
	const struct call call = {MPI_IN_PLACE, &nothing, 0, 0, MPI_BYTE, MPI_BOR};
	return take(manner, &call, true, comm, request, code);
}
