#!/usr/bin/env python3
"""How often intervals contain the mean, in applications with measured noise:

    bench/coverage.py JITTERFLY [SEEDS]

Each case is swept with 30 trials under seeds 1 to SEEDS (1000). The mean over all of them stands for
the true mean. Of each T the table has how many of the intervals of 95% contain it. It needs PyArrow.
"""

import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import pyarrow.parquet

CASES = [
    "--ranks 1024 --noise azure-hc44 --compute 300us --sources 2 --redundancy 1",
    "--ranks 128 --noise azure-hc44 --compute 300us --sources 2 --redundancy 1 --iterations 50",
    "--ranks 128 --noise alps --compute 100us --sources 2 --redundancy 1",
    "--ranks 64 --noise gcp-c2 --compute 50us --imbalance 10% --sources 1 --redundancy 2",
    "--ranks 64 --ranks-per-node 8 --noise azure-hc44 --compute 1ms --imbalance 3% --sources 2 --redundancy 0",
    "--ranks 32 --noise piz-daint --compute 20us --sources 1 --redundancy 1",
]


def main():
    program, seeds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    print(f"{'T':>2} {'within':>6} of {seeds:<5}  case")
    for case in CASES:
        rows = {}
        for seed in range(1, seeds + 1):
            with tempfile.TemporaryDirectory() as folder:
                subprocess.run(
                    [program, "sweep", "--quiet", "--assume", "hosts", "--collective", "butterfly", "--trials", "30",
                     "--seed", str(seed), "--out", folder, *case.split()],
                    check=True, stdout=subprocess.DEVNULL)
                table = pyarrow.parquet.read_table(Path(folder, "summary.parquet"))
            for row in table.to_pylist():
                rows.setdefault(row["redundancy"], []).append((row["mean_s"], row["ci_low_s"], row["ci_high_s"]))
        for t, of in sorted(rows.items()):
            mean = statistics.fmean(m for m, _, _ in of)
            within = sum(low <= mean <= high for _, low, high in of)
            print(f"{t:2} {within:6} of {seeds:<5}  {case}", flush=True)


if __name__ == "__main__":
    main()
