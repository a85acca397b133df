#!/usr/bin/env python3
"""Runs notebooks, and sees that they notice wrong data.

    check_notebooks.py NOTEBOOK...            in a copy, with the jitterfly on the PATH
    check_notebooks.py --keep DIR NOTEBOOK... in DIR, where results stay
    check_notebooks.py --strip NOTEBOOK...    takes out what was printed

A notebook must be stripped: it holds no outputs. It must run without an error
or a warning, show a picture, and fail on an assertion of its own when what
jitterfly writes or prints for it is spoiled: the mean without redundancy in
summary.parquet, T in choice.parquet, times in JSON; --spoil names one of them,
and with --spoil each it is run for each. With --seconds N it may take N seconds of processors. Pictures go to the
directory that --pictures names.
"""

import argparse
import base64
import contextlib
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

# A jitterfly that runs the real one and spoils the table it wrote, or the times it printed.
SPOILER = """#!{python}
import json, os, subprocess, sys
import polars as pl
columns = {columns}
rows = "json" in columns and "--format=json" in sys.argv
done = subprocess.run(["{jitterfly}", *sys.argv[1:]], stdout=subprocess.PIPE if rows else None)
out = [word.removeprefix("--out=") for word in sys.argv if word.startswith("--out=")]
spoiled = False
if rows and done.returncode == 0:
    times = ("mean_s", "mean_b_s", "share_s", "waiting_s")
    table = json.loads(done.stdout)
    spoiled = any(row.get(k) for row in table for k in times)
    print(json.dumps([{{k: 2 * v if k in times and v else v for k, v in row.items()}} for row in table]))
elif done.returncode == 0 and out:
    for kind, column in columns.items():
        path = f"{{out[0]}}/{{kind}}.parquet"
        if os.path.exists(path):
            spoiled = True
            pl.read_parquet(path).with_columns(**eval(f"dict({{column}})")).write_parquet(path)
if spoiled:
    open(__file__ + ".spoiled", "w").close()
sys.exit(done.returncode)
"""
SPOILED = {
    "summary": "mean_s=pl.when(redundancy=0).then(pl.col('mean_s') / 2).otherwise('mean_s')",
    "choice": "t_estimate=pl.col('t_estimate') + 1",
    "json": "",
}


class Wrong(Exception):
    """What is wrong with a notebook."""


def is_stripped(notebook):
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    return all(not cell.outputs and cell.execution_count is None for cell in cells)


def strip(path):
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        cell.metadata.clear()
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    notebook.metadata.pop("widgets", None)
    nbformat.write(notebook, path)


def execute(path, directory):
    """Runs it in the directory, with the modules beside it; returns it with its outputs."""
    os.environ["PYTHONPATH"] = str(path.resolve().parent)
    os.environ["XDG_CACHE_HOME"] = str(Path(directory) / "cache")  # of nothing that was computed before
    notebook = nbformat.read(path, as_version=4)
    resources = {"metadata": {"path": str(directory)}}
    NotebookClient(notebook, timeout=1800, kernel_name="python3", resources=resources, extra_arguments=["--log-level=40"]).execute()
    return notebook


def check_outputs(notebook, name, pictures):
    """There are pictures and no warnings; writes the pictures."""
    shown = 0
    for output in (output for cell in notebook.cells for output in cell.get("outputs", [])):
        if output.get("name") == "stderr":
            raise Wrong(f"it warns: {output.text.strip()}")
        if png := output.get("data", {}).get("image/png"):
            shown += 1
            if pictures:
                (pictures / f"{name}-{shown}.png").write_bytes(base64.b64decode(png))
    if not shown:
        raise Wrong("it shows no picture")
    return shown


def check_spoiled(path, directory, kinds):
    """It fails on an assertion when these kinds of results are spoiled; returns whether it has such."""
    programs = Path(tempfile.mkdtemp(dir=directory))
    if (results := Path(directory) / "results").exists():
        shutil.copytree(results, programs / "results")  # finished: they are not computed again
    spoiler = programs / "jitterfly"
    spoiler.write_text(SPOILER.format(python=sys.executable, jitterfly=shutil.which("jitterfly"), columns={kind: SPOILED[kind] for kind in kinds}))
    spoiler.chmod(0o755)
    before = os.environ["PATH"]
    os.environ["PATH"] = f"{programs}:{before}"
    try:
        execute(path, programs)
    except CellExecutionError as error:
        if error.ename != "AssertionError":
            raise Wrong(f"with spoiled {', '.join(kinds)} it fails by itself: {error}") from error
        return True
    finally:
        os.environ["PATH"] = before
        spoiled = (programs / "jitterfly.spoiled").exists()
        shutil.rmtree(programs)
    if spoiled:
        raise Wrong(f"it does not notice spoiled {', '.join(kinds)}")
    return False


def processor_seconds():
    """The processor time of this process and of those that it has waited for."""
    return sum(os.times()[:4])


def check(path, pictures, keep, runs, seconds):
    if not is_stripped(nbformat.read(path, as_version=4)):
        raise Wrong("it holds outputs; run .ci/check_notebooks.py --strip on it")
    begin, used = time.monotonic(), processor_seconds()
    with contextlib.nullcontext(keep) if keep else tempfile.TemporaryDirectory() as directory:
        try:
            shown = check_outputs(execute(path, directory), path.stem, pictures)
        except CellExecutionError as error:
            raise Wrong(f"it fails: {error}") from error
        took, used = time.monotonic() - begin, processor_seconds() - used
        if seconds and used > seconds:
            raise Wrong(f"it takes {used:.0f} s of processors, and may take {seconds:g}")
        noticed = ["+".join(kinds) for kinds in runs if check_spoiled(path, directory, kinds)]
    if not noticed:
        raise Wrong("it has no results that could be spoiled")
    print(f"{path}: {took:.0f} s, {used:.0f} s of processors; pictures: {shown}; notices spoiled {', '.join(noticed)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--strip", action="store_true", help="take out what was printed, and do no more")
    parser.add_argument("--pictures", type=Path, help="directory for the pictures")
    parser.add_argument("--keep", type=Path, help="directory to run in")
    parser.add_argument("--spoil", choices=[*SPOILED, "each"], help="what to spoil (default all of them at once)")
    parser.add_argument("--seconds", type=float, help="processor time that a notebook may take")
    parser.add_argument("notebooks", metavar="NOTEBOOK", nargs="+", type=Path)
    arguments = parser.parse_args()
    runs = {None: [[*SPOILED]], "each": [[kind] for kind in SPOILED]}.get(arguments.spoil, [[arguments.spoil]])
    for directory in filter(None, (arguments.pictures, arguments.keep)):
        directory.mkdir(parents=True, exist_ok=True)
    if not arguments.strip and not shutil.which("jitterfly"):
        sys.exit("check_notebooks: no jitterfly on the PATH")
    for path in arguments.notebooks:
        try:
            strip(path) if arguments.strip else check(path, arguments.pictures, arguments.keep, runs, arguments.seconds)
        except Wrong as wrong:
            sys.exit(f"check_notebooks: {path}: {wrong}")


if __name__ == "__main__":
    main()
