#!/usr/bin/env bash
# MPICH's own tests of collectives and of errors, natively and with the library preloaded: recorded, and by
# R = 1 and T = 1 from the first call of each communicator on. It names those that pass in one way only.
#
#	MPICC=mpicc MPIRUN="mpirun …" mpich.sh SOURCE DIRECTORY [TEST…]
#
# SOURCE has the sources of that MPICH, as git archive v4.0.2 test/mpi makes them; DIRECTORY is where the
# library is built. Tests that need generated datatypes or threads are left out.
set -euo pipefail
source=$(cd -- "$1/test/mpi" && pwd)
build=$(cd -- "$2" && pwd)
shift 2
cd -- "$(mktemp -d)"
trap 'rm -rf -- "$PWD"' EXIT

for header in STDIO STDLIB STRING UNISTD SYS_TIME SYS_RESOURCE STDARG STDINT INTTYPES; do
	echo "#define HAVE_${header}_H 1"
done >mpitestconf.h
printf '#define %s\n' 'HAVE_LONG_LONG 1' 'THREAD_PACKAGE_NAME THREAD_PACKAGE_POSIX' >>mpitestconf.h
touch mtest_mpix.h
flags=(-w -O1 -I. "-I$source/include")
for file in mtest mtest_common mtest_thread; do
	$MPICC "${flags[@]}" -c -o "$file.o" "$source/util/$file.c"
done

# passes RANKS TEST ARGUMENTS VARIABLES… runs a test and returns whether it finds no errors.
passes() {
	# shellcheck disable=SC2086
	(ulimit -c 0 && timeout 90 nice $MPIRUN -np "$1" env "${@:4}" "./$2" $3) >said 2>&1 </dev/null && grep -q '^ *No Errors' said
}

tests=0 native=0 taken=0 omitted=0 differ=()
for folder in coll errors/coll; do
	while read -r name ranks rest; do
		[[ $name =~ ^[a-z] && ${ranks:-} =~ ^[0-9]+$ ]] || continue
		(($# == 0)) || [[ " $* " == *" $name "* ]] || continue
		arguments=
		for word in $rest; do
			[[ $word != arg=* ]] || arguments+=" ${word#arg=}"
		done
		if [[ ! -e $name ]] && ! $MPICC "${flags[@]}" -o "$name" "$source/$folder/$name.c" mtest.o mtest_common.o mtest_thread.o -lm -pthread 2>/dev/null; then
			((++omitted))
			continue
		fi
		((++tests))
		ways=
		if passes "$ranks" "$name" "$arguments"; then
			((++native))
			ways+=n
		fi
		rm -rf files
		if passes "$ranks" "$name" "$arguments" LD_PRELOAD="$build/libjitterfly-mpi.so" JITTERFLY_MPI_FORCE=1,1 \
			JITTERFLY_MPI_CONNECT=1 JITTERFLY_MPI_RECORD="$PWD/files"; then
			((++taken))
			ways+=t
		fi
		case $ways in
		n) differ+=("$name ($ranks ranks) fails with the library") ;;
		t) differ+=("$name ($ranks ranks) fails without the library") ;;
		esac
	done < <(cat "$source/$folder/testlist" "$source/$folder/testlist.in" 2>/dev/null)
done
echo "mpich: of $tests tests $native pass natively, $taken with the library; $omitted do not build here"
for line in "${differ[@]}"; do echo "mpich: $line"; done
[[ ! ${differ[*]} =~ 'with the library' ]]
