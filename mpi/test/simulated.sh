#!/usr/bin/env bash
# The library under SimGrid's SMPI, compared with the machines in simulated time: allreduces and barriers.
#
#	simulated.sh [OPERATIONS [P…]]     60 operations, at 13, 16 and 64 ranks
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
operations=${1:-60}
shift || true
ranks=("$@")
if ((${#ranks[@]} == 0)); then
	ranks=(13 16 64)
fi
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
source test/simgrid.sh

"${smpicc[@]}" -include bench/delay.h -o "$work/simulated" "${library[@]}" test/virtual.c test/simulated.c -lm

cluster free 1024 1 "$free lat='500us'"

for p in "${ranks[@]}"; do
	for scheme in '1 0' '1 1' '1 2' '2 0' '2 1'; do
		# shellcheck disable=SC2086
		simulate free "$p" "$work/simulated" $scheme "$operations" 0.001
	done
done
