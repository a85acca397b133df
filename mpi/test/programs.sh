#!/usr/bin/env bash
# Programs that were wrong with the library once: all end as they do without it.
#
#	MPIRUN="mpirun …" programs.sh DIRECTORY [JITTERFLY]
#
# DIRECTORY is where the library and programs are built; with the program, that reads recordings too.
set -euo pipefail
build=$(cd -- "$1" && pwd)
program=${2:-}
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
	timeout 120 nice $MPIRUN -np "$1" env LD_PRELOAD="${library-$build/libjitterfly-mpi.so}" $2 \
		"$build/programs" "${@:3}" >said 2>&1
}

# A handler of a signal ends the program, whatever it interrupts, while that is recorded. What is not
# written is lost where it interrupts the library itself.
for how in exit abort; do
	kept=0
	for ((i = 0; i < 16; i++)); do
		status=0
		timeout -s KILL 10 env LD_PRELOAD="$build/libjitterfly-mpi.so" JITTERFLY_MPI_RECORD="signal-$how-$i" \
			"$build/programs" signal $how >said 2>&1 || status=$?
		((status == 3)) || fail "a handler that calls $how ends with $status, run $i"
		"$build/recorded" "signal-$how-$i/rank-000000.calls" >got
		if grep -q '^event' got; then ((++kept)); fi
	done
	((kept > 0)) || fail "no run has calls before $how"
done
# Errors, of the program and of the MPI library's operations, as without the library.
for what in alias extremes; do
	library='' run 2 '' $what || true
	sort said >want
	for rules in JITTERFLY_MPI_FORCE=1,1 JITTERFLY_MPI_FORCE=1,1,2,share; do
		run 2 "$rules JITTERFLY_MPI_NODE_RANKS=1" $what || true
		diff want <(sort said) || fail "$what by $rules is not what it is without the library"
	done
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

# Functions of the program that delete attributes call with a communicator that is being freed: these calls
# are native, and are recorded as its own.
run 2 'JITTERFLY_MPI_FORCE=1,1 JITTERFLY_MPI_CONNECT=1 JITTERFLY_MPI_VERBOSE=1' deletes 100 || fail deletes
grep -qx 'jitterfly-mpi: 100 communicators without a name, 2 ranks: calls taken 100 (800 B), native 0' said ||
	fail 'a communicator that is being freed is kept'
run 2 JITTERFLY_MPI_RECORD=deletes deletes 100 || fail deletes
"$build/recorded" deletes/rank-000001.calls >got
[[ $(awk '$1 == "event" { print $5 }' got | sort -n | uniq -c | awk '{ print $1 }' | sort | uniq -c | xargs) == '1 100 100 2' ]] ||
	fail 'calls of communicators that are being freed are recorded as those of others'

# A recording keeps nothing of requests that are freed: 200,000 of 64 B would be 12.5 MB. Of communicators
# of the same ranks it has the ranks once.
growth() {
	run 1 "$1" templates 200000 || fail templates
	cat said
}
less=$(library='' growth '') more=$(growth JITTERFLY_MPI_RECORD=templates)
((more < less + 1000)) || fail "requests leave $more KiB where they are recorded, $less KiB without the library"
run 3 JITTERFLY_MPI_RECORD=copies copies 300 || fail copies
"$build/recorded" copies/rank-000002.calls >got
size=$(stat -c %s copies/rank-000002.calls) each=$((40 + 2 * 32)) # of a block and two events
[[ $(grep -c '^communicator .* 0 1 2$' got) == 301 ]] || fail 'communicators have other ranks'
((size < 300 * each + 2000)) || fail "a recording of 300 communicators has $size bytes"

# Where a rank waits is no computing: the first rank waits for most of the 600 ms that the last one sleeps.
run 2 JITTERFLY_MPI_RECORD=waits waits || fail waits
for rank in 0 1; do
	"$build/recorded" waits/rank-00000$rank.calls |
		awk '$1 == "event" && $7 != 1 { n[$7]++; in_calls += $3 - $2 } END { print n[6], n[9], n[10], in_calls / 1e9 }' >got
	read -r alltoalls neighbors communicators seconds <got
	[[ "$alltoalls $neighbors $communicators" == '10 10 11' ]] || fail "rank $rank recorded $(<got)"
	((rank > 0)) || awk -v s="$seconds" 'BEGIN { exit s < 0.2 }' || fail "rank 0 waited $seconds s"
done
if [[ $program ]]; then
	"$program" program waits --format csv >got
	for call in alltoall neighbor communicator; do
		grep -q "^$call," got || fail "$call is not in what the program prints"
	done
fi

echo 'programs: all as without the library'
