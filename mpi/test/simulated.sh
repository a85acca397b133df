#!/usr/bin/env bash
# The library under SimGrid's SMPI, compared with the machines in simulated time: allreduces and barriers.
#
#	simulated.sh [OPERATIONS [P…]]     60 operations, at 13, 16 and 64 ranks
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
operations=${1:-60}
shift || true
ranks=("$@")
if ((${#ranks[@]} == 0)); then
	ranks=(13 16 64)
fi
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT

smpicc -std=c11 -D_GNU_SOURCE -Wall -Wno-stringop-overflow -O2 -include bench/delay.h -o "$work/simulated" \
	*.c test/virtual.c test/simulated.c -lm

# A message takes two links of half a latency, and the bandwidth is as good as none.
cat >"$work/platform.xml" <<-XML
	<?xml version='1.0'?>
	<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
	<platform version="4.1">
	  <cluster id="c" prefix="h" suffix="" radical="0-1023" speed="1Gf" bw="1000GBps" lat="500us"
	           sharing_policy="FATPIPE"/>
	</platform>
XML
for i in {0..1023}; do echo "h$i"; done >"$work/hosts"

for p in "${ranks[@]}"; do
	for scheme in '1 0' '1 1' '1 2' '2 0' '2 1'; do
		# shellcheck disable=SC2086
		smpirun -np "$p" -hostfile "$work/hosts" -platform "$work/platform.xml" \
			--cfg=network/model:CM02 --cfg=network/latency-factor:1 --cfg=network/bandwidth-factor:1 \
			--cfg=network/TCP-gamma:0 --cfg=smpi/async-small-thresh:4096 --cfg=smpi/test:0 \
			--cfg=smpi/wtime:0 --cfg=smpi/simulate-computation:no --log=root.thresh:warning \
			"$work/simulated" $scheme "$operations" 0.001
	done
done
