"""Runs jitterfly from Python: a table, an answer and a picture in three lines.

    import jitterfly as jf

    study = jf.sweep(ranks="2^4..2^10", latency=["100ns", "1us"], os_duration="10us")
    study                      # the verdict, what it rests on, and a table
    study.table                # the estimate of T with its range, a row for each configuration
    study.plot_completion()    # a Matplotlib figure: study.plot_completion(width="85mm").savefig("a.pdf")

`sweep`, `choose`, `attribute`, `timeline`, `measure`, `import_noise`, `program` and `compare` run the commands of
these names. Keys of a study and other flags are keywords, with _ for -; lists are axes. Each returns an `Answer`:
its `verdict`, what is `assumed`, a `table`, the `constants` that the table leaves out, and pictures. Columns and
attributes are in SI units, which `units` returns: seconds, bytes, bytes per second.

Tables are Polars frames, or pandas frames if Polars is not installed or `jitterfly.library` is "pandas". Errors are
the program's own line, as `Error`. Progress is shown below the cell, or on a terminal. Stopping the cell stops the
program, and running it again resumes.

One file, for Python 3.9 or later: copy it where you need it. It runs the program of the wheel that installed it,
else the `jitterfly` on the PATH, else the clone that this file is in, which Go then builds.
"""

from __future__ import annotations

import contextlib
import difflib
import hashlib
import html
import importlib
import importlib.metadata
import importlib.util
import json
import math
import os
import platform
import random
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterable, Iterator, List, NamedTuple, Optional, Sequence, Tuple, Union

if TYPE_CHECKING:
    from types import TracebackType

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "Answer", "Attribution", "Choice", "Comparison", "Error", "Measurement", "Profile", "Program", "Results", "Timeline",
    "attribute", "choose", "compare", "example_recording", "executable", "folder", "import_noise", "library", "measure", "open_results",
    "program", "run", "sweep", "timeline", "units",
]

Show = Callable[[str], None]
Columns = Dict[str, List[Any]]

library: Optional[str] = None
"""The library of tables, "polars" or "pandas"; None is Polars, or pandas if only that is installed."""


def _cache() -> Path:
    try:
        if sys.platform == "darwin":
            return Path.home() / "Library/Caches/jitterfly"
        return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "jitterfly"
    except RuntimeError:  # a user without a home, as in containers
        return Path(tempfile.gettempdir()) / f"jitterfly-{os.getuid()}"


folder: Path = _cache() / "notebooks"
"""The directory of sweeps and measurements without `out`: a directory each, which may be removed at any time."""


class Error(RuntimeError):
    """The program's error message, one line."""


# The program.


def executable() -> str:
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


def _installed() -> Optional[str]:
    """Returns the program of the wheel that installed this file, or None."""
    try:
        files = [Path(str(file.locate())).resolve() for file in importlib.metadata.files("jitterfly") or ()]
    except importlib.metadata.PackageNotFoundError:
        return None
    if Path(__file__).resolve() not in files:
        return None
    return next((str(file) for file in files if file.name == "jitterfly" and os.access(file, os.X_OK)), None)


def run(*words: object, show: Optional[Show] = None, **flags: object) -> str:
    """Runs a command and returns what it prints.

    Words are arguments, and flags keywords: run("choose", ranks=4096, latency="100ns"). show(text) is called with
    each new line of progress, and in the end with ""; by default the line is shown below the cell, or on a terminal.
    Raises Error if the program does.
    """
    return _run(words, flags, show)[0]


def _word(word: object) -> str:
    """Returns an argument of the program; a path is no flag, whatever it begins with."""
    text = str(word)
    return os.path.join(".", text) if isinstance(word, Path) and text.startswith("-") else text


def _run(words: Sequence[object], flags: Dict[str, object], show: Optional[Show] = None) -> Tuple[str, List[str]]:
    """Returns what a command prints, and its remarks."""
    command = [executable(), *map(_word, words), *_flags(flags)]
    shown = contextlib.nullcontext(show) if show else _Line()
    with shown as line, _Progress(line) as progress:
        # A session of its own, so that stopping a cell sends the program one signal: a second one would end it at once.
        child = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=progress.write_end, text=True, encoding="utf-8", start_new_session=True
        )
        progress.follow()
        try:
            printed = child.communicate()[0]
        except KeyboardInterrupt:
            child.send_signal(signal.SIGINT)
            child.communicate()
            progress.join()
            raise KeyboardInterrupt(progress.error()) from None
    if child.returncode != 0:
        raise Error(progress.error() or f"{' '.join(command)}: exit code {child.returncode}")
    return printed, progress.lines


def _flags(flags: Dict[str, object]) -> List[str]:
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


def _place(study: Optional[object], flags: Dict[str, object]) -> Path:
    """Returns the directory of a sweep by a digest of all that its results depend on: the program, the study, the
    flags, the files that they name and the keys in the environment."""
    build = os.stat(executable())
    words = [] if study is None else [str(study)]
    told: List[object] = [build.st_size, build.st_mtime_ns, words, sorted(_flags(flags))]
    told.append(sorted(x for x in os.environ.items() if x[0].startswith("JITTERFLY_") and not x[0].startswith("JITTERFLY_MPI_")))
    for name in [*words, *(str(value) for value in flags.values())]:
        with contextlib.suppress(OSError, ValueError):
            told.append(hashlib.sha256(Path(name).read_bytes()).hexdigest())
    return folder / hashlib.sha256(json.dumps(told).encode()).hexdigest()[:16]


def _json(*words: object, show: Optional[Show], flags: Dict[str, object]) -> Any:
    """Returns what a command prints as JSON."""
    if taken := {"format", "by"} & flags.keys():
        name = sorted(taken)[0]
        raise Error(f"{name}: the object has all rows; to print them otherwise, call run({str(words[0])!r}, {name}=…)")
    return json.loads(run(*words, show=show, format="json", **flags))


# The commands.


def sweep(study: Optional[object] = None, *, out: Optional[object] = None, show: Optional[Show] = None, **flags: object) -> Results:
    """Simulates the configurations of a study and returns their Results: the best T of each.

    study is a study file, and flags are keys of the study and flags of `jitterfly sweep`, such as keep_trials=True.
    out is the directory of the results; without it they are in a directory of `folder` that the study determines.
    The same call resumes a sweep that was stopped, and does not compute again what is there.
    """
    place = _place(study, flags) if out is None else Path(str(out))
    place.parent.mkdir(parents=True, exist_ok=True)
    printed = run("sweep", *([] if study is None else [study]), show=show, out=place, **flags)
    return Results(place, printed)


def open_results(path: object) -> Results:
    """Returns the Results of a finished sweep in a directory. Raises Error if there is none."""
    return Results(path)


def choose(study: Optional[object] = None, *, show: Optional[Show] = None, **flags: object) -> Choice:
    """Returns the Choice of the collective, of R sources per exchange and T redundant exchanges on a machine.

    study is a study file, and flags are keys of the study and flags of `jitterfly choose`. Lists are axes: then the
    table has a row for each deployment.
    """
    words = ["choose"] if study is None else ["choose", study]
    return Choice(_json(*words, show=show, flags=flags), lambda: run(*words, show=_silent, **flags))


def attribute(study: Optional[object] = None, *, show: Optional[Show] = None, **flags: object) -> Attribution:
    """Returns the Attribution of what noise costs to its sources, and what remedies gain.

    study is a study file, and flags are keys of the study and flags of `jitterfly attribute`.
    """
    words = ["attribute"] if study is None else ["attribute", study]
    return Attribution(_json(*words, show=show, flags=flags), lambda: run(*words, show=_silent, **flags))


def timeline(study: Optional[object] = None, *, show: Optional[Show] = None, **flags: object) -> Timeline:
    """Simulates one trial and returns its Timeline: what every rank does at each time.

    study is a study file, and flags are keys of the study and flags of `jitterfly figures timeline`, such as slowest=True.
    """
    if "out" in flags:
        raise Error('out: the object has the trial; run("figures", "timeline", out=…) writes files')
    with tempfile.TemporaryDirectory() as directory:
        out = Path(directory, "trial.json")
        printed = run("figures", "timeline", *([] if study is None else [study]), show=show, out=out, **flags)
        return Timeline(json.loads(out.read_text(encoding="utf-8")), printed)


def measure(*, out: Optional[object] = None, show: Optional[Show] = None, **flags: object) -> Measurement:
    """Measures the noise of this machine and returns the Measurement, which noise= of the other functions takes.

    out is the file of the profile, which must not exist; without it the file is in `folder`. Flags are those of
    `jitterfly measure`, such as duration="10s". It needs Linux.
    """
    path = _fresh("measured") if out is None else Path(str(out)).with_suffix(".yaml")
    printed, remarks = _run(["measure"], {"out": path, **flags}, show)
    return Measurement(path, printed, remarks)


def import_noise(*files: object, out: Optional[object] = None, show: Optional[Show] = None, **flags: object) -> Profile:
    """Makes a noise profile of what other tools measured and returns the Profile, which noise= takes.

    files are output files of the tools, or a directory with a file for each node. out is the file of the profile;
    without it the file is in `folder`. Flags are those of `jitterfly import`, such as name="node17".
    """
    path = _fresh("imported") if out is None else Path(str(out)).with_suffix(".yaml")
    printed, remarks = _run(["import", *files], {"out": path, **flags}, show)
    return Profile(path, printed, remarks)


def _fresh(kind: str) -> Path:
    """Returns the name of a file in `folder` that does not exist."""
    folder.mkdir(parents=True, exist_ok=True)
    names = (folder / f"{kind}-{platform.node() or 'here'}-{n}.yaml" for n in range(1, sys.maxsize))
    return next(path for path in names if not path.exists() and not path.with_suffix(".parquet").exists())


def program(recording: object, *, show: Optional[Show] = None, **flags: object) -> Program:
    """Returns the Program that a recording has: what its ranks do, and what they wait for.

    recording is the directory that the MPI library wrote (JITTERFLY_MPI_RECORD=DIR). Flags are those of
    `jitterfly program`, such as noise="alps". jf.choose(program=DIR) chooses for it.
    """
    by = {rows: _json("program", recording, "--by", rows, show=show, flags=flags) for rows in ("site", "rank")}
    return Program(by["site"], by["rank"], run("program", recording, show=show, **flags))


def example_recording(path: object, ranks: int = 16, calls: int = 200) -> Path:
    """Writes an example of a recording into a new directory, to try `program` without MPI, and returns its path.

    Ranks on nodes of four compute 1 ms before each allreduce of 8 B, with a standard deviation of 2%; the last rank
    computes 5% longer. A call takes 20 µs from when the last rank arrives. docs/format.md has the format.
    """
    place = Path(str(path))
    place.mkdir(parents=True)
    draws = random.Random(1)
    ends, events = 0, [b""] * ranks
    for _ in range(calls):
        entries = [ends + round(1e6 * (1.05 if rank == ranks - 1 else 1) * draws.gauss(1, 0.02)) for rank in range(ranks)]
        ends = max(entries) + 20_000
        for rank, entry in enumerate(entries):
            events[rank] += struct.pack("<QQQIHBB", entry, ends, 8, 0, 1, 1, 1)
    for rank in range(ranks):
        content = b"jfcalls2" + _block(1, struct.pack("<IIqQ", rank, ranks, 0, 0), f"node{rank // 4}", "example")
        content += b"".join(_block(2, struct.pack("<QqQ", at, 0, 1000)) for at in (0, ends))
        content += _block(3, struct.pack("<IIQ", 1, 0, 0x1000), "example", "solve")
        content += _block(4, struct.pack(f"<IIIIQ{ranks}I", 0, ranks, rank, 0, 1, *range(ranks)))
        content += _block(5, events[rank]) + _block(6, struct.pack("<QQ", calls, 0))
        (place / f"rank-{rank:06}.calls").write_bytes(content)
    return place


def _block(kind: int, *fields: Union[bytes, str]) -> bytes:
    """Returns a block of a recording."""
    body = b"".join(x if isinstance(x, bytes) else struct.pack("<I", len(x)) + x.encode() for x in fields)
    body += bytes(-len(body) % 8)
    check = kind
    for word in (*struct.unpack(f"<{len(body) // 8}Q", body), len(body)):
        check = ((check ^ word) * 11400714819323198485) % 2**64
        check ^= check >> 32
    return struct.pack("<IIQ", kind, len(body), check) + body


def compare(a: object, b: object, *, show: Optional[Show] = None, **flags: object) -> Comparison:
    """Returns the Comparison of two sweeps, Results or directories: how much the means of b differ from those of a.

    Flags are those of `jitterfly compare`, such as at=0.
    """
    words = ["compare", *(side.path if isinstance(side, Results) else Path(str(side)) for side in (a, b))]
    return Comparison(_json(*words, show=show, flags=flags), lambda: run(*words, show=_silent, **flags))


def _silent(_: str) -> None:
    pass


# Tables.


def units(table: Any) -> Dict[str, str]:
    """Returns the unit of each column of a frame that has one: "s", "B" or "B/s"."""
    return {str(name): unit for name in table.columns if (unit := _unit(str(name)))}


def _library(name: Optional[str] = None) -> str:
    """Returns the library of tables. Raises Error if it is unknown, or none is installed."""
    name = name or library
    if name not in (None, "polars", "pandas"):
        raise Error(f"{name!r} is not a library; write polars or pandas")
    for found in [name] if name else ["polars", "pandas"]:
        if importlib.util.find_spec(found):
            return found
    raise Error(f"{name or 'a library of tables'} is not installed; pip install {name or 'polars'}")


def _frame(columns: Columns, name: Optional[str] = None) -> Any:
    """Returns columns as a frame."""
    chosen = _library(name)
    frames = importlib.import_module(chosen)
    return frames.DataFrame(columns, strict=False) if chosen == "polars" else _with_units(frames.DataFrame(columns))


def _parquet(path: Path, name: Optional[str] = None) -> Any:
    """Returns a Parquet file as a frame."""
    frames = importlib.import_module(_library(name))
    try:
        frame = frames.read_parquet(path)
    except ImportError as error:
        raise Error(f"{frames.__name__} needs PyArrow to read Parquet: {error}") from error
    except Exception as error:  # each library has its own
        raise Error(f"{path}: it cannot be read, {error}") from error
    return frame if frames.__name__ == "polars" else _with_units(frame)


def _meanings(path: Path) -> Dict[str, str]:
    """Returns what the metadata of a Parquet file says of each column."""
    if _library() == "polars":
        text = importlib.import_module("polars").read_parquet_metadata(path)["jitterfly.columns"]
    else:
        text = importlib.import_module("pyarrow.parquet").read_schema(path).metadata[b"jitterfly.columns"]
    return {column["name"]: column["meaning"] for column in json.loads(text)}


def _with_units(frame: Any) -> Any:
    """Keeps the units with a pandas frame, as its attrs."""
    frame.attrs["units"] = units(frame)
    return frame


def _columns(frame: Any) -> Columns:
    """Returns the columns of a frame as lists, in which texts of truth values are truth values."""
    columns: Columns = frame.to_dict(as_series=False) if hasattr(frame, "with_columns") else frame.to_dict("list")
    truth = {"true": True, "false": False}
    return {name: [truth[x] for x in xs] if xs and all(x in truth for x in xs if isinstance(x, str)) and isinstance(xs[0], str) else xs
            for name, xs in columns.items()}


# The names of JSON's numbers that are not whole: it writes the float 1.0 as 1.
_REAL = re.compile(r"(^|_)(s|Bps)$|^ratio|speedup|confidence|regret|gain|share|^(baseline_)?messages$|amplification|imbalance|correlation")


def _rows(rows: List[Dict[str, Any]]) -> Columns:
    """Returns rows of JSON as columns: numbers that are missing are NaN."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    return {name: [_number(name, row.get(name)) for row in rows] for name in names}


def _number(name: str, value: Any) -> Any:
    if not _REAL.search(name) or not (value is None or isinstance(value, (int, float))) or isinstance(value, bool):
        return value
    return math.nan if value is None else float(value)


def _same(values: List[Any]) -> bool:
    """Reports whether all values are the same; NaN is itself."""
    return all(x == values[0] or x != x and values[0] != values[0] for x in values)


def _unit(column: str) -> str:
    column = re.sub(r"_[ab](_|$)", r"\1", column)  # of a comparison
    if column.endswith("_s"):
        return "s"
    if column.endswith("_Bps"):
        return "B/s"
    return "B" if column == "bytes" or column.endswith("_bytes") else ""


def _text(value: Any, unit: str = "", digits: int = 6) -> str:
    """Returns a value with its unit and a prefix: 1e-06 s is 1 µs."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return str(value)
    if value != value:
        return "–"
    if math.isinf(value):
        return "∞"
    prefixes: List[Tuple[float, str]] = [(1, unit)]
    if unit == "s":
        prefixes = [(1, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")]
    elif unit == "B/s":
        prefixes = [(1e9, "GB/s"), (1e6, "MB/s"), (1e3, "kB/s"), (1, "B/s")]
    elif unit == "B":
        prefixes = [(size, name) for size, name in ((2.0**30, "GiB"), (2.0**20, "MiB"), (2.0**10, "KiB")) if value % size == 0] + [(1.0, "B")]
    size, name = next((p for p in prefixes if abs(value) >= p[0] * (1 - 1e-9)), prefixes[-1] if value else (1, unit))
    number = str(value) if isinstance(value, int) and not unit else f"{float(f'{value / size:.{digits}g}'):.15g}"
    return f"{number} {name}".strip()


_TITLES = {
    "os_duration_s": "detour length", "os_period_s": "detour period", "os_kind": "OS noise", "os_launch": "start",
    "net_kind": "network noise", "net_duration_s": "network delay", "net_interval_s": "network event interval",
    "compute_s": "compute time", "bandwidth_Bps": "bandwidth", "t_star": "T*", "t_estimate": "best T", "redundancy": "T",
    "mean_s": "mean completion time", "quiet_s": "completion time without noise", "floor_s": "lower bound",
    "slowdown": "slow-down by noise", "speedup": "speed-up over T = 0",
}


def _title(column: str) -> str:
    """Returns the name of a column for people."""
    return _TITLES.get(column) or re.sub(r"_(s|Bps|bytes)$", "", column).replace("_", " ")


_UNITS = {
    "s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9, "ps": 1e-12, "B": 1.0, "KiB": 2.0**10, "MiB": 2.0**20, "GiB": 2.0**30,
    "kB": 1e3, "MB": 1e6, "GB": 1e9, "B/s": 1.0, "kB/s": 1e3, "MB/s": 1e6, "GB/s": 1e9, "Gbit/s": 1.25e8,
}


def _is(cell: Any, wanted: Any) -> bool:
    """Reports whether a cell has a value, which may be a quantity with its unit: 1e-05 is "10us"."""
    if isinstance(wanted, str) and isinstance(cell, (int, float)):
        found = re.fullmatch(r"([0-9.eE+-]+) ?(\D+)", wanted)
        if not found or found[2] not in _UNITS:
            return False
        wanted = float(found[1]) * _UNITS[found[2]]
    if isinstance(cell, float) and isinstance(wanted, (int, float)):
        return math.isclose(cell, wanted, rel_tol=1e-9)
    return bool(cell == wanted)


def _named(name: str, columns: Iterable[str]) -> str:
    """Returns the column of a name with or without its unit. Raises Error, with a suggestion, if there is none."""
    columns = list(columns)
    for column in (name, name + "_s", name + "_Bps", name + "_bytes"):
        if column in columns:
            return column
    likely = difflib.get_close_matches(name, columns, 1)
    raise Error(f"{name!r} is not a column of the results" + (f"; did you mean {likely[0]}?" if likely else f"; they have {', '.join(columns)}"))


# Answers.


class Answer:
    """What a command found: the verdict, what it rests on, and a table.

    verdict is the answer in a sentence or two, text all that the command prints, and assumed the lines that say what
    noise, which machine and which assumptions the numbers are for. In a notebook an answer shows all these.
    """

    _first: Tuple[str, ...] = ()  # the columns of results that lead the table

    def __init__(self, columns: Union[Columns, Callable[[], Columns]], text: Union[str, Callable[[], str]]) -> None:
        self._read, self._printed = columns, text
        self._verdicts: List[str] = []
        self._basis: List[str] = []
        if isinstance(columns, dict):
            self._verdicts = list(dict.fromkeys(columns.pop("verdict", [])))
            self._basis = list(dict.fromkeys(line for lines in columns.pop("basis", []) for line in lines))

    @property
    def _columns(self) -> Columns:
        """The columns of all rows; those of Parquet files are read when they are asked for."""
        if not isinstance(self._read, dict):
            self._read = self._read()
        return self._read

    @property
    def text(self) -> str:
        """All that the command prints."""
        if not isinstance(self._printed, str):
            self._printed = self._printed()
        return self._printed

    @property
    def verdict(self) -> str:
        """The answer, in a sentence or two."""
        return "\n".join(self._verdicts) or " ".join(self.text.strip().split("\n\n")[0].split())

    @property
    def assumed(self) -> List[str]:
        """The lines that say what the numbers rest on."""
        if self._basis:
            return self._basis
        paragraphs = re.split(r"\n\n|\n(?=(?:[AB]: )?(?:noise|machine|assume) ?\w*:)", self.text.strip())
        return [" ".join(x.split()) for x in paragraphs if re.match(r"([AB]: )?(noise|machine|assume)( \w+)*: ", x)]

    @property
    def table(self) -> Any:
        """The results as a frame: the axes that vary, then the results, in SI units as the names say."""
        return _frame({name: self._columns[name] for name in self._order()})

    @property
    def constants(self) -> Dict[str, Any]:
        """The columns that have one value in all rows, and are not in the table."""
        order = set(self._order())
        return {name: values[0] for name, values in self._columns.items() if name not in order and values and _same(values)}

    @property
    def units(self) -> Dict[str, str]:
        """The unit of each column of the table that has one: "s", "B" or "B/s"."""
        return {name: _unit(name) for name in self._order() if _unit(name)}

    def axes(self) -> List[str]:
        """Returns the columns in which the rows' configurations differ, those with most values first, without those
        that others determine."""
        names = [name for name in self._inputs() if name != "config_id" and not _same(self._columns[name])]
        # What determines others is first: assume, a profile, and numbers rather than words.
        names.sort(key=lambda name: (name not in ("assume", "noise_profile"), any(isinstance(x, (str, bool)) for x in self._columns[name])))
        found: List[str] = []
        rows = 1
        for name in names:
            now = len(set(zip(*(self._columns[x] for x in [*found, name]))))
            if now > rows:
                found, rows = [*found, name], now
        return sorted(found, key=lambda name: -len(set(self._columns[name])))

    def _inputs(self) -> List[str]:
        """Returns the columns that describe configurations: those before the first result."""
        names = list(self._columns)
        return names[: min((names.index(x) for x in self._first if x in names), default=len(names))]

    def _order(self) -> List[str]:
        """Returns the columns of the table: axes that vary, leading results, and what varies and repeats none of these."""
        axes = [name for name in self.axes() if name not in self._first]
        order = [*axes, *(name for name in self._first if name in self._columns)]
        for name, values in self._columns.items():
            if name not in order and not _same(values) and not any(values == self._columns[x] for x in order):
                order.append(name)
        return order

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.table.__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        return "\n".join([self.verdict, *self.assumed])

    def _shown(self) -> Tuple[List[str], List[List[str]], str]:
        """Returns the header and the cells of the table that a notebook shows, and how many rows are left out."""
        names = [name for name in self._order() if name in self._first or name in self._inputs()][:_MOST_COLUMNS]
        columns = [[_text(x, _unit(name), 4) for x in self._columns[name][:_MOST_ROWS]] for name in names]
        left = max((len(values) for values in self._columns.values()), default=0) - _MOST_ROWS
        return [re.sub(r"_(s|Bps)$", "", x).replace("_", " ") for x in names], [list(x) for x in zip(*columns)], f"and {left} more" if left > 0 else ""

    def _repr_markdown_(self) -> str:
        header, rows, more = self._shown()
        lines = ["| " + " | ".join(cells) + " |" for cells in [header, ["---:"] * len(header), *rows]]
        return "\n\n".join(["\n\n".join(f"**{x}**" for x in self.verdict.split("\n")), "\n".join(lines), more, *(f"*{x}*" for x in self.assumed)])

    def _repr_html_(self) -> str:
        header, rows, more = self._shown()
        escape = html.escape
        parts = [f"<p><b>{escape(x)}</b></p>" for x in self.verdict.split("\n")]
        parts.append("<table><tr>" + "".join(f"<th>{escape(x)}</th>" for x in header) + "</tr>")
        parts += ["<tr>" + "".join(f"<td>{escape(x)}</td>" for x in row) + "</tr>" for row in rows]
        parts.append(f"</table><p>{more}</p>" if more else "</table>")
        parts += [f'<p style="opacity: 0.75; margin: 0">{escape(x)}</p>' for x in self.assumed]
        if self.constants:
            listed = ", ".join(f"{escape(name)}: {escape(_text(x, _unit(name)))}" for name, x in self.constants.items())
            parts.append(f"<details><summary>constants</summary>{listed}</details>")
        return "".join(parts)


_MOST_ROWS, _MOST_COLUMNS = 24, 14  # of a table that a notebook shows


class Results(Answer):
    """The results of a finished sweep: `table` has the choice of T of each configuration.

    t_estimate is the smallest T whose mean is within the tolerance of the least, and may be from t_low to t_high; t_star
    is the smallest that is so with the confidence asked for. choices, summary and trials are the Parquet files.
    """

    _first = ("t_estimate", "t_low", "t_high", "estimate_s", "t_star", "objective_s", "baseline_s", "speedup", "gain_low",
              "regret_high", "confidence", "trials_needed", "warning")

    def __init__(self, path: object, text: Optional[str] = None) -> None:
        self.path = Path(str(path))
        try:
            self.run: Dict[str, Any] = json.loads((self.path / "run.json").read_text(encoding="utf-8"))
        except OSError as error:
            raise Error(f"{self.path}: not a directory of results of a finished sweep ({error.strerror})") from error
        except ValueError as error:
            raise Error(f"{self.path / 'run.json'}: damaged, {error}; compute the study again") from error
        super().__init__(lambda: _columns(self.choices()), text if text is not None else lambda: run("cluster", "merge", self.path, show=_silent))

    @property
    def study(self) -> Dict[str, List[str]]:
        """The values of all keys of the study, as strings in SI units, by path."""
        study: Dict[str, List[str]] = self.run["study"]
        return study

    @property
    def meanings(self) -> Dict[str, str]:
        """What each column of the choices and of the summary means."""
        return {**_meanings(self.path / "choice.parquet"), **_meanings(self.path / "summary.parquet")}

    def choices(self, library: Optional[str] = None) -> Any:
        """Returns choice.parquet, with all columns: for each configuration its T, objective [s], gain and confidence."""
        return _parquet(self.path / "choice.parquet", library)

    def summary(self, library: Optional[str] = None) -> Any:
        """Returns summary.parquet: for each configuration and T the mean [s], its interval and quantiles [s]."""
        return _parquet(self.path / "summary.parquet", library)

    def trials(self, library: Optional[str] = None) -> Any:
        """Returns trials.parquet: the completion time [s] of every trial. Raises Error if the sweep did not keep them."""
        if not self.run["keep_trials"]:
            raise Error(f"{self.path}: the sweep did not keep its trials; sweep again with keep_trials=True")
        return _parquet(self.path / "trials.parquet", library)

    def _configs(self, where: Dict[str, object]) -> List[_Config]:
        """Returns the configurations whose columns have these values. Raises Error if there is none."""
        wanted = {_named(name, self._columns): value for name, value in where.items()}
        by_t: Dict[str, List[Dict[str, Any]]] = {}
        for row in _records(_columns(self.summary())):
            by_t.setdefault(row["config_id"], []).append(row)
        rows = [row for row in _records(self._columns) if all(_is(row[name], value) for name, value in wanted.items())]
        if not rows:
            name, value = next(iter(wanted.items()), ("", ""))
            there = ", ".join(_text(x, _unit(name)) for x in dict.fromkeys(self._columns.get(name, [])))
            raise Error(f"no configuration has {', '.join(f'{k}={v!r}' for k, v in where.items())}; {name} is {there}")
        return [_Config(row, by_t[row["config_id"]]) for row in rows]

    def _x(self, x: Optional[str], configs: List[_Config]) -> str:
        if x is not None:
            return _named(x, self._inputs())
        free = [name for name in self.axes() if len({c.choice[name] for c in configs}) > 1]
        return "ranks" if "ranks" in free or not free else free[0]

    def _groups(self, configs: List[_Config], *used: str) -> Dict[str, List[_Config]]:
        """Returns the configurations of each panel by its title: the values of the axes that are not used."""
        rest = [name for name in self.axes() if name not in used and len({c.choice[name] for c in configs}) > 1]
        groups: Dict[str, List[_Config]] = {}
        for c in configs:
            groups.setdefault(", ".join(f"{_title(x)} {_text(c.choice[x], _unit(x))}" for x in rest), []).append(c)
        if len(groups) > _MOST_PANELS:
            example = f"{rest[0]}={configs[0].choice[rest[0]]!r}"
            raise Error(f"{', '.join(rest)}: {len(groups)} panels are too many for a picture; give a value, for example {example}")
        return groups

    def plot_completion(self, x: Optional[str] = None, *, width: str = "165mm", title: bool = True, **where: object) -> Figure:
        """Draws completion times [s] over an axis: at T = 0, at the best T, without noise, and the lower bound of any redundancy.

        x is an axis, by default the ranks or the one with most values; other axes become panels, and keywords choose
        values: latency="1us". width is the width in print. Returns a Matplotlib figure.
        """
        configs = self._configs(where)
        along = self._x(x, configs)
        page = _Page(self._groups(configs, along), width, "Completion time against " + _title(along) if title else "")
        for axes, group in page.panels:
            at = _along(axes, along, group)
            for label, style, value, band in _COMPLETIONS:
                rows = [value(c) for c in group]
                if band:
                    axes.fill_between(at, [r["ci_low_s"] for r in rows], [r["ci_high_s"] for r in rows], color=style["color"], alpha=0.27, linewidth=0)
                axes.plot(at, [r[_SERIES.get(label, "mean_s")] for r in rows], label=label, marker=_dot(at), **style)
            _times(axes.yaxis, [r[y] for c in configs for r in c.by_t for y in ("mean_s", "quiet_s")])
        return page.done("completion time")

    def plot_gain(self, x: Optional[str] = None, *, width: str = "165mm", title: bool = True, **where: object) -> Figure:
        """Draws the share of the mean completion time that redundancy saves over an axis, a line for each T above 0.

        Rings are at the best T. Arguments are those of plot_completion. Returns a Matplotlib figure.
        """
        configs = self._configs(where)
        along = self._x(x, configs)
        most = max(len(c.by_t) for c in configs) - 1
        page = _Page(self._groups(configs, along), width, "Share of the time that redundancy saves, by T" if title else "")
        for axes, group in page.panels:
            at = _along(axes, along, group)
            for t in range(most, 0, -1):
                points = [(place, c) for place, c in zip(at, group) if t < len(c.by_t)]
                saved = [100 * (1 - c.by_t[t]["mean_s"] / c.by_t[0]["mean_s"]) for _, c in points]
                axes.plot([place for place, _ in points], saved, color=_viridis((t - 1) / max(1, most - 1)), label=f"T = {t}", marker=_dot(points), linewidth=1.4)
                ringed = [(place, y) for (place, c), y in zip(points, saved) if c.t == t]
                axes.plot([p for p, _ in ringed], [y for _, y in ringed], "o", markerfacecolor="none", color="black", markersize=5, label="best T" if ringed else None)
            axes.yaxis.set_major_formatter("{x:g}%")
        return page.done("saved of the time")

    def plot_map(self, measure: str = "slowdown", x: Optional[str] = None, y: Optional[str] = None, *, at: Union[int, str, None] = None,
                 width: str = "165mm", title: bool = True, **where: object) -> Figure:
        """Draws a map of a column over two axes, by default those with most values.

        measure is a column of the choices, such as t_estimate or speedup, or of the summary, such as mean_s; of these at
        is a T, or "best". By default slowdown is at T = 0 and all else at the best T. Other axes become panels, and
        keywords choose values. Returns a Matplotlib figure.
        """
        configs = self._configs(where)
        free = [name for name in self.axes() if len({c.choice[name] for c in configs}) > 1]
        along = _named(x, self._inputs()) if x else ("ranks" if "ranks" in free[:2] or not free else free[0])
        up = _named(y, self._inputs()) if y else next((name for name in free if name != along), "assume")
        column = _named(measure, [*configs[0].by_t[0], *configs[0].choice])
        chosen = 0 if at is None and column == "slowdown" else at
        whole = column in self._columns and column not in self._inputs() and at is None and column != "slowdown"
        most = min(len(c.by_t) for c in configs) - 1
        if chosen not in (None, "best") and chosen not in range(most + 1):
            raise Error(f'at={chosen!r}: it is a T from 0 to {most}, or "best"')

        def value(c: _Config) -> float:
            row = c.choice if whole else c.best if chosen in (None, "best") else c.by_t[int(chosen)]
            if not isinstance(row[column], (int, float)):
                raise Error(f"{column} has no numbers to draw")
            return float(row[column])

        note = "" if whole else " at the best T" if chosen in (None, "best") else f" at T = {chosen}"
        page = _Page(self._groups(configs, along, up), width, (_title(column) + note) if title else "", tall=min(1.2, 0.25 + 0.07 * len({c.choice[up] for c in configs})))
        values = [value(c) for c in configs]
        for axes, group in page.panels:
            _map(axes, group, along, up, column, value, values)
        return page.done(_title(up), legend=False)

    def plot_distribution(self, *, width: str = "165mm", title: bool = True, **where: object) -> Figure:
        """Draws the share of trials that are complete by a time [s], at T = 0 and at the best T, a panel for each configuration.

        Keywords choose configurations: ranks=64. Without kept trials (keep_trials=True) it draws the quantiles that the
        summary has. Returns a Matplotlib figure.
        """
        configs = self._configs(where)
        times: Dict[Tuple[str, int], List[float]] = {}
        if self.run["keep_trials"]:
            trials = _columns(self.trials())
            for ident, t, seconds in zip(trials["config_id"], trials["redundancy"], trials["completion_s"]):
                times.setdefault((ident, t), []).append(seconds)
        what = "Share of trials complete by a time" if times else "Quantiles of the completion time"
        page = _Page(self._groups(configs), width, what if title else "")
        for axes, group in page.panels:
            c = group[0]
            for label, style, t in (("T = 0", _PLAIN, 0), ("best T", _BEST, c.t)):
                row = c.by_t[t]
                quantiles = [(row[f"{name}_s"], share) for name, share in _QUANTILES if row[f"{name}_s"] == row[f"{name}_s"]]
                points = sorted(times.get((row["config_id"], t), []))
                if points:
                    axes.plot(points, [(i + 1) / len(points) for i in range(len(points))], drawstyle="steps-post", label=label, **style)
                else:
                    axes.plot([p for p, _ in quantiles], [share for _, share in quantiles], marker="o", markersize=4, label=label, **{**style, "linestyle": "none"})
            axes.axvline(c.by_t[0]["quiet_s"], label="without noise", **_QUIET)
            axes.set_xlabel("completion time")
            _times(axes.xaxis, [row[y] for row in (c.by_t[0], c.best) for y in ("min_s", "max_s")])
        return page.done("share of trials")


_QUANTILES = (("min", 0.0), ("p50", 0.5), ("p90", 0.9), ("p95", 0.95), ("p99", 0.99), ("p999", 0.999), ("max", 1.0))


class _Config(NamedTuple):
    """A configuration: its row of the choices, and its rows of the summary by T."""

    choice: Dict[str, Any]
    by_t: List[Dict[str, Any]]

    @property
    def t(self) -> int:
        """The smallest T whose mean is within the tolerance of the least, as in the pictures of the program."""
        return int(self.choice["t_estimate"])

    @property
    def best(self) -> Dict[str, Any]:
        return self.by_t[self.t]


def _records(columns: Columns) -> Iterator[Dict[str, Any]]:
    """Returns the rows of columns."""
    return (dict(zip(columns, row)) for row in zip(*columns.values()))


class Choice(Answer):
    """What choose recommends: the table has for each deployment the collective, R (sources), T (redundancy), its mean
    [s] with the 95% interval, and its gain over the baseline. near has what is as good."""

    _first = ("collective", "sources", "segments", "leaders", "share", "redundancy", "mean_s", "ci_low_s", "ci_high_s",
              "baseline_s", "speedup", "gain_low", "regret_high", "confidence", "messages", "warning")

    def __init__(self, rows: List[Dict[str, Any]], text: Callable[[], str]) -> None:
        near = [{**{k: v for k, v in row.items() if not isinstance(v, (list, dict))}, **other} for row in rows for other in row.pop("near", [])]
        for row in rows:
            for name in [name for name, value in row.items() if isinstance(value, dict)]:
                row.update({f"{name}_{key}": value for key, value in row.pop(name).items()})
        super().__init__(_rows(rows), text)
        self._near = near
        if len(rows) > 1:  # those of single deployments, where the text has one for all
            self._verdicts, self._basis = [], []

    def _order(self) -> List[str]:
        plain = {"segments": 1, "leaders": 1, "share": False}
        return [name for name in super()._order() if not (name in plain and set(self._columns[name]) == {plain[name]})]

    @property
    def near(self) -> Any:
        """The candidates that are as good, a frame: objective_s [s] and messages of each, by deployment."""
        own = ["collective", "sources", "segments", "leaders", "share", "redundancy", "objective_s", "messages"]
        return _frame(_rows([{name: row[name] for name in [*self.axes(), *own] if name in row} for row in self._near]))

    def plot_gain(self, x: Optional[str] = None, *, width: str = "165mm", title: bool = True) -> Figure:
        """Draws how many times faster the choice is than the baseline over an axis, with its lower bound.

        x is an axis, by default the one with most values. Returns a Matplotlib figure.
        """
        along = _named(x, self._inputs()) if x else next(iter(self.axes()), "ranks")
        rest = [name for name in self.axes() if name != along]
        groups: Dict[str, List[_Config]] = {}
        for row in _records(self._columns):
            groups.setdefault(", ".join(f"{_title(n)} {_text(row[n], _unit(n))}" for n in rest), []).append(_Config(row, []))
        page = _Page(groups, width, "Gain of the choice over the baseline" if title else "")
        for axes, group in page.panels:
            at = _along(axes, along, group)
            axes.plot(at, [c.choice["speedup"] for c in group], label="choice", marker="o", markersize=3, **_BEST)
            axes.plot(at, [max(1.0, c.choice["gain_low"]) for c in group], label="at least", color=_BEST["color"], linewidth=0.8, linestyle=":")
            axes.axhline(1, **_QUIET)
            for place, c in zip(at, group):
                choice = c.choice
                axes.annotate(f"R={choice['sources']}, T={choice['redundancy']}", (place, choice["speedup"]), xytext=(0, 4), textcoords="offset points", fontsize=6, ha="center")
            axes.yaxis.set_major_formatter("{x:g}×")
        return page.done("gain")


class Attribution(Answer):
    """What noise costs to its sources: the table has for each source and design its share of the cost [s], what it costs
    alone [s] and what its removal brings [s], each with half of its 95% interval. remedies has what helps."""

    _first = ("collective", "design", "redundancy", "name", "time_s", "time_half_s", "noise_free_s", "share_s", "share_half_s", "alone_s",
              "alone_half_s", "removed_s", "removed_half_s")

    def __init__(self, rows: List[Dict[str, Any]], text: Callable[[], str]) -> None:
        self._remedies = [row for row in rows if row["row"] == "remedy"]
        super().__init__(_rows([row for row in rows if row["row"] == "source"]), text)
        for name in ("row", "step", "taken", "change_s", "change_half_s"):
            self._columns.pop(name, None)

    @property
    def remedies(self) -> Any:
        """The remedies of each step, a frame: the time that each leads to [s] and its change [s], and whether it is taken."""
        names = [*self.axes(), "step", "name", "taken", "time_s", "time_half_s", "change_s", "change_half_s", "sources", "redundancy"]
        return _frame(_rows([{name: row[name] for name in names} for row in self._remedies]))

    def plot_shares(self, x: Optional[str] = None, *, width: str = "165mm", title: bool = True) -> Figure:
        """Draws the cost of each source [s], at the plain collective: stacked over an axis, or of one deployment as bars
        with their 95% intervals, at the plain and at the chosen design. Returns a Matplotlib figure."""
        rows = list(_records(self._columns))
        axes_of = self.axes()
        names = sorted({row["name"] for row in rows})
        if not axes_of:
            designs = list(dict.fromkeys(row["design"] for row in rows))
            page = _Page({f"{name} design": [] for name in designs}, width, "Cost of each source of noise" if title else "", tall=0.5, share=False)
            for (axes, _), design in zip(page.panels, designs):
                mine = [row for row in rows if row["design"] == design][::-1]
                colors = [_LINES[names.index(row["name"]) % len(_LINES)] for row in mine]
                axes.barh([row["name"] for row in mine], [row["share_s"] for row in mine], xerr=[row["share_half_s"] for row in mine], color=colors, height=0.6)
                axes.set_xlabel("share of what noise adds")
                _times(axes.xaxis, [])
            return page.done("", legend=False)
        along = _named(x, self._inputs()) if x else axes_of[0]
        groups: Dict[str, List[_Config]] = {}
        for row in rows:
            if row["design"] == "plain":
                groups.setdefault(", ".join(f"{_title(n)} {_text(row[n], _unit(n))}" for n in axes_of if n != along), []).append(_Config(row, []))
        page = _Page(groups, width, "Shares of the sources in what noise adds to the plain collective" if title else "")
        for axes, group in page.panels:
            one = list({c.choice[along]: c for c in group}.values())
            at = _along(axes, along, one)
            values = [c.choice[along] for c in one]
            shares = [[max(0.0, sum(c.choice["share_s"] for c in group if c.choice["name"] == name and c.choice[along] == v)) for v in values] for name in names]
            whole = [sum(column) or 1 for column in zip(*shares)]
            parts = [[100 * share / all_ for share, all_ in zip(row, whole)] for row in shares]
            axes.stackplot(at, *parts, labels=names, colors=[_LINES[i % len(_LINES)] for i in range(len(names))], alpha=0.75)
            axes.yaxis.set_major_formatter("{x:g}%")
        return page.done("share of what noise adds")


class Timeline(Answer):
    """One trial: the table has what each rank does from when to when [s]; the verdict is its critical path."""

    _first = ("track", "activity", "from_s", "to_s")

    def __init__(self, trace: Dict[str, Any], text: str) -> None:
        events = trace["traceEvents"]
        self.title: str = trace["otherData"]["trial"]
        self.tracks: List[str] = [e["args"]["name"] for e in events if e["name"] == "thread_name"]
        mine = [e for e in events if e["ph"] == "X" and e["pid"] == 2]
        ends = {e["id"]: e for e in events if e["ph"] == "f"}
        self._copies = [(e["tid"], e["ts"], ends[e["id"]]["tid"], ends[e["id"]]["ts"], e["name"]) for e in events if e["ph"] == "s"]
        columns = {
            "track": [self.tracks[e["tid"]] for e in mine], "activity": [e["name"] for e in mine],
            "from_s": [e["ts"] * 1e-6 for e in mine], "to_s": [(e["ts"] + e["dur"]) * 1e-6 for e in mine],
        }
        super().__init__(columns, text)

    def plot(self, *, width: str = "165mm", title: bool = True) -> Figure:
        """Draws what each rank does over the time since the start [s], and the messages of redundant copies and of the
        critical path. Returns a Matplotlib figure."""
        page = _Page({"": []}, width, self.title if title else "", tall=max(0.3, min(1.4, 0.1 + 0.02 * len(self.tracks))))
        axes = page.panels[0][0]
        place = {name: i for i, name in enumerate(self.tracks)}
        rows = list(_records(self._columns))
        for activity, color in _LOOKS.items():
            mine = [row for row in rows if row["activity"] == activity]
            for name in {row["track"] for row in mine}:
                spans = [(row["from_s"], row["to_s"] - row["from_s"]) for row in mine if row["track"] == name]
                look = dict(facecolor="white", edgecolor="grey", hatch="////", linewidth=0) if activity == _SAVED else dict(facecolor=color, linewidth=0)
                axes.broken_barh(spans, (place[name] - 0.42, 0.84), **look)  # type: ignore[arg-type]
            if mine:
                look = dict(facecolor="white", edgecolor="grey", hatch="////") if activity == _SAVED else dict(facecolor=color)
                axes.barh([0], [0], label=activity, **look)  # type: ignore[arg-type]
        for source, begin, target, end, name in self._copies:
            color = "black" if name == "critical path" else _GREEN
            axes.plot([begin * 1e-6, end * 1e-6], [source, target], color=color, linewidth=0.9 if color == "black" else 0.6)
        for name, color in {name: "black" if name == "critical path" else _GREEN for *_, name in self._copies}.items():
            axes.plot([], [], color=color, linewidth=0.9, label=name)
        axes.set_ylim(len(self.tracks) - 0.5, -0.5)
        shown = [i for i in range(len(self.tracks)) if len(self.tracks) <= 16 or i % (len(self.tracks) // 8) == 0]
        axes.set_yticks(shown, [self.tracks[i].removeprefix("rank ") for i in shown])
        axes.set_xlabel("time since the start")
        _times(axes.xaxis, [])
        return page.done("rank" if self.tracks[0].startswith("rank") else "node: sends, receives, processor", outside=True)


class Measurement(Answer):
    """Measured noise of this machine: the table has every detour, its core, start [s] and length [s].

    path is the file of the profile. The object is a value of noise=, as the path is: jf.choose(noise=mine)."""

    _first = ("run", "core", "start_s", "length_s")

    def __init__(self, path: Path, text: str, remarks: List[str]) -> None:
        self.path, self.remarks = path, remarks
        self.trace = path.with_suffix(".parquet")
        super().__init__(lambda: _columns(_parquet(self.trace)), text)

    def __str__(self) -> str:
        return str(self.path)

    @property
    def verdict(self) -> str:
        """The measurement's summary line of all cores, and how the profile fits it."""
        lines = [" ".join(x.split()) for x in self.text.split("\n")]
        return "\n".join(x for x in [lines[0].rstrip(":"), *lines] if x.startswith(("Noise of core", "fit:", "so the profile")) and x != lines[0])

    def plot_lengths(self, *, width: str = "165mm", title: bool = True) -> Figure:
        """Draws the share of detours, and the share of their time, that is up to a length [s]. Returns a Matplotlib figure."""
        lengths = sorted(self._columns["length_s"])
        total = sum(lengths)
        sums, so_far = [], 0.0
        for x in lengths:
            so_far += x
            sums.append(so_far / total)
        page = _Page({"": []}, width, "Detours up to a length" if title else "")
        axes = page.panels[0][0]
        axes.plot(lengths, [(i + 1) / len(lengths) for i in range(len(lengths))], drawstyle="steps-post", label="share of detours", **_BEST)
        axes.plot(lengths, sums, drawstyle="steps-post", label="share of their time", **_PLAIN)
        axes.set_xlabel("detour length")
        _times(axes.xaxis, lengths)
        return page.done("share")


class Profile(Answer):
    """An imported profile of noise: path is its file, text the profile, remarks what was read of each file, and the table
    its components. The object is a value of noise=, as the path is: jf.choose(noise=profile)."""

    _first = ("kind", "name", "component")

    def __init__(self, path: Path, text: str, remarks: List[str]) -> None:
        self.path, self.remarks = path, remarks
        listed = re.findall(r"^  - \{kind: (\w+)(?:, name: ([^,]+))?, ?(.*)\}$", path.read_text(encoding="utf-8"), re.M)
        columns = {"kind": [x[0] for x in listed], "name": [x[1] for x in listed], "component": [x[2] for x in listed]}
        super().__init__(columns, path.read_text(encoding="utf-8"))

    def __str__(self) -> str:
        return str(self.path)

    @property
    def verdict(self) -> str:
        """What was read and how the profile fits it."""
        return "\n".join(x.strip() for x in self.remarks)


class Program(Answer):
    """What a recorded MPI program does: the table has for each place of the program that calls a collective the time in
    it, the waiting and the computing before it [s], means of a rank. ranks has the ranks."""

    _first = ("call", "site", "bytes", "ranks", "collectives", "time_s", "waiting_s", "compute_s", "compute_p5_s", "compute_p95_s",
              "persistent_s", "random_s")

    def __init__(self, sites: List[Dict[str, Any]], ranks: List[Dict[str, Any]], text: str) -> None:
        super().__init__(_rows(sites), text)
        self._ranks = _rows(ranks)

    @property
    def ranks(self) -> Any:
        """The time of each rank in collectives and its waiting there [s], and how often it is last, a frame."""
        return _frame(self._ranks)

    def plot_ranks(self, *, width: str = "165mm", title: bool = True) -> Figure:
        """Draws how long each rank waits in collectives [s], and in how many it is the last. Returns a Matplotlib figure."""
        page = _Page({"waiting": [], "last to arrive": []}, width, "Ranks in collectives" if title else "", tall=0.5, share=False)
        (first, _), (second, _) = page.panels
        first.bar(self._ranks["rank"], self._ranks["waiting_s"], color=_LINES[0])
        first.set_ylabel("waiting")
        _times(first.yaxis, [])
        second.bar(self._ranks["rank"], self._ranks["last"], color=_LINES[1])
        second.set_ylabel("collectives")
        for axes in (first, second):
            axes.set_xlabel("rank")
            axes.locator_params(axis="x", integer=True)
        return page.done("", legend=False)


class Comparison(Answer):
    """Two sweeps compared: the table has for each pair of configurations the ratio of the mean of b to the mean of a, with
    its interval from ratio_low to ratio_high; differs is whether the interval excludes 1."""

    _first = ("redundancy_a", "redundancy_b", "mean_a_s", "mean_b_s", "ratio", "ratio_low", "ratio_high", "differs", "paired")

    def __init__(self, rows: List[Dict[str, Any]], text: Callable[[], str]) -> None:
        super().__init__(_rows(rows), text)

    def _inputs(self) -> List[str]:
        names = list(self._columns)
        return names[: names.index("config_id_a")]

    def plot_ratio(self, x: Optional[str] = None, *, width: str = "165mm", title: bool = True) -> Figure:
        """Draws the ratio of the mean of b to the mean of a over an axis, with its interval. Returns a Matplotlib figure."""
        along = _named(x, self._inputs()) if x else next(iter(self.axes()), (self._inputs() or ["redundancy_a"])[0])
        rest = [name for name in self.axes() if name != along]
        groups: Dict[str, List[_Config]] = {}
        for row in _records(self._columns):
            groups.setdefault(", ".join(f"{_title(n)} {_text(row[n], _unit(n))}" for n in rest), []).append(_Config(row, []))
        page = _Page(groups, width, "Mean completion time of B over that of A" if title else "")
        for axes, group in page.panels:
            at = _along(axes, along, group)
            rows = [c.choice for c in group]
            axes.fill_between(at, [r["ratio_low"] for r in rows], [r["ratio_high"] for r in rows], color=_BEST["color"], alpha=0.27, linewidth=0)
            axes.plot(at, [r["ratio"] for r in rows], marker="o", markersize=3, label="B / A, with its confidence interval", **_BEST)
            axes.axhline(1, **_QUIET)
        return page.done("B / A")


# Pictures, in the colours and words of `jitterfly figures`: those of Okabe and Ito, for readers with colour blindness.

_GREEN = "#009e73"
_LINES = ("#d55e00", "#0072b2", _GREEN, "#e69f00", "#000000", "#6e6e6e", "#56b4e9", "#cc79a7")
_PLAIN: Dict[str, Any] = {"color": "#d55e00", "linewidth": 2.2}
_BEST: Dict[str, Any] = {"color": "#0072b2", "linewidth": 1.1}
_FLOOR: Dict[str, Any] = {"color": "#96d6c3", "linewidth": 3}
_QUIET: Dict[str, Any] = {"color": "black", "linewidth": 0.9, "linestyle": (0, (4, 2))}
_COMPLETIONS: Tuple[Tuple[str, Dict[str, Any], Callable[[_Config], Dict[str, Any]], bool], ...] = (
    ("lower bound for any redundancy", _FLOOR, lambda c: c.by_t[0], False),
    ("without noise", _QUIET, lambda c: c.by_t[0], False),
    ("T = 0, mean with its confidence interval", _PLAIN, lambda c: c.by_t[0], True),
    ("best T, mean with its confidence interval", _BEST, lambda c: c.best, True),
)
_SERIES = {"lower bound for any redundancy": "floor_s", "without noise": "quiet_s"}
_SAVED = "avoided by a redundant copy"
_LOOKS = {
    "computing": "#0072b2", "posting messages": "#cc79a7", "receiving": "#56b4e9", "polling all connections": "#f0e442", "detour": "#d55e00",
    "first byte in transit": "#969696", "message at the full rate of its links": _GREEN, "message slowed down by others": "#96d6c3",
    "waiting": "#e2e2e2", "waiting for the processor, or the gap": "#c4d6e6", "waiting for room in a buffer": "#f0b08c",
    "waiting for a message delayed by noise": "#e69f00", _SAVED: "white",
}
_MOST_PANELS = 12
_MOST_TICKS = 9
_INCHES = {"mm": 1 / 25.4, "cm": 1 / 2.54, "in": 1.0, "pt": 1 / 72}


class _Page:
    """A Matplotlib figure with a panel for each group, in the style of `jitterfly figures`, of a width in print."""

    def __init__(self, groups: Dict[str, List[_Config]], width: str, title: str, tall: float = 0.68, share: bool = True) -> None:
        from matplotlib.figure import Figure

        found = re.fullmatch(r"([0-9.]+) ?(mm|cm|in|pt)", width)
        if not found:
            raise Error(f"width: {width!r} is not a width in print; write for example 85mm or 3.5in")
        inches = float(found[1]) * _INCHES[found[2]]
        small = inches < 4.5
        columns = min(len(groups), 1 if small else 2)
        rows = -(-len(groups) // columns)
        self.size = 7 if small else 8
        self.figure = Figure(figsize=(inches, min(11.0, rows * tall * min(inches / columns, 4.2) + 0.5)), layout="constrained")
        made = self.figure.subplots(rows, columns, squeeze=False, sharey=share)
        every: List[Axes] = [axes for row in made for axes in row]
        for axes in every[len(groups):]:
            axes.remove()
        self.panels = list(zip(every, groups.values()))
        for axes, name in zip(every, groups):
            axes.set_title(name)
            axes.grid(color="#e2e2e2", linewidth=0.4)
            axes.set_axisbelow(True)
        if title:
            self.figure.suptitle(title, fontsize=self.size + 2)

    def done(self, label: str, *, legend: bool = True, outside: bool = False) -> Figure:
        """Adds the label of the values and a legend, and returns the figure, which a notebook shows as a PNG."""
        for axes, _ in self.panels:
            place = axes.get_subplotspec()
            if label and place and place.is_first_col():
                axes.set_ylabel(label)
            axes.tick_params(which="both", labelsize=self.size, width=0.5)
            for text in (axes.title, axes.xaxis.label, axes.yaxis.label):
                text.set_fontsize(self.size)
            for spine in axes.spines.values():
                spine.set_linewidth(0.5)
        if legend:
            found: Dict[str, Any] = {}
            for axes, _ in self.panels:
                for handle, name in zip(*axes.get_legend_handles_labels()):
                    found.setdefault(name, handle)
            columns = 1 if self.figure.get_figwidth() < 4.5 else 2 if max(map(len, found), default=0) > 24 else 4
            self.figure.legend(found.values(), found.keys(), loc="outside lower center", ncols=3 if outside and columns > 1 else columns, frameon=False, fontsize=self.size - 1)
        figure = self.figure
        setattr(figure, "_repr_png_", lambda: _png(figure))
        return figure


def _png(figure: Figure) -> bytes:
    import io

    content = io.BytesIO()
    figure.savefig(content, format="png", dpi=144)
    return content.getvalue()


def _dot(points: Sequence[Any]) -> Optional[str]:
    """Returns the marker of a line, which only one point needs to be seen."""
    return "o" if len(points) == 1 else None


def _along(axes: Axes, column: str, group: List[_Config]) -> List[float]:
    """Sorts the configurations by a column and returns their places on the x axis, which it labels: logarithmic if the
    largest value is at least 8 times the smallest, and one place after the other for words."""
    values = [c.choice[column] for c in group]
    axes.set_xlabel(_title(column))
    if any(isinstance(x, (str, bool)) for x in values):
        names = list(dict.fromkeys(map(str, values)))
        axes.set_xticks(range(len(names)), names)
        return [float(names.index(str(x))) for x in values]
    group.sort(key=lambda c: float(c.choice[column]))
    places = [float(c.choice[column]) for c in group]
    ticks = sorted(set(places))
    if ticks[0] > 0 and ticks[-1] >= 8 * ticks[0]:
        axes.set_xscale("log", base=2 if _unit(column) == "" else 10)
        axes.xaxis.set_minor_formatter("")
    step = -(-len(ticks) // _MOST_TICKS)
    axes.set_xticks(ticks[::step], [_text(int(x) if x == int(x) and not _unit(column) else x, _unit(column), 3) for x in ticks[::step]])
    return places


def _times(axis: Any, values: Iterable[float]) -> None:
    """Labels an axis of times [s], logarithmic if the largest is at least 8 times the smallest."""
    from matplotlib import ticker

    known = [x for x in values if x > 0 and math.isfinite(x)]
    if known and max(known) >= 8 * min(known):
        axis._set_axes_scale("log")
        axis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5) if max(known) < 1000 * min(known) else (1,)))
        axis.set_minor_formatter("")
    axis.set_major_formatter(lambda seconds, _: _text(float(seconds), "s", 3))


def _viridis(share: float) -> Any:
    """Returns a colour of viridis without its end, which is too light for lines on white."""
    import matplotlib

    return matplotlib.colormaps["viridis"](0.8 * share)


def _map(axes: Axes, group: List[_Config], x: str, y: str, column: str, value: Callable[[_Config], float], every: List[float]) -> None:
    """Draws the cells of a map."""
    import matplotlib.colors

    xs, ys = (sorted({c.choice[name] for c in group}) for name in (x, y))
    cells = [[math.nan] * len(xs) for _ in ys]
    ranges: Dict[Tuple[int, int], str] = {}
    for c in group:
        i, j = ys.index(c.choice[y]), xs.index(c.choice[x])
        cells[i][j] = value(c)
        low, high = c.choice.get("t_low"), c.choice.get("t_high")
        if column == "t_estimate" and low != high:
            ranges[i, j] = f"{c.choice[column]} ({low}–{high})"
    known = [v for v in every if math.isfinite(v)] or [0.0]
    least, most = min(known), max(known)
    norm = matplotlib.colors.LogNorm(least, most) if least > 0 and most >= 8 * least else matplotlib.colors.Normalize(least, most)
    axes.grid(False)
    image = axes.imshow(cells, norm=norm, aspect="auto", origin="lower", cmap="viridis")
    for i, row in enumerate(cells):
        for j, v in enumerate(row):
            if v == v:
                color = "black" if sum(image.cmap(norm(v))[:3]) > 1.4 else "white"
                axes.text(j, i, ranges.get((i, j)) or _text(int(v) if v == int(v) and not _unit(column) else v, _unit(column), 2), ha="center", va="center", color=color, fontsize=6)
    axes.set_xticks(range(len(xs)), [_text(v, _unit(x)) for v in xs])
    axes.set_yticks(range(len(ys)), [_text(v, _unit(y)) for v in ys])
    axes.set_xlabel(_title(x))


# Progress.


class _Progress:
    """What the program writes to stderr: progress, which is passed on, and errors.

    The program shows progress several times a second on a terminal only, so stderr is a terminal of its own where the
    system has such. Elsewhere it is a pipe, and progress a line now and then.
    """

    def __init__(self, show: Show) -> None:
        self.show, self.text = show, ""
        self.lines: List[str] = []
        self.reader: Optional[threading.Thread] = None
        self.write_end: Optional[int] = None

    def __enter__(self) -> _Progress:
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

    def follow(self) -> None:
        """Reads until the program ends."""
        self._close()
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self) -> None:
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

    def _take(self, line: bytes) -> None:
        text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", line.decode("utf-8", "replace")).strip()
        if not text or text == self.text:
            return
        self.text = text
        if text.startswith("jitterfly: "):
            self.lines.append(text.removeprefix("jitterfly: "))
        self.show(text.removeprefix("jitterfly: "))

    def error(self) -> str:
        return self.lines[-1] if self.lines else ""

    def join(self) -> None:
        if self.reader is not None:
            self.reader.join()

    def _close(self) -> None:
        if self.write_end is not None:
            os.close(self.write_end)
        self.write_end = None

    def __exit__(self, *_: object) -> None:
        self._close()
        self.join()
        os.close(self.read_end)
        self.show("")


class _Line(contextlib.AbstractContextManager[Show]):
    """A line of progress with a bar, which is written over: below the cell of a notebook, or on a terminal."""

    def __enter__(self) -> Show:
        self.handle: Any = None
        self.shown = False
        return self.show

    def __exit__(self, *_: object) -> None:
        pass

    def show(self, text: str) -> None:
        if "ipykernel" in sys.modules and _in_cell():
            self._display(text)
        elif sys.stderr.isatty() and (text or self.shown):
            self.shown = bool(text)
            sys.stderr.write(f"\r\x1b[K{text}")
            sys.stderr.flush()

    def _display(self, text: str) -> None:
        from IPython import display

        bar = re.match(r"\[(.*?)\] (.*)", text)
        content = {"text/plain": text, "text/html": html.escape(text)}
        if bar and bar[1]:
            done = len(bar[1].rstrip(" -.")) / len(bar[1])
            content["text/html"] = f"<progress value={done:.3f} style='width: 20em'></progress> {html.escape(bar[2])}"
        if self.handle is None and text:
            self.handle = getattr(display, "display")(content, raw=True, display_id=True)
        elif self.handle is not None:
            self.handle.update(content, raw=True)


def _in_cell() -> bool:
    from IPython import get_ipython

    return hasattr(get_ipython(), "kernel")
