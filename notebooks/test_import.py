"""Tests that the program and a few lines of Python for each format compute the same from what tools measured.

Of the files of noise/measured/formats/testdata they compute which share of the time detours take, and the least latency and the
mean beyond it. python.csv there has the numbers, and the table of docs/measure.md both.
"""

import gzip
import re
import tempfile
import unittest
from pathlib import Path
from statistics import mean

import jitterfly

testdata = Path(__file__).resolve().parent.parent / "noise/measured/formats/testdata"


def lines(name):
    path = testdata / name
    text = gzip.open(path, "rt").read() if name.endswith(".gz") else path.read_text()
    return [line.strip() for line in text.splitlines() if line.strip()]


def rows(name, columns, start=r"\d"):
    """The first numbers of the lines that match start and have at least that many columns."""
    found = [re.findall(r"(?<![\w.])-?\d+(?:\.\d+)?", line) for line in lines(name) if re.match(start, line)]
    return [[float(x) for x in row[:columns]] for row in found if len(row) >= columns]


def selfish(name):
    runs, last = [[]], -1
    for start, length in rows(name, 2):
        if start < last:
            runs.append([])
        last = start
        if length > 0:
            runs[-1].append((start, length))
    return sum(length for run in runs for _, length in run) / sum(run[-1][0] + run[-1][1] for run in runs)


def loggopsim(name):
    trace = rows(name, 2)
    return sum(length for _, length in trace) / (trace[-1][0] + trace[-1][1])


def fixed_work(name):
    times = [t for _, t in rows(name, 2) if t < 1e9]
    return sum(t - min(times) for t in times) / sum(times)


def fixed_time(name):
    counts = [n for _, n in rows(name, 2)]
    return mean(1 - n / max(counts) for n in counts)


def ftq(name):
    quanta = rows(name, 2)
    quanta = [(b[0] - a[0], a[1]) for a, b in zip(quanta, quanta[1:])]
    unit = min(time / count for time, count in quanta)
    return sum(time - count * unit for time, count in quanta) / sum(time for time, _ in quanta)


def osnoise(name):
    samples = [re.search(r"\[(\d+)\].*sample_threshold: start ([\d.]+) duration (\d+)", line) for line in lines(name)]
    samples = [(m[1], float(m[2]), float(m[3]) * 1e-9) for m in samples if m]
    watched = max(s + d for _, s, d in samples) - min(s for _, s, _ in samples)
    return sum(d for *_, d in samples) / watched / len({core for core, *_ in samples})


def hwlatdetect(name):
    seconds = rows(name, 1, "hwlatdetect:")[0][0]
    window, width = (int(re.search(rf"Sample {part}: +(\d+)us", "\n".join(lines(name)))[1]) for part in ("window", "width"))
    seconds *= width / window  # that it watched
    return sum(max(map(int, re.findall(r"(?:inner|outer):(\d+)", line))) for line in lines(name) if line.startswith("ts:")) * 1e-6 / seconds


def sysjitter_raw(name):
    return sum(row[3] for row in rows(name, 4)) / 2e7


def histogram(name, width, seconds):
    """The middles of the bins of rtla osnoise hist."""
    bins = rows(name, 2, r"\d")
    table = [list(map(int, line.split())) for line in lines(name) if re.match(r"\d", line)]
    return sum((row[0] + width / 2) * n for row in table for n in row[1:]) * 1e-6 / seconds / (len(table[0]) - 1)


def top(name):
    table = rows(name, 4, r"\d+ #")
    return sum(noise for *_, noise in table) / sum(runtime for _, _, runtime, _ in table)


def oslat(name, late=0, seconds=None):
    """The turns that took longer than most, to the middle of the microsecond; newer labels are late by one."""
    counts = {int(line[:3]): list(map(int, re.findall(r"\d+", line)[1:])) for line in lines(name) if re.match(r"\d{3} \(us\)", line)}
    cores = len(counts[1])
    seconds = seconds or mean(float(x) for line in lines(name) if re.match("Duration|runtime:", line) for x in re.findall(r"\d+\.\d+", line))
    usual = [max(counts, key=lambda us: counts[us][core]) for core in range(cores)]
    return sum((us - late - 0.5) * n[core] for us, n in counts.items() for core in range(cores) if us > usual[core]) * 1e-6 / seconds / cores


overheads = {
    "netgauge_selfish.txt": selfish("netgauge_selfish.txt"),
    "netgauge_fwq.txt": fixed_work("netgauge_fwq.txt"),
    "netgauge_ftq.txt": fixed_time("netgauge_ftq.txt"),
    "loggopsim.txt": loggopsim("loggopsim.txt"),
    "ftq.txt": ftq("ftq.txt"),
    "osnoise.txt": osnoise("osnoise.txt"),
    "hwlatdetect.txt": hwlatdetect("hwlatdetect.txt"),
    "sysjitter_raw.txt": sysjitter_raw("sysjitter_raw.txt"),
    "recorded/kerneldoc_rtla_osnoise_hist.txt": histogram("recorded/kerneldoc_rtla_osnoise_hist.txt", 10, 60),
    "recorded/kerneldoc_rtla_osnoise_top.txt": top("recorded/kerneldoc_rtla_osnoise_top.txt"),
    "recorded/kernel_mail_rtla_osnoise_top.txt": top("recorded/kernel_mail_rtla_osnoise_top.txt"),
    "recorded/kerneldoc_rtla_hwnoise.txt": top("recorded/kerneldoc_rtla_hwnoise.txt"),
    "recorded/container_perf_tools_oslat.txt": oslat("recorded/container_perf_tools_oslat.txt"),
    "recorded/kubevirt_oslat.txt": oslat("recorded/kubevirt_oslat.txt", late=1, seconds=60),
    "recorded/oslat_readme.txt": oslat("recorded/oslat_readme.txt"),
    "recorded/sysjitter2_readme.txt": oslat("recorded/sysjitter2_readme.txt"),
    "recorded/desensi_oracle_selfish.txt.gz": selfish("recorded/desensi_oracle_selfish.txt.gz"),
    "recorded/desensi_azure_hbv2_selfish.txt.gz": selfish("recorded/desensi_azure_hbv2_selfish.txt.gz"),
}


def repetitions(name, size):
    """The least of the times of a size, and the mean beyond it."""
    times = [t for bytes, t in rows(name, 2) if bytes == size]
    return min(times), mean(times) - min(times)


def osu(name, size):
    text = re.split(r"# OSU MPI ", "\n".join(lines(name)))
    return mean(float(m[1]) for part in text if part.startswith("Latency") for m in re.finditer(rf"^{size} +([\d.]+)$", part, re.M)), 0


def perftest(name, whole=1):
    _, _, least, _, _, average = rows(name, 6, r"2 ")[0]
    return least / whole, (average - least) / whole


def sockperf(name):
    text = "\n".join(lines(name))
    least = float(re.search(r"<MIN> observation = +([\d.]+)", text)[1])
    return least, float(re.search(r"avg-latency=([\d.]+)", text)[1]) - least


def sendrecv(name, size):
    part = "\n".join(lines(name)).split("sendrecv_perf")[1]
    return float(re.search(rf"^{size} +\d+ +\w+ +\w+ +-1 +([\d.]+)", part, re.M)[1]), 0


latencies = {
    "recorded/desensi_oracle_one_one.txt.gz": (1, *repetitions("recorded/desensi_oracle_one_one.txt.gz", 1)),
    "recorded/desensi_oracle_one_one_sizes.txt.gz": (1024, *repetitions("recorded/desensi_oracle_one_one_sizes.txt.gz", 1024)),
    "recorded/perfstudy_osu_mixed.txt": (8, *osu("recorded/perfstudy_osu_mixed.txt", 8)),
    "recorded/perftest_ib_write_lat.txt": (2, *perftest("recorded/perftest_ib_write_lat.txt")),
    "recorded/spiderpool_ib_read_lat.txt": (2, *perftest("recorded/spiderpool_ib_read_lat.txt", whole=2)),
    "recorded/sockperf_kvm.txt": (64, *sockperf("recorded/sockperf_kvm.txt")),
    "recorded/sockperf_pingpong.txt": (14, *sockperf("recorded/sockperf_pingpong.txt")),
    "recorded/nccl_h100.txt": (33554432, *sendrecv("recorded/nccl_h100.txt", 33554432)),
}


class TestImport(unittest.TestCase):
    def test_numbers(self):
        """python.csv has what these lines compute."""
        table = ["file,overhead,bytes,least_us,beyond_us"]
        table += [f"{name},{share:.6g},,," for name, share in overheads.items()]
        table += [f"{name},,{size},{least:.6g},{beyond:.6g}" for name, (size, least, beyond) in latencies.items()]
        self.assertEqual(table, (testdata / "python.csv").read_text().splitlines())

    def test_program(self):
        """The program finds the same overheads."""
        for name, share in overheads.items():
            with self.subTest(name):
                printed = self.imported(name)
                shares = [float(x) / 100 for x in re.findall(r"take ([\d.e-]+)% of the time$", printed, re.M)]
                shares += [0] * len(re.findall(": none in", printed))
                self.assertAlmostEqual(mean(shares) / share, 1, delta=0.05)

    def imported(self, name):
        """Returns what import --check prints of a file."""
        if not name.endswith(".gz"):
            return jitterfly.run("import", "--check", testdata / name)
        with tempfile.TemporaryDirectory() as folder:
            unpacked = Path(folder) / "unpacked.txt"
            unpacked.write_bytes(gzip.open(testdata / name).read())
            return jitterfly.run("import", "--check", unpacked)


if __name__ == "__main__":
    unittest.main()
