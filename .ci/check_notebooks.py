#!/usr/bin/env python3
"""Runs notebooks, and sees that they notice wrong data.

    check_notebooks.py NOTEBOOK...            in a copy, with the jitterfly on the PATH
    check_notebooks.py --keep DIR NOTEBOOK... in DIR, where results stay
    check_notebooks.py --strip NOTEBOOK...    takes out what was printed

A notebook must be stripped: it holds no outputs. It must run without an error
or a warning, show a picture, and fail on an assertion of its own when what
jitterfly writes is spoiled: the mean without redundancy in summary.parquet, or
T* in choice.parquet; --spoil names one of them. Pictures go to the directory that --pictures names.
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

# A jitterfly that runs the real one and spoils the table it wrote.
SPOILER = """#!{python}
import subprocess, sys
import polars as pl
done = subprocess.run(["{jitterfly}", *sys.argv[1:]])
out = [word.removeprefix("--out=") for word in sys.argv if word.startswith("--out=")]
if done.returncode == 0 and out:
    path = out[0] + "/{table}.parquet"
    pl.read_parquet(path).with_columns({column}).write_parquet(path)
sys.exit(done.returncode)
"""
SPOILED = {
    "summary": "mean_s=pl.when(redundancy=0).then(pl.col('mean_s') / 2).otherwise('mean_s')",
    "choice": "t_star=pl.col('t_star') + 1",
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


def check_spoiled(path, directory, table):
    """It fails on an assertion when a table is spoiled."""
    programs = Path(tempfile.mkdtemp(dir=directory))
    if (results := Path(directory) / "results").exists():
        shutil.copytree(results, programs / "results")  # finished: they are not computed again
    spoiler = programs / "jitterfly"
    spoiler.write_text(SPOILER.format(python=sys.executable, jitterfly=shutil.which("jitterfly"), table=table, column=SPOILED[table]))
    spoiler.chmod(0o755)
    before = os.environ["PATH"]
    os.environ["PATH"] = f"{programs}:{before}"
    try:
        execute(path, programs)
    except CellExecutionError as error:
        if error.ename != "AssertionError":
            raise Wrong(f"with a spoiled {table}.parquet it fails by itself: {error}") from error
        if "jitterfly:" in error.evalue:  # the program's own error
            raise Wrong(f"with a spoiled {table}.parquet jitterfly fails: {error.evalue}") from error
        return
    finally:
        os.environ["PATH"] = before
        shutil.rmtree(programs)
    raise Wrong(f"it does not notice a spoiled {table}.parquet")


def check(path, pictures, keep, tables):
    if not is_stripped(nbformat.read(path, as_version=4)):
        raise Wrong("it holds outputs; run .ci/check_notebooks.py --strip on it")
    begin = time.monotonic()
    with contextlib.nullcontext(keep) if keep else tempfile.TemporaryDirectory() as directory:
        try:
            shown = check_outputs(execute(path, directory), path.stem, pictures)
        except CellExecutionError as error:
            raise Wrong(f"it fails: {error}") from error
        for table in tables:
            check_spoiled(path, directory, table)
    print(f"{path}: pictures: {shown}; notices spoiled {', '.join(tables)}; {time.monotonic() - begin:.0f} s")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--strip", action="store_true", help="take out what was printed, and do no more")
    parser.add_argument("--pictures", type=Path, help="directory for the pictures")
    parser.add_argument("--keep", type=Path, help="directory to run in")
    parser.add_argument("--spoil", choices=[*SPOILED], action="append", help="tables to spoil (default all)")
    parser.add_argument("notebooks", metavar="NOTEBOOK", nargs="+", type=Path)
    arguments = parser.parse_args()
    for directory in filter(None, (arguments.pictures, arguments.keep)):
        directory.mkdir(parents=True, exist_ok=True)
    if not arguments.strip and not shutil.which("jitterfly"):
        sys.exit("check_notebooks: no jitterfly on the PATH")
    for path in arguments.notebooks:
        try:
            strip(path) if arguments.strip else check(path, arguments.pictures, arguments.keep, arguments.spoil or SPOILED)
        except Wrong as wrong:
            sys.exit(f"check_notebooks: {path}: {wrong}")


if __name__ == "__main__":
    main()
