/*
 * MPI_Allreduce with redundant exchanges, in place of the MPI library's own: preloaded, or linked
 * before it. What it does not take goes to PMPI_Allreduce, with all that is invalid. It decides by
 * what all ranks see alike: operation, datatype and length. Where memory is of a device, which is
 * not alike, the rank withdraws, and so all do.
 */
#include <limits.h>
#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

#include "communicator.h"
#include "device.h"

/* The kinds of predefined datatypes that operations are defined on (MPI 3.1, section 5.9.2). */
enum { INTEGER = 1, OTHER_INTEGER = 2, REAL = 4, COMPLEX = 8, LOGICAL = 16, BYTE = 32, PAIR = 64 };
enum { ANY_INTEGER = INTEGER | OTHER_INTEGER };

/* kind returns that of a datatype, or 0. */
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
	     8,
	     {MPI_C_DOUBLE_COMPLEX, MPI_C_FLOAT_COMPLEX, MPI_C_LONG_DOUBLE_COMPLEX, MPI_COMPLEX,
	      MPI_DOUBLE_COMPLEX, MPI_COMPLEX8, MPI_COMPLEX16, MPI_COMPLEX32}},
	    {LOGICAL, 2, {MPI_C_BOOL, MPI_LOGICAL}},
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

EXPORT int MPI_Allreduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op,
                         MPI_Comm comm) {
	struct communicator *c = communicator_of(comm);
	if (!c)
		return PMPI_Allreduce(from, to, count, type, op, comm);
	struct plan *plan = NULL;
	struct call call = {from == MPI_IN_PLACE ? to : from, to, 0, count, type, op};
	enum outcome outcome = NOT_TAKEN;
	if (from && to && to != MPI_IN_PLACE)
		call.bytes = length(count, type, op);
	if (call.bytes > 0)
		outcome = communicator_plan(c, call.bytes, &plan);
	if (outcome == TAKEN) {
		bool taken, able = !device_owns(call.from, to);
		int code = plan_allreduce(plan, &call, able, &taken);
		if (code != MPI_SUCCESS) {
			PMPI_Comm_call_errhandler(comm, code);
			return code;
		}
		outcome = taken ? TAKEN : WITHDRAWN;
	}
	communicator_count(c, outcome, call.bytes);
	return outcome == TAKEN ? MPI_SUCCESS : PMPI_Allreduce(from, to, count, type, op, comm);
}
