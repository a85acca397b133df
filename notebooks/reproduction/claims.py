"""Judges claims of papers by results: numbers with their intervals, verdicts, and the list of a paper's claims.

One rule applies to all papers. A published ratio (a speed-up, a slow-down, a part of the theory), gain or loss is
judged by its difference from 1: ours agrees if that difference is within a third of the published one, or within 0.02
if that is more. A quantity with a unit (a time, a rate) agrees within 10%. If our 95% interval lies across such a
bound, the claim is inconclusive.
"""

import json
import math
import os
import sys
from pathlib import Path
from typing import NamedTuple

import matplotlib.pyplot as plt
import numpy as np
from IPython.display import Markdown

HERE = Path(__file__).resolve().parent
sys.path.insert(0, os.fspath(HERE.parent))

import jitterfly  # noqa: E402

HOLDS, FAILS, OPEN, GIVEN = "holds", "does not hold", "inconclusive", "by construction"
ORANGE, BLUE, GREEN, PURPLE = "#d55e00", "#0072b2", "#009e73", "#cc79a7"  # by Okabe and Ito


class Estimate(NamedTuple):
    """A number with its 95% interval."""

    mean: float
    low: float
    high: float

    def of(self, other):
        """Returns the ratio of two estimates, whose errors are independent."""
        half = math.hypot((self.high - self.low) / 2 / self.mean, (other.high - other.low) / 2 / other.mean)
        ratio = self.mean / other.mean
        return Estimate(ratio, ratio * math.exp(-half), ratio * math.exp(half))

    def plus(self, number):
        return Estimate(*(value + number for value in self))

    def times(self, number):
        return Estimate(*(value * number for value in self))

    def within(self, least, most):
        """Returns the verdict of a number that should be between two bounds."""
        if least <= self.low and self.high <= most:
            return HOLDS
        return FAILS if self.high < least or most < self.low else OPEN

    def at_least(self, bound):
        return self.within(bound, math.inf)

    def at_most(self, bound):
        return self.within(-math.inf, bound)

    def near(self, published):
        """Returns the verdict of the counterpart of a published quantity."""
        return self.within(0.9 * published, 1.1 * published)

    def near_ratio(self, published):
        """Returns the verdict of the counterpart of a published ratio."""
        off = max(abs(published - 1) / 3, 0.02)
        return self.within(published - off, published + off)

    def above(self, other):
        return self.of(other).at_least(1)

    def text(self, form="{:.3g}×"):
        """Returns the number in a format, with its interval if the format shows one."""
        mean, low, high = (form.format(value) for value in self)
        return mean if low == high else f"{mean} ({low.rstrip('×%')}–{high.rstrip('×%')})"


def exact(value):
    return Estimate(value, value, value)


def average(estimates):
    """Returns the average of estimates, whose errors are independent."""
    half = math.sqrt(sum(((e.high - e.low) / 2) ** 2 for e in estimates)) / len(estimates)
    mean = sum(e.mean for e in estimates) / len(estimates)
    return Estimate(mean, mean - half, mean + half)


def mean_of(row, column="mean_s"):
    """Returns the mean of a row of summary.parquet with its interval."""
    return Estimate(row[column], row["ci_low_s"], row["ci_high_s"])


def drawn(estimates, statistic, draws=200):
    """Returns a statistic of many estimates. Its interval is the middle 95% of the statistic if each of them is drawn,
    log-normally, from what its own interval says."""
    mean, low, high = (np.array([e[i] for e in estimates], float) for i in range(3))
    normals = np.random.default_rng(1).standard_normal((draws, len(mean)))
    spread = np.log(high / low) / (2 * 1.96)
    values = [statistic(mean * np.exp(normal * spread)) for normal in normals]
    at = float(statistic(mean))
    return Estimate(at, min(at, float(np.quantile(values, 0.025))), max(at, float(np.quantile(values, 0.975))))


def median(estimates):
    return drawn(estimates, np.median)


def spearman(xs, ys):
    """Returns the rank correlation of two lists; NaN if one of them is constant."""
    def ranks(values):
        values = np.asarray(values, float)
        return np.array([(np.sum(values < v) + np.sum(values <= v) - 1) / 2 for v in values])

    x, y = ranks(xs), ranks(ys)
    if x.std() == 0 or y.std() == 0:
        return math.nan
    return float(np.corrcoef(x, y)[0, 1])


def verdict(holds):
    return HOLDS if holds else FAILS


def together(*verdicts):
    """Returns the verdict of claims together."""
    for worst in (FAILS, OPEN):
        if worst in verdicts:
            return worst
    return HOLDS


def span(values, form="{:.3g}"):
    """Returns the extremes of values, or one value if they look the same."""
    low, high = form.format(min(values)), form.format(max(values))
    return low if low == high else f"{low} to {high}"


def span_of(estimates, form="{:.3g}×"):
    """Returns the smallest and the largest of estimates."""
    return f"{min(estimates).text(form)} to {max(estimates).text(form)}"


def study(paper, name, out=None, **flags):
    """Simulates a study file of a paper, and returns its results; flags replace keys of the file."""
    return jitterfly.sweep(HERE / "studies" / f"{paper}-{name}.yaml", out=f"results/{paper}/{out or name}", **flags)


class Paper:
    """The claims of a paper, each with our answer and its verdict."""

    def __init__(self, number, authors, title, about):
        self.number, self.authors, self.title, self.about, self.claims = number, authors, title, about, []

    def claim(self, where, claim, published, ours, found, expect, why="", page=None):
        """Adds a claim and asserts the verdict that is expected.

        found is the verdict of the results, expect the verdict of this version: HOLDS, FAILS, OPEN, or GIVEN for a claim
        that holds because the model or its input makes it true. why says, in a sentence, why a claim does not hold, is
        open, or is given. page marks claims that the summary shows, by default those that do not hold.
        """
        assert found == (HOLDS if expect == GIVEN else expect), f"{where}: {claim} {found}, not {expect}: {ours}"
        assert why or expect == HOLDS, f"{where}: {claim}: say why it {expect}"
        shown = expect == FAILS if page is None else page
        self.claims.append({"where": where, "claim": claim, "published": published, "ours": ours, "verdict": expect, "why": why, "page": shown})

    def tested(self, where, claim, published, test, expect=HOLDS, why="", page=None):
        """Adds a claim about what tables do not have. A Go test of that name judges it; asserts that there is one."""
        clone = HERE.parent.parent
        found = [path for path in clone.rglob("*_test.go") if f"func {test}(" in path.read_text(encoding="utf-8")]
        assert found, f"{where}: no test is named {test}"
        ours = f"`go test ./{found[0].parent.relative_to(clone)} -run {test}`"
        self.claim(where, claim, published, ours, HOLDS if expect == GIVEN else expect, expect, why, page)

    def table(self):
        """Returns the claims as a table, and writes them into PAPER.json for the summary."""
        everything = {"paper": self.number, "authors": self.authors, "title": self.title, "about": self.about, "claims": self.claims}
        Path(f"{self.number}.json").write_text(json.dumps(everything, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
        rows = ["| where | claim | published | ours | |", "|---|---|---|---|---|"]
        for c in self.claims:
            text = f"{c['claim']} *{c['why']}*" if c["why"] else c["claim"]
            rows.append(f"| {c['where']} | {text} | {c['published']} | {c['ours']} | {c['verdict']} |")
        return Markdown("\n".join(rows))
