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
	if ! timeout 60 $MPIRUN -np "$ranks" env LD_PRELOAD="$build/libjitterfly-mpi.so" $settings \
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
head='ranks_min,ranks_max,bytes_min,bytes_max,collective,sources,segments,redundancy,speedup_min'
rules() { printf '%s\n' "$head" "$@" >rules.csv; }
by=JITTERFLY_MPI_RULES=rules.csv

expect 2 '' 8 ''
expect 2 JITTERFLY_MPI_FORCE=1,1 8 ''
expect 2 "$by" 8 "jitterfly-mpi: cannot read rules.csv$native"
expect 2 'JITTERFLY_MPI_FORCE=2;1' 8 \
	"jitterfly-mpi: JITTERFLY_MPI_FORCE is \"2;1\" for 2 ranks: it must be R,T such as 2,1$native"
expect 3 JITTERFLY_MPI_FORCE=1,2 8 \
	"jitterfly-mpi: JITTERFLY_MPI_FORCE is \"1,2\" for 3 ranks: T is beyond log2 of the ranks$native"
expect 2 'JITTERFLY_MPI_FORCE=1,1 JITTERFLY_MPI_MAX_BYTES=1KiB' 8 \
	"jitterfly-mpi: JITTERFLY_MPI_MAX_BYTES is \"1KiB\", not a number of bytes up to 1073741823$native"

printf 'This is no CSV.\n' >rules.csv
expect 2 "$by" 8 \
	"jitterfly-mpi: rules.csv:1: is not what jitterfly choose --format csv prints$native"
rules
expect 2 "$by" 8 "jitterfly-mpi: rules.csv:1: there is no rule$native"
rules 2,4,8,8,butterfly,1,1,one,1.5
expect 2 "$by" 8 "jitterfly-mpi: rules.csv:2: is not a rule: ${head%speedup_min}$native"
rules 2,4,8,8,butterfly,1,1,1,1.5 2,4,64,64,butterfly
expect 2 "$by" 8 "jitterfly-mpi: rules.csv:3: is not a rule: ${head%speedup_min}$native"
rules 2,4,8,64,butterfly,1,1,1,1.5 2,2,64,64,butterfly,1,1,0,1.5
expect 2 "$by" 8 "jitterfly-mpi: rules.csv:3: is for the same ranks and bytes as line 2; choose for one machine$native"
rules 2,4,8,8,butterfly,1,1,4,1.5
expect 2 "$by" 8 "jitterfly-mpi: rules.csv:2: R = 1, T = 4 for 2 ranks: T is beyond log2 of the ranks$native"

# Rules apply up to the next that was simulated; what is not butterfly or has no redundancy is native,
# and so are more bytes than the limit, and fewer ranks or bytes than any rule has.
rules 2,3,16,64,butterfly,1,1,1,1.5 2,3,512,512,rabenseifner,3,1,0,1.5 4,8,16,64,butterfly,2,1,0,1 \
	4,8,128,256,butterfly,1,1,0,1
said() { printf 'jitterfly-mpi: MPI_COMM_WORLD, %s ranks, %s B: %s' "$@"; }
expect 2 "$by JITTERFLY_MPI_VERBOSE=1" '8 16 80 512 4096' \
	"$(said 2 8 'the native allreduce')" "$(said 2 16 'R = 1, T = 1 (line 2 of the rules)')" \
	"$(said 2 512 'the native allreduce (line 3 of the rules)')"
expect 3 "$by JITTERFLY_MPI_VERBOSE=1 JITTERFLY_MPI_MAX_BYTES=400" '80 512' \
	"$(said 3 80 'R = 1, T = 1 (line 2 of the rules)')" \
	"$(said 3 512 'the native allreduce (more than JITTERFLY_MPI_MAX_BYTES, 400)')"
expect 5 "$by JITTERFLY_MPI_VERBOSE=1" '24 128' "$(said 5 24 'R = 2, T = 0 (line 4 of the rules)')" \
	"$(said 5 128 'the native allreduce (line 5 of the rules)')"

# Linked instead of preloaded.
said 2 8 'R = 1, T = 0' >want
echo >>want
# shellcheck disable=SC2086
timeout 60 $MPIRUN -np 2 env JITTERFLY_MPI_FORCE=1,0 JITTERFLY_MPI_VERBOSE=1 "$build/linked" 2>got
compare 'a linked program'

# Ranks with different versions of the library.
printf 'jitterfly-mpi: MPI_COMM_WORLD has ranks with versions 1 to 2 of libjitterfly-mpi.so: preload the same file everywhere; using the native allreduce\n' >want
# shellcheck disable=SC2086
timeout 60 $MPIRUN -np 1 env LD_PRELOAD="$build/libjitterfly-mpi.so" JITTERFLY_MPI_FORCE=1,1 "$build/probe" : \
	-np 2 env LD_PRELOAD="$build/another.so" JITTERFLY_MPI_FORCE=1,1 "$build/probe" 2>got
compare 'a mixture of versions'
echo 'messages: all as expected, all sums right'
