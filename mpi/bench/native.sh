#!/usr/bin/env bash
# The library's allreduce and those of other MPI libraries, as SimGrid's SMPI has them, under the same
# detours, and prints a table:
#
#	native.sh [OPERATIONS P…]     500 operations, at 64 and 256 ranks
#
# One rank on each node, 8 bytes; a message takes 1 µs, and 150 ns of its sender; 1 % of the time is
# detours. Phases are random, and the same in all rows. It fails if recursive doubling, which MPICH and
# Open MPI have for short vectors, takes another time than the library with R = 1 and T = 0.
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
operations=${1:-500}
shift || true
ranks=("$@")
if ((${#ranks[@]} == 0)); then
	ranks=(64 256)
fi
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
source test/simgrid.sh

"${smpicc[@]}" -fPIC -shared -nostartfiles -DPRELOADED -o "$work/outside.so" bench/native.c -ldl
"${smpicc[@]}" -o "$work/native" "${library[@]}" bench/native.c "$work/outside.so" -lm

cluster free 1024 1 "$free lat='500ns'"

# measured P ALGORITHM|R,T PERIOD DURATION [OVERHEAD] prints the mean and its standard error [s].
measured() {
	local selector=mpich forced=
	if [[ $2 == *,* ]]; then forced=$2; else selector=$2; fi
	JITTERFLY_MPI_FORCE=$forced LD_PRELOAD="$work/outside.so" simulate free "$1" --cfg=smpi/os:0:"${5:-1.5e-7}":0 \
		--cfg=smpi/ois:0:"${5:-1.5e-7}":0 --cfg=smpi/allreduce:"$selector" "$work/native" "$operations" "$3" "$4"
}

p=${ranks[0]}
awk -v native="$(measured "$p" rdb 1e-3 1e-5 0)" -v ours="$(measured "$p" 1,0 1e-3 1e-5 0)" -v p="$p" 'BEGIN {
	split(native, n, " "); split(ours, o, " ")
	if (n[1] > 0 && (n[1] - o[1]) ^ 2 < 1e-18) exit 0
	print "native: recursive doubling takes " n[1] " s with " p " ranks, and R = 1, T = 0 " o[1] " s" > "/dev/stderr"
	exit 1
}'

rows=('mpich:MPICH' 'ompi:Open MPI' 'mvapich2:MVAPICH2' 'impi:Intel MPI' 'redbcast:reduce and broadcast'
	'rab:Rabenseifner' '1,0:R = 1, T = 0' '1,1:R = 1, T = 1' '1,2:R = 1, T = 2' '2,0:R = 2, T = 0'
	'2,1:R = 2, T = 1' '3,0:R = 3, T = 0')
heading='| mean, µs; by MPICH' rule='|---'
for p in "${ranks[@]}"; do
	for noise in '10 µs / 1 ms' '100 µs / 10 ms'; do
		heading+=" | P = $p, $noise" rule+='|---'
	done
done
printf '%s |\n%s|\n' "$heading" "$rule"
declare -A base
for row in "${rows[@]}"; do
	line="| ${row#*:}"
	for p in "${ranks[@]}"; do
		for noise in '1e-3 1e-5' '1e-2 1e-4'; do
			# shellcheck disable=SC2086
			read -r mean error < <(measured "$p" "${row%%:*}" $noise)
			base[$p $noise]=${base[$p $noise]:-$mean}
			line+=$(awk -v m="$mean" -v e="$error" -v b="${base[$p $noise]}" \
				'BEGIN {printf " | %.2f ± %.2f; %.2f", m * 1e6, e * 1e6, m / b}')
		done
	done
	echo "$line |"
done
