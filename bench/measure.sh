#!/usr/bin/env bash
# Compares "jitterfly measure" on one core with the same loop in C, and with cyclictest and
# rtla if they are installed:
#
#	bench/measure.sh [CORE [SECONDS [ROUNDS]]]
#
# The programs run in turns, since noise changes with time. cyclictest and rtla measure other
# things: how late a timer wakes a thread, and what a tracer counts as noise; rtla needs root
# and the osnoise tracer.
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."

core=${1:-0}
duration=${2:-10}
rounds=${3:-3}
threshold=100 # ns

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
go build -o "$work/jitterfly" .
cc -O2 -o "$work/selfish" bench/selfish.c

# The overheads of both, for their ratio.
ours=() theirs=()
row() { printf '%-10s %10s %10s %8s %8s %8s %8s %8s %8s\n' "$@"; }
row '' 'overhead %' events/s min median mean p99 p99.9 max
for ((i = 1; i <= rounds; i++)); do
	"$work/jitterfly" measure --quiet --allow-busy --cores "$core" --duration "${duration}s" --threshold "${threshold}ns" \
		--out "$work/$i.parquet" >"$work/table"
	# The row of the core, with its units next to their numbers and without the spread.
	read -r -a seen <<<"$(sed -nE "s/ (ns|µs|ms|s)( |$)/\1\2/g; s/^ *$core  +([^ ]+) +[^ ]+ +/\1 /p" "$work/table")"
	row jitterfly "${seen[@]}"
	ours+=("${seen[0]}")
	read -r -a seen <<<"$("$work/selfish" "$core" "$duration" "$threshold")"
	row 'C (µs)' "${seen[@]}"
	theirs+=("${seen[0]}")
done
printf '%s\n' "${ours[*]}" "${theirs[*]}" | awk '{ sum = 0; for (i = 1; i <= NF; i++) sum += $i; mean[NR] = sum / NF }
	END { printf "overhead of jitterfly / C: %.3f\n", mean[1] / mean[2] }'

if type -P cyclictest >/dev/null; then
	printf '\ncyclictest, wake-ups every 100 µs:\n'
	cyclictest --affinity "$core" --threads 1 --duration "${duration}s" --interval 100 --quiet ||
		printf 'cyclictest does not run here\n'
fi
if type -P rtla >/dev/null; then
	printf '\nrtla osnoise:\n'
	rtla osnoise top --cpus "$core" --duration "${duration}s" --quiet || printf 'rtla does not run here\n'
fi
