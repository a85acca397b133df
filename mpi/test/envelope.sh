#!/usr/bin/env bash
# What valid programs do, with the library preloaded: without rules, and with R = 1 and T = 1. What
# the MPI library does not do itself is left out.
#
#	MPIRUN="mpirun …" envelope.sh DIRECTORY     where they are built
set -euo pipefail
build=$(cd -- "$1" && pwd)
output=$(mktemp)
trap 'rm -f -- "$output"' EXIT
none=()
preload=(LD_PRELOAD="$build/libjitterfly-mpi.so")
rules=("${preload[@]}" JITTERFLY_MPI_FORCE=1,1 JITTERFLY_MPI_VERBOSE=1 JITTERFLY_MPI_MAX_BYTES=100000000)

# run SECONDS RANKS VARIABLES ARGUMENT… runs a case. A core file is of no use here.
run() {
	local seconds=$1 ranks=$2 settings=$3[@]
	shift 3
	# shellcheck disable=SC2086
	(ulimit -c 0 && timeout "$seconds" nice $MPIRUN -np "$ranks" env ${!settings} "$build/envelope" "$@") >"$output" 2>&1
}

# check RANKS ARGUMENT… runs a case all three ways, and leaves the output of the last.
check() {
	if ! run "${limit:-60}" "$1" none "${@:2}"; then
		echo "envelope: $2: left out, as this MPI library does not do it"
		return 1
	fi
	local settings
	for settings in preload rules; do
		if ! run 60 "$1" $settings "${@:2}"; then
			cat "$output" >&2
			echo "envelope: $2 fails with $settings" >&2
			exit 1
		fi
	done
	echo "envelope: $2: passed"
}

# says LINE… requires lines of the last case.
says() {
	local line
	for line; do
		if ! grep -qxF -- "jitterfly-mpi: $line" "$output"; then
			cat "$output" >&2
			echo "envelope: there is no line \"$line\"" >&2
			exit 1
		fi
	done
}

outside=' with ranks outside of MPI_COMM_WORLD)'
for child in '' "${rules[*]}"; do
	# shellcheck disable=SC2086
	check 2 spawn /usr/bin/env $child "$build/envelope" child || continue
	says "a communicator, 4 ranks: calls taken 0 (0 B), native 5 (5$outside" \
		'MPI_COMM_WORLD, 2 ranks: calls taken 6 (48 B), native 0'
done
check 3 connect || true
check 4 finalize && says 'MPI_COMM_WORLD, 4 ranks: calls taken 1 (8 B), native 0'
check 2 many && says 'a communicator, 2 ranks: calls taken 2 (16 B), native 0' \
	'a communicator, 2 ranks: calls taken 0 (0 B), native 2 (2 without a communicator for messages)'
for ranks in 2 3; do # some of which an MPI library does not survive
	limit=10 check $ranks disagree && says "a communicator, $ranks ranks: calls taken 1 (8 B), native 1 (1 with a rank that withdrew)"
done
check 2 long && says 'MPI_COMM_WORLD, 2 ranks: calls taken 2 (127999992 B), native 0'
check 3 device "$build"/fake-{cuda,rocm,ze}.so &&
	says 'MPI_COMM_WORLD, 3 ranks: calls taken 6 (48 B), native 6 (6 with a rank that withdrew)'
for case in sessions again; do
	check 2 $case && says 'no allreduce was taken: MPI_Init did not reach the library: name it before other tools; sessions have none'
done
check 2 both && says 'MPI_COMM_WORLD, 2 ranks: calls taken 5 (40 B), native 0'
true
