#!/bin/bash
# The last job of a plan: writes the tables when all tasks have ended, however.
# jitterfly cluster submit slurm writes this file. Its arguments are the program and the directory.
set -u
"$1" cluster merge "$2"
code=$?
if ((code == 3)); then
	# A network file system may show the last parts half a minute late.
	sleep 30
	"$1" cluster merge "$2"
	code=$?
fi
exit "$code"
