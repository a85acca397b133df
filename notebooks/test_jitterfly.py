"""Tests of the helper: python -m unittest discover notebooks, with a jitterfly on the PATH or Go."""

import os
import signal
import stat
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path
from unittest import mock

import matplotlib

matplotlib.use("agg")
import matplotlib.pyplot
import pandas
import polars

import jitterfly

SMALL = {"assume": "paper", "ranks": "2^2..2^5", "latency": ["100ns", "1us"], "os_duration": "10us", "trials": 20, "keep_trials": True}


class TestHelper(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = Path(cls.folder.name)
        cls.study = jitterfly.sweep(cls.path / "small", show=lambda _: None, **SMALL)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def tearDown(self):
        matplotlib.pyplot.close("all")

    def fake(self, script):
        """Puts a program in place of jitterfly."""
        folder = Path(tempfile.mkdtemp(dir=self.path))
        program = folder / "jitterfly"
        program.write_text(f"#!{sys.executable}\n{script}")
        program.chmod(program.stat().st_mode | stat.S_IEXEC)
        return mock.patch.dict(os.environ, {"PATH": f"{folder}:{os.environ['PATH']}"})

    def test_tables(self):
        """Frames are the Parquet files, in either library."""
        for name, read in [("choice", self.study.choices), ("summary", self.study.summary), ("trials", self.study.trials)]:
            path = self.path / "small" / f"{name}.parquet"
            self.assertTrue(read().equals(polars.read_parquet(path)))
            self.assertTrue(read("pandas").equals(pandas.read_parquet(path)))
        self.assertEqual(self.study.choices().height, 8)
        self.assertEqual(self.study.trials().height, self.study.summary()["trials"].sum())
        self.assertEqual(self.study.study["network.latency"], ["1e-07", "1e-06"])
        with self.assertRaisesRegex(jitterfly.Error, "'numpy' is no library; write polars or pandas"):
            self.study.choices("numpy")

    def test_units(self):
        found = jitterfly.units(self.study.summary())
        for column, unit in {"mean_s": "s", "latency_s": "s", "bandwidth_Bps": "B/s", "bytes": "B", "window_bytes": "B"}.items():
            self.assertEqual(found[column], unit)
        self.assertFalse({"ranks", "speedup", "collective", "redundancy", "t_star"} & set(found))
        self.assertEqual(self.study.summary("pandas").attrs["units"], found)

    def test_axes(self):
        self.assertEqual(self.study.axes(), ["ranks", "latency_s"])

    def test_map(self):
        """A map has the values of the table, and its ticks those of the axes, with units."""
        axes = self.study.map("mean_s", at=0)
        cells = axes.images[0].get_array()
        for row in self.study.summary().filter(redundancy=0).iter_rows(named=True):
            x, y = [4, 8, 16, 32].index(row["ranks"]), [1e-7, 1e-6].index(row["latency_s"])
            self.assertEqual(cells[y, x], row["mean_s"])
        self.assertEqual([tick.get_text() for tick in axes.get_xticklabels()], ["4", "8", "16", "32"])
        self.assertEqual([tick.get_text() for tick in axes.get_yticklabels()], ["100 ns", "1 µs"])
        self.assertEqual(axes.get_title(), "mean completion time at T = 0")
        stars = self.study.map("t_star", y="ranks", x="latency_s")
        self.assertEqual(sorted(stars.images[0].get_array().ravel()), sorted(self.study.choices()["t_star"]))
        self.assertEqual(stars.get_title(), "T*")
        one = self.study.map("mean_s", latency_s=1e-6)
        self.assertEqual(one.images[0].get_array().shape, (1, 4))
        best = self.study.choices().filter(latency_s=1e-6).sort("ranks")["objective_s"]
        self.assertEqual(list(one.images[0].get_array()[0]), list(best))

    def test_map_errors(self):
        with self.assertRaisesRegex(jitterfly.Error, "'speed' is no column of the results; they have config_id"):
            self.study.map("speed")
        with self.assertRaisesRegex(jitterfly.Error, "no configuration has"):
            self.study.map("mean_s", ranks=5)
        three = jitterfly.sweep(self.path / "three", ranks=[4, 8], latency=["1us", "2us"], os_duration=["10us", "20us"], assume="hosts", trials=5, show=lambda _: None)
        with self.assertRaisesRegex(jitterfly.Error, "has several values; name one, for example os_duration_s=1e-05"):
            three.map("mean_s")
        three.map("mean_s", os_duration_s=2e-5)

    def test_resumes(self):
        """A study that is there is read again, and another one in its place is an error."""
        self.assertTrue(jitterfly.sweep(self.study.path, show=lambda _: None, **SMALL).summary().equals(self.study.summary()))
        with self.assertRaisesRegex(jitterfly.Error, "small: .*study"):
            jitterfly.sweep(self.study.path, show=lambda _: None, **SMALL | {"ranks": 64})

    def test_errors(self):
        """What is wrong is the program's own line."""
        with self.assertRaisesRegex(jitterfly.Error, r"^--latency: .*unit"):
            jitterfly.sweep(self.path / "wrong", latency="1", show=lambda _: None)
        with self.assertRaisesRegex(jitterfly.Error, "nowhere: not a directory of results"):
            jitterfly.open_results(self.path / "nowhere")
        bare = jitterfly.sweep(self.path / "bare", assume="hosts", ranks=4, trials=2, show=lambda _: None)
        with self.assertRaisesRegex(jitterfly.Error, "did not keep its trials"):
            bare.trials()

    def test_compare(self):
        other = jitterfly.sweep(self.path / "other", show=lambda _: None, **SMALL | {"sources": 2})
        for library in "polars", "pandas":
            rows = jitterfly.compare(self.study, other, library, at=1, show=lambda _: None)
            self.assertEqual(len(rows), 8)
            ratio = (rows["mean_b_s"] / rows["mean_a_s"] / rows["ratio"] - 1).abs()
            self.assertLess(ratio.max(), 1e-12)
            self.assertTrue(rows["paired"].all())
            self.assertEqual(jitterfly.units(rows)["mean_a_s"], "s")
            self.assertEqual(list(rows["differs"]), [low > 1 or high < 1 for low, high in zip(rows["ratio_low"], rows["ratio_high"])])

    def test_flags(self):
        with self.fake("import sys; print(sys.argv[1:])"):
            printed = jitterfly.run("sweep", "a b.yaml", show=lambda _: None, os_duration=["1us", "2us"], ranks=range(2, 4), keep_trials=True, quiet=False, seed=None)
        self.assertEqual(printed, "['sweep', 'a b.yaml', '--os-duration=1us,2us', '--ranks=2,3', '--keep-trials', '--quiet=false']\n")

    def test_progress(self):
        """The program has a terminal for its progress, each state of which is shown once."""
        shown = []
        script = "import sys, time\nassert sys.stderr.isatty()\nfor i in (1, 1, 2):\n  sys.stderr.write(f'\\x1b[2K\\r[=>--] {i} of 2'); sys.stderr.flush(); time.sleep(0.05)\nprint('table')"
        with self.fake(script):
            self.assertEqual(jitterfly.run("sweep", show=shown.append), "table\n")
        self.assertEqual(shown, ["[=>--] 1 of 2", "[=>--] 2 of 2", ""])

    def test_progress_of_the_program(self):
        """A study of some seconds shows how many of its configurations are done."""
        shown = []
        jitterfly.sweep(self.path / "long", ranks="2^10..2^13", latency="1us", os_duration="10us", trials=10000, assume="paper", os_launch="stationary", workers=1, show=shown.append)
        self.assertTrue(any("of 4 configurations" in text for text in shown), shown)
        self.assertEqual(shown[-1], "")

    def test_stopping(self):
        """Stopping the cell sends the program one signal and waits for it to end."""
        note = self.path / "note"
        script = f"import signal, sys, time\ndef end(*_):\n  print('jitterfly: resume', file=sys.stderr)\n  open({str(note)!r}, 'a').write('stopped '); time.sleep(0.2); sys.exit(75)\nsignal.signal(signal.SIGINT, end)\nopen({str(note)!r}, 'w').close()\ntime.sleep(60)"

        def interrupt():
            while not note.exists():
                time.sleep(0.01)
            os.kill(os.getpid(), signal.SIGINT)

        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            with self.fake(script), self.assertRaisesRegex(KeyboardInterrupt, "^resume$"):
                threading.Thread(target=interrupt).start()
                jitterfly.run("sweep", show=lambda _: None)
        finally:
            signal.signal(signal.SIGINT, before)
        self.assertEqual(note.read_text(), "stopped ")

    def test_program(self):
        """Without a program and without Go the error says what to do."""
        with mock.patch.dict(os.environ, {"PATH": "/nowhere"}), self.assertRaisesRegex(jitterfly.Error, "install it"):
            jitterfly.program()
        with self.fake(""):
            self.assertTrue(jitterfly.program().startswith(str(self.path)))


if __name__ == "__main__":
    unittest.main()
