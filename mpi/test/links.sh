#!/usr/bin/env bash
# The library under SimGrid's SMPI on links that messages share, compared with network.links: busy:
#
#	links.sh JITTERFLY
#
# 16 ranks, 1 GB/s, 1 µs, no noise: a call from R sources, and each of ten back to back with T
# redundant exchanges. Prints rows of a table, in µs. Fails if a prediction is off by more than 15 %
# at 8 and 64 KiB, or by more than half at 8 B and 1 KiB, where a packet is not delayed by those after
# it: there SimGrid's links, which all messages under way share, are slower than real ones.
set -euo pipefail
program=$(realpath -- "$1")
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT

smpicc -std=c11 -D_GNU_SOURCE -Wall -Wno-stringop-overflow -O2 -o "$work/links" \
	*.c test/links.c -lm

# A message takes two links of half a latency.
cat >"$work/platform.xml" <<-XML
	<?xml version='1.0'?>
	<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
	<platform version="4.1">
	  <cluster id="c" prefix="h" suffix="" radical="0-15" speed="1Gf" bw="1GBps" lat="500ns"
	           sharing_policy="SPLITDUPLEX"/>
	</platform>
XML
for i in {0..15}; do echo "h$i"; done >"$work/hosts"

# measured R T BYTES prints the time of a call, and of one of ten [s].
measured() {
	JITTERFLY_MPI_FORCE=$1,$2 JITTERFLY_MPI_MAX_BYTES=$3 smpirun -np 16 -hostfile "$work/hosts" \
		-platform "$work/platform.xml" --cfg=network/model:CM02 --cfg=network/latency-factor:1 \
		--cfg=network/bandwidth-factor:1 --cfg=network/TCP-gamma:0 --cfg=smpi/async-small-thresh:4096 \
		--cfg=smpi/test:0 --cfg=smpi/wtime:0 --cfg=smpi/simulate-computation:no \
		--log=root.thresh:warning "$work/links" "$3"
}

# predicted R T BYTES CALLS prints how long the calls take together, with a unit.
predicted() {
	"$program" timeline --assume paper --ranks 16 --collective butterfly --sources "$1" --redundancy "$2" \
		--bytes "$3B" --latency 1us --bandwidth 1GB/s --memory-bandwidth 1000GB/s --links busy \
		--os-kind none --net-kind none --iterations 1 --warmup 0 --calls "$4" --out "$work/timeline.json" |
		sed -n '1s/.*: //p'
}

status=0
for bytes in 8 1024 8192 65536; do
	for scheme in '1 0' '2 0' '3 0' '1 1' '1 3'; do
		read -r sources copies <<<"$scheme"
		read -r one ten < <(measured "$sources" "$copies" "$bytes")
		calls=1
		((copies == 0)) || calls=10
		awk -v bytes="$bytes" -v sources="$sources" -v copies="$copies" -v calls="$calls" \
			-v one="$one" -v ten="$ten" '{
				unit["ns"] = 1e-3; unit["µs"] = 1; unit["ms"] = 1e3; unit["s"] = 1e6
				took = (calls == 1 ? one : ten) * 1e6
				predicted = $1 * unit[$2] / calls
				printf "| %d | %d | %d | %d | %.3g | %.3g |\n", bytes, sources, copies, calls, took, predicted
				exit !(predicted > 0 && took / predicted < 1 + (bytes < 8192 ? 0.5 : 0.15) &&
				       predicted / took < 1 + (bytes < 8192 ? 0.5 : 0.15))
			}' < <(predicted "$sources" "$copies" "$bytes" "$calls") || status=1
	done
done
((status == 0)) || echo 'links: predictions are off by too much' >&2
exit $status
