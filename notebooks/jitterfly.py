"""Runs jitterfly from Python and reads what it finds. One file: copy it where you need it.

    import jitterfly

    study = jitterfly.sweep("results/mine", ranks="2^4..2^10", latency=["100ns", "1us"], os_duration="10us")
    study.choices()                          # a row for each configuration: T*, its mean, its gain
    study.summary("pandas")                  # a row for each configuration and T
    study.map("slowdown", at=0)              # over the two axes with most values

Keys of a study are keywords, with _ for the - of the flag; lists are axes. Tables are Polars frames, or pandas frames
with "pandas". Their columns are in SI units, which `units` returns: seconds, bytes, bytes per second.

It needs Python 3.9, Polars or pandas (with pyarrow), and for maps Matplotlib. It runs the program of the wheel
that installed it, else the `jitterfly` on the PATH, else the clone that this file is in, which Go then builds. It shows the
progress of the program, in a notebook as in a terminal. Stopping the cell stops the program; running it again resumes.
"""

import contextlib
import importlib.metadata
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path

__all__ = ["Error", "Results", "compare", "open_results", "program", "run", "sweep", "units"]


class Error(RuntimeError):
    """The program's error message, one line."""


def program():
    """Returns the path of the program. Raises Error if there is none, or Go cannot build it."""
    if found := _installed() or shutil.which("jitterfly"):
        return found
    clone = Path(__file__).resolve().parent.parent
    if not (clone / "go.mod").exists() or not shutil.which("go"):
        raise Error("there is no jitterfly on the PATH; install it, or start from a clone of its repository with Go")
    built = subprocess.run(["go", "build", "-o", "jitterfly", "."], cwd=clone, capture_output=True, text=True, check=False)
    if built.returncode != 0:
        raise Error(f"go build in {clone}: {built.stderr.strip()}")
    return str(clone / "jitterfly")


def _installed():
    """Returns the program of the wheel that installed this file, or None."""
    try:
        files = [Path(file.locate()).resolve() for file in importlib.metadata.files("jitterfly") or ()]
    except importlib.metadata.PackageNotFoundError:
        return None
    if Path(__file__).resolve() not in files:
        return None
    return next((str(file) for file in files if file.name == "jitterfly" and os.access(file, os.X_OK)), None)


def run(*words, show=None, **flags):
    """Runs a command and returns what it prints.

    Words are arguments, and flags keywords: run("choose", ranks=4096, latency="100ns"). show(text) is called with each
    new line of progress, and in the end with ""; by default the line is shown below the cell, or on a terminal. Raises
    Error if the program does.
    """
    command = [program(), *map(str, words), *_flags(flags)]
    with _Line() if show is None else contextlib.nullcontext(show) as line, _Progress(line) as progress:
        # A session of its own, so that stopping a cell sends the program one signal: a second one would end it at once.
        child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=progress.write_end, text=True, encoding="utf-8", start_new_session=True)
        progress.follow()
        try:
            printed = child.communicate()[0]
        except KeyboardInterrupt:
            child.send_signal(signal.SIGINT)
            child.communicate()
            progress.reader.join()
            raise KeyboardInterrupt(progress.error()) from None
    if child.returncode != 0:
        raise Error(progress.error() or f"{' '.join(command)}: exit code {child.returncode}")
    return printed


def sweep(out, study=None, *, show=None, **flags):
    """Simulates a study, or resumes it, and returns its Results.

    out is the directory of the results, and study a study file, if there is one. Flags are keys of the study and
    flags of `jitterfly sweep`, such as keep_trials=True. A study that is there already is not computed again.
    """
    run("sweep", *([] if study is None else [study]), show=show, out=out, **flags)
    return Results(out)


def open_results(path):
    """Returns the Results of a finished study in a directory. Raises Error if there is none."""
    return Results(path)


def compare(a, b, library="polars", **flags):
    """Returns the comparison of two studies, Results or directories, as a frame: a row for each pair of configurations.

    ratio is the mean of b over the mean of a, with its interval from ratio_low to ratio_high; differs is whether the
    interval excludes 1.
    """
    path = lambda side: side.path if isinstance(side, Results) else side
    rows = json.loads(run("compare", path(a), path(b), format="json", **flags))
    # JSON writes the float 1.0 as 1.
    number = {name: float if _unit(name) in ("s", "B/s") or name.startswith("ratio") else lambda value: value for name in rows[0]}
    return _frame({name: [number[name](row[name]) for row in rows] for name in rows[0]}, library)


def units(frame):
    """Returns the unit of each column of a frame that has one: "s", "B" or "B/s"."""
    return {str(name): unit for name in frame.columns if (unit := _unit(str(name)))}


class Results:
    """The results of a finished study. Tables are read when they are asked for."""

    def __init__(self, path):
        self.path = Path(path)
        try:
            self.run = json.loads((self.path / "run.json").read_text(encoding="utf-8"))
        except OSError as error:
            raise Error(f"{self.path}: not a directory of results of a finished study ({error.strerror})") from error

    @property
    def study(self):
        """The values of all keys of the study, as strings in SI units, by path."""
        return self.run["study"]

    def choices(self, library="polars"):
        """Returns choice.parquet: for each configuration T*, its objective, its gain over T = 0, its confidence."""
        return self._read("choice", library)

    def summary(self, library="polars"):
        """Returns summary.parquet: for each configuration and T the mean completion time, its interval, quantiles."""
        return self._read("summary", library)

    def trials(self, library="polars"):
        """Returns trials.parquet: every trial. Raises Error if the study did not keep them."""
        if not self.run["keep_trials"]:
            raise Error(f"{self.path}: the study did not keep its trials; sweep it again into another directory with keep_trials=True")
        return self._read("trials", library)

    def _read(self, table, library):
        path = self.path / f"{table}.parquet"
        if _library(library) == "polars":
            import polars

            return polars.read_parquet(path)
        import pandas

        return _with_units(pandas.read_parquet(path))

    def axes(self):
        """Returns the columns in which configurations differ, those with most values first, without those that others determine."""
        choices = self.choices("pandas")
        several = [name for name in choices.columns[1 : choices.columns.get_loc("t_star")] if choices[name].nunique() > 1]
        several.sort(key=lambda name: choices[name].dtype.kind in "if")  # words stand for the numbers that follow from them
        found, rows = [], 1
        for name in several:
            now = choices.groupby([*found, name], dropna=False).ngroups
            if now > rows:
                found, rows = [*found, name], now
        return sorted(found, key=lambda name: -choices[name].nunique())

    def map(self, measure="slowdown", x=None, y=None, at="star", axes=None, **where):
        """Draws a heat map of a column of the summary over two axes, and returns its Matplotlib axes.

        The axes are columns, by default the two with most values. at is a T, or "star": the T* of each configuration.
        measure can also be a column of the choices, such as t_star. Other axes need one value: map("mean_s",
        latency_s=1e-6). Raises Error if they have several.
        """
        import matplotlib.colors
        import matplotlib.pyplot

        table, chosen = self._cells(measure, at)
        for name, value in where.items():
            table = table[table[name] == value]
        if table.empty:
            raise Error(f"no configuration has {where} and T = {at}")
        free = [name for name in self.axes() if table[name].nunique() > 1]
        x = x or (("ranks" if "ranks" in free[:2] else free[0]) if free else "ranks")
        y = y or next((name for name in free if name != x), None)
        if rest := [name for name in free if name not in (x, y)]:
            raise Error(f"{', '.join(rest)}: has several values; name one, for example {rest[0]}={table[rest[0]].tolist()[0]!r}")
        grid = table.assign(none="").pivot(index=y or "none", columns=x, values="value")
        low, high = grid.min().min(), grid.max().max()
        norm = matplotlib.colors.LogNorm(low, high) if low > 0 and high > 10 * low else matplotlib.colors.Normalize(low, high)
        axes = axes or matplotlib.pyplot.subplots(figsize=(1.6 + 0.6 * grid.shape[1], 1.4 + 0.45 * grid.shape[0]), layout="constrained")[1]
        axes.imshow(grid, norm=norm, aspect="auto", origin="lower", cmap="viridis")
        for row in range(grid.shape[0]):
            for column in range(grid.shape[1]):
                value = grid.iloc[row, column]
                if value == value:
                    tone = "black" if sum(axes.images[0].cmap(norm(value))[:3]) > 1.4 else "white"
                    axes.text(column, row, _text(value, _unit(measure), 2), ha="center", va="center", color=tone, fontsize=8)
        axes.set_xticks(range(grid.shape[1]), [_text(value, _unit(x)) for value in grid.columns])
        axes.set_yticks(range(grid.shape[0]), [_text(value, _unit(y or "")) for value in grid.index])
        axes.set(xlabel=_title(x), ylabel=_title(y or ""), title=_title(measure) + chosen)
        return axes

    def _cells(self, measure, at):
        """Returns a pandas frame with a row for each configuration and its value of the measure, and the T in words."""
        choices, summary = self.choices("pandas"), self.summary("pandas")
        if measure in summary.columns:
            wanted = summary["config_id"].map(choices.set_index("config_id")["t_star"]) if at == "star" else at
            return summary[summary["redundancy"] == wanted].assign(value=lambda rows: rows[measure]), " at T*" if at == "star" else f" at T = {at}"
        if measure in choices.columns:
            return choices.assign(value=choices[measure]), ""
        raise Error(f"{measure!r} is no column of the results; they have {', '.join(dict.fromkeys([*summary.columns, *choices.columns]))}")


def _flags(flags):
    """Returns keywords as flags of the command line: lists as values separated by commas, True alone."""
    words = []
    for name, value in flags.items():
        flag = "--" + name.replace("_", "-")
        if isinstance(value, bool):
            words.append(flag if value else flag + "=false")
        elif isinstance(value, (list, tuple, range)):
            words.append(f"{flag}={','.join(map(str, value))}")
        elif value is not None:
            words.append(f"{flag}={value}")
    return words


def _library(library):
    if library not in ("polars", "pandas"):
        raise Error(f"{library!r} is no library; write polars or pandas")
    return library


def _frame(columns, library):
    if _library(library) == "polars":
        import polars

        return polars.DataFrame(columns)
    import pandas

    return _with_units(pandas.DataFrame(columns))


def _with_units(frame):
    """Keeps the units with a pandas frame, as its attrs."""
    frame.attrs["units"] = units(frame)
    return frame


def _unit(column):
    column = re.sub(r"_[ab](_|$)", r"\1", column)  # of a comparison
    if column.endswith("_s"):
        return "s"
    if column.endswith("_Bps"):
        return "B/s"
    return "B" if column == "bytes" or column.endswith("_bytes") else ""


def _title(column):
    """Returns the name of a column for people."""
    names = {"t_star": "T*", "quiet_s": "completion time without noise", "mean_s": "mean completion time", "floor_s": "lower bound", "slowdown": "slow-down", "speedup": "speed-up over T = 0", "os_duration_s": "detour length", "os_period_s": "detour period"}
    return names.get(column) or re.sub(r"_(s|Bps)$", "", column).replace("_", " ")


def _text(value, unit, digits=6):
    """Returns a value with its unit and a prefix: 1e-06 s is 1 µs."""
    if not isinstance(value, (int, float)) and not hasattr(value, "dtype"):
        return str(value)
    if unit == "s":
        size, name = next((p for p in ((1, "s"), (1e-3, "ms"), (1e-6, "µs")) if abs(value) >= p[0] * (1 - 1e-9)), (1e-9, "ns"))
        return f"{float(f'{value / size:.{digits}g}'):g} {name}" if value else "0 s"
    if unit:
        size, name = next((p for p in ((1e9, "G"), (1e6, "M"), (1e3, "k")) if value >= p[0]), (1, ""))
        return f"{float(f'{value / size:.{digits}g}'):g} {name}{unit}"
    return f"{float(f'{value:.{digits}g}'):g}" if isinstance(value, float) or "float" in str(getattr(value, "dtype", "")) else str(value)


class _Progress:
    """What the program writes to stderr: progress, which is passed on, and errors.

    The program shows progress several times a second on a terminal only, so stderr is a terminal of its own where the
    system has such. Elsewhere it is a pipe, and progress a line now and then.
    """

    def __init__(self, show):
        self.show, self.lines, self.text = show, [], ""
        self.reader = None

    def __enter__(self):
        try:
            import fcntl
            import pty
            import struct
            import termios

            self.read_end, self.write_end = pty.openpty()
            fcntl.ioctl(self.write_end, termios.TIOCSWINSZ, struct.pack("4H", 24, 120, 0, 0))
        except (ImportError, OSError):
            self.read_end, self.write_end = os.pipe()
        return self

    def follow(self):
        """Reads until the program ends."""
        os.close(self.write_end)
        self.write_end = None
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        rest = b""
        while True:
            try:
                more = os.read(self.read_end, 4096)
            except OSError:  # the program has ended, on a terminal
                more = b""
            if not more:
                break
            *complete, rest = re.split(rb"[\r\n]+", rest + more)
            for line in complete:
                self._take(line)
        self._take(rest)

    def _take(self, line):
        text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", line.decode("utf-8", "replace")).strip()
        if not text or text == self.text:
            return
        self.text = text
        if text.startswith("jitterfly: "):
            self.lines.append(text.removeprefix("jitterfly: "))
        self.show(text.removeprefix("jitterfly: "))

    def error(self):
        return self.lines[-1] if self.lines else ""

    def __exit__(self, *_):
        if self.write_end is not None:
            os.close(self.write_end)
        if self.reader is not None:
            self.reader.join()
        os.close(self.read_end)
        self.show("")


class _Line:
    """A line of progress that is written over: below the cell of a notebook, or on a terminal."""

    def __enter__(self):
        self.handle, self.shown = None, False
        return self.show

    def show(self, text):
        if "ipykernel" in sys.modules and _in_cell():
            from IPython.display import display

            content = {"text/plain": text}
            if self.handle is None and text:
                self.handle = display(content, raw=True, display_id=True)
            elif self.handle is not None:
                self.handle.update(content, raw=True)
        elif sys.stderr.isatty() and (text or self.shown):
            self.shown = bool(text)
            sys.stderr.write(f"\r\x1b[K{text}")
            sys.stderr.flush()

    def __exit__(self, *_):
        pass


def _in_cell():
    from IPython import get_ipython

    return hasattr(get_ipython(), "kernel")
