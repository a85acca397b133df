#!/usr/bin/env bash
# Compares simulators of the same butterfly with the same noise, at all T and on one core:
# straightforward C, NumPy, and this program in plain Go, with its kernels restricted to AVX2,
# and with all instructions of the processor. They run in turns, so that ratios are valid on a
# busy machine too; the fastest trial of each counts. Completion times must agree in all digits.
#
#	bench/compare/run.sh [K ...]     for P = 2^K ranks; default 12 16 20
#
# Needs gcc, Go and Python. It installs NumPy in a directory of its own if it is missing.
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")"

turns=${TURNS:-5}
sizes=("$@")
((${#sizes[@]})) || sizes=(12 16 20)
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT

gcc -O3 -march=native -ffp-contract=off -o "$work/c" timeline.c -lm
go build -tags purego -o "$work/generic" ./simulate
go build -o "$work/vector" ./simulate
python=python3
if ! python3 -c 'import numpy' 2>/dev/null; then
	python3 -m venv "$work/venv"
	"$work/venv/bin/pip" install --quiet --disable-pip-version-check numpy
	python=$work/venv/bin/python
fi

megahertz=$(awk -F: '/^cpu MHz/ { print $2 + 0; exit }' /proc/cpuinfo)
printf '%s, %s MHz\n' "$(awk -F': ' '/^model name/ { print $2; exit }' /proc/cpuinfo)" "$megahertz"
printf '%-5s %-8s %14s %14s %12s %8s\n' P with ns/message cycles ms/trial 'to C'
for log2 in "${sizes[@]}"; do
	trials=$((log2 >= 20 ? 3 : log2 >= 16 ? 20 : 200))
	"$python" noise.py "$log2" "$work/noise"
	for ((turn = 0; turn < turns; turn++)); do
		printf 'c %s\n' "$("$work/c" $trials "$work/noise")"
		printf 'numpy %s\n' "$("$python" timeline.py $((trials / 5 + 1)) "$work/noise")"
		printf 'generic %s\n' "$(GOMAXPROCS=1 "$work/generic" $trials "$work/noise")"
		printf 'avx2 %s\n' "$(GODEBUG=cpu.avx512f=off GOMAXPROCS=1 "$work/vector" $trials "$work/noise")"
		printf 'vector %s\n' "$(GOMAXPROCS=1 "$work/vector" $trials "$work/noise")"
	done >"$work/times"
	awk -v log2="$log2" -v megahertz="$megahertz" '
		!($1 in best) || $2 < best[$1] { best[$1] = $2; rounds[$1] = $3 }
		NR == 1 { completion = $4 " " $5 }
		$4 " " $5 != completion { print "completion times differ: " completion " and " $0 > "/dev/stderr"; exit 1 }
		END {
			n = split("c numpy generic avx2 vector", names, " ")
			for (i = 1; i <= n; i++) {
				one = best[names[i]] / rounds[names[i]] / 2^log2
				if (i == 1) c = one
				printf "2^%-3d %-8s %14.3f %14.2f %12.3f %8.3f\n", log2, names[i], one * 1e9, one * megahertz * 1e6, best[names[i]] * 1e3, one / c
			}
		}' "$work/times"
done
