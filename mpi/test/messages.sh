#!/usr/bin/env bash
# What the preloaded library says about its settings, and that sums are right whatever they are.
#
#	MPIRUN="mpirun …" messages.sh DIRECTORY     where the library and probe are built
set -euo pipefail
build=$(cd -- "$1" && pwd)
cd -- "$(mktemp -d)"
trap 'rm -rf -- "$PWD"' EXIT

# expect RANKS 'VARIABLE=VALUE …' 'BYTES…' LINE… runs the probe and compares what it writes.
expect() {
	local ranks=$1 settings=$2 bytes=$3
	shift 3
	printf '%s\n' "$@" >want
	# shellcheck disable=SC2086
	if ! timeout 60 $MPIRUN -np "$ranks" env LD_PRELOAD="${preload:-$build/libjitterfly-mpi.so}" $settings \
		"$build/probe" $bytes 2>got; then
		cat got >&2
		printf 'messages: %s failed\n' "$settings" >&2
		exit 1
	fi
	compare "$settings"
}

compare() {
	if ! diff <(sed '/^$/d' want) got; then
		printf 'messages: %s says what is marked >, not what is marked <\n' "$1" >&2
		exit 1
	fi
}

native='; using the native allreduce'
head='ranks_min,ranks_max,bytes_min,bytes_max,collective,sources,segments,redundancy,leaders,share,speedup_min'

# rules LINE… writes rules, those without leaders in short.
rules() { printf '%s\n' "$head" "$@" | sed -E 's/^(([^,]*,){8})([0-9.]+)$/\10,false,\3/' >rules.csv; }
by=JITTERFLY_MPI_RULES=rules.csv

expect 2 '' 8 ''
expect 2 JITTERFLY_MPI_FORCE=1,1 8 ''
expect 2 "$by" 8 "jitterfly-mpi: cannot read rules.csv$native"
expect 2 JITTERFLY_MPI_RULES=. 8 "jitterfly-mpi: cannot read .$native"
for wrong in '2;1' 4294967297,1 1,4294967297 1,0,4294967297; do
	expect 2 "JITTERFLY_MPI_FORCE=$wrong" 8 \
		"jitterfly-mpi: JITTERFLY_MPI_FORCE is \"$wrong\": it must be R,T such as 2,1, or of leaders such as 1,0,2,share$native"
done
expect 3 JITTERFLY_MPI_FORCE=1,2 8 \
	"jitterfly-mpi: JITTERFLY_MPI_FORCE is \"1,2\" for 3 ranks: T is larger than log2 of the number of ranks$native"
expect 2 'JITTERFLY_MPI_FORCE=1,1 JITTERFLY_MPI_MAX_BYTES=1KiB' 8 \
	"jitterfly-mpi: JITTERFLY_MPI_MAX_BYTES is \"1KiB\", not a whole number from 0 to 1073741823$native"
expect 2 'JITTERFLY_MPI_FORCE=1,1 JITTERFLY_MPI_NODE_RANKS=two' 8 \
	"jitterfly-mpi: JITTERFLY_MPI_NODE_RANKS is \"two\", not a whole number from 0 to 2147483647$native"

expect 2 'JITTERFLY_MPI_FORCE=1,1 JITTERFLY_MPI_CONNECT=0' 8 \
	"jitterfly-mpi: JITTERFLY_MPI_CONNECT is \"0\", not a whole number from 1 to 2147483647$native"

: >rules.csv
expect 2 "$by" 8 "jitterfly-mpi: rules.csv is empty: jitterfly choose printed an error in place of rules$native"
printf 'This is no CSV.\n' >rules.csv
expect 2 "$by" 8 \
	"jitterfly-mpi: rules.csv:1: is not what jitterfly choose --format csv prints$native"
rules
expect 2 "$by" 8 "jitterfly-mpi: rules.csv: there is no rule in it$native"
rules 2,4,8,8,butterfly,1,1,one,1.5
expect 2 "$by" 8 "jitterfly-mpi: rules.csv:2: is not a rule: ${head%speedup_min}$native"
rules 2,4,8,8,butterfly,1,1,1,1.5 2,4,64,64,butterfly
expect 2 "$by" 8 "jitterfly-mpi: rules.csv:3: is not a rule: ${head%speedup_min}$native"
many="R and segments are at least 1, T is at least 0, and none is above 262144$native"
rules 2,4,8,8,butterfly,0,1,1,1.5
expect 2 "$by" 8 "jitterfly-mpi: rules.csv:2: has R = 0, 1 segments and T = 1: $many"
rules 2,4,8,8,butterfly,-1,1,1,1.5
expect 2 "$by" 8 "jitterfly-mpi: rules.csv:2: has R = -1, 1 segments and T = 1: $many"
rules 2,4,8,8,ring,1,2147483647,0,1.5
expect 2 "$by" 8 "jitterfly-mpi: rules.csv:2: has R = 1, 2147483647 segments and T = 0: $many"
rules 2,4,8,64,butterfly,1,1,1,1.5 2,2,64,64,butterfly,1,1,0,1.5
expect 2 "$by" 8 "jitterfly-mpi: rules.csv:3: has ranks and bytes in common with line 2: keep the rules of one machine$native"
rules 2,4,8,8,butterfly,1,1,4,1.5
expect 2 "$by" 8 "jitterfly-mpi: rules.csv:2: R = 1, T = 4 for 2 ranks: T is larger than log2 of the number of ranks$native"

# What is used, and at the end how often.
said() { printf 'jitterfly-mpi: MPI_COMM_WORLD, %s ranks, %s B: %s' "$@"; }
calls() { printf 'jitterfly-mpi: MPI_COMM_WORLD, %s ranks: calls taken %s, native %s' "$@"; }
none='jitterfly-mpi: no call was taken'
verbose="$by JITTERFLY_MPI_VERBOSE=1"

# What is not butterfly is native, so are one source without copies, more bytes than the limit, and
# fewer ranks or bytes than any rule has.
rules 2,3,16,64,butterfly,1,1,1,1.5 2,3,512,512,rabenseifner,3,1,0,1.5 4,8,16,64,butterfly,2,1,0,1 \
	2,8,1024,1024,butterfly,1,1,0,1
expect 2 "$verbose" '8 16 80 512 1024 4096' \
	"$(said 2 8 'the native allreduce')" "$(said 2 16 'R = 1, T = 1 (line 2 of the rules)')" \
	"$(said 2 512 'the native allreduce (line 3 of the rules)')" \
	"$(said 2 1024 'the native allreduce (line 5 of the rules)')" \
	"$(calls 2 '40 (1920 B)' '80 (60 by the rules, 20 longer than JITTERFLY_MPI_MAX_BYTES)')"
expect 3 "$verbose JITTERFLY_MPI_MAX_BYTES=400" '80 512' \
	"$(said 3 80 'R = 1, T = 1 (line 2 of the rules)')" \
	"$(said 3 512 'the native allreduce (more than JITTERFLY_MPI_MAX_BYTES, 400)')" \
	"$(calls 3 '20 (1600 B)' '20 (20 longer than JITTERFLY_MPI_MAX_BYTES)')"
expect 5 "$verbose" 24 "$(said 5 24 'R = 2, T = 0 (line 4 of the rules)')" "$(calls 5 '20 (480 B)' 0)"
sed -i '1s/^/\xEF\xBB\xBF/' rules.csv # as some programs write it
expect 2 "$verbose" 16 "$(said 2 16 'R = 1, T = 1 (line 2 of the rules)')" "$(calls 2 '20 (320 B)' 0)"

# Barriers have the rule of the shortest vectors.
barriers() { printf 'jitterfly-mpi: MPI_COMM_WORLD, %s ranks, barriers: %s' "$@"; }
expect 2 "$verbose" '16 0 0' "$(said 2 16 'R = 1, T = 1 (line 2 of the rules)')" \
	"$(barriers 2 'R = 1, T = 1 (line 2 of the rules)')" "$(calls 2 '60 (320 B, barriers 40)' 0)"
expect 2 "$verbose JITTERFLY_MPI_MAX_BYTES=15" 0 "$(barriers 2 'the native barrier')" \
	"$(calls 2 '0 (0 B)' '20 (20 by the rules)')" "$none"
rules 2,8,8,8,butterfly,1,1,0,1 2,8,64,64,butterfly,1,1,1,1.5
expect 2 "$verbose" '0 64' "$(barriers 2 'the native barrier (line 2 of the rules)')" \
	"$(said 2 64 'R = 1, T = 1 (line 3 of the rules)')" "$(calls 2 '20 (1280 B)' '20 (20 by the rules)')"

# Rules reach the next ranks and bytes, or twice their own.
rules 2,2,8,8,butterfly,1,1,1,1.5 2,2,24,64,butterfly,1,1,0,1 5,5,8,8,butterfly,1,1,0,1.5
expect 2 "$verbose" '16 24 128 136' \
	"$(said 2 16 'R = 1, T = 1 (line 2 of the rules)')" \
	"$(said 2 24 'the native allreduce (line 3 of the rules)')" "$(said 2 136 'the native allreduce')" \
	"$(calls 2 '20 (320 B)' '60 (60 by the rules)')"
expect 4 "$verbose" 8 "$(said 4 8 'R = 1, T = 1 (line 2 of the rules)')" "$(calls 4 '20 (160 B)' 0)"
expect 5 "$verbose" 8 "$(said 5 8 'the native allreduce (line 4 of the rules)')" \
	"$(calls 5 '0 (0 B)' '20 (20 by the rules)')" "$none"
rules 2,2,8,8,butterfly,1,1,1,1.5 8,8,8,8,butterfly,1,1,1,1.5
expect 5 "$verbose" 8 "$(said 5 8 'the native allreduce')" "$(calls 5 '0 (0 B)' '20 (20 by the rules)')" "$none"
rules 2,2,8,8,butterfly,1,1,0,1
expect 2 "$verbose" 8 "$none: there are no rules"

# Leaders of nodes, of which no number is too large: it says what the nodes allow. One is native.
rules 2,4,8,8,leaders,1,1,0,2,true,1.5 2,4,64,64,leaders,3,1,9,1,false,1.5 2,4,512,512,leaders,1,1,0,1,false,1 \
	2,4,1024,1024,butterfly,1,1,1,1,false,1.5
expect 3 "$verbose JITTERFLY_MPI_NODE_RANKS=2" '0 8 64 512 1024' \
	"$(barriers 3 'R = 1, T = 0, 1 leaders a node that share (line 2 of the rules)')" \
	"$(said 3 8 'R = 1, T = 0, 1 leaders a node that share (line 2 of the rules)')" \
	"$(said 3 64 'R = 1, T = 1, 1 leaders a node (line 3 of the rules)')" \
	"$(said 3 512 'the native allreduce (line 4 of the rules)')" \
	"$(said 3 1024 'R = 1, T = 1 (line 5 of the rules)')" \
	"$(calls 3 '80 (21920 B, barriers 20)' '20 (20 by the rules)')"
for wrong in 1,0,0 1,0,2,yes 1,0,2,; do
	expect 2 "JITTERFLY_MPI_FORCE=$wrong" 8 \
		"jitterfly-mpi: JITTERFLY_MPI_FORCE is \"$wrong\": it must be R,T such as 2,1, or of leaders such as 1,0,2,share$native"
done
for wrong in two 4294967298; do
	rules 2,2,8,8,leaders,1,1,0,$wrong,true,1
	expect 2 "$by" 8 "jitterfly-mpi: rules.csv:2: is not a rule: ${head%speedup_min}$native"
done

# Linked instead of preloaded.
{
	said 2 8 'R = 1, T = 0'
	echo
	calls 2 '20 (160 B)' 0
	echo
} >want
# shellcheck disable=SC2086
timeout 60 $MPIRUN -np 2 env JITTERFLY_MPI_FORCE=1,0 JITTERFLY_MPI_VERBOSE=1 "$build/linked" 2>got
compare 'a linked program'

# Another tool first, which hides MPI_Init, or calls of MPI_Allreduce alone.
force='JITTERFLY_MPI_FORCE=1,1 JITTERFLY_MPI_VERBOSE=1'
preload="$build/hides-all.so:$build/libjitterfly-mpi.so" expect 2 "$force" 8 \
	"$none: MPI_Init did not reach the library: preload it before other tools (programs that use only sessions are native)"
preload="$build/hides-allreduce.so:$build/libjitterfly-mpi.so" expect 2 "$force" 8 \
	"$none: no allreduce or barrier reached the library: preload it before other tools"

# Ranks with different versions of the library.
printf 'jitterfly-mpi: ranks have versions 5 to 6 of libjitterfly-mpi.so: preload the same file everywhere; using the native allreduce\n' >want
# shellcheck disable=SC2086
timeout 60 $MPIRUN -np 1 env LD_PRELOAD="$build/libjitterfly-mpi.so" JITTERFLY_MPI_FORCE=1,1 "$build/probe" : \
	-np 2 env LD_PRELOAD="$build/another.so" JITTERFLY_MPI_FORCE=1,1 "$build/probe" 2>got
compare 'a mixture of versions'

# The benchmark, whose ranks must hear of a launch before it.
for lead in 0s 1ns; do
	# shellcheck disable=SC2086
	timeout 60 $MPIRUN -np 2 "$build/bench" --lead $lead --operations 3 2>late >/dev/null || true
	sed -n 's/of [0-9]* launches/of launches/; /^bench/p' late
done >got
printf '%s\n' 'bench: --lead does not take this value; see bench --help' \
	'bench: ranks heard of launches too late: use a longer --lead' >want
compare 'the benchmark'

# Leaders are what the nodes allow. Its file says which are measured.
schemes() {
	# shellcheck disable=SC2086
	timeout 60 $MPIRUN -np 3 env JITTERFLY_MPI_NODE_RANKS=2 "$build/bench" --lead 20ms --operations 2 --schemes "$1" 2>late >table || true
}
schemes 1,1:1,0,2
sed -n '/^bench/p' late >got
echo 'bench: --schemes 1,0,2 with 3 ranks: the nodes allow no more than R = 1, T = 0, 1 leaders' >want
compare 'the benchmark, of too many leaders'
schemes 1,1:1,0,1:1,1,1,share
{
	grep -E '^# (jitterfly|ranks)' bench.csv
	sed -n '/^operation/p; s/^[0-9]*,\(8,.*\),noisy,.*/\1/p' bench.csv | uniq
} >got
each=2
if [[ ${JITTERFLY_NODES-} ]]; then # which take turns with ranks
	each=1
fi
printf '%s\n' '# jitterfly-mpi bench: 2' '# ranks: 3' "# ranks_per_node: $each" \
	operation,bytes,r,t,leaders,share,noise,iterations,compute,seconds >want
for _ in 1 2; do printf '8,%s\n' 0,0,0,0 1,1,0,0 1,0,1,0 1,1,1,1; done >>want
compare 'the file of the benchmark'
echo 'messages: all as expected, all sums right'
