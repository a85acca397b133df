#!/usr/bin/env bash
# Prints what an answer takes: the processor time, the wall time and the memory until choose bounds
# how far its choice is above the best by 5% and by 1%, on machines of 2^10 to 2^20 ranks. An answer
# that --time ends has its bounds behind it, one for each size.
#
#	bench/answers/run.sh [PATTERN]    only the cells whose line the pattern of grep -E matches
#
# LIST=1 lists the cells. TIME is the limit of an answer (60s), SEED the seed (1), and BINARY is measured
# in place of a new build.
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.."

work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT

# cells prints a line for each cell: ranks, ranks per node, application, noise, bytes.
cells() {
	for ranks in 1024 16384 131072 1048576; do
		for node in 1 64; do
			for application in launch 2ms; do
				for noise in periodic azure-hc44 alps; do
					for bytes in 8B 8B,1KiB,64KiB,1MiB; do
						echo "$ranks $node $application $noise $bytes"
					done
				done
			done
		done
	done
}

# flags prints the flags of a cell without its bytes.
flags() {
	echo "--assume hosts --nodes $(($1 / $2)) --ranks-per-node $2 --latency 1.3us --bandwidth 25GB/s"
	[ "$3" = launch ] || echo "--compute $3 --imbalance 3%"
	if [ "$4" = periodic ]; then echo "--os-duration 10us"; else echo "--noise $4"; fi
}

if [ -n "${LIST:-}" ]; then cells && exit; fi
binary=${BINARY:-$work/jitterfly}
[ -n "${BINARY:-}" ] || go build -o "$binary" .
echo "| ranks | on a node | iterations | noise | bytes | tolerance | above the best | CPU | wall | MB |"
echo "|---|---|---|---|---|---|---|---|---|---|"
cells | grep -E -- "${1:-}" | while read -r ranks node application noise bytes; do
	for tolerance in 5% 1%; do
		# shellcheck disable=SC2046
		/usr/bin/time -o "$work/time" -f '%U %e %M' "$binary" choose --no-cache --quiet \
			$(flags "$ranks" "$node" "$application" "$noise") --bytes "$bytes" --tolerance $tolerance \
			--time "${TIME:-60s}" --seed "${SEED:-1}" --format json >"$work/choice" 2>"$work/errors" ||
			cat "$work/errors" >&2
		read -r cpu wall memory < <(tail -1 "$work/time")
		bound=$(sed -nE 's/.*"regret_high": ([^,]*).*/\1/p' "$work/choice" |
			awk '{printf "%s", (NR > 1 ? ", " : ""); if ($1 == "null") printf "none"; else printf "%.1f%%", 100 * $1}')
		echo "| $ranks | $node | $application | $noise | $bytes | $tolerance | ${bound:-none}" \
			"| $cpu s | $wall s | $((memory / 1024)) |"
	done
done
