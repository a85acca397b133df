#!/usr/bin/env bash
# Runs a command on several nodes of this machine: network namespaces with names and stacks of their
# own, on a bridge, so that ranks of different nodes have nothing but TCP between them.
#
#	nodes.sh openmpi|mpich NODES RANKS COMMAND...     RANKS on each node
#
# In the command MPIRUN is the launcher, which gives ranks to the nodes in turns. All nodes end with
# the command. With DELAY a message is held for that time [s] between nodes, as by a slow network.
# Where the machine gives no namespaces it prints a line and exits with code 77.
set -euo pipefail
mpi=$1 nodes=$2 ranks=$3

if [[ ! ${JITTERFLY_NODES-} ]]; then
	space=(unshare --net --mount --pid --uts --fork --kill-child --mount-proc)
	((EUID == 0)) || space+=(--map-root-user)
	if ! { type -P unshare ip && "${space[@]}" sh -c 'mount -t tmpfs none /run && ip netns add n &&
		ip link add bridge0 type bridge && ip link add veth0 type veth peer name veth1'; } >/dev/null 2>&1; then
		echo 'nodes: left out, as this machine gives no network namespaces'
		exit 77
	fi
	JITTERFLY_NODES=1 exec "${space[@]}" "$0" "$@"
fi
shift 3

# The agent runs a command on a node, as ssh does: HOST COMMAND.
mount -t tmpfs none /run
cat >/run/agent <<'AGENT'
#!/bin/sh
while [ "${1#-}" != "$1" ]; do shift; done
host=$1
shift
exec ip netns exec "$host" unshare --uts --ipc bash -c 'hostname "$0" && mount -t tmpfs none /dev/shm && eval "$@"' "$host" "$*"
AGENT
chmod +x /run/agent
list=()
for ((i = 0; i < nodes; i++)); do
	list+=("10.77.0.$((i + 1))")
	ip netns add "${list[i]}"
done
if [[ ${DELAY-} ]]; then
	cc -O2 -std=c11 -D_GNU_SOURCE -o /run/hub "${0%/*}/hub.c"
	coproc HUB { exec /run/hub "$DELAY" "${list[@]/#//run/netns/}"; }
	read -r _ <&"${HUB[0]}"
else
	ip link add bridge0 type bridge
	ip link set bridge0 up
	for ((i = 0; i < nodes; i++)); do
		ip link add "port$i" type veth peer name eth0 netns "${list[i]}"
		ip link set "port$i" master bridge0 up
	done
fi
for host in "${list[@]}"; do
	ip -n "$host" link set lo up
	ip -n "$host" address add "$host/24" dev eth0
	ip -n "$host" link set eth0 up
done

hosts=$(IFS=,; echo "${list[*]}")
case $mpi in
openmpi)
	MPIRUN="mpirun.openmpi --oversubscribe --map-by node --bind-to none --host ${hosts//,/:$ranks,}:$ranks"
	MPIRUN+=' --mca plm_rsh_agent /run/agent --mca pml ob1 --mca btl self,vader,tcp --mca mpi_yield_when_idle 1'
	MPIRUN+=' --mca btl_tcp_if_include eth0 --mca oob_tcp_if_include eth0'
	;;
mpich)
	MPIRUN="mpirun.mpich -launcher ssh -launcher-exec /run/agent -hosts $hosts -iface eth0"
	export UCX_TLS=tcp,self UCX_NET_DEVICES=eth0
	;;
esac
# Open MPI warns if the agent has begun before it is in a group of processes.
cat >/run/mpirun <<LAUNCHER
#!/bin/bash
set -o pipefail
{ $MPIRUN "\$@" 2>&1 1>&3 | sed '/plm:rsh: Warning: setpgid/d' >&2; } 3>&1
LAUNCHER
chmod +x /run/mpirun
export MPIRUN=/run/mpirun
status=0
/run/agent "${list[0]}" "$(printf '%q ' "$@")" || status=$?
# What left a node, so that nobody takes shared memory for a network.
ip -n "${list[0]}" -s link show dev eth0 | awk 'NR == 6 {print "nodes: the first node has sent " $2 " packets" > "/dev/stderr"}'
exit $status
