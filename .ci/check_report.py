#!/usr/bin/env python3
"""Checks a report in a browser against the Parquet files that it shows.

    check_report.py [--browser PATH] [--pictures DIR] REPORT DIR

Opens REPORT, which `jitterfly report DIR` wrote, in headless Chromium, without a
network. It must load without a message on the console and without a request; the
numbers that it shows must be those of DIR's tables; the mouse, the keyboard and
the address must change what it shows, a click within 100 ms, beside what was
clicked on; every chart must be readable with the mouse and the keyboard; and it
must print and have a dark mode. With
--pictures it leaves pictures of all that to look at. Prints what it has checked, or
says on stderr what is wrong and exits 1.
"""

import argparse
import json
import re
import statistics
import sys
import time
from collections import defaultdict
from pathlib import Path

import pyarrow.parquet
from playwright.sync_api import Error, sync_playwright

# Seconds: until a page must be ready (1 is usual), until it must answer this script, which
# waits for the browser, and until it must have drawn what a click changes.
LOADED, ANSWERED, CLICKED = 20, 3, 0.1
ROWS = 250  # of the answer, that are looked at
UNITS = {"s": 1, "ms": 1e-3, "µs": 1e-6, "ns": 1e-9, "×": 1, "%": 0.01, "": 1}


class Wrong(Exception):
    """A difference from what the page should be."""


def expect(holds, message):
    if not holds:
        raise Wrong(message)


def same(shown, value):
    """Whether a text is a value, rounded to the digits that it has."""
    match = re.fullmatch(r"(−?[0-9\u202f]+(?:\.([0-9]+))?) ?(s|ms|µs|ns|×|%|)(?: [?*])?\s*", shown)
    if not match:
        return False
    number, decimals, unit = match.groups()
    size = UNITS[unit]
    step = size * 10 ** -len(decimals or "")
    # Confidences are rounded down, the page has single precision, and large
    # numbers may end in zeros that are no digits of theirs.
    room = step if unit == "%" else step / 2
    digits = number.replace("\u202f", "").replace("−", "-")
    if "." not in digits and unit:
        room *= 10 ** (len(digits) - len(digits.rstrip("0")))
    return abs(float(digits) * size - value) <= room * 1.001 + 2e-7 * abs(value)


# The shares of the quantiles of the summary, by their columns: p99_s has the share 0.99.
QUANTILES = {}


def resolved(p, trials):
    """Whether ten trials are expected beyond the p-quantile."""
    return round(trials * (1 - p), 6) >= 10


def beside(choice, plain):
    """A row of a choice with what the page computes and shows beside it, from the row of the summary at T = 0."""
    return choice | {"gain": choice["baseline_s"] / choice["estimate_s"], "floor_s": plain["floor_s"], "quiet_s": plain["quiet_s"]}


class Results:
    """The tables, as the page numbers their configurations."""

    def __init__(self, folder):
        def read(name):
            return pyarrow.parquet.read_table(folder / f"{name}.parquet").to_pylist()

        self.choices = read("choice")
        self.summary = defaultdict(list)
        for row in read("summary"):
            self.summary[row["config_id"]].append(row)
            QUANTILES.update((name, float(f"0.{name[1:-2]}")) for name in row if re.fullmatch(r"p\d+_s", name))
        self.trials = defaultdict(list)
        if (folder / "trials.parquet").exists():
            for row in read("trials"):
                self.trials[row["config_id"], row["redundancy"]].append(row["completion_s"])
        study = json.loads((folder / "run.json").read_text())["study"]

    def choice(self, number):
        """The row of a choice, with the numbers that the page shows beside it."""
        return beside(self.choices[number], self.summary[self.choices[number]["config_id"]][0])


class Report:
    """A report in a browser."""

    def __init__(self, browser, path, fragment="", **context):
        self.problems = []
        self.context = browser.new_context(offline=True, viewport={"width": 1280, "height": 900}, **context)
        self.page = self.context.new_page()
        self.page.set_default_timeout(LOADED * 1000)
        self.page.on("console", lambda message: self.problems.append(f"console: {message.text}"))
        self.page.on("pageerror", lambda error: self.problems.append(f"error: {error}"))
        address = path.resolve().as_uri()

        def request(sent):
            if sent.url.split("#")[0] != address and not sent.url.startswith("data:"):
                self.problems.append(f"request: {sent.url}")

        self.page.on("request", request)
        begin = time.monotonic()
        self.page.goto(address + fragment)
        try:
            self.page.wait_for_selector("html[data-ready]")
        except Error as error:
            raise Wrong(f"not ready after {LOADED} s: {self.problems}") from error
        self.seconds = time.monotonic() - begin

    def quiet(self):
        expect(not self.problems, "; ".join(self.problems))

    def cells(self, selector):
        """Of every element that the selector finds: its number, and its texts by column."""
        return self.page.eval_on_selector_all(
            selector,
            """rows => rows.map(row => [Number(row.dataset.config ?? row.dataset.t),
                Object.fromEntries([...row.querySelectorAll('[data-column]')].map(c => [c.dataset.column, c.textContent]))])""",
        )

    def shown(self):
        """The config_id in the detail."""
        return self.page.inner_text("#detail-source").split("config_id ")[1]

    def answered(self, what, act):
        """Does something, after which the detail must show another configuration, soon."""
        before, begin = self.shown(), time.monotonic()
        act()
        expect(self.shown() != before, f"{what} does not change the detail")
        expect(time.monotonic() - begin < ANSWERED, f"{what} takes more than {ANSWERED} s")


def compare(where, texts, row, columns):
    for column in columns:
        if column not in texts:
            raise Wrong(f"{where}: no {column}")
        text, value = texts[column], row[column]
        if column == "t_estimate":
            low, high = row["t_low"], row["t_high"]
            expect(text.strip() == (f"{value} ({low}–{high})" if low < high else str(value)),
                   f"{where}: {column} is {text!r}, and {value}, {low} to {high} in Parquet")
            continue
        expect(same(text.rstrip(" ?*"), value), f"{where}: {column} is {text!r}, and {value!r} in Parquet")


def check_answer(report, results):
    """The rows of the answer are those of the choices: all, or the first of many."""
    page, found = report.page, 0
    for number, texts in report.cells("#answer-table td.pick"):
        compare(f"folded, configuration {number}", texts, results.choice(number), ["t_estimate", "estimate_s", "gain"])
        found += 1
    if found:
        expect(found == len(results.choices), f"{found} cells of {len(results.choices)} configurations")
        page.select_option("#answer-controls select", "list")
    seen = set()
    columns = ["t_estimate", "estimate_s", "baseline_s", "gain", "gain_low", "confidence", "floor_s"]
    while True:
        for number, texts in report.cells("#answer-table tr.pick"):
            row = results.choice(number)
            compare(f"row of configuration {number}", texts, row, columns)
            expect(texts["warning"] == row["warning"], f"configuration {number}: warning {texts['warning']!r}")
            seen.add(number)
        following = page.locator("#answer-pager button", has_text="Next")
        if not following.is_visible() or following.is_disabled() or len(seen) >= ROWS:
            break
        following.click()
    wanted = set(range(min(ROWS, len(results.choices))))
    expect(wanted <= seen, f"{len(seen)} rows of {len(results.choices)} configurations")


def check_sort(report, results):
    """A click on a title sorts all rows."""
    report.page.click("#answer-table thead button:has-text('gain')")
    numbers = [number for number, _ in report.cells("#answer-table tr.pick")]
    of = [results.choice(number)["gain"] for number in range(len(results.choices))]
    gains, lowest = [of[number] for number in numbers], min(of)
    expect(gains == sorted(gains) and gains[0] == lowest, "sorting by gain does not")


def check_detail(report, results):
    """The detail's numbers are those of the configuration that it names."""
    rows = results.summary[report.shown()]
    choice = next(c for c in results.choices if c["config_id"] == report.shown())
    [(_, texts)] = report.cells("#detail-values")
    compare("detail", texts, beside(choice, rows[0]), ["t_estimate", "estimate_s", "baseline_s", "gain", "t_star", "gain_low", "confidence", "quiet_s"])
    table = report.cells("#detail-table tr.pick")
    expect(len(table) == len(rows), f"{len(table)} rows of {len(rows)} T")
    columns = "redundancy mean_s ci_low_s ci_high_s slowdown speedup min_s max_s messages".split()
    columns += [name for name, p in QUANTILES.items() if resolved(p, rows[0]["trials"])]
    for (t, texts), row in zip(table, rows):
        beyond = set(texts) & set(QUANTILES) - set(columns)
        expect(not beyond, f"{report.shown()}: {beyond} of {rows[0]['trials']} trials")
        compare(f"{report.shown()} at T = {t}", texts, row, columns)


def check_distribution(report, results):
    """The curves are quantiles of the trials, or resolved ones of the summary if there are none."""
    config = report.shown()
    trials = results.summary[config][0]["trials"]
    known = {f"{p * 100:g}": name for name, p in QUANTILES.items() if resolved(p, trials)} | {"0": "min_s"}
    if len(known) < 3 and (config, 0) not in results.trials:
        expect(report.page.locator("#detail-shares svg[tabindex]").count() == 0, f"a distribution of {trials} trials")
        return
    points = read_chart(report, "#detail-shares")
    for text in points:
        shown = re.fullmatch(r"T = (\d+).*\n([\d.]+)% within (.*)", text)
        expect(shown, f"{config}: a point of the distribution says {text!r}")
        t, share, within = shown.groups()
        sample = sorted(results.trials[config, int(t)])
        if sample:
            # The share is rounded to three digits, so any near to it will do.
            at = float(share) / 100 * (len(sample) - 1)
            low, high = sample[max(0, int(at - 1))], sample[min(len(sample) - 1, int(at + 2))]
            inside = any(same(within, v) for v in (low, high)) or low <= to_seconds(within) <= high
            expect(inside, f"{config} {text!r}, and from {low!r} to {high!r} in Parquet")
        elif share in known:
            value = results.summary[config][int(t)][known[share]]
            expect(same(within, value), f"{config}: {text!r}, and {value!r} in Parquet")
        else:
            raise Wrong(f"{config}: {text!r} is no resolved quantile of the summary")


def check_curve(report, results):
    """The means against T are those of the summary."""
    rows = results.summary[report.shown()]
    points = read_chart(report, "#detail-curve")
    expect(len(points) == len(rows), f"{len(points)} points of {len(rows)} T")
    for t, (text, row) in enumerate(zip(points, rows)):
        shown = re.fullmatch(r"T = (\d+)(?:, best)?\nmean (.*)\nfrom (.*) to (.*)\nspeed-up (.*)", text)
        expect(shown and int(shown[1]) == t and same(shown[2], row["mean_s"]), f"{text!r}, and {row!r} in Parquet")


def to_seconds(text):
    number, unit = text.split(" ")
    return float(number) * UNITS[unit]


def read_chart(report, chart):
    """What a chart says under the keys, at every point of every row; the mouse must find its first point."""
    page, texts = report.page, []
    tip = lambda: page.inner_text("#tip") if page.is_visible("#tip") else ""
    page.mouse.move(0, 0)  # where nothing scrolls beneath it
    page.keyboard.press("Tab")  # so that what is focused is visibly so
    page.focus(f"{chart} svg[tabindex]")
    expect(tip(), f"{chart} says nothing when it has the focus")
    while True:
        page.keyboard.press("Home")
        last = None
        while tip() != last:
            last = tip()
            texts.append(last)
            page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowDown")
        if tip() in texts:
            break
    page.keyboard.press("Home")
    said = tip()
    page.locator(f"{chart} .ring").scroll_into_view_if_needed()
    box = page.locator(f"{chart} .ring").bounding_box()
    page.keyboard.press("Escape")
    expect(not tip(), f"{chart}: Escape leaves the text of a point")
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    # Where curves meet, it may find the point of another.
    expect(tip().split("\n")[-1] == said.split("\n")[-1], f"{chart}: the mouse finds {tip()!r} where the keys found {said!r}")
    page.mouse.move(0, 0)
    return texts


def cell_centre(report, column, row):
    """Where on the screen a cell of the heat map is, counted from the top left; and how many there are."""
    page = report.page
    page.locator("#map-chart .heat").scroll_into_view_if_needed()
    box = page.locator("#map-chart .heat .hole").bounding_box()
    cursor = page.locator("#map-chart .cursor").first.bounding_box()
    stroke = 5
    w, h = cursor["width"] - stroke, cursor["height"] - stroke
    if w <= 0 or h <= 0 or box["width"] / w > 500:
        w, h = page.eval_on_selector("#map-chart .cursor", "c => [c.width.baseVal.value, c.height.baseVal.value]")
    columns, rows = max(1, round(box["width"] / w)), max(1, round(box["height"] / h))
    w, h = box["width"] / columns, box["height"] / rows
    return box["x"] + (column % columns + 0.5) * w, box["y"] + (row % rows + 0.5) * h


def check_ticks(report, column, row):
    """What stands beside a cell's line and column is in the name of its configuration."""
    name = report.page.inner_text("#detail-name").replace(",", " ").split()
    for axis, place in ("across", column), ("up", row):
        tick = report.page.locator(f"#map-chart .{axis}[data-place='{place}']")
        if tick.count() == 0:  # no room for each
            continue
        text = tick.text_content()
        power = re.fullmatch("2([⁰¹²³⁴⁵⁶⁷⁸⁹]+)", text)
        if power:
            text = str(2 ** int(power[1].translate(str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789"))))
        missing = set(text.replace(",", " ").split()) - set(name)
        expect(not missing, f"the cell beside {text!r} is {' '.join(name)}")


def check_map(report, results):
    """Hovering shows a cell's number, a click and the keys choose it."""
    page, name = report.page, report.page.inner_text("#detail-name")
    for cell in [(column, row) for row in range(3) for column in range(3)]:
        page.mouse.move(*cell_centre(report, *cell))
        shown = page.inner_text("#tip")
        if not shown.startswith((name, "not in the study")):
            break
    report.answered("a click on a cell", lambda: page.mouse.click(*cell_centre(report, *cell)))
    check_ticks(report, *cell)
    choice = next(c for c in results.choices if c["config_id"] == report.shown())
    row = results.summary[report.shown()][choice["t_estimate"]]
    value = re.search(r"speed-up over T = 0 at T = (\d+): (.*)", shown)
    expect(value and int(value[1]) == choice["t_estimate"] and same(value[2], row["speedup"]),
           f"hovering says {shown!r}, and Parquet {row['speedup']!r} at T = {choice['t_estimate']}")
    check_detail(report, results)
    page.focus("#map-chart .heat")

    def keys():
        before = report.shown()
        for key in ["ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp"]:
            page.keyboard.press(key)
            page.keyboard.press("Enter")
            if report.shown() != before:
                return

    report.answered("the keyboard", keys)
    check_detail(report, results)


def check_table_keys(report, results):
    """The table's rows can be gone through and chosen without a mouse."""
    page = report.page
    page.focus("#answer-table [tabindex='0']")

    def keys():
        before = report.shown()
        for key in ["ArrowDown", "ArrowDown"]:
            page.keyboard.press(key)
            page.keyboard.press("Enter")
            if report.shown() != before:
                return

    report.answered("the keyboard in the table", keys)
    check_detail(report, results)
    check_distribution(report, results)
    page.locator("#detail-table tr.pick").last.click()
    best = page.inner_text("#detail-values [data-column=t_estimate]").split(" ")[0]
    last = page.locator("#detail-table tr.pick").last.get_attribute("data-t")
    if last not in ("0", best) and page.locator("#detail-shares svg[tabindex]").count():
        shown = read_chart(report, "#detail-shares")
        expect(any(text.startswith(f"T = {last}\n") for text in shown), "a row of the detail does not add its distribution")
        check_distribution(report, results)


def check_controls(report):
    """Every measure draws another picture, soon, with numbers in all cells or in none; T = 0 is not compared with itself."""
    page, seen = report.page, set()
    show = page.locator("#map-controls select").first
    options = show.locator("option").evaluate_all("options => options.map(option => option.value)")
    for option in options:
        begin = time.monotonic()
        page.locator("#map-controls select").first.select_option(option)
        seen.add(page.inner_html("#map-chart"))
        expect(time.monotonic() - begin < ANSWERED, f"drawing {option} takes more than {ANSWERED} s")
        expect(page.locator("#map-controls select").nth(1).input_value() == "best", f"the map of {option} is not at the best T")
        cells, known = page.evaluate("""() => {
            const map = document.querySelector('#map-chart .heat');
            const holes = document.querySelectorAll('#map-chart .swatches .hole').length > 0;
            return [map.querySelectorAll('.cell').length, holes ? 0 : map.querySelectorAll('.across').length];
        }""")
        note = page.is_visible("#map-small")
        expect((cells == 0) == note and (note or cells % max(known, 1) == 0), f"{cells} numbers in the cells of {option}")
    expect(len(seen) == len(options), f"{len(seen)} pictures of {len(options)} measures")
    page.locator("#map-controls select").first.select_option("speedup")
    offered = page.locator("#map-controls select").nth(1).locator("option").all_inner_texts()
    expect("T = 0" not in offered, "the map offers the speed-up of T = 0 over itself")


def click_times(report):
    """Seconds from clicks on configurations to what is drawn thereafter, in the table and in the map."""
    return report.page.evaluate(
        """async () => {
            const drawn = () => new Promise(done => requestAnimationFrame(() => {
                const channel = new MessageChannel();
                channel.port1.onmessage = done;
                channel.port2.postMessage(0);
            }));
            const times = [];
            for (let i = 0; i < 12; i++) {
                const rows = document.querySelectorAll('#answer-table .pick'), map = document.querySelector('#map-chart .heat');
                const box = map.querySelector('.hole').getBoundingClientRect();
                const at = { clientX: box.left + box.width * (i + 0.5) / 12, clientY: box.top + box.height / 2, bubbles: true };
                await drawn();
                const begin = performance.now();
                if (i % 2) map.dispatchEvent(new MouseEvent('click', at));
                else rows[(7 * i) % rows.length].click();
                await drawn();
                times.push((performance.now() - begin) / 1000);
            }
            return times;
        }"""
    )


def check_click(report):
    """A click is answered in time. Prints what it takes."""
    times = click_times(report)
    usual = statistics.median(times)
    print(f"{len(times)} clicks are drawn after {usual * 1e3:.0f} ms, at most {max(times) * 1e3:.0f} ms")
    expect(usual <= CLICKED, f"a click is drawn after {usual * 1e3:.0f} ms")


def check_beside(report):
    """What a click shows is on the screen, beside it where there is room and else after it, with a way back."""
    page = report.page
    for width, height in [(1280, 900), (390, 844)]:
        page.set_viewport_size({"width": width, "height": height})
        page.locator("#answer-table .pick").first.click()
        picked = page.locator("#answer-table .pick").last
        before = page.inner_text("#detail-source")
        picked.scroll_into_view_if_needed()
        picked.click()
        expect(page.inner_text("#detail-source") != before, "nothing is shown")
        page.wait_for_function(
            """() => {
                const { top, bottom } = document.getElementById('detail-name').getBoundingClientRect();
                return top >= 0 && bottom <= innerHeight;
            }""", timeout=ANSWERED * 1000)
        if width < 1000:
            page.click("#detail-back")
            page.wait_for_function("document.activeElement.matches('#answer-table .pick.on')", timeout=ANSWERED * 1000)
    page.set_viewport_size({"width": 1280, "height": 900})


def check_headline(report, results):
    """The headline has the median gain under each assumption, and the largest gain that is certain, whose link shows it."""
    page = report.page
    text = page.inner_text(".headline")
    under = defaultdict(list)
    for c in results.choices:
        under[c["assume"]].append(c)
    medians, bests = [], []
    for choices in under.values():
        certain = [c for c in choices if c["gain_low"] > 1 and c["t_star"] > 0]
        if certain:
            medians.append(statistics.median(c["speedup"] for c in choices))
            bests.append(max(certain, key=lambda c: c["speedup"]))
    shown = re.findall(r"Median gain: ([\d.]+×)", text)
    expect(len(shown) == len(medians) and all(map(same, shown, medians)), f"{text!r}, and medians of {medians}")
    links = page.locator(".headline a")
    expect(links.count() == len(bests), f"{text!r} of {len(bests)} certain gains")
    for i, best in enumerate(bests):
        link = links.nth(i)
        expect(f"{best['speedup']:.2f}×" in link.inner_text(), f"{text!r}, and the best is {best['speedup']}")
        link.click()
        page.wait_for_function("id => document.getElementById('detail-source').textContent.endsWith(id)", arg=best["config_id"], timeout=ANSWERED * 1000)


def check_address(browser, path, report, results):
    """The address names what is selected: another page opened there shows the same."""
    page = report.page
    page.locator("#map-controls select").first.select_option("mean_s")
    page.locator("#map-controls select").nth(1).select_option("0")
    page.locator("#answer-table .pick").last.click()
    page.locator("#detail-table tr.pick").last.click()
    picked, fragment = report.shown(), page.evaluate("location.hash")
    expect(picked in fragment, f"{fragment} does not name {picked}")

    def state(page):
        selects = page.locator("#map-controls select")
        return (page.inner_text("#detail-source"), page.locator("#detail-table tr.on").get_attribute("data-t"),
                [selects.nth(i).input_value() for i in range(selects.count())], page.inner_html("#map-chart"))

    other = Report(browser, path, fragment)
    expect(state(other.page) == state(page), f"{fragment} does not show what it names")
    expect(other.page.evaluate("location.hash") == fragment, "opening an address changes it")
    other.quiet()
    other.context.close()
    page.locator("#answer-table .pick").first.click()
    page.go_back()
    page.wait_for_function("hash => location.hash === hash", arg=fragment, timeout=ANSWERED * 1000)
    expect(report.shown() == picked, "the way back does not show what was there")
    wrong = Report(browser, path, "#config=nothing")
    expect("nothing" in wrong.page.inner_text("#notice"), "an address of another study's configuration is not refused")
    wrong.quiet()
    wrong.context.close()


# Texts of charts and captions that stick out of what they are in, or out of the window.
OVERFLOW = """() => [...document.querySelectorAll('.chart text, .caption span, .swatch')].filter(text => {
    const { left, right, width } = text.getBoundingClientRect(), box = text.closest('.chart').getBoundingClientRect();
    return width > 0 && (left < box.left - 1 || right > box.right + 1);
}).map(text => text.textContent)"""


def check_looks(browser, path, pictures, measures=("t_estimate", "speedup")):
    """No width makes the page itself scroll sideways, whatever measure its map shows; dark is dark; it prints."""
    for name, width, scheme in [("light", 1280, "light"), ("dark", 1280, "dark"), ("narrow", 390, "light")]:
        report = Report(browser, path, color_scheme=scheme)
        report.page.set_viewport_size({"width": width, "height": 900})
        wide = report.page.evaluate("document.documentElement.scrollWidth")
        expect(wide <= width, f"{name}: the page is {wide} pixels wide, and the window {width}")
        for measure in measures:
            if measure and report.page.locator("#map-controls select").count():
                report.page.locator("#map-controls select").first.select_option(measure)
            out = report.page.evaluate(OVERFLOW)
            expect(not out, f"{name}: {out} stick out")
        red = int(re.findall(r"\d+", report.page.evaluate("getComputedStyle(document.body).backgroundColor"))[0])
        expect((red < 64) == (scheme == "dark"), f"{name}: the background's red is {red}")
        if pictures:
            report.page.screenshot(path=pictures / f"{path.stem}-{name}.png", full_page=True)
        if name == "light":
            printed = report.page.pdf(format="A4")
            expect(printed.startswith(b"%PDF"), "it does not print")
            if pictures:
                (pictures / f"{path.stem}.pdf").write_bytes(printed)
        report.quiet()
        report.context.close()


def check(browser, path, folder, pictures):
    results = Results(folder)
    report = Report(browser, path)
    check_answer(report, results)
    check_detail(report, results)
    check_distribution(report, results)  # of the one that gains most
    check_curve(report, results)
    if len(results.choices) > 1:
        check_headline(report, results)
        check_sort(report, results)
        check_map(report, results)
        check_controls(report)
        check_table_keys(report, results)
        check_click(report)
        check_beside(report)
        check_address(browser, path, report, results)
    report.quiet()
    report.context.close()
    check_looks(browser, path, pictures)
    print(f"{path}: {len(results.choices)} configurations as in {folder}, ready after {report.seconds:.1f} s, {path.stat().st_size / 1e6:.2f} MB")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--browser", default="/usr/bin/chromium", help="Chromium's path")
    parser.add_argument("--pictures", type=Path, help="folder for pictures")
    parser.add_argument("report", metavar="REPORT", type=Path)
    parser.add_argument("folder", metavar="DIR", type=Path)
    arguments = parser.parse_args()
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=arguments.browser, args=["--no-sandbox"])
            check(browser, arguments.report, arguments.folder, arguments.pictures)
            browser.close()
    except (Wrong, Error) as wrong:
        sys.exit(f"check_report: {arguments.report}: {wrong}")


if __name__ == "__main__":
    main()
