#!/usr/bin/env python3
"""Checks a study's Parquet files with readers that others wrote.

    check_parquet.py [--trials] DIR...

Reads DIR/summary.parquet, choice.parquet and, if they are there (with --trials the
latter must be), attribution.parquet and trials.parquet with pyarrow, DuckDB and Polars. The three must find
the same rows, columns, types and values; the columns must be those that users
are promised; and the tables must agree with each other and with the trials.
Prints a line per file and reader, or says on stderr what is wrong and exits 1.
"""

import argparse
import json
import math
import sys
from collections import defaultdict
from pathlib import Path

import duckdb
import polars
import pyarrow
import pyarrow.parquet

# What users are promised: names, order and types of the columns.
AXES = """
    config_id:string collective:string ranks:int64 bytes:int64
    latency_s:float64 bandwidth_Bps:float64 overhead_s:float64 gap_s:float64
    progress:string poll_s:float64 polls:int64 window_bytes:int64 interrupt_s:float64 match_s:float64 memory_bandwidth_Bps:float64
    nodes:int64 ranks_per_node:int64 node_latency_s:float64 node_bandwidth_Bps:float64
    process_bandwidth_Bps:float64 contention:string topology:string hop_latency_s:float64
    sharing:string controllers:int64 sync:string messages_per_node:int64
    engine:string packet_flit_bytes:int64 packet_flits:int64 packet_channels:int64 packet_buffer_flits:int64
    packet_hop_cycles:int64 packet_credit_cycles:int64 packet_crossbar:string packet_channel_rule:string
    start_skew_s:float64 sources:int64 segments:int64 send_overhead_s:float64 reception:string
    noise_profile:string os_kind:string os_period_s:float64 os_duration_s:float64
    os_launch:string os_scope:string
    net_kind:string net_interval_s:float64 net_duration_s:float64
    iterations:int64 warmup:int64 calls:int64 compute_s:float64
    overlap:string compute_file:string imbalance:float64 imbalance_persistent:float64 forward:string links:string assume:string placement:string leaders:int64 leaders_share:string class_share:float64 latency_is:string
""".split()
INTERFACE = {
    "summary": AXES + """
        redundancy:int64 trials:int64 stop_reason:string
        quiet_s:float64 mean_s:float64 stddev_s:float64 floor_s:float64
        ci_low_s:float64 ci_high_s:float64 min_s:float64
        p50_s:float64 p90_s:float64 p95_s:float64 p99_s:float64 p999_s:float64 max_s:float64
        slowdown:float64 speedup:float64 messages:float64 alltoall_bandwidth_Bps:float64 buffer_bytes:float64
        collective_s:float64 collective_share:float64 noise_amplification:float64
    """.split(),
    "choice": AXES + """
        t_star:int64 t_argmin:int64 objective:string objective_s:float64 baseline_s:float64
        speedup:float64 confidence:float64 regret_high:float64 t_estimate:int64 estimate_s:float64 t_low:int64 t_high:int64 gain_low:float64
        trials_needed:int64 warning:string
        collective_speedup:float64 collective_share:float64 noise_amplification:float64
    """.split(),
    "attribution": AXES + """
        row:string name:string design:string redundancy:int64 step:int64 taken:int64 trials:int64 objective:string
        time_s:float64 time_half_s:float64 noise_free_s:float64 run_p10_s:float64 run_p90_s:float64 share_s:float64 share_half_s:float64
        alone_s:float64 alone_half_s:float64 removed_s:float64 removed_half_s:float64
        change_s:float64 change_half_s:float64 verdict:string open:string
    """.split(),
    "trials": "config_id:string redundancy:int64 trial:int64 completion_s:float64".split(),
}
METADATA = ["jitterfly.version", "jitterfly.format", "jitterfly.study"]

# The readers' names of types that are not the canonical ones in lower case.
CANONICAL = {
    "double": "float64",
    "float": "float32",
    "real": "float32",
    "bigint": "int64",
    "integer": "int32",
    "ubigint": "uint64",
    "uinteger": "uint32",
    "large_string": "string",
    "string_view": "string",
    "varchar": "string",
    "blob": "binary",
    "bool": "boolean",
}


class Wrong(Exception):
    """A difference from what the files should hold."""


def expect(holds, message):
    if not holds:
        raise Wrong(message)


def close(a, b, relative=1e-12, absolute=0.0):
    return a == b or math.isclose(a, b, rel_tol=relative, abs_tol=absolute)


class Table:
    """A file as one reader sees it: types, values and metadata by name."""

    def __init__(self, types, values, metadata):
        def canonical(name):
            return CANONICAL.get(name.lower(), name.lower())

        self.types = {name: canonical(str(kind)) for name, kind in types}
        self.values = values
        self.metadata = metadata
        self.rows = len(next(iter(values.values()), []))

    def __getitem__(self, name):
        return self.values[name]

    def records(self):
        names = list(self.values)
        return [dict(zip(names, row)) for row in zip(*self.values.values())]


def read_pyarrow(path):
    with pyarrow.parquet.ParquetFile(path) as file:
        table = file.read()
        metadata = file.metadata.metadata or {}
    for field in table.schema:
        expect(not field.nullable, f"column {field.name} may hold nulls")
    return Table(
        [(field.name, field.type) for field in table.schema],
        {name: table[name].to_pylist() for name in table.column_names},
        {key.decode(): value.decode() for key, value in metadata.items()},
    )


def read_duckdb(path):
    with duckdb.connect() as db:
        result = db.execute("SELECT * FROM read_parquet(?)", [str(path)])
        types = [(column[0], column[1]) for column in result.description]
        rows = result.fetchall()
        metadata = db.execute(
            "SELECT decode(key), decode(value) FROM parquet_kv_metadata(?)", [str(path)]
        ).fetchall()
    columns = zip(*rows) if rows else ([] for _ in types)
    return Table(types, {t[0]: list(c) for t, c in zip(types, columns)}, dict(metadata))


def read_polars(path):
    frame = polars.read_parquet(path)
    return Table(
        frame.schema.items(),
        {name: frame[name].to_list() for name in frame.columns},
        polars.read_parquet_metadata(path),
    )


READERS = {
    f"pyarrow {pyarrow.__version__}": read_pyarrow,
    f"duckdb {duckdb.__version__}": read_duckdb,
    f"polars {polars.__version__}": read_polars,
}


def check_interface(kind, table):
    """The columns are those promised, none holds a null, metadata is there."""
    want = dict(column.split(":") for column in INTERFACE[kind])
    missing, extra = want.keys() - table.types.keys(), table.types.keys() - want.keys()
    expect(not missing, f"columns missing: {', '.join(sorted(missing))}")
    expect(not extra, f"columns that nobody promised: {', '.join(sorted(extra))}")
    for at, (got, name) in enumerate(zip(table.types, want)):
        expect(got == name, f"column {at} is {got}, not {name}: the order differs")
    for name, kind_wanted in want.items():
        got = table.types[name]
        expect(got == kind_wanted, f"column {name} is {got}, not {kind_wanted}")
        nulls = table[name].count(None)
        expect(nulls == 0, f"column {name} has {nulls} nulls")
    expect(table.rows > 0, "no rows")
    for key in METADATA:
        expect(table.metadata.get(key), f"metadata lacks {key}")


def check_same(table, other):
    """Two readers found the same."""
    expect(table.rows == other.rows, f"{table.rows} rows, not {other.rows}")
    expect(list(table.types.items()) == list(other.types.items()), "other columns or types")
    for name, kind in table.types.items():
        ours, theirs = table[name], other[name]
        if kind == "string":
            expect(set(ours) == set(theirs), f"column {name} has other distinct values")
        elif kind.startswith("float"):
            finite = [[x for x in column if math.isfinite(x)] for column in (ours, theirs)]
            expect(len(finite[0]) == len(finite[1]), f"column {name}: fewer or more finite values")
            a, b = map(math.fsum, finite)
            expect(close(a, b), f"column {name} sums to {a!r}, not {b!r}")
        else:
            a, b = sum(ours), sum(theirs)
            expect(a == b, f"column {name} sums to {a}, not {b}")
    for key in METADATA:
        expect(table.metadata[key] == other.metadata[key], f"metadata {key} reads differently")


def read(path):
    """Reads a file with every reader; returns what the first of them found."""
    first = None
    for reader, reads in READERS.items():
        try:
            try:
                table = reads(path)
            except Wrong:
                raise
            except Exception as error:  # whatever this reader raises
                raise Wrong(f"cannot read it: {error}") from error
            check_interface(path.stem, table)
            if first is not None:
                check_same(table, first)
        except Wrong as wrong:
            raise Wrong(f"{path}: {reader}: {wrong}") from wrong
        first = first or table
        print(f"{path}: {reader}: {table.rows} rows of {len(table.types)} columns")
    return first


def by_key(kind, table, *names):
    """The table's records by the columns that name them."""
    found = {}
    for record in table.records():
        key = tuple(record[name] for name in names)
        where = ", ".join(f"{name} {value}" for name, value in zip(names, key))
        expect(key not in found, f"{kind} has two rows of {where}")
        found[key] = record
    return found


def check_summary(summary):
    """In each configuration there is every T from 0, and ratios are to T = 0."""
    axes = [column.split(":")[0] for column in AXES]
    for (config, t), row in summary.items():
        where = f"config_id {config}, T = {t}"
        expect(t == 0 or (config, t - 1) in summary, f"{where}: no row of T = {t - 1}")
        plain = summary.get((config, 0))
        expect(plain, f"{where}: no row of T = 0")
        for name in axes:
            expect(row[name] == plain[name], f"{where}: {name} is not that of T = 0")
        for name, value in {
            "slowdown": row["mean_s"] / plain["quiet_s"],
            "speedup": plain["mean_s"] / row["mean_s"],
        }.items():
            expect(close(row[name], value), f"{where}: {name} is {row[name]!r}, not {value!r}")


def check_choice(choice, summary):
    """The choice is among the summary's rows and repeats their values."""
    axes = [column.split(":")[0] for column in AXES]
    configs = {config for config, _ in summary}
    chosen = {config for (config,) in choice}
    expect(configs == chosen, f"config_ids in one table only: {sorted(configs ^ chosen)}")
    rows = defaultdict(dict)
    for (config, t), row in summary.items():
        rows[config][t] = row
    for (config,), row in choice.items():
        where = f"config_id {config}"
        column = row["objective"].replace(".", "") + "_s"
        objective = {t: summary_row[column] for t, summary_row in rows[config].items()}
        for name in ("t_star", "t_argmin", "t_estimate", "t_low", "t_high"):
            expect(row[name] in objective, f"{where}: {name} = {row[name]} is not in the summary")
        for name in axes:
            expect(row[name] == summary[config, 0][name], f"{where}: {name} is not the summary's")
        for name, value in {
            "objective_s": objective[row["t_star"]],
            "estimate_s": objective[row["t_estimate"]],
            "baseline_s": objective[0],
            "speedup": row["baseline_s"] / row["objective_s"],
        }.items():
            expect(close(row[name], value), f"{where}: {name} is {row[name]!r}, not {value!r}")
        expect(objective[row["t_argmin"]] == min(objective.values()), f"{where}: t_argmin is not the best T")
        expect(row["t_low"] <= row["t_estimate"] <= row["t_high"], f"{where}: t_estimate is not between t_low and t_high")
        expect(row["warning"] or row["t_high"] == row["t_star"], f"{where}: t_high is not t_star")
        expect(row["regret_high"] >= 0, f"{where}: regret_high is {row['regret_high']!r}")
        expect(0 <= row["gain_low"] <= row["speedup"] * (1 + 1e-9), f"{where}: gain_low is above speedup")
        expect(0 <= row["confidence"] <= 1, f"{where}: confidence is {row['confidence']!r}")
        expect(
            row["warning"] in ("", "unsure", "unresolved", "unbounded"),
            f"{where}: warning is {row['warning']!r}",
        )
        settled = row["warning"] == "" and row["t_low"] == row["t_star"]
        expect(row["trials_needed"] == 0 or not settled, f"{where}: settled, and yet trials_needed")


def quantile(ordered, p):
    """Interpolates as numpy.quantile does unless told otherwise."""
    at = p * (len(ordered) - 1)
    below = math.floor(at)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (at - below) * (ordered[above] - ordered[below])


def check_trials(trials, summary):
    """The summary says of the trials what they say themselves."""
    samples = defaultdict(list)
    for (config, t, _), row in by_key("trials", trials, "config_id", "redundancy", "trial").items():
        samples[config, t].append((row["trial"], row["completion_s"]))
    both = samples.keys() ^ summary.keys()
    expect(not both, f"in trials or summary only: config_id, T = {sorted(both)[:3]}")
    for (config, t), row in summary.items():
        where = f"config_id {config}, T = {t}"
        numbers, sample = zip(*sorted(samples[config, t]))
        n, ordered = len(sample), sorted(sample)
        expect(numbers == tuple(range(n)), f"{where}: trials are not numbered 0 to {n - 1}")
        expect(n == row["trials"], f"{where}: {n} trials, not {row['trials']}")
        mean = math.fsum(sample) / n
        stddev = math.sqrt(math.fsum((x - mean) ** 2 for x in sample) / (n - 1))
        for name, value in {
            "mean_s": mean,
            "min_s": ordered[0],
            "p50_s": quantile(ordered, 0.5),
            "p90_s": quantile(ordered, 0.9),
            "p95_s": quantile(ordered, 0.95),
            "p99_s": quantile(ordered, 0.99),
            "p999_s": quantile(ordered, 0.999),
            "max_s": ordered[-1],
        }.items():
            beyond = {"p50_s": 0.5, "p90_s": 0.1, "p95_s": 0.05, "p99_s": 0.01, "p999_s": 0.001}.get(name)
            if beyond and n * beyond < 10 - 1e-9:
                expect(math.isnan(row[name]), f"{where}: {name} is {row[name]!r} of {n} trials")
                continue
            expect(close(row[name], value), f"{where}: {name} is {row[name]!r}, not {value!r}")
        # Completions may differ in their last bits only, and so may this.
        expect(
            close(row["stddev_s"], stddev, relative=1e-9, absolute=1e-12 * mean),
            f"{where}: stddev_s is {row['stddev_s']!r}, not {stddev!r}",
        )


def check_attribution(table):
    """In each design the shares of the sources sum to what noise adds."""
    sums = defaultdict(float)
    for row in table.records():
        if row["row"] == "source":
            sums[row["verdict"], row["design"], row["time_s"], row["noise_free_s"]] += row["share_s"]
    for (_, design, time, free), total in sums.items():
        expect(close(total, time - free, relative=1e-6), f"attribution: shares sum to {total!r}, not {time - free!r}")


def check(folder, trials_required):
    tables = {}
    for kind in INTERFACE:
        path = folder / f"{kind}.parquet"
        required = trials_required if kind == "trials" else kind != "attribution"
        if required or path.exists():
            tables[kind] = read(path)
    for key in METADATA:
        values = {kind: table.metadata[key] for kind, table in tables.items()}
        expect(len(set(values.values())) == 1, f"{folder}: metadata {key} differs: {json.dumps(values)}")
    try:
        summary = by_key("summary", tables["summary"], "config_id", "redundancy")
        check_summary(summary)
        check_choice(by_key("choice", tables["choice"], "config_id"), summary)
        if "attribution" in tables:
            check_attribution(tables["attribution"])
        if "trials" in tables:
            check_trials(tables["trials"], summary)
    except Wrong as wrong:
        raise Wrong(f"{folder}: {wrong}") from wrong
    print(f"{folder}: {', '.join(tables)} agree")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trials", action="store_true", help="trials.parquet must be there")
    parser.add_argument("folders", metavar="DIR", nargs="+", type=Path)
    arguments = parser.parse_args()
    try:
        for folder in arguments.folders:
            check(folder, arguments.trials)
    except Wrong as wrong:
        sys.exit(f"check_parquet: {wrong}")


if __name__ == "__main__":
    main()
