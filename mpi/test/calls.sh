#!/usr/bin/env bash
# Random calls, and cases, by several numbers of ranks.
#
#	MPIRUN="mpirun …" calls.sh DIRECTORY [CALLS]     where they are built; 300 calls
set -euo pipefail
build=$1
calls=${2:-300}
rules=$(mktemp)
trap 'rm -f -- "$rules"' EXIT
printf '%s\n' ranks_min,ranks_max,bytes_min,bytes_max,collective,sources,segments,redundancy,leaders,share, \
	2,3,1,32,butterfly,1,1,0,0,false, 2,3,64,2048,butterfly,1,1,1,0,false, 4,8,1,16,butterfly,2,1,1,0,false, \
	4,8,17,2048,butterfly,1,1,2,0,false, >"$rules"
export JITTERFLY_MPI_RULES=$rules JITTERFLY_MPI_CONNECT=1

for ranks in 2 3 5 8; do
	timeout 120 nice $MPIRUN -np "$ranks" "$build/stress" "$calls" "$ranks"
done
for ranks in 2 4; do
	timeout 120 nice $MPIRUN -np "$ranks" env JITTERFLY_MPI_FORCE=1,1 "$build/cases"
done
# Leaders of nodes. Where the nodes are not of this machine alone, the random calls do not know them.
if [[ ${JITTERFLY_NODES-} ]]; then
	timeout 120 nice $MPIRUN -np 8 env JITTERFLY_MPI_FORCE=1,1,2,share "$build/cases"
	exit
fi
# Some have fewer ranks, one rank, or all.
while read -r ranks each force; do
	timeout 120 nice $MPIRUN -np "$ranks" env JITTERFLY_MPI_NODE_RANKS="$each" JITTERFLY_MPI_FORCE="$force" \
		"$build/stress" "$((calls / 4))" "$ranks" </dev/null
done <<-END
	2 1 1,1,1
	3 2 1,0,2,share
	5 2 1,1,2
	6 2 2,1,2,share
	7 3 1,2,3,share
	8 16 1,0,4
END
timeout 120 nice $MPIRUN -np 4 env JITTERFLY_MPI_NODE_RANKS=2 JITTERFLY_MPI_FORCE=1,1,2,share "$build/cases"
