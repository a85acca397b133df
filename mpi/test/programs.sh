#!/usr/bin/env bash
# Programs that were wrong with the library once: all end as they do without it.
#
#	MPIRUN="mpirun …" programs.sh DIRECTORY      where the library and programs are built
set -euo pipefail
build=$(cd -- "$1" && pwd)
cd -- "$(mktemp -d)"
trap 'rm -rf -- "$PWD"' EXIT

fail() {
	cat said >&2
	echo "programs: $*" >&2
	exit 1
}

# run RANKS 'VARIABLE=VALUE …' ARGUMENT… runs programs with the library; what it says is in said.
run() {
	# shellcheck disable=SC2086
	timeout 60 nice $MPIRUN -np "$1" env LD_PRELOAD="${library-$build/libjitterfly-mpi.so}" $2 \
		"$build/programs" "${@:3}" >said 2>&1
}

# A handler of a signal ends the program, whatever it interrupts, while that is recorded.
for how in exit abort; do
	for ((i = 0; i < 16; i++)); do
		status=0
		timeout -s KILL 10 env LD_PRELOAD="$build/libjitterfly-mpi.so" JITTERFLY_MPI_RECORD="signal-$how-$i" \
			"$build/programs" signal $how >said 2>&1 || status=$?
		((status == 3)) || fail "a handler that calls $how ends with $status, run $i"
		"$build/recorded" "signal-$how-$i/rank-000000.calls" >got
		grep -q '^event' got || fail "no call before $how"
	done
done
# An error, or not, as without the library.
for rules in JITTERFLY_MPI_FORCE=1,1 JITTERFLY_MPI_FORCE=1,1,2,share; do
	library='' run 2 '' alias || true
	sort said >want
	run 2 "$rules JITTERFLY_MPI_NODE_RANKS=1" alias || true
	diff want <(sort said) || fail "by $rules the same buffer twice is not what it is without the library"
done

# A communicator connects with its eighth call, and those without a name have one line.
run 2 'JITTERFLY_MPI_FORCE=1,1 JITTERFLY_MPI_VERBOSE=1' connect 1 7 || fail 'connect 7'
grep -qx 'jitterfly-mpi: 50 communicators without a name, 2 ranks: calls taken 0 (0 B), native 350 (350 before the communicator connects)' said ||
	fail 'seven calls connect a communicator'
run 2 'JITTERFLY_MPI_FORCE=1,1 JITTERFLY_MPI_VERBOSE=1' connect 1 9 || fail 'connect 9'
diff - <(grep '^jitterfly' said) <<-TEXT || fail 'the eighth call does not connect a communicator'
	jitterfly-mpi: a communicator, 2 ranks, 8 B: R = 1, T = 1
	jitterfly-mpi: 50 communicators without a name, 2 ranks: calls taken 100 (800 B), native 350 (350 before the communicator connects)
TEXT

# A recording keeps nothing of requests that are freed: 200,000 of 64 B would be 12.5 MB. Of communicators
# of the same ranks it has the ranks once.
growth() {
	run 1 "$1" templates 200000 || fail templates
	cat said
}
less=$(library='' growth '') more=$(growth JITTERFLY_MPI_RECORD=templates)
((more < less + 1000)) || fail "requests leave $more KiB where they are recorded, $less KiB without the library"
run 3 JITTERFLY_MPI_RECORD=copies copies 1000 || fail copies
"$build/recorded" copies/rank-000002.calls >got
size=$(stat -c %s copies/rank-000002.calls) each=$((4 * 16 + 8 + 32)) # of a block and an event
[[ $(grep -c '^communicator .* 0 1 2$' got) == 1000 ]] || fail 'communicators have other ranks'
((size < 1000 * each + 1000)) || fail "a recording of 1000 communicators has $size bytes"

echo 'programs: all as without the library'
