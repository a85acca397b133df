#!/usr/bin/env bash
# Prints the processor time that a choice takes under the measured noise of each preset: of one
# deployment of 1024 ranks at a random start, among all allreduces.
#
#	bench/presets.sh
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."

work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
go build -o "$work/jitterfly" .
TIMEFORMAT=%U
for preset in datasets/presets/*.yaml; do
	name=$(basename -- "$preset" .yaml)
	printf '%-16s ' "$name"
	time "$work/jitterfly" choose --quiet --ranks 1024 --os-launch stationary --noise "$name" \
		>"$work/choice"
done 2>&1
