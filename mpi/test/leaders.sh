#!/usr/bin/env bash
# Leaders of nodes under SimGrid's SMPI, as the program predicts them: 8 nodes of 4 ranks, messages of
# 1 ms between them, detours of 40 ms every 400 ms. Memory takes the time between two polls, 10 µs.
#
#	leaders.sh JITTERFLY [OPERATIONS]     150 operations of each kind
#
# That takes six minutes of processor time. It fails if a mean or a quantile differs from the prediction
# by more than 10%.
set -euo pipefail
program=$(realpath -- "$1")
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
operations=${2:-150}
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
source test/simgrid.sh

"${smpicc[@]}" -include bench/delay.h -o "$work/simulated" "${library[@]}" test/virtual.c test/simulated.c -lm
cluster nodes 8 4 "$free lat='500us'"
{
	printf '# %s\n' 'jitterfly-mpi bench: 2' 'ranks: 32' 'ranks_per_node: 4' 'latency: 1e-3' 'node_latency: 1e-5' \
		'send_overhead: 0' 'noise: injected' 'period: 0.4' 'duration: 0.04' 'launch: stationary'
	echo operation,bytes,r,t,leaders,share,noise,iterations,compute,seconds
	for scheme in '1 0 1 0' '1 0 2 0' '1 0 2 1' '1 1 2 1'; do
		read -r sources copies leaders share <<<"$scheme"
		simulate nodes 32 "$work/simulated" "$sources" "$copies" "$operations" 0.001 "$leaders" "$share"
	done
} >"$work/leaders.csv"
"$program" research validate "$work/leaders.csv"
