#!/usr/bin/env bash
# What valid programs do, with the library preloaded: without rules, recorded, and with R = 1 and
# T = 1. What the MPI library does not do itself is left out.
#
#	MPIRUN="mpirun …" [FORCE=1,1,2,share] envelope.sh DIRECTORY     where they are built
set -euo pipefail
build=$(cd -- "$1" && pwd)
output=$(mktemp)
export JITTERFLY_MPI_CONNECT=1
trap 'rm -rf -- "$output" "$output-record"' EXIT
none=()
preload=(LD_PRELOAD="$build/libjitterfly-mpi.so")
record=("${preload[@]}" JITTERFLY_MPI_RECORD="$output-record")
program=envelope
rules=("${preload[@]}" JITTERFLY_MPI_FORCE="${FORCE:-1,1}" JITTERFLY_MPI_VERBOSE=1 JITTERFLY_MPI_MAX_BYTES=100000000)

# run SECONDS RANKS VARIABLES ARGUMENT… runs a case. A core file is of no use here.
run() {
	local seconds=$1 ranks=$2 settings=$3[@]
	shift 3
	rm -rf "$output-record"
	# shellcheck disable=SC2086
	(ulimit -c 0 && timeout "$seconds" nice $MPIRUN -np "$ranks" env ${!settings} "$build/$program" "$@") >"$output" 2>&1 && return
	# What an MPI library leaves behind would take the processors of all that follows.
	local exe
	for exe in /proc/[0-9]*/exe; do
		if [[ $(readlink "$exe") == "$build/$program" ]]; then
			kill -KILL "${exe//[!0-9]/}" || true
		fi
	done
	return 1
}

# check RANKS ARGUMENT… runs a case all three ways, and leaves the output of the last.
check() {
	local settings ways=(preload record rules)
	if ! run "${limit:-60}" "$1" none "${@:2}"; then
		if [[ $2 != "${native_fails-}" ]]; then
			echo "envelope: $2: left out, as this MPI library does not do it"
			return 1
		fi
		ways=(rules)
	fi
	for settings in "${ways[@]}"; do
		if ! run 300 "$1" $settings "${@:2}"; then
			cat "$output" >&2
			echo "envelope: $2 fails with $settings" >&2
			exit 1
		fi
		find "$output-record" -name '*.calls' -exec "$build/recorded" {} + >/dev/null 2>&1 || [[ $settings != record ]]
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

# shellcheck disable=SC2086
is_openmpi() { $MPIRUN --version | grep -qE 'Open MPI|OpenRTE|prterun|PRRTE'; }

outside=' with ranks outside of MPI_COMM_WORLD)'
for child in '' "${rules[*]}"; do
	# shellcheck disable=SC2086
	check 2 spawn /usr/bin/env $child "$build/envelope" child || continue
	says "a communicator, 4 ranks: calls taken 0 (0 B), native 6 (6$outside" \
		'MPI_COMM_WORLD, 2 ranks: calls taken 6 (48 B), native 0'
done
limit=20 check 3 connect || true
check 4 finalize && says 'MPI_COMM_WORLD, 4 ranks: calls taken 1 (8 B), native 0'
check 2 many && says '1500 communicators without a name, 2 ranks: calls taken 512 (4096 B), native 2488 (2488 without a communicator for messages)'
for ranks in 2 3; do # some of which an MPI library does not survive
	limit=10 check $ranks disagree && says "a communicator, $ranks ranks: calls taken 1 (8 B), native 1 (1 with a rank that withdrew)"
done
check 2 long && says 'MPI_COMM_WORLD, 2 ranks: calls taken 2 (127999992 B), native 0'
check 3 device "$build"/fake-{cuda,rocm,ze}.so &&
	says 'MPI_COMM_WORLD, 3 ranks: calls taken 6 (48 B), native 6 (6 with a rank that withdrew)'
for case in sessions again; do
	check 2 $case && says 'no call was taken: MPI_Init did not reach the library: preload it before other tools (programs that use only sessions are native)'
done
check 2 both && says 'MPI_COMM_WORLD, 2 ranks: calls taken 5 (40 B), native 0'

# Barriers, of which nobody leaves one before all are in it.
program=barriers
for ranks in 4 5; do
	check $ranks barriers && says "MPI_COMM_WORLD, $ranks ranks: calls taken $((5 * ranks + 1)) ($((80 * ranks)) B, barriers 1), native 0"
	if is_openmpi; then
		says "all, $ranks ranks: calls taken $((4 * ranks + 108)) (0 B, barriers $((4 * ranks + 108))), native 0"
	else
		says "all, $ranks ranks: calls taken $((ranks + 100)) (0 B, barriers $((ranks + 100))), native $((2 * ranks + 8)) ($((2 * ranks + 8)) nonblocking or persistent, which need Open MPI)"
	fi
done

# Nonblocking and persistent calls, which are native but in Open MPI. Its own do not outlive the
# communicator's handle.
program=requests limit=10
requests() { # RANKS CASE TAKEN NATIVE NONBLOCKING WHY [ARGUMENT…]
	check "$1" "$2" "${@:7}" || return 0
	local taken=$3 native=$4 why=$6
	if [[ ! ${native_fails-} ]]; then
		why="${why:+$why, }$5 nonblocking or persistent, which need Open MPI"
		((taken -= $5, native += $5)) || true
	fi
	says "requests, $1 ranks: calls taken $taken ($((8 * taken)) B), native $native${why:+ ($why)}"
}
if is_openmpi; then
	native_fails=outlive
fi
requests 3 overlap 249 0 240 ''
requests 4 progress 81 0 80 ''
requests 3 persistent 240 0 240 ''
requests 3 freed 21 20 20 '20 of a count, datatype or operation that is not taken'
if [[ ${native_fails-} ]]; then
	requests 3 outlive 2 0 0 ''
	requests 3 device 21 10 0 '10 with a rank that withdrew' "$build/fake-cuda.so"
	requests 3 disagree 1 1 0 '1 with a rank that withdrew'
	native_fails=handler check 3 handler # by its own it does not survive the error
	check 3 last && says 'MPI_COMM_WORLD, 3 ranks: calls taken 3 (24 B), native 0'
else
	requests 3 outlive 3 0 2 ''
	requests 3 device 31 0 20 '' "$build/fake-cuda.so"
	requests 3 disagree 2 0 1 ''
	check 3 handler || true
	check 3 last && says 'MPI_COMM_WORLD, 3 ranks: calls taken 0 (0 B), native 1 (1 nonblocking or persistent, which need Open MPI)'
fi
requests 3 cancel 4 0 2 ''
requests 3 open 3 0 2 ''
requests 3 threads 221 0 200 ''

# Only Open MPI's Fortran has functions of its own.
program=envelope
if is_openmpi; then
	check 3 mixed libmpi_mpifh.so.40 && says 'MPI_COMM_WORLD, 3 ranks: calls taken 80 (640 B), native 0'
fi
program=requests

# Before a blocking call there is no communicator for messages, and it cannot be made without one.
if [[ ${native_fails-} ]]; then
	check 3 early && says 'MPI_COMM_WORLD, 3 ranks: calls taken 4 (32 B), native 3 (3 nonblocking before the first blocking one)'
fi
true
