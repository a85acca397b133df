#!/usr/bin/env python3
"""Checks the page of a comparison in a browser against the same comparison as CSV.

    check_comparison.py [--browser PATH] [--pictures DIR] PAGE CSV

Opens PAGE, which `jitterfly compare A B --out PAGE` wrote, in headless Chromium, without a
network. It must load without a message on the console and without a request; every row of its
table and every cell of its maps must have the numbers of CSV, which `--format csv` printed; the
mouse and the keyboard must select a row; and it must print and have a dark mode.
"""

import argparse
import csv
import re
import sys
from pathlib import Path

from playwright.sync_api import Error, sync_playwright

from check_report import Report, Wrong, check_looks, expect, same


def change(text):
    """The ratio that a text like −12.3% stands for, and half a step of its last digit."""
    match = re.fullmatch(r"([+−])([0-9]+(?:\.([0-9]+))?)%", text)
    expect(match, f"{text!r} is no change")
    sign, number, decimals = match.groups()
    return 1 + (-1 if sign == "−" else 1) * float(number) / 100, 0.501 * 10 ** -len(decimals or "") / 100


def is_ratio(text, value):
    ratio, step = change(text)
    return abs(ratio - value) <= step + 2e-7 * value


def check_row(texts, row):
    where = f"{row}"
    for column, name in [("t_a", "redundancy_a"), ("t_b", "redundancy_b")]:
        expect(texts[column] == row[name], f"{where}: {column} is {texts[column]!r}")
    for column, name in [("mean_a", "mean_a_s"), ("mean_b", "mean_b_s")]:
        expect(same(texts[column], float(row[name])), f"{where}: {column} is {texts[column]!r}")
    if row["differs"] == "true":
        expect(is_ratio(texts["ratio"], float(row["ratio"])), f"{where}: the change is {texts['ratio']!r}")
    else:
        expect(texts["ratio"] == "~", f"{where}: the change is {texts['ratio']!r}, and is inconclusive")
    low, high = texts["interval"].split(" to ")
    expect(is_ratio(low, float(row["ratio_low"])) and is_ratio(high, float(row["ratio_high"])), f"{where}: the interval is {texts['interval']!r}")
    trials = f"{row['trials_a']} pairs" if row["paired"] == "true" else f"{row['trials_a']}, {row['trials_b']}"
    expect(texts["trials"].replace("\u202f", "") == trials, f"{where}: trials are {texts['trials']!r}")


def check_table(page, rows):
    """All rows of all pages of the table are those of the CSV."""
    seen = 0
    while True:
        found = page.eval_on_selector_all(
            "#rows-table tbody tr",
            "rows => rows.map(row => [Number(row.dataset.row), Object.fromEntries([...row.cells].map(c => [c.dataset.column, c.textContent]))])",
        )
        for number, texts in found:
            check_row(texts, rows[number])
            seen += 1
        following = page.locator("#rows-pager button", has_text="Next")
        if not following.is_visible() or following.is_disabled():
            break
        following.click()
    expect(seen == len(rows), f"{seen} rows in the table, {len(rows)} in the CSV")


def centre(page, chart):
    """Where on the screen the cursor of a map is."""
    page.locator(f"#{chart} .cursor").first.scroll_into_view_if_needed()
    box = page.locator(f"#{chart} .cursor").first.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def check_maps(page, rows):
    """The maps show the numbers of the row under the pointer; keys and the mouse select one."""
    seen = set()
    for chart in ["map-ratio", "map-a", "map-b"]:
        page.locator(f"#{chart} svg").scroll_into_view_if_needed()
        page.focus(f"#{chart} svg")
        for key in ["Home", "ArrowRight", "ArrowDown", "ArrowUp", "End"]:
            page.keyboard.press(key)
            page.mouse.move(*centre(page, chart))
            shown, status = page.inner_text("#tip"), page.inner_text("#map-status")
            expect(shown == status, f"{chart}: {shown!r} under the pointer, {status!r} at the cursor")
            if shown == "not in both studies":
                continue
            page.keyboard.press("Enter")
            number = int(page.get_attribute("#rows-table tr.on", "data-row"))
            means = re.search(r"A: (.*) at T = (\d+), B: (.*) at T = (\d+)", shown)
            row = rows[number]
            expect(means and same(means[1], float(row["mean_a_s"])) and same(means[3], float(row["mean_b_s"])), f"{chart}: {shown!r} is not {row}")
            seen.add(number)
        page.keyboard.press("Home")
        page.keyboard.press("Enter")
        before = page.inner_text("#map-status")
        page.keyboard.press("ArrowRight")
        expect(len(rows) == 1 or page.inner_text("#map-status") != before or page.locator(f"#{chart} .across").count() < 2, f"{chart}: keys do not move the cursor")
        page.locator(f"#{chart} svg").scroll_into_view_if_needed()
        page.mouse.click(*centre(page, chart))
        expect(page.locator("#rows-table tr.on").count() == 1, f"{chart}: a click selects no row")
    expect(len(rows) < 3 or len(seen) > 1, f"the maps have only {seen} of {len(rows)} rows")
    page.mouse.move(0, 0)


def check_controls(page, rows):
    """Every arrangement of the axes draws a map of its own, and all cells have a row."""
    selects = page.locator("#map-controls select")
    if selects.count() < 2:
        return
    options = selects.nth(1).locator("option").evaluate_all("options => options.map(option => option.value)")
    seen = set()
    for option in options:
        selects.nth(1).select_option(option)
        seen.add(page.inner_html("#map-ratio"))
    expect(len(seen) > 1, "another axis draws the same map")
    check_maps(page, rows)


def check(browser, path, table, pictures):
    rows = list(csv.DictReader(table.open()))
    report = Report(browser, path, reduced_motion="reduce")  # no smooth scrolling
    check_table(report.page, rows)
    check_maps(report.page, rows)
    check_controls(report.page, rows)
    report.quiet()
    report.context.close()
    check_looks(browser, path, pictures, [None])  # all measures are there at once
    print(f"{path}: {len(rows)} rows as in {table}, ready after {report.seconds:.1f} s, {path.stat().st_size / 1e6:.2f} MB")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--browser", default="/usr/bin/chromium", help="Chromium's path")
    parser.add_argument("--pictures", type=Path, help="folder for pictures")
    parser.add_argument("page", metavar="PAGE", type=Path)
    parser.add_argument("table", metavar="CSV", type=Path)
    arguments = parser.parse_args()
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=arguments.browser, args=["--no-sandbox"])
            check(browser, arguments.page, arguments.table, arguments.pictures)
            browser.close()
    except (Wrong, Error) as wrong:
        sys.exit(f"check_comparison: {arguments.page}: {wrong}")


if __name__ == "__main__":
    main()
