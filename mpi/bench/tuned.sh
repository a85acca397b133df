#!/usr/bin/env bash
# The library's allreduce and each that Open MPI's tuned component has, of 8 B and of 1 KiB, under the
# same detours, as a table:
#
#	tuned.sh [OPERATIONS [RANKS]]     60 operations of each kind, 16 ranks
#
# Open MPI as it is, one rank on each of as many nodes (test/nodes.sh), with TCP between them. So that
# they share a few processors time is dilated: each message is held for 5 ms, and ranks that wait, or
# are in one of their detours of 40 ms every 400 ms, sleep. As root they come before all else that runs,
# for they need little. Each row is a run of its own, in which the
# native allreduce takes turns with two of the library, so that all meet the same state of the machine.
# A cell has the mean and its standard error, and its ratio to R = 1, T = 0 in the same run.
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
operations=${1:-60} ranks=${2:-16}
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
make -s MPICC="${MPICC:-mpicc.openmpi}" OUT="$work" "$work/bench-held"
first=()
! chrt -r 1 true 2>/dev/null || first=(chrt -r 1)

# run ALGORITHM times it beside the library: a number of the tuned component, or 0 for its own choice.
run() {
	DELAY=5e-3 "${first[@]}" setsid -w test/nodes.sh openmpi "$ranks" 1 bash -c "
		\$MPIRUN -np $ranks --mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_allreduce_algorithm $1 \
		--mca coll_tuned_allreduce_algorithm_segmentsize 32 '$work/bench-held' --hold 1ms --lead 60ms \
		--period 400ms --duration 40ms --operations $operations --sizes 8,1024 --schemes 1,0:2,0 \
		--out '$work/$1.csv'" >&2
}

# row NAME R,T FILE… prints a line: what is measured with R and T, 0,0 for the native one.
row() {
	awk -F, -v name="$1" -v scheme="$2" '
		/^operation,/ { for (i = 1; i <= NF; i++) at[$i] = i; next }
		/^#/ { next }
		{
			key = $at["bytes"] SUBSEP $at["noise"] SUBSEP $at["r"] "," $at["t"]
			x = $at["seconds"] * 1e3; n[key]++; sum[key] += x; squares[key] += x * x
		}
		END {
			printf "| %s", name
			for (s = 0; s < 2; s++) for (q = 0; q < 2; q++) {
				key = (s ? 1024 : 8) SUBSEP (q ? "noisy" : "quiet") SUBSEP
				of = key scheme; base = key "1,0"
				mean = sum[of] / n[of]; error = sqrt((squares[of] / n[of] - mean * mean) / n[of])
				printf " | %.1f ± %.1f; %.2f", mean, error, mean / (sum[base] / n[base])
			}
			print " |"
		}' "${@:3}"
}

algorithms=('0:its own choice' '1:linear' '2:nonoverlapping' '3:recursive doubling' '4:ring'
	'5:segmented ring' '6:Rabenseifner')
echo '| mean, ms; by R = 1, T = 0 | 8 B, quiet | 8 B, detours | 1 KiB, quiet | 1 KiB, detours |'
echo '|---|---|---|---|---|'
files=()
for algorithm in "${algorithms[@]}"; do
	run "${algorithm%%:*}"
	files+=("$work/${algorithm%%:*}.csv")
	row "${algorithm%%:*}: ${algorithm#*:}" 0,0 "${files[-1]}"
done
row 'R = 1, T = 0' 1,0 "${files[@]}"
row 'R = 2, T = 0' 2,0 "${files[@]}"
