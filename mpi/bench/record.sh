#!/usr/bin/env bash
# What recording costs a call: sums of 8 bytes by one rank, which waits for nobody, without the
# library, preloaded, and recorded, in turns. Prints medians of processor time, in ns, and medians of differences.
#
#	MPIRUN="mpirun …" record.sh DIRECTORY [TURNS]     where the library is built, after make test; 21
set -euo pipefail
build=$(cd -- "$1" && pwd)
turns=${2:-21}
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
preload=LD_PRELOAD="$build/libjitterfly-mpi.so"
# shellcheck disable=SC2086
for ((turn = 0; turn < turns; turn++)); do
	rm -rf "$work/files"
	echo "$($MPIRUN -np 1 "$build/recording" cost 200000)" \
		"$($MPIRUN -np 1 env "$preload" "$build/recording" cost 200000)" \
		"$($MPIRUN -np 1 env "$preload" JITTERFLY_MPI_RECORD="$work/files" "$build/recording" cost 200000)"
done >"$work/turns"
median() { awk "{ print $1 }" "$work/turns" | sort -g | sed -n "$((turns / 2 + 1))p"; }
printf 'ns a call: %s without the library, %s preloaded (%+.1f), %s recorded (%+.1f)\n' "$(median '$1')" \
	"$(median '$2')" "$(median '$2 - $1')" "$(median '$3')" "$(median '$3 - $1')"
