#!/usr/bin/env bash
# Programs that were wrong with the library once: all end as they do without it.
#
#	MPIRUN="mpirun …" programs.sh DIRECTORY      where the library and programs are built
set -euo pipefail
build=$(cd -- "$1" && pwd)
cd -- "$(mktemp -d)"
trap 'rm -rf -- "$PWD"' EXIT

fail() {
	cat said >&2
	echo "programs: $*" >&2
	exit 1
}

# run RANKS 'VARIABLE=VALUE …' ARGUMENT… runs programs with the library; what it says is in said.
run() {
	# shellcheck disable=SC2086
	timeout 60 nice $MPIRUN -np "$1" env LD_PRELOAD="${library-$build/libjitterfly-mpi.so}" $2 \
		"$build/programs" "${@:3}" >said 2>&1
}

# A handler of a signal ends the program, whatever it interrupts, while that is recorded.
for how in exit abort; do
	for ((i = 0; i < 16; i++)); do
		status=0
		timeout -s KILL 10 env LD_PRELOAD="$build/libjitterfly-mpi.so" JITTERFLY_MPI_RECORD="signal-$how-$i" \
			"$build/programs" signal $how >said 2>&1 || status=$?
		((status == 3)) || fail "a handler that calls $how ends with $status, run $i"
		"$build/recorded" "signal-$how-$i/rank-000000.calls" >got
		grep -q '^event' got || fail "no call before $how"
	done
done
echo 'programs: all as without the library'
