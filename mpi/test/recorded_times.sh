#!/usr/bin/env bash
# What is recorded under SimGrid's SMPI is what was computed, to a nanosecond: 5 ranks whose computing
# has known lengths, with the MPI library's allreduce and with redundant exchanges.
#
#	recorded_times.sh [JITTERFLY]     the program is to say so, too
set -euo pipefail
program=${1:+$(realpath -- "$1")}
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
source test/simgrid.sh

"${smpicc[@]}" -o "$work/recording" "${library[@]}" test/recording.c -lm
cc -std=c11 -O2 -o "$work/recorded" test/recorded.c
cluster nodes 16 1 'lat="500ns" bw="1GBps" sharing_policy="SPLITDUPLEX"'

# run RULES MODE [ARGUMENT] records a run.
run() {
	rm -rf "$work/files"
	JITTERFLY_MPI_FORCE=$1 JITTERFLY_MPI_RECORD="$work/files" simulate nodes 5 "$work/recording" "${@:2}"
	for rank in {0..4}; do "$work/recorded" "$work/files/rank-00000$rank.calls" >"$work/got-$rank"; done
}

for rules in '' 1,1; do
	run "$rules" simulated
	for rank in {0..4}; do
		awk -v rank="$rank" '$1 == "event" {
				want = (1 + rank) * (1 + n) * 1234567
				if (n > 0 && ($2 - left - want) ^ 2 > 1) { print "recorded_times: rank", rank, "call", n, "computed", $2 - left, "ns, not", want; bad = 1 }
				left = $3; n++
			}
			END { exit bad || n != 10 }' "$work/got-$rank"
	done
	# Nobody leaves before the last has entered, and the last is rank 4, whose waiting is short.
	awk '$1 == "event" { i = ++n[FILENAME]; if ($2 > entry[i]) entry[i] = $2; left[i, FILENAME] = $3; last[i] = $3 }
		END { for (k in left) { split(k, at, SUBSEP); if (left[k] < entry[at[1]]) exit 1 }
			for (i = 1; i <= 10; i++) if (last[i] - entry[i] > 100000) exit 1 }' "$work"/got-{0..4}
	if [[ -n $program ]]; then
		# Of ranks 1 + r is 3 on average, and 1 + i is 6, as nothing is before the first call.
		"$program" program "$work/files" --format json | sed -nE 's/.*"compute_s": ([^,]*),.*/\1/p' |
			awk '{ n++; off = $1 - 3 * 6 * 1.234567e-3 } END { exit n != 1 || off ^ 2 > 1e-18 }'
		"$program" program "$work/files" --by rank --format csv |
			awk -F, 'NR > 1 && $6 != ($1 == 4 ? 10 : 0) { exit 1 }'
	fi
done
run '' calls "$work"
for rank in {0..4}; do
	diff "$work/want-$rank" <(awk '$1 == "event" { print $4, $5, $7, $8 }' "$work/got-$rank")
done
echo 'recorded_times: as computed'
