#!/usr/bin/env python3
"""Reads a trace with Perfetto's own trace processor.

    check_trace.py [--browser PATH] PERFETTO TRACE...

TRACE is what `jitterfly figures timeline --out TRACE.json` wrote. PERFETTO is the
directory of an unpacked Perfetto UI, whose trace processor, WebAssembly in a
worker, runs in headless Chromium without a network. It must import the trace
without an error, and SQL must find in it the slices, threads and flows of the
file, none overlapping another one of its thread. Prints what it found, or says
on stderr what is wrong and exits 1.
"""

import argparse
import base64
import json
import mimetypes
import struct
import sys
from collections import Counter
from pathlib import Path

from playwright.sync_api import Error, sync_playwright

SITE = "http://perfetto.invalid/"
# A worker that fails says so, or nothing.
ENGINE = """
const channel = new MessageChannel();
const worker = new Worker("engine_bundle.js");
worker.postMessage({enginePort: channel.port1}, [channel.port1]);
const inbox = [], waiting = [];
channel.port2.onmessage = (message) => {
  const text = btoa(Array.from(message.data, (byte) => String.fromCharCode(byte)).join(""));
  waiting.length ? waiting.shift()(text) : inbox.push(text);
};
window.send = (text) => channel.port2.postMessage(Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)));
window.receive = () => new Promise((resolve, reject) => {
  worker.onerror = (error) => reject(new Error(error.message));
  setTimeout(() => reject(new Error("no answer")), 60000);
  inbox.length ? resolve(inbox.shift()) : waiting.push(resolve);
});
"""

# Of protos/perfetto/trace_processor/trace_processor.proto: methods, and numbers of fields.
APPEND, FINALIZE, QUERY = 1, 2, 3
STREAM_MSG, SEQ, METHOD, FATAL, DATA, QUERY_ARGS, APPENDED, RESULT = 1, 1, 2, 5, 101, 103, 201, 203
LAST = 6  # of a batch
NULL, VARINT, FLOAT, STRING = 1, 2, 3, 4


class Wrong(Exception):
    """What is wrong with the trace, or with reading it."""


def expect(holds, message):
    if not holds:
        raise Wrong(message)


def varint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out + bytes([value]))


def field(number, value):
    """A field of a message: a number, or bytes."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def read_varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at


def fields(data):
    """The fields of a message, by number and in their order."""
    at = 0
    while at < len(data):
        key, at = read_varint(data, at)
        if key & 7 == 0:
            value, at = read_varint(data, at)
        else:
            size, at = {1: (8, at), 5: (4, at)}.get(key & 7) or read_varint(data, at)
            value, at = data[at : at + size], at + size
        yield key >> 3, value


def numbers(data):
    at = 0
    while at < len(data):
        value, at = read_varint(data, at)
        yield value - (1 << 64) if value >> 63 else value


def cells(batch):
    """The values of a CellsBatch."""
    parts = dict(fields(batch))
    sources = {
        NULL: iter(lambda: None, 0),
        VARINT: numbers(parts.get(2, b"")),
        FLOAT: (value for (value,) in struct.iter_unpack("<d", parts.get(3, b""))),
        STRING: iter(parts.get(5, b"").decode().split("\0")),
    }
    return [next(sources[kind]) for kind in numbers(parts.get(1, b""))]


class Processor:
    """The trace processor in a page."""

    def __init__(self, page):
        self.page, self.sent = page, 0
        # It does not say when it is ready, and what comes before breaks it.
        for patience in (500, 1000, 2000, 4000, 8000, 16000):
            page.goto(SITE)
            page.add_script_tag(content=ENGINE)
            page.wait_for_timeout(patience)
            try:
                self.query("select 1")
                return
            except Error:
                self.sent = 0
        raise Wrong("the trace processor does not start")

    def ask(self, method, arguments=b""):
        """Sends a request; returns the first message of its answer."""
        self.sent += 1
        request = field(STREAM_MSG, field(SEQ, self.sent) + field(METHOD, method) + arguments)
        self.page.evaluate("text => send(text)", base64.b64encode(request).decode())
        return self.receive()

    def receive(self):
        answer = base64.b64decode(self.page.evaluate("() => receive()"))
        message = dict(fields(dict(fields(answer))[STREAM_MSG]))
        expect(FATAL not in message, f"trace processor: {message.get(FATAL, b'').decode()}")
        return message

    def load(self, content):
        for at in range(0, len(content), 1 << 20):
            error = dict(fields(self.ask(APPEND, field(DATA, content[at : at + (1 << 20)])).get(APPENDED, b""))).get(2)
            expect(not error, f"import: {(error or b'').decode()}")
        self.ask(FINALIZE)

    def query(self, sql):
        """The rows of an answer, which comes in batches."""
        columns, values, last = [], [], False
        message = self.ask(QUERY, field(QUERY_ARGS, field(1, sql.encode())))
        while True:
            for number, value in fields(message[RESULT]):
                if number == 1:
                    columns.append(value.decode())
                elif number == 2:
                    raise Wrong(f"{sql}: {value.decode()}")
                elif number == 3:
                    values += cells(value)
                    last = dict(fields(value)).get(LAST)
            if last:
                return list(zip(*[iter(values)] * len(columns)))
            message = self.receive()


def check(path, processor):
    content = path.read_bytes()
    events = json.loads(content)["traceEvents"]
    slices = [event for event in events if event["ph"] == "X"]
    names = {(event["name"], event["pid"], event["tid"]): event["args"]["name"] for event in events if event["ph"] == "M"}
    processor.load(content)

    errors = processor.query("select name, value from stats where severity in ('error', 'data_loss') and value > 0")
    expect(not errors, f"errors in stats: {errors}")
    found = processor.query("select thread.name, process.name, slice.name, ts, dur, depth from slice join thread_track on track_id = thread_track.id join thread using (utid) join process using (upid)")
    expect(len(found) == len(slices), f"{len(found)} slices, not {len(slices)}")
    expect(all(row[5] == 0 for row in found), f"{sum(row[5] > 0 for row in found)} slices overlap others")

    def of_file(event):
        return names.get(("thread_name", event["pid"], event["tid"])), names["process_name", event["pid"], 0], event["name"]

    expect(Counter(of_file(event) for event in slices) == Counter(row[:3] for row in found), "slices have other names, threads or processes")
    taken, given = sum(row[4] for row in found), sum(event["dur"] * 1000 for event in slices)
    expect(abs(taken - given) <= len(slices), f"slices take {taken} ns, not {given:.0f} ns")  # whole nanoseconds
    flows = processor.query("select count(*) from flow")[0][0]
    begun = sum(event["ph"] == "s" for event in events)
    expect(flows == begun, f"{flows} flows, not {begun}")
    print(f"{path}: slices: {len(found)}, flows: {flows}, threads: {len({row[:2] for row in found})}, no errors")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--browser", default="/usr/bin/chromium")
    parser.add_argument("perfetto", metavar="PERFETTO", type=Path)
    parser.add_argument("traces", metavar="TRACE", nargs="+", type=Path)
    arguments = parser.parse_args()

    def serve(route):
        name = route.request.url.removeprefix(SITE) or "index.html"
        if name == "index.html":
            route.fulfill(body="<!doctype html>", content_type="text/html")
        else:
            route.fulfill(body=(arguments.perfetto / name).read_bytes(), content_type=mimetypes.guess_type(name)[0] or "application/octet-stream")

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=arguments.browser)
        for path in arguments.traces:
            context = browser.new_context()
            context.route(SITE + "**", serve)
            try:
                check(path, Processor(context.new_page()))
            except (Wrong, Error) as wrong:
                sys.exit(f"check_trace: {path}: {wrong}")
            context.close()
        browser.close()


if __name__ == "__main__":
    main()
