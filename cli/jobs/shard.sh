#!/bin/bash
# One task of a Slurm job array: computes one shard of a plan. jitterfly cluster submit slurm
# writes this file and says with which options it is submitted. Its arguments are the
# program, the directory of the plan, the shard of index 0, and how often the task may
# begin again.
#
# USR1, which Slurm sends before the time limit, writes what is complete and has the
# task begin again. TERM only writes what is complete: a cancelled task stays so.
set -u
program=$1 dir=$2 shard=$(($3 + SLURM_ARRAY_TASK_ID)) most=$4
begun=${SLURM_RESTART_COUNT:-0}
process='' signals=0 requeue=no

say() { printf 'shard %d on %s: %s\n' "$shard" "$(hostname)" "$1" >&2; }

stop() {
	signals=$((signals + 1))
	requeue=$1
	if [[ -n $process ]]; then kill -TERM "$process"; fi
}
trap 'stop yes' USR1
trap 'stop no' TERM

if ((begun > most)); then
	say "begun again more than $most times; look why, then submit again what is missing"
	exit 1
fi
export GOMAXPROCS=${SLURM_CPUS_PER_TASK:-1}
"$program" cluster run "$dir" --shard "$shard" &
process=$!
code=0
# A signal ends wait early.
for ((seen = -1; seen != signals; )); do
	seen=$signals
	wait "$process"
	code=$?
done
if ((code == 75)) && [[ $requeue == yes ]]; then
	if ((begun < most)); then
		say 'near its time limit, begins again'
		# SLURM_JOB_ID is, of one of the tasks, that of the whole array.
		scontrol requeue "${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID"
	else
		say "near its time limit, and begun again $begun times; submit again what is missing"
	fi
fi
exit "$code"
