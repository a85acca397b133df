#!/usr/bin/env bash
# The library under SimGrid's SMPI on links that messages share, compared with network.links: busy, and
# with --engine flow:
#
#	links.sh JITTERFLY [rounds|flow]     both
#
# 1 GB/s, about 1 µs, no noise: a call from R sources, and each of ten back to back with T redundant
# exchanges, in µs. It prints rows of tables:
#
#	rounds: bytes, R, T, calls, SimGrid, predicted       with 16 ranks
#	flow: network, ranks, bytes, R, T, SimGrid, predicted
#
# Rounds fail if a prediction is off by more than 15% at 8 and 64 KiB, or by more than half at 8 B and
# 1 KiB, where a packet is not delayed by those after it: there SimGrid's links, which all messages under
# way share, are slower than real ones. Flows share links as SimGrid's do: on a crossbar and on fat trees
# they fail if one is off by more than 5%. What is left is 32 B that each message of the library has
# besides.
#
# By default SimGrid has 5 % of a message's bytes flow back, as acknowledgements would, so that where all
# ranks send and receive all is 5 % slower: network/crosstraffic:no is without them.
set -euo pipefail
program=$(realpath -- "$1")
which=${2:-rounds flow}
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
source test/simgrid.sh

"${smpicc[@]}" -o "$work/links" "${library[@]}" test/links.c -lm

links='bw="1GBps" sharing_policy="SPLITDUPLEX"'
tree="$links lat='250ns' topology='FAT_TREE' topo_parameters"
cluster crossbar:128 128 1 "$links lat='500ns'"
cluster fat-tree:4x4x8 128 1 "$tree='3;4,4,8;1,4,4;1,1,1'"
cluster fat-tree:4x4x8:4 128 1 "$tree='3;4,4,8;1,1,4;1,1,1'" # a taper of 4

# measured PLATFORM P R T BYTES prints the time of a call, and of one of ten [s].
measured() {
	JITTERFLY_MPI_FORCE=$3,$4 JITTERFLY_MPI_MAX_BYTES=$5 simulate "$1" "$2" --cfg=network/crosstraffic:no "$work/links" "$5"
}

# predicted P R T BYTES FLAGS prints how long that takes, with a unit.
predicted() {
	"$program" figures timeline --assume paper --ranks "$1" --collective butterfly --sources "$2" --redundancy "$3" \
		--bytes "$4B" --bandwidth 1GB/s --memory-bandwidth 1000GB/s --os-kind none --net-kind none \
		"${@:5}" --out "$work/timeline.json" | sed -n '1s/.*: //p'
}

# compare TOOK CALLS MOST ROW prints a row of a table, with what is predicted for the calls together on
# standard input, and fails if that is off by more than the share MOST.
compare() {
	awk -v took="$1" -v calls="$2" -v most="$3" -v row="$4" '{
		unit["ns"] = 1e-3; unit["µs"] = 1; unit["ms"] = 1e3; unit["s"] = 1e6
		took *= 1e6
		predicted = $1 * unit[$2] / calls
		printf "| %s | %.3g | %.3g |\n", row, took, predicted
		exit !(predicted > 0 && took / predicted < 1 + most && predicted / took < 1 + most)
	}'
}

status=0
rounds() {
	local bytes scheme sources copies one ten calls took most
	for bytes in 8 1024 8192 65536; do
		for scheme in '1 0' '2 0' '3 0' '1 1' '1 3'; do
			read -r sources copies <<<"$scheme"
			read -r one ten < <(measured crossbar:128 16 "$sources" "$copies" "$bytes")
			calls=1 took=$one most=0.15
			((copies == 0)) || calls=10 took=$ten
			((bytes >= 8192)) || most=0.5
			predicted 16 "$sources" "$copies" "$bytes" --latency 1us --links busy --iterations 1 --warmup 0 \
				--calls "$calls" | compare "$took" "$calls" "$most" "$bytes | $sources | $copies | $calls" || status=1
		done
	done
}

flow() {
	local platform flags ranks bytes scheme sources copies one ten
	for platform in crossbar:128 fat-tree:4x4x8 fat-tree:4x4x8:4; do
		flags=(--engine flow --topology "$platform" --latency 0s --hop-latency 250ns)
		[[ $platform != crossbar* ]] || flags=(--engine flow --topology "$platform" --latency 1us)
		for ranks in 16 64; do
			for bytes in 1024 8192 65536; do
				for scheme in {1..3}' '{0..2}; do
					read -r sources copies <<<"$scheme"
					read -r one ten < <(measured "$platform" "$ranks" "$sources" "$copies" "$bytes")
					predicted "$ranks" "$sources" "$copies" "$bytes" "${flags[@]}" |
						compare "$one" 1 0.05 "$platform | $ranks | $bytes | $sources | $copies" || status=1
				done
			done
		done
	done
}

for part in $which; do
	$part
done
((status == 0)) || echo 'links: predictions are off by too much' >&2
exit $status
