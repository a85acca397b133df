"""Tests of the module: python -m unittest discover notebooks, with a jitterfly on the PATH or Go."""

import contextlib
import io
import os
import re
import shlex
import shutil
import signal
import stat
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path
from unittest import mock

import duckdb
import pandas
import polars
import pyarrow

import jitterfly as jf

SMALL = {"assume": "paper", "ranks": "2^2..2^5", "latency": ["100ns", "1us"], "os_duration": "10us", "trials": 20, "keep_trials": True}
NOISY = {"noise": "azure-hc44", "ranks": [4, 8], "trials_max": 200, "resolution": 0.2}


class Test(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.stack = contextlib.ExitStack()
        cls.path = Path(cls.stack.enter_context(tempfile.TemporaryDirectory()))
        cls.stack.enter_context(mock.patch.object(jf, "folder", cls.path / "folder"))
        cls.stack.enter_context(mock.patch.dict(os.environ, {"XDG_CACHE_HOME": str(cls.path / "cache")}))
        cls.study = jf.sweep(**SMALL)

    @classmethod
    def tearDownClass(cls):
        cls.stack.close()

    def fake(self, script):
        """Puts a program in place of jitterfly."""
        folder = Path(tempfile.mkdtemp(dir=self.path))
        program = folder / "jitterfly"
        program.write_text(f"#!{sys.executable}\n{script}")
        program.chmod(program.stat().st_mode | stat.S_IEXEC)
        return mock.patch.dict(os.environ, {"PATH": f"{folder}:{os.environ['PATH']}"})


class TestTables(Test):
    def test_files(self):
        """Frames of files are the Parquet files, in either library."""
        for name, read in [("choice", self.study.choices), ("summary", self.study.summary), ("trials", self.study.trials)]:
            path = self.study.path / f"{name}.parquet"
            self.assertTrue(read().equals(polars.read_parquet(path)))
            self.assertTrue(read("pandas").equals(pandas.read_parquet(path)))
        self.assertEqual(self.study.trials().height, self.study.summary()["trials"].sum())
        self.assertEqual(self.study.study["network.latency"], ["1e-07", "1e-06"])
        with self.assertRaisesRegex(jf.Error, "'numpy' is not a library; write polars or pandas"):
            self.study.choices("numpy")

    def test_narrow(self):
        """The table has the axes that vary and then results; what is constant is beside it, and nothing is in both."""
        table = self.study.table
        self.assertEqual(table.columns[:2], ["ranks", "latency_s"])
        self.assertLess(table.width, 20)
        self.assertEqual(table.height, 8)
        self.assertEqual(self.study.constants["os_duration_s"], 1e-5)
        self.assertIs(self.study.constants["leaders_share"], False)
        self.assertFalse(set(self.study.constants) & set(table.columns))
        full = self.study.choices()
        for name in table.columns:
            self.assertTrue(table[name].equals(full[name]), name)
        for name in set(full.columns) - set(table.columns) - set(self.study.constants):  # what repeats a column
            self.assertTrue(any(table[x].to_list() == full[name].to_list() for x in table.columns), name)
        self.assertEqual(self.study.axes(), ["ranks", "latency_s"])
        words = jf.sweep(assume="hosts", collective=["ring", "binomial"], noise=["alps", "azure-hc44"], ranks=8, trials=2)
        self.assertEqual(words.axes(), ["noise_profile", "collective"])  # a profile determines the latency
        self.assertEqual(words.plot_map("slowdown").axes[0].images[0].get_array().shape, (2, 2))

    def test_libraries(self):
        """A table is of the library that is installed, and both have the same values."""
        real = jf.importlib.util.find_spec
        for missing, kind in [("polars", pandas.DataFrame), ("pandas", polars.DataFrame)]:
            with mock.patch.object(jf.importlib.util, "find_spec", lambda name, no=missing: None if name == no else real(name)):
                self.assertIsInstance(self.study.table, kind)
                self.assertEqual(list(self.study.table["ranks"]), [4, 4, 8, 8, 16, 16, 32, 32])
        with mock.patch.object(jf, "library", "pandas"):
            self.assertEqual(self.study.table.attrs["units"]["latency_s"], "s")
        with mock.patch.object(jf.importlib.util, "find_spec", lambda _: None), self.assertRaisesRegex(jf.Error, "pip install polars"):
            self.study.table

    def test_meanings(self):
        """Each column has a meaning, by either library."""
        meanings = self.study.meanings
        self.assertEqual(set(meanings), {*self.study.choices().columns, *self.study.summary().columns})
        self.assertTrue(all(meanings.values()))
        with mock.patch.object(jf, "library", "pandas"):
            self.assertEqual(self.study.meanings, meanings)

    def test_document(self):
        """The blocks of SQL and Python in docs/dataframes.md give a table for its study."""
        text = (Path(__file__).parent.parent / "docs/dataframes.md").read_text()
        command = re.search(r"^    jitterfly (.*)$", text, re.M)[1]
        jf.run(*shlex.split(command.replace("--out results", f"--out {self.path}/document/results --trials 20")))
        with contextlib.chdir(self.path / "document"), contextlib.redirect_stdout(io.StringIO()) as printed:
            for block in re.findall(r"^```sql\n(.*?)^```", text, re.M | re.S):
                for statement in block.split(";\n")[:-1] if ";\n" in block else [block]:
                    found = duckdb.sql(statement)
                    self.assertTrue(found.fetchall(), statement)
            self.assertGreater(len(found.fetchall()), 70)  # the meanings
            for block in re.findall(r"^```python\n(.*?)^```", text, re.M | re.S):
                exec(block, {})
        self.assertIn("shape: (2, 6)", printed.getvalue())

    def test_arrow(self):
        """Libraries of Arrow take an answer as a table."""
        self.assertEqual(pyarrow.table(self.study).num_rows, 8)
        study = self.study  # DuckDB finds it by its name
        self.assertEqual(duckdb.sql("SELECT max(ranks) FROM study").fetchall(), [(32,)])
        self.assertEqual(polars.DataFrame(study).height, 8)

    def test_units(self):
        found = jf.units(self.study.summary())
        for column, unit in {"mean_s": "s", "latency_s": "s", "bandwidth_Bps": "B/s", "bytes": "B", "window_bytes": "B"}.items():
            self.assertEqual(found[column], unit)
        self.assertFalse({"ranks", "speedup", "collective", "redundancy", "t_star"} & set(found))
        self.assertEqual(self.study.units["latency_s"], "s")

    def test_shown(self):
        """A notebook shows the verdict, what it rests on, and values with units."""
        for shown in self.study._repr_html_(), self.study._repr_markdown_():
            self.assertIn("100 ns", shown)
            self.assertIn(self.study.assumed[-1], shown.replace("&#x27;", "'"))
        self.assertIn("os_duration_s: 10 µs", self.study._repr_html_())
        self.assertTrue(any(line.startswith("assume paper: ") for line in self.study.assumed), self.study.assumed)
        self.assertTrue(repr(self.study).startswith(self.study.verdict))


class TestCommands(Test):
    def test_sweep(self):
        """The same call finds what is there, another one computes, and a directory can be named."""
        with mock.patch.object(jf, "executable", wraps=jf.executable):
            self.assertEqual(jf.sweep(**SMALL).path, self.study.path)
        self.assertNotEqual(jf.sweep(**SMALL | {"ranks": 64}).path, self.study.path)
        named = jf.sweep(out=self.path / "named", **SMALL)
        self.assertTrue(named.summary().equals(self.study.summary()))
        with self.assertRaisesRegex(jf.Error, "named: .*study"):
            jf.sweep(out=self.path / "named", **SMALL | {"ranks": 64})
        opened = jf.open_results(named.path)
        self.assertEqual((opened.verdict, opened.assumed), (named.verdict, named.assumed))

    def test_place(self):
        """A changed file of a profile, or a key in the environment, is another study."""
        profile = self.path / "mine.yaml"
        texts = [jf.run("presets", name) for name in ("alps", "aws-c5")]
        places = []
        for text in texts:
            profile.write_text(text)
            places.append(jf._place(None, {"noise": profile}))
        with mock.patch.dict(os.environ, {"JITTERFLY_SEED": "2"}):
            places.append(jf._place(None, {"noise": profile}))
        self.assertEqual(len(set(places)), 3)

    def test_choose(self):
        choice = jf.choose(ranks=[8, 16], os_duration="10us", trials_max=300)
        self.assertEqual(choice.table["ranks"].to_list(), [8, 16])
        self.assertLess(choice.table.width, 24)
        row = choice.table.row(0, named=True)
        self.assertLessEqual(row["ci_low_s"], row["mean_s"])
        self.assertAlmostEqual(row["baseline_s"] / row["mean_s"] / row["speedup"], 1, delta=0.02)
        self.assertEqual(choice.constants["os_duration_s"], 1e-5)
        self.assertTrue(set(choice.near.columns) >= {"ranks", "collective", "objective_s"})
        self.assertIn(str(row["collective"]), choice.text)
        one = jf.choose(ranks=8, os_duration="10us", trials_max=300)
        self.assertEqual((one.table.height, one.constants["ranks"]), (1, 8))
        self.assertEqual(len(choice.plot_gain().axes[0].lines[0].get_xdata()), 2)

    def test_attribute(self):
        found = jf.attribute(**NOISY)
        self.assertEqual(set(found.table["design"]), {"plain", "chosen"})
        self.assertEqual(set(found.table["ranks"]), {4, 8})
        self.assertIn("network noise", found.verdict)
        self.assertEqual(len(found.verdict.split("\n")), 2)
        self.assertTrue((found.remedies["step"] >= 1).all())
        axes = found.plot_shares().axes[0]
        self.assertEqual({c.get_label() for c in axes.collections}, set(found.table["name"]))
        plain = found.table.filter(ranks=4, design="plain")
        top = max(p.vertices[:, 1].max() for c in axes.collections for p in c.get_paths())
        self.assertAlmostEqual(top, 100)
        self.assertAlmostEqual(plain["share_s"].sum() / (plain["time_s"][0] - plain["noise_free_s"][0]), 1)

    def test_attribute_one(self):
        found = jf.attribute(**NOISY | {"ranks": 8})
        bars = {bar.get_width() for axes in found.plot_shares().axes for bar in axes.patches}
        self.assertEqual(bars, set(found.table["share_s"]))

    def test_timeline(self):
        found = jf.timeline(ranks=8, redundancy=1, slowest=True, os_duration="10us")
        self.assertIn("On the critical path", found.verdict)
        self.assertEqual(len(set(found.table["track"])), 8)
        self.assertTrue((found.table["from_s"] <= found.table["to_s"]).all())
        figure = found.plot()
        self.assertEqual(figure.axes[0].get_ylabel(), "rank")
        self.assertEqual([tick.get_text() for tick in figure.axes[0].get_yticklabels()], [str(rank) for rank in range(8)])
        self.assertIn("critical path", [text.get_text() for text in figure.legends[0].get_texts()])

    def test_compare(self):
        other = jf.sweep(**SMALL | {"sources": 2})
        for library in "polars", "pandas":
            with mock.patch.object(jf, "library", library):
                found = jf.compare(self.study, other, at=1)
                rows = found.table
                self.assertEqual(len(rows), 8)
                ratio = (rows["mean_b_s"] / rows["mean_a_s"] / rows["ratio"] - 1).abs()
                self.assertLess(ratio.max(), 1e-12)
                self.assertTrue(rows["paired"].all())
                self.assertEqual(found.units["mean_a_s"], "s")
                self.assertEqual(list(rows["differs"]), [low > 1 or high < 1 for low, high in zip(rows["ratio_low"], rows["ratio_high"])])
        self.assertEqual(list(found.plot_ratio().axes[0].lines[0].get_ydata()), list(rows[rows["latency_s"] == 1e-7]["ratio"]))

    def test_program(self):
        found = jf.program(jf.example_recording(self.path / "recording", ranks=8, calls=50))
        self.assertEqual(found.table["call"].to_list(), ["allreduce"])
        self.assertEqual((found.table["site"][0], found.table["collectives"][0]), ("solve (example+0x1000)", 50))
        self.assertAlmostEqual(found.table["compute_s"][0], 1.006e-3, delta=1e-5)
        self.assertEqual(found.ranks["rank"].to_list(), list(range(8)))
        self.assertEqual(found.ranks["last"].arg_max(), 7)
        self.assertIn("rank 7", found.text)
        self.assertNotIn("incomplete", found.text)
        self.assertEqual(len(found.plot_ranks().axes[0].patches), 8)

    @unittest.skipUnless(sys.platform == "linux", "measure needs Linux")
    def test_measure(self):
        found = jf.measure(duration="100ms", cores=0, allow_busy=True)
        self.assertEqual(set(found.table["core"]), {0})
        self.assertTrue((found.table["length_s"] > 0).all())
        self.assertIn("fit:", found.verdict)
        self.assertEqual(len(found.plot_lengths().axes[0].lines[0].get_xdata()), len(found.table))
        self.assertNotEqual(jf.measure(duration="100ms", cores=0, allow_busy=True).path, found.path)
        self.assertIn("measured", jf.sweep(ranks=4, trials=5, noise=found).constants["noise_profile"])

    def test_import(self):
        detours = [(0.004 * i, 3 + i % 3) for i in range(200)]  # begin [s] and length [µs], written as LogGOPSim has them
        text = self.path / "selfish.txt"
        text.write_text("# noise of a core, nanoseconds\n" + "".join(f"{begin * 1e9:.0f}\t{length * 1e3}\n" for begin, length in detours))
        profile = self.path / "imported.yaml"
        found = jf.import_noise(text, out=profile)
        self.assertEqual(str(found), str(profile))
        self.assertTrue(found.table["kind"].to_list())
        self.assertIn("fit:", found.verdict)

    def test_errors(self):
        """What is wrong is the program's own line, with its suggestion."""
        for flags, line in [
            ({"latency": "1"}, r"^--latency: .*unit"), ({"rank": 4}, r"unknown flag: --rank; did you mean --ranks"),
            ({"collective": "rng"}, "did you mean ring"), ({"os_duration": "2ms"}, "os-duration"),
        ]:
            with self.assertRaisesRegex(jf.Error, line):
                jf.sweep(**flags)
        with self.assertRaisesRegex(jf.Error, "nowhere: not a directory of results"):
            jf.open_results(self.path / "nowhere")
        with self.assertRaisesRegex(jf.Error, "did not keep its trials"):
            jf.sweep(assume="hosts", ranks=4, trials=2).trials()
        with self.assertRaisesRegex(jf.Error, r"^format: .*run\('compare', format=…\)"):
            jf.compare(self.study, self.study, format="csv")
        with self.assertRaisesRegex(jf.Error, r'^out: .*run\("figures", "timeline", out=…\)'):
            jf.timeline(ranks=8, out="a.png")
        with self.assertRaisesRegex(jf.Error, "-none: no such directory"):  # a path, and no flag
            jf.compare("-none", self.study)

    def test_damaged(self):
        """Files that cannot be read are errors of the module, too."""
        damaged = Path(shutil.copytree(self.study.path, self.path / "damaged"))
        (damaged / "summary.parquet").write_text("not Parquet")
        with self.assertRaisesRegex(jf.Error, "summary.parquet: it cannot be read"):
            jf.open_results(damaged).summary()
        (damaged / "run.json").write_text("{")
        with self.assertRaisesRegex(jf.Error, "run.json.*damaged"):
            jf.open_results(damaged)

    def test_without_home(self):
        """A user without a home has a folder for temporary files."""
        with mock.patch.dict(os.environ, {"XDG_CACHE_HOME": ""}), mock.patch.object(Path, "home", side_effect=RuntimeError):
            self.assertEqual(jf._cache().parent, Path(tempfile.gettempdir()))


class TestPictures(Test):
    def test_completion(self):
        """Lines have the values of the tables, panels those of the other axes, and the width is the one in print."""
        figure = self.study.plot_completion(width="85mm")
        self.assertAlmostEqual(figure.get_figwidth(), 85 / 25.4)
        self.assertEqual([axes.get_title() for axes in figure.axes], ["latency 100 ns", "latency 1 µs"])
        lines = {line.get_label(): line for line in figure.axes[1].lines}
        rows = self.study.summary().filter(latency_s=1e-6, redundancy=0).sort("ranks")
        self.assertEqual(list(lines["T = 0, mean with its confidence interval"].get_ydata()), rows["mean_s"].to_list())
        self.assertEqual(list(lines["without noise"].get_ydata()), rows["quiet_s"].to_list())
        self.assertEqual(lines["T = 0, mean with its confidence interval"].get_color(), "#d55e00")
        self.assertEqual([tick.get_text() for tick in figure.axes[0].get_xticklabels()], ["4", "8", "16", "32"])
        self.assertTrue(figure._repr_png_().startswith(b"\x89PNG"))
        for ending in "png", "svg", "pdf":
            figure.savefig(self.path / f"a.{ending}")
            self.assertGreater((self.path / f"a.{ending}").stat().st_size, 1000)
        with self.assertRaisesRegex(jf.Error, "width: '85' is not a width in print"):
            self.study.plot_completion(width="85")

    def test_map(self):
        """A map has the values of the table, and its ticks those of the axes, with units."""
        axes = self.study.plot_map("mean_s", at=0).axes[0]
        cells = axes.images[0].get_array()
        for row in self.study.summary().filter(redundancy=0).iter_rows(named=True):
            x, y = [4, 8, 16, 32].index(row["ranks"]), [1e-7, 1e-6].index(row["latency_s"])
            self.assertEqual(cells[y, x], row["mean_s"])
        self.assertEqual([tick.get_text() for tick in axes.get_xticklabels()], ["4", "8", "16", "32"])
        self.assertEqual([tick.get_text() for tick in axes.get_yticklabels()], ["100 ns", "1 µs"])
        best = self.study.plot_map("t_estimate", y="ranks", x="latency").axes[0]
        self.assertEqual(sorted(best.images[0].get_array().ravel()), sorted(self.study.choices()["t_estimate"]))
        one = self.study.plot_map("mean", latency="1us").axes[0]
        self.assertEqual(one.images[0].get_array().shape, (1, 4))

    def test_gain(self):
        axes = self.study.plot_gain(latency=1e-6).axes[0]
        rows = self.study.summary().filter(latency_s=1e-6).sort("ranks", "redundancy")
        line = next(line for line in axes.lines if line.get_label() == "T = 2")
        self.assertIn(line.get_marker(), (None, "None"))
        want = [100 * (1 - b / a) for a, b in zip(rows.filter(redundancy=0)["mean_s"], rows.filter(redundancy=2)["mean_s"])]
        self.assertEqual(list(line.get_ydata()), want)

    def test_one_point(self):
        """A line of one point is seen."""
        one = jf.sweep(**SMALL | {"ranks": 32, "latency": "1us"})
        for figure in one.plot_completion(), one.plot_gain():
            self.assertEqual({line.get_marker() for line in figure.axes[0].lines if len(line.get_xdata()) == 1}, {"o"})

    def test_distribution(self):
        """It has every trial, or without trials the quantiles."""
        axes = self.study.plot_distribution(ranks=32, latency="1us").axes[0]
        trials = self.study.trials().join(self.study.choices().filter(ranks=32, latency_s=1e-6), on="config_id")
        self.assertEqual(list(axes.lines[0].get_xdata()), sorted(trials.filter(redundancy=0)["completion_s"]))
        bare = jf.sweep(**SMALL | {"keep_trials": False, "trials": 50})
        line = bare.plot_distribution(ranks=32, latency="1us").axes[0].lines[0]
        row = bare.summary().filter(ranks=32, latency_s=1e-6, redundancy=0).row(0, named=True)
        self.assertEqual(list(line.get_xdata()), [row["min_s"], row["p50_s"], row["max_s"]])
        self.assertEqual(line.get_linestyle(), "None", "nothing is known between quantiles")

    def test_errors(self):
        with self.assertRaisesRegex(jf.Error, "'sped' is not a column of the results; did you mean speedup"):
            self.study.plot_map("sped")
        with self.assertRaisesRegex(jf.Error, "no configuration has ranks=5; ranks is 4, 8, 16, 32"):
            self.study.plot_completion(ranks=5)
        many = jf.sweep(ranks=[4, 8], latency="1us", os_duration=[f"{i}us" for i in range(1, 15)], assume="hosts", trials=2)
        with self.assertRaisesRegex(jf.Error, "14 panels are too many for a picture; give a value, for example os_duration_s=1e-06"):
            many.plot_completion("ranks")


class TestQuestions(Test):
    """Questions of a researcher, in at most three lines each."""

    def test_t_over_detour_length_for_all_ranks(self):
        study = jf.sweep(ranks="2^4..2^6", latency="1us", os_duration=["5us", "20us"], assume="hosts", trials=20)
        table = study.table.pivot("ranks", index="os_duration_s", values="t_estimate")
        self.assertEqual(table.columns, ["os_duration_s", "16", "32", "64"])

    def test_distribution_of_one_configuration(self):
        study = jf.sweep(ranks=64, latency="1us", os_duration="10us", assume="hosts", trials=100, keep_trials=True)
        figure = study.plot_distribution()
        self.assertEqual(len(figure.axes), 1)

    def test_two_sweeps_compared(self):
        a, b = (jf.sweep(ranks="2^4..2^6", latency="1us", os_duration=length, assume="hosts", trials=50) for length in ("10us", "20us"))
        ratio = jf.compare(a, b).table["ratio"]
        self.assertEqual(len(ratio), 3)

    def test_which_source_costs_what_over_ranks(self):
        found = jf.attribute(**NOISY)
        table = found.table.filter(design="plain").pivot("ranks", index="name", values="share_s")
        self.assertEqual(table.columns, ["name", "4", "8"])

    def test_picture_for_a_paper(self):
        study = jf.sweep(ranks="2^4..2^6", latency="1us", os_duration="10us", assume="hosts", trials=20)
        study.plot_completion(width="85mm", title=False).savefig(self.path / "completion.pdf")
        self.assertTrue((self.path / "completion.pdf").exists())


class TestProgress(Test):
    def test_flags(self):
        with self.fake("import sys; print(sys.argv[1:])"):
            printed = jf.run("sweep", "a b.yaml", show=lambda _: None, os_duration=["1us", "2us"], ranks=range(2, 4), keep_trials=True, quiet=False, seed=None)
        self.assertEqual(printed, "['sweep', 'a b.yaml', '--os-duration=1us,2us', '--ranks=2,3', '--keep-trials', '--quiet=false']\n")

    def test_progress(self):
        """The program has a terminal for its progress, each state of which is shown once."""
        shown = []
        script = "import sys, time\nassert sys.stderr.isatty()\nfor i in (1, 1, 2):\n  sys.stderr.write(f'\\x1b[2K\\r[=>--] {i} of 2'); sys.stderr.flush(); time.sleep(0.05)\nprint('table')"
        with self.fake(script):
            self.assertEqual(jf.run("sweep", show=shown.append), "table\n")
        self.assertEqual(shown, ["[=>--] 1 of 2", "[=>--] 2 of 2", ""])

    def test_bar(self):
        """Below a cell progress is a bar, which is written over."""
        line, shown = jf._Line(), []
        display = mock.Mock()
        display.display.side_effect = lambda content, **_: shown.append(content["text/html"]) or mock.Mock(update=lambda content, **_: shown.append(content["text/html"]))
        with mock.patch.dict(sys.modules, {"IPython": mock.Mock(display=display)}), line:
            for text in ("[==>-] 1 of 2", "[===>] 2 of 2", ""):
                line._display(text)
        self.assertEqual([x.split(" style")[0] for x in shown], ["<progress value=0.750", "<progress value=1.000", ""])

    def test_progress_of_the_program(self):
        """A study of some seconds shows how many of its configurations are done."""
        shown = []
        jf.sweep(ranks="2^10..2^13", latency="1us", os_duration="10us", trials=10000, assume="paper", os_launch="stationary", workers=1, show=shown.append)
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
                jf.run("sweep", show=lambda _: None)
        finally:
            signal.signal(signal.SIGINT, before)
        self.assertEqual(note.read_text(), "stopped ")

    def test_executable(self):
        """Without a program and without Go the error says what to do."""
        with mock.patch.dict(os.environ, {"PATH": "/nowhere"}), self.assertRaisesRegex(jf.Error, "install it"):
            jf.executable()
        with self.fake(""):
            self.assertTrue(jf.executable().startswith(str(self.path)))


if __name__ == "__main__":
    unittest.main()
