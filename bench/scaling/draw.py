"""Prints and draws the time of a simulated message for each number of ranks: the least of benchmark results,
with a line for each file of benchmark output.

draw.py OUT FILE...
"""

import re
import sys
from pathlib import Path

import matplotlib.pyplot as plt

figure, axes = plt.subplots(figsize=(6.4, 4), layout="constrained")
for name in sys.argv[2:]:
    least = {}
    for log2, ns in re.findall(r"/P=2\^(\d+)[ \t].*[ \t]([\d.]+) ns/message", Path(name).read_text()):
        least[int(log2)] = min(float(ns), least.get(int(log2), float("inf")))
    times = dict(sorted(least.items()))
    for log2, ns in times.items():
        print(f"{Path(name).name:<10} 2^{log2:<4} {ns:6.2f}")
    axes.plot(times.keys(), times.values(), marker="o", label=Path(name).name)
axes.set(xlabel="ranks", ylabel="ns per simulated message", ylim=(0, None))
axes.xaxis.set_major_locator(plt.MultipleLocator(4))
axes.xaxis.set_major_formatter(lambda log2, _: f"$2^{{{log2:.0f}}}$")
axes.legend()
figure.savefig(sys.argv[1])
