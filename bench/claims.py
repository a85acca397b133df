#!/usr/bin/env python3
"""How often the choices that claim to be within the tolerance of the best are not:

    bench/claims.py JITTERFLY

Each deployment is chosen for with one seed. If the choice is claimed, its collective, those that it was
compared with and the butterfly with R = 1, 2 and 3 are swept with ten times the trials of the choice, 300,000
at most, and another seed. A claim is wrong if the choice's time is further above the least of these than the tolerance.
It needs PyArrow.
"""

import itertools
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import pyarrow.parquet

TOLERANCE = 0.01
DEPLOYMENTS = [
    " ".join(parts)
    for parts in itertools.product(
        ["--ranks 16", "--ranks 64", "--ranks 256 --ranks-per-node 16", "--ranks 1024"],
        ["--os-duration 10us", "--noise azure-hc44", "--noise alps"],
        ["", "--compute 300us --imbalance 3%"],
        ["--bytes 8B", "--bytes 4KiB"],
    )
]
COLUMNS = ["collective", "sources", "segments", "leaders", "share", "redundancy"]


def run(program, *arguments):
    """Returns what the program prints, or nothing if it refuses."""
    result = subprocess.run([program, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    return result.stdout if result.returncode in (0, 75) else ""


def means(program, flags, trials, candidates):
    """Returns the mean time [s] of each candidate and T, swept with a seed of their own."""
    found = {}
    for collective, sources, segments, leaders, share in sorted(candidates):
        with tempfile.TemporaryDirectory() as folder:
            run(program, "sweep", "--quiet", "--assume", "hosts", "--seed", "2", "--trials", str(trials),
                "--collective", collective, "--sources", str(sources), "--segments", str(segments),
                "--leaders", str(leaders), f"--share={str(share).lower()}", "--redundancy", "all", "--out", folder,
                *flags.split())
            summary = Path(folder, "summary.parquet")
            if summary.exists():
                for row in pyarrow.parquet.read_table(summary).to_pylist():
                    found[(collective, sources, segments, leaders, share, row["redundancy"])] = row["mean_s"]
    return found


def main():
    program, claims, wrong = sys.argv[1], 0, 0
    for flags in DEPLOYMENTS:
        choice = json.loads(run(program, "choose", "--no-cache", "--quiet", "--assume", "hosts", "--seed", "1",
                                "--tolerance", str(TOLERANCE), "--format", "json", *flags.split()))[0]
        if choice["regret_high"] is None or choice["regret_high"] > TOLERANCE:
            print(f"no claim  {flags}", flush=True)
            continue
        of = [choice, choice["low"], choice["baseline"], *choice["near"]]
        candidates = {tuple(c[name] for name in COLUMNS[:-1]) for c in of}
        candidates |= {("butterfly", r, 1, 1, False) for r in (1, 2, 3)}
        trials = min(max(10 * choice["trials"], 100), 300_000)
        found = means(program, flags, trials, candidates)
        least = min(found, key=found.get)
        above = found[tuple(choice[c] for c in COLUMNS)] / found[least] - 1
        claims, wrong = claims + 1, wrong + (above > TOLERANCE)
        print(f"{100 * above:6.2f}% above {least} in {trials} trials, claimed {100 * choice['regret_high']:.2f}%: {flags}",
              flush=True)
    print(f"{wrong} of {claims} claims are wrong")


if __name__ == "__main__":
    main()
