#!/usr/bin/env bash
# What choose --program predicts from a recording without redundancy is what T = 1 and 2 take, under
# SimGrid's SMPI: 32 ranks with known computing and detours.
#
#	predicted.sh JITTERFLY [MICROSECONDS [RUNS]]     to compute before a call, by default 20, and 12
#
# One run is recorded. In others detours come at other times, which only their mean is independent of.
# Prints what an iteration takes, and what T saves [µs], with 95 % intervals: of all runs, and predicted.
# It fails if a time is off by more than 1 %, or a gain by more than the intervals.
set -euo pipefail
program=$(realpath -- "$1")
compute=${2:-20} runs=${3:-12}
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
source test/simgrid.sh

"${smpicc[@]}" -fPIC -shared -nostartfiles -DPRELOADED -o "$work/outside.so" bench/native.c -ldl
"${smpicc[@]}" -o "$work/predicted" "${library[@]}" test/predicted.c "$work/outside.so" -lm
cluster free 32 1 "$free lat='500ns'"

# run T SEED [DIRECTORY] records there, and prints how long an iteration takes [s].
run() {
	JITTERFLY_MPI_RECORD=${3-} JITTERFLY_MPI_FORCE="1,$1" LD_PRELOAD="$work/outside.so" simulate free 32 \
		--cfg=smpi/os:0:0:0 --cfg=smpi/ois:0:0:0 "$work/predicted" 300 "${compute}e-6" 0.05 1e-3 10e-6 "$2"
}

run 0 1 "$work/recording" >/dev/null
for ((seed = 1; seed <= runs; seed++)); do
	echo "$(run 0 "$seed") $(run 1 "$seed") $(run 2 "$seed")" >>"$work/runs"
done
for redundancy in 1 2; do
	"$program" choose --quiet --program "$work/recording" --assume paper --latency 1us --os-period 1ms \
		--os-duration 10us --net-kind none --collective butterfly --sources 1 --redundancy "$redundancy" \
		--tolerance 0.0001 --trials 400 >"$work/choice.txt"
	awk -v copies="$redundancy" '
		function seconds(value, unit) { return value * (unit == "ns" ? 1e-3 : unit == "µs" ? 1 : 1e6) }
		FILENAME ~ /runs$/ {
			runs++
			saved = ($1 - $(1 + copies)) * 1e6
			plain += $1 * 1e6; sum += saved; squares += saved * saved
			next
		}
		$1 == 8 && $2 == "B" {
			rows++
			plain /= runs; mean = sum / runs
			error = sqrt((squares / runs - mean * mean) / (runs - 1))
			predicted = seconds($7, $8); gain = seconds($12, $13); half = seconds($14, $15)
			printf "T = 0: %.1f, predicted %.1f; T = %d saves %.2f ± %.2f, predicted %.2f ± %.2f\n",
				plain, predicted, copies, mean, 2 * error, gain, half
			bad = $11 < 1 || $11 > copies || (predicted / plain - 1) ^ 2 > 0.01 ^ 2 ||
				(gain - mean) ^ 2 > (2 * error) ^ 2 + half ^ 2 || gain - half < 0
		}
		END { exit rows != 1 || bad }' "$work/runs" "$work/choice.txt" || {
		cat "$work/choice.txt" >&2
		exit 1
	}
done
