#!/usr/bin/env bash
# What is recorded of programs that know what they call.
#
#	MPIRUN="mpirun …" record.sh DIRECTORY [JITTERFLY]
#
# DIRECTORY is where the library and programs are built; with the program, that reads it too.
set -euo pipefail
shopt -s nullglob
build=$(cd -- "$1" && pwd)
program=${2:-}
cd -- "$(mktemp -d)"
trap 'rm -rf -- "$PWD"' EXIT
export JITTERFLY_MPI_RECORD=files

# record RANKS 'VARIABLE=VALUE …' PROGRAM ARGUMENT… runs a program and writes what it recorded as
# text, in got-RANK; its status is in status, its messages in said.
record() {
	local ranks=$1 settings=$2
	shift 2
	rm -rf files got-*
	status=0
	# shellcheck disable=SC2086
	(ulimit -c 0 && timeout 300 nice $MPIRUN -np "$ranks" env LD_PRELOAD="${library-$build/libjitterfly-mpi.so}" \
		$settings "$build/$1" "${@:2}") >said 2>&1 || status=$?
	((status != 124)) || fail "$* takes more than 300 s"
	written
}

written() {
	local file rank
	for file in files/*.calls; do
		rank=${file#files/rank-}
		"$build/recorded" "$file" >"got-$((10#${rank%.calls}))"
	done
}

fail() {
	cat said >&2
	echo "record: $*" >&2
	exit 1
}

# events RANK prints what events have but times and sites.
events() { awk '$1 == "event" { print $4, $5, $7, $8 }' "got-$1"; }

# ends WHAT EVENTS LOST requires that rank 0 has EVENTS events, and that its end says so.
ends() {
	[[ $(tail -n 1 got-0) == "end $2 $3" && $(events 0 | wc -l) == "$2" ]] ||
		fail "$1: $(events 0 | wc -l) events, and the last line is $(tail -n 1 got-0), not end $2 $3"
}

# The machine: ranks of the node, and processors that they may use.
processors=$(nproc)
record 3 '' recording many 1
if ((status == 0)) && [[ ! ${JITTERFLY_NODES-} ]]; then
	[[ $(grep -c "^header [0-2] 3 .* 3 $processors$" <(cat got-*)) == 3 ]] || fail "it does not say that 3 ranks share $processors processors"
fi

# Every call, with its bytes, communicator, kind and operation.
for ranks in 2 3 5; do
	record $ranks '' recording calls .
	((status == 0)) || fail 'calls failed'
	for ((rank = 0; rank < ranks; rank++)); do
		diff "want-$rank" <(events "$rank") || fail "rank $rank of $ranks recorded what is marked >, not what is marked <"
		awk '$1 == "event" && ($2 > $3 || $2 < last) { print "record: times go back:", $0; exit 1 }
			$1 == "event" { last = $3 }' "got-$rank" || exit 1
	done
	# What jitterfly counts: calls of each kind, and those of allreduces by bytes.
	if [[ -n $program ]]; then
		awk 'BEGIN { split("allreduce barrier reduce bcast allgather alltoall reduce_scatter other neighbor communicator window file", names) }
			{ n[($3 >= 64 ? "start of " : $3 >= 32 ? "end of " : "") names[$3 % 32] ($3 == 1 ? " " $1 : "")]++ }
			END { for (i in n) print i ": " n[i] }' want-* | sort >counts
		"$program" program files --format json | sed -nE 's/^.*"call": "([^"]*)",.* "bytes": ([0-9]+), "ranks": ([0-9]+), "collectives": ([0-9]+),.*/\1,\2,\3,\4/p' |
			awk -F, '{ n[$1 ($1 == "allreduce" ? " " $2 : "")] += $3 * $4 } END { for (i in n) print i ": " n[i] }' | sort |
			diff counts - || fail "of $ranks ranks jitterfly counts what is marked >, not what is marked <"
	fi
	# Communicators: the same key has the same ranks, and as many files as ranks that are in it.
	awk '$1 == "communicator" { n = $3; key = $5; sub(/[^ ]* [^ ]* [^ ]* [^ ]* [^ ]* /, ""); if (key in ranks && ranks[key] != $0) bad = 1
			ranks[key] = $0; size[key] = n; files[key]++ }
		END { for (key in size) bad = bad || size[key] != files[key]; exit bad }' got-* || fail 'keys of communicators differ'
done
for symbol in site_of_sums site_of_barriers; do
	grep -qE "^site [0-9]+ [0-9a-f]+ .*/recording $symbol\$" got-0 || fail "there is no call site in $symbol"
done

# Sleep between calls is not in them, and nobody leaves a sum before the last has entered it.
record 3 '' recording delays 20
awk '$1 == "event" && FILENAME != file { file = FILENAME; i = 0; last = 0; rank++ }
	$1 == "event" { if (last && $2 - last < (rank - 1) * 5e6) bad = 1
		last = $3; i++; n = i > n ? i : n
		if ($2 > entry[i]) entry[i] = $2
		if (!(i in left) || $3 < left[i]) left[i] = $3 }
	END { for (i = 1; i <= n; i++) bad = bad || left[i] < entry[i]; exit bad || n != 20 || rank != 3 }' \
	got-0 got-1 got-2 || fail 'times do not show what the program did'

# With rules: kinds have 128 more.
record 2 JITTERFLY_MPI_FORCE=1,1 probe 8 16 0
[[ $(events 0 | sort | uniq -c | tr -s ' ' | tr '\n' ,) == ' 20 0 1 130 0, 20 16 1 129 1, 20 8 1 129 1,' ]] || fail 'taken calls are not marked'

# What starts has its end, whatever valid programs do between. Open MPI's own requests do not outlive
# the communicator's handle, and MPICH's persistent ones fail by themselves.
# shellcheck disable=SC2086
cases='overlap freed outlive'
if $MPIRUN --version | grep -qE 'Open MPI|OpenRTE|prterun|PRRTE'; then
	cases+=' persistent'
fi
for case in $cases; do
	record 3 'JITTERFLY_MPI_FORCE=1,1 JITTERFLY_MPI_CONNECT=1' requests "$case"
	((status == 0)) || fail "$case fails where it is recorded"
	for rank in 0 1 2; do
		awk '$1 == "event" { starts += $7 % 128 >= 64; ends += $7 % 64 >= 32 } END { exit starts == 0 || starts != ends }' \
			"got-$rank" || fail "$case: starts of rank $rank have no ends"
	done
done

# Linked instead of preloaded.
library='' record 2 '' linked
ends 'a linked program' 20 0

# Threads.
record 2 '' recording threads 500
if ((status == 77)) || grep -q 77 said; then
	echo 'record: threads: left out, as this MPI library does not do it'
else
	[[ $(events 0 | grep ' 1 1$' | sort | uniq -c | awk '{ print $1 }' | tr '\n' ' ') == '500 500 500 500 ' ]] || fail 'threads lost calls'
fi

# More than a buffer, a limit, the process's limit on files, and a full disk.
record 1 '' recording many 70000
ends 'several buffers' 70000 0
[[ $(grep -c '^written ' got-0) == 4 ]] || fail 'it does not say when it wrote'
record 1 JITTERFLY_MPI_RECORD_LIMIT=1200000 recording many 70000
size=$(stat -c %s files/rank-000000.calls) kept=$(events 0 | wc -l)
((size <= 1200000 && size > 1199400)) || fail "the file has $size bytes of 1200000"
ends 'a limit' $kept $((70000 - kept))
grep -q "^jitterfly-mpi: $((70000 - kept)) calls are not recorded" said || fail 'it does not say how many calls are lost'
record 1 '' recording many 70000 limit
((status == 0)) || fail 'a limit on files ends the program'
awk '/^end / { sum = $2 + $3; lost = $3 } END { exit sum != 70000 || lost == 0 }' got-0 || fail 'a limit on files'
if mkdir small && mount -t tmpfs -o size=1100k tmpfs small 2>mount.txt; then
	record 1 JITTERFLY_MPI_RECORD=small/files recording many 70000
	cp -r small/files .
	umount small
	((status == 0)) || fail 'a full disk ends the program'
	written
	awk '/^end / { sum = $2 + $3 } END { exit sum != 70000 }' got-0 || fail 'a full disk'
	[[ $(grep -c '^event' got-0) -ge 32768 ]] || fail 'a full disk loses what was complete'
fi

# Programs that end otherwise.
record 1 '' recording many 40000 kill
((status != 0)) && [[ $(grep -c '^event' got-0) == 32768 ]] || fail 'a killed rank has lost more than its tail'
record 1 '' recording many 40000 abort
((status != 0)) && [[ $(grep -c '^event' got-0) == 40000 ]] || fail 'MPI_Abort loses calls'
record 1 '' recording many 40000 exit
[[ $(grep -c '^event' got-0) == 40000 ]] || fail 'a program without MPI_Finalize loses calls'

# What cannot be recorded does not disturb the program.
# shellcheck disable=SC2086
timeout 60 $MPIRUN -np 2 env LD_PRELOAD="$build/libjitterfly-mpi.so" "$build/probe" 2>said || fail 'a second recording'
grep -qx "jitterfly-mpi: cannot create $PWD/files/rank-000000.calls: File exists; nothing is recorded: name another directory" said ||
	fail 'it does not say that there is a recording'
[[ ! -e files/rank-000001.calls ]] || fail 'it mixes recordings'
record 2 JITTERFLY_MPI_RECORD=/proc/none/files probe
((status == 0)) && grep -q 'cannot create /proc/none/files/rank-000000.calls: No such file or directory; nothing is recorded$' said ||
	fail 'a directory that cannot be made'
for limit in 4GB 100; do
	record 2 JITTERFLY_MPI_RECORD_LIMIT=$limit probe
	((status == 0)) && grep -qx 'jitterfly-mpi: JITTERFLY_MPI_RECORD_LIMIT must be a number of bytes from 4096; nothing is recorded' said ||
		fail "a limit of $limit"
done

# A program that another spawns has a directory in that of the other.
record 2 '' envelope spawn /usr/bin/env LD_PRELOAD="$build/libjitterfly-mpi.so" JITTERFLY_MPI_RECORD="$PWD/files" \
	"$build/envelope" child
if ((status == 0)); then
	[[ $(events 0 | wc -l) -gt 0 && -e files/spawned-1/rank-000001.calls ]] || fail 'spawned programs are not recorded'
	"$build/recorded" files/spawned-1/* | grep -q '^event' || fail 'spawned programs have no calls'
else
	echo 'record: spawn: left out, as this MPI library does not do it'
fi

# Clocks that differ, of ranks on nodes of their own: what to add is known within the error.
library=$build/skewed.so record 5 '' recording delays 20
awk '$1 == "clock" { rank = FILENAME; sub(/got-/, "", rank); n++
		true_offset = -(3e9 * rank + ($2 - 3e9 * rank) / (1 + 1e-4 * rank) * 1e-4 * rank)
		if ((true_offset - $3) ^ 2 > ($4 + 1000) ^ 2 || $4 > 1e9 || (rank > 0 && $4 == 0)) { print "record:", FILENAME, $0, true_offset; bad = 1 } }
	END { exit bad || n != 10 }' got-* || fail 'clocks are not compared'
echo 'record: all as expected'
