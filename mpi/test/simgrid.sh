# How programs of MPI are built and run under SimGrid's SMPI, for scripts to source in the directory of
# the library. They set work to a directory.

smpicc=(smpicc -std=c11 -D_GNU_SOURCE -Wall -Wno-stringop-overflow -O2 -I.)

# The library, with another clock.
awk -f calls.awk calls.table >"$work/calls.c"
library=("$work/calls.c" test/simgrid.c)
for file in *.c; do
	[[ $file == clock.c ]] || library+=("$file")
done

# The attributes of links that messages do not share: their bandwidth is as good as none.
free='bw="1000GBps" sharing_policy="FATPIPE"'

# cluster NAME NODES RANKS ATTRIBUTES describes nodes, with consecutive ranks on each, and their links.
# A message between two of them takes two links.
cluster() {
	cat >"$work/$1.xml" <<-XML
		<?xml version='1.0'?>
		<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
		<platform version="4.1">
		  <cluster id="c" prefix="h" suffix="" radical="0-$(($2 - 1))" speed="1Gf" $4/>
		</platform>
	XML
	for ((i = 0; i < $2 * $3; i++)); do echo "h$((i / $3))"; done >"$work/$1.hosts"
}

# simulate NAME P [OPTION…] PROGRAM [ARGUMENT…] runs P ranks on the nodes. Processors take no time, nor
# does asking for a message or the time; messages up to 4 KiB do not wait for their receivers.
simulate() {
	smpirun -np "$2" -hostfile "$work/$1.hosts" -platform "$work/$1.xml" --cfg=network/model:CM02 \
		--cfg=network/latency-factor:1 --cfg=network/bandwidth-factor:1 --cfg=network/TCP-gamma:0 \
		--cfg=smpi/async-small-thresh:4096 --cfg=smpi/test:0 --cfg=smpi/iprobe:0 --cfg=smpi/wtime:0 \
		--cfg=smpi/simulate-computation:no --log=root.thresh:warning "${@:3}"
}
