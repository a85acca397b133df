#!/usr/bin/env bash
# Measures the time of a simulated message from 2^4 to 2^27 ranks, as in a sweep: with all
# instructions of the processor, restricted to AVX2, and in plain Go. Prints the minimum of some
# turns, and draws it.
#
#	bench/scaling/run.sh [file.svg]    default docs/figures/scaling.svg
#
# SHORT=1 leaves out what is above 2^24, which takes 4 GB. It installs Matplotlib in a directory of its own if it
# is missing.
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.."

turns=${TURNS:-3}
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
go test -c -o "$work/vector" ./collectives/rounds
go test -c -tags purego -o "$work/plain" ./collectives/rounds
measure=(-test.run - -test.bench '^BenchmarkRunner$' -test.benchtime 0.2s -test.cpu 1 ${SHORT:+-test.short})
for ((turn = 0; turn < turns; turn++)); do
	"$work/vector" "${measure[@]}" >>"$work/AVX-512"
	GODEBUG=cpu.avx512f=off "$work/vector" "${measure[@]}" >>"$work/AVX2"
	"$work/plain" "${measure[@]}" >>"$work/plain Go"
done
python=python3
if ! python3 -c 'import matplotlib' 2>/dev/null; then
	python3 -m venv "$work/venv"
	"$work/venv/bin/pip" install --quiet --disable-pip-version-check matplotlib
	python=$work/venv/bin/python
fi
"$python" bench/scaling/draw.py "${1:-docs/figures/scaling.svg}" "$work/plain Go" "$work/AVX2" "$work/AVX-512"
