#!/usr/bin/env bash
# Checks that "jitterfly measure" finds a thread that works every 7.3 ms on a core, and the core's
# timer, and names both:
#
#	bench/planted.sh [CORE [SECONDS]]
#
# Other programs should leave the core alone.
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."

core=${1:-0}
duration=${2:-10}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
go build -o "$work/jitterfly" .
cc -O2 -o "$work/planted" bench/planted.c
"$work/planted" "$core" 7300 100 $((duration + 3)) &
planted=$!
sleep 0.5
"$work/jitterfly" measure --cores "$core" --duration "${duration}s" --allow-busy --out "$work/node.parquet" |
	tee "$work/found"
wait "$planted"
for name in planted local_timer; do
	grep -q "$name (likely): .* every " "$work/found" || {
		printf 'no component is named %s\n' "$name" >&2
		exit 1
	}
done
