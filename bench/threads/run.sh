#!/usr/bin/env bash
# Measures what several threads gain in one trial of flows: the loop of Suzuki et al. with barriers
# that sleep and that spin, and the engine, each against itself with one thread; and what these
# barriers cost. Prints the minima of some turns, and draws them like figures 3.1 to 3.3 of the paper.
#
#	bench/threads/run.sh [speedup.svg [barriers.svg]]
#
# THREADS is the number of threads, 2 by default; it should be at most that of idle processors.
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.."

turns=${TURNS:-3} threads=${THREADS:-2}
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
go test -c -o "$work/network" ./collectives/network
for ((turn = 0; turn < turns; turn++)); do
	for cpus in 1 "$threads"; do
		"$work/network" -test.run - -test.bench 'Suzuki|Shared/engine/latency=0/' \
			-test.benchtime 1x -test.cpu "$cpus" >>"$work/results"
	done
	"$work/network" -test.run - -test.bench Barrier -test.benchtime 2000x -test.cpu "$threads" \
		>>"$work/results"
done
go run ./bench/threads/draw "${1:-docs/figures/threads.svg}" "${2:-docs/figures/barriers.svg}" \
	<"$work/results"
