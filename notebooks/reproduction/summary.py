"""Writes docs/reproduction.md from the claims that the notebooks judged, or checks it.

    summary.py [--check] PAGE PAPER.json...

Without all papers, the sections and rows of the others stay as they are. With --check it writes nothing, and fails if
the page is another.
"""

import argparse
import difflib
import json
import re
import sys
import textwrap
from pathlib import Path

VERDICTS = ["holds", "by construction", "does not hold", "inconclusive"]
HEAD = """# Reproduction of papers

Six papers are behind the models. A notebook for each simulates its studies, draws the paper's figures,
and asserts the verdict of each of its claims. This page is written from their results:

```sh
.ci/reproduction --update             # all papers: ten minutes on two cores
.ci/reproduction 000 001 004          # checks these, as CI does; all are checked before a release
```

A claim holds *by construction* if the model or its input makes it true. It is *inconclusive* if our
numbers are too noisy, if the paper leaves gaps, or if its subject is not simulated.

A published ratio, gain or loss is judged by its difference from 1: ours agrees if that is within a
third of the published difference, or within 0.02 if that is more. A quantity with a unit agrees within
10%. If our 95% interval lies across such a bound, the claim is inconclusive. Below are main claims that
hold and the claims that do not; the notebooks have all, with intervals and assumptions.

| paper | claims | hold | by construction | do not hold | inconclusive |
|---|---|---|---|---|---|
"""


def wrapped(text, hang=""):
    return "\n".join(textwrap.wrap(text, 100, subsequent_indent=hang, break_long_words=False, break_on_hyphens=False))


def row(paper):
    counts = [sum(c["verdict"] == v for c in paper["claims"]) for v in VERDICTS]
    return f"| [{paper['paper']}](#paper-{paper['paper']}) | {len(paper['claims'])} | {' | '.join(map(str, counts))} |"


def section(paper):
    number = paper["paper"]
    lines = [f"## Paper {number}", "", wrapped(f"{paper['authors']}, *{paper['title']}* ([{number}.ipynb](../notebooks/reproduction/{number}.ipynb)). {paper['about']}")]
    for verdict in ("holds", "does not hold", "inconclusive"):
        shown = [c for c in paper["claims"] if c["page"] and c["verdict"] == verdict]
        if shown:
            lines += ["", verdict.capitalize() + ":", ""]
        for c in shown:
            claim = re.sub(r" \(read as: [^)]*\)", "", c["claim"])
            ours = " Ours: " + re.sub(r" \([-0-9.]+–[-0-9.]+\)", "", c["ours"]) + "."
            if len(ours) > 70 and c["why"]:
                ours = ""  # the notebook has it
            lines.append(wrapped(f"- {claim}{ours}{' ' + c['why'] if c['why'] else ''}", "  "))
    return "\n".join(lines) + "\n"


def page(papers, before):
    """Returns the page; what papers does not have is taken from before."""
    old_rows = dict(re.findall(r"^(?=\| \[(\d+)\])(.*)$", before, re.M))
    old = {text[:3]: "## Paper " + text.rstrip("\n") + "\n" for text in before.split("## Paper ")[1:]}
    numbers = sorted(papers.keys() | old.keys())
    rows = [row(papers[n]) if n in papers else old_rows[n] for n in numbers]
    return HEAD + "\n".join(rows) + "\n\n" + "\n".join(section(papers[n]) if n in papers else old[n] for n in numbers)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="fail if the page is another")
    parser.add_argument("page", type=Path)
    parser.add_argument("papers", metavar="PAPER.json", nargs="+", type=Path)
    arguments = parser.parse_args()
    papers = {p["paper"]: p for p in (json.loads(path.read_text(encoding="utf-8")) for path in arguments.papers)}
    before = arguments.page.read_text(encoding="utf-8") if arguments.page.exists() else ""
    now = page(papers, before)
    if not arguments.check:
        arguments.page.write_text(now, encoding="utf-8")
    elif now != before:
        sys.stderr.writelines(difflib.unified_diff(before.splitlines(True), now.splitlines(True), str(arguments.page), "the notebooks"))
        sys.exit(f"summary: {arguments.page} is not what the notebooks say; run .ci/reproduction --update")


if __name__ == "__main__":
    main()
