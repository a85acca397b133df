"""The butterfly with redundant exchanges in NumPy, a vector operation for each step.

It reads the noise that noise.py writes, and prints what simulate prints:
timeline.py TRIALS FILE
"""

import sys
import time

import numpy as np

with open(sys.argv[2], "rb") as f:
    log2 = int(np.fromfile(f, "<i8", 1)[0])
    wire, combine, period, duration, delay = np.fromfile(f, "<f8", 5)
    first = np.fromfile(f, "<f8", 1 << log2)
    events = [np.fromfile(f, "<i8", int(np.fromfile(f, "<i8", 1)[0])) for _ in range(2 * log2)]


def finish(first, start, work):
    """Returns when work that may begin at start is complete, if a detour may hit it."""
    until = first - start
    into = -until - period * np.floor(-until / period)
    begun, inside = until <= 0, (until <= 0) & (into < duration)
    start = np.where(inside, start + (duration - into), start)
    into = np.where(inside, duration, into)
    until = np.where(begun, period - into, until)
    more = np.ceil((work - until) / (period - duration)) * duration
    return np.where(work <= until, start + work, start + work + more)


def simulate():
    """Returns the completion time at each T."""
    t, completion = np.zeros(1 << log2), []
    for number in range(2 * log2):
        pairs = t.reshape(-1, 2, 1 << number % log2)
        arrive = pairs[:, ::-1].ravel()
        np.add.at(arrive, events[number], delay)
        arrive += wire
        if number < log2:
            start = np.maximum(t, arrive)
            t = start + combine
            late = np.nonzero(t >= first)[0]
            t[late] = finish(first[late], start[late], combine)
        else:
            t = np.minimum(t, arrive)
        if number >= log2 - 1:
            completion.append(t.max())
    return completion


best = np.inf
for _ in range(int(sys.argv[1])):
    began = time.perf_counter()
    completion = simulate()
    best = min(best, time.perf_counter() - began)
print(f"{best:.9g} {2 * log2} {completion[0]:.17g} {completion[-1]:.17g}")
