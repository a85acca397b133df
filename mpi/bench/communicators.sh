#!/usr/bin/env bash
# What a communicator costs that is made, used for some sums of 8 bytes and freed: without the library, by
# R = 1, T = 1, and by leaders that share, in turns. Prints medians of the fastest batches [us], and ratios
# to the first.
#
#	MPIRUN="mpirun …" communicators.sh DIRECTORY [CALLS [TURNS]]     after make test; 1 call, 9 turns
set -euo pipefail
build=$(cd -- "$1" && pwd)
calls=${2:-1} turns=${3:-9}
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
for ((turn = 0; turn < turns; turn++)); do
	for force in '' 1,1 1,1,2,share; do
		# shellcheck disable=SC2086
		$MPIRUN -np 2 env ${force:+LD_PRELOAD="$build/libjitterfly-mpi.so" JITTERFLY_MPI_FORCE=$force} \
			"$build/programs" connect 100 "$calls" >>"$work/${force:-native}"
	done
done
for way in native 1,1 1,1,2,share; do
	median=$(sort -g "$work/$way" | sed -n "$((turns / 2 + 1))p")
	first=${first:-$median}
	awk -v way="$way" -v a="$median" -v b="$first" 'BEGIN { printf "%s: %.1f us, %.2f times native\n", way, a, a / b }'
done
