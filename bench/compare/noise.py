"""Writes noise for 2^LOG2 ranks: 108 ns for a message, 1% jitter, and an event of the network in each
millisecond of transit.

noise.py LOG2 FILE

All numbers have 64 bits and are little-endian: LOG2; the times of the wire and of combining, the period and
the duration of the jitter, and the delay of an event [s]; the phase of each rank [s]; and for each of 2 LOG2
exchanges the number of events and, in ascending order, the ranks whose messages they delay.
"""

import sys

import numpy as np

log2 = int(sys.argv[1])
wire, combine, period, duration, delay = 108e-9, 0.8e-9, 1e-3, 10e-6, 10e-6
random, ranks = np.random.default_rng(log2), 1 << log2
with open(sys.argv[2], "wb") as f:
    np.array([log2], "<i8").tofile(f)
    np.array([wire, combine, period, duration, delay], "<f8").tofile(f)
    (period * random.random(ranks)).astype("<f8").tofile(f)
    for _ in range(2 * log2):
        # A message is delayed once.
        events = np.unique(random.integers(ranks, size=int(ranks * wire / 1e-3)))
        np.array([len(events), *events], "<i8").tofile(f)
