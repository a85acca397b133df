#!/usr/bin/env bash
# What recording costs a call: sums of 8 bytes by one rank, which waits for nobody, without the library,
# preloaded, and recorded, in turns; then the same for sums that are started and waited for, two calls
# each. Prints medians of processor time, in ns, and medians of differences.
#
#	MPIRUN="mpirun …" record.sh DIRECTORY [TURNS]     where the library is built, after make test; 21
set -euo pipefail
build=$(cd -- "$1" && pwd)
turns=${2:-21}
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
preload=LD_PRELOAD="$build/libjitterfly-mpi.so"
median() { awk "{ print $1 }" "$work/turns" | sort -g | sed -n "$((turns / 2 + 1))p"; }

# measure WHAT [MODE] prints the costs of a mode of recording.
measure() {
	local run=("$build/recording" cost 200000 "${@:2}")
	# shellcheck disable=SC2086
	for ((turn = 0; turn < turns; turn++)); do
		rm -rf "$work/files"
		echo "$($MPIRUN -np 1 "${run[@]}") $($MPIRUN -np 1 env "$preload" "${run[@]}")" \
			"$($MPIRUN -np 1 env "$preload" JITTERFLY_MPI_RECORD="$work/files" "${run[@]}")"
	done >"$work/turns"
	printf '%s: %s ns without the library, %s preloaded (%+.1f), %s recorded (%+.1f)\n' "$1" \
		"$(median '$1')" "$(median '$2')" "$(median '$2 - $1')" "$(median '$3')" "$(median '$3 - $1')"
}
measure 'a call'
measure 'a start and its wait' started
