#!/usr/bin/env python3
"""Opens a study file in the language server of VS Code's YAML support.

    check_editor.py SERVER STUDY

SERVER is bin/yaml-language-server of the npm package of that name, and STUDY a file that `jitterfly sweep --write` wrote, with
its schema beside it. Nothing may be wrong in the file; mistakes must be marked; keys and their values must be offered,
and explained under the pointer.
"""

import json
import subprocess
import sys
from pathlib import Path


class Server:
    """A language server, spoken to in JSON-RPC."""

    def __init__(self, program):
        self.process = subprocess.Popen(["node", program, "--stdio"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.number = 0
        self.request("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
        self.send("initialized", {})

    def send(self, method, parameters, **more):
        text = json.dumps({"jsonrpc": "2.0", "method": method, "params": parameters} | more).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(text) + text)
        self.process.stdin.flush()

    def receive(self):
        length = 0
        while line := self.process.stdout.readline().strip():
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        if length == 0:
            sys.exit("check_editor: the language server has ended")
        return json.loads(self.process.stdout.read(length))

    def answer(self, message):
        """Answers what the server asks: its settings are the defaults, but that it does not go to the network."""
        if "id" in message and "method" in message:
            items = message["params"].get("items", []) if isinstance(message.get("params"), dict) else []
            result = [{"schemaStore": {"enable": False}, "validate": True, "hover": True, "completion": True} if item.get("section") == "yaml" else None for item in items]
            text = json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}).encode()
            self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(text) + text)
            self.process.stdin.flush()

    def request(self, method, parameters):
        self.number += 1
        self.send(method, parameters, id=self.number)
        while (message := self.receive()).get("id") != self.number or "method" in message:
            self.answer(message)
        return message["result"]

    def open(self, uri, text):
        """Opens a document, and returns the line and the text of what is wrong with it."""
        self.send("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "yaml", "version": 1, "text": text}})
        while True:
            message = self.receive()
            self.answer(message)
            if message.get("method") == "textDocument/publishDiagnostics" and message["params"]["uri"] == uri:
                return [(d["range"]["start"]["line"], d["message"]) for d in message["params"]["diagnostics"]]

    def at(self, method, uri, line, character):
        return self.request(f"textDocument/{method}", {"textDocument": {"uri": uri}, "position": {"line": line, "character": character}})


def expect(holds, message):
    if not holds:
        sys.exit(f"check_editor: {message}")


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: check_editor.py SERVER STUDY")
    study = Path(sys.argv[2]).resolve()
    text, uri = study.read_text(encoding="utf-8"), study.as_uri()
    server = Server(sys.argv[1])
    try:
        wrong = server.open(uri, text)
        expect(not wrong, f"{study}: {wrong}")
        hover = server.at("hover", uri, text.splitlines().index(next(line for line in text.splitlines() if line.startswith("ranks"))), 1)
        expect(hover and "number of ranks" in json.dumps(hover, ensure_ascii=False), f"ranks are explained as {hover}")

        head = text.splitlines()[0]
        faulty = f"{head}\nranks: 1\nlatancy: 1us\nnetwork:\n  latency: 5\nnoise:\n  os: {{launch: loud}}\n"
        wrong = server.open(uri.replace(".yaml", "-faulty.yaml"), faulty)
        expect({line for line, _ in wrong} == {1, 2, 4, 6}, f"what is marked is {wrong}")

        other = uri.replace(".yaml", "-begun.yaml")
        server.open(other, f"{head}\nnoise:\n  os:\n    launch: \nre")
        offered = lambda line, character: {item["label"] for item in server.at("completion", other, line, character)["items"]}
        expect({"quiet", "stationary"} <= offered(3, 12), f"values of noise.os.launch: {offered(3, 12)}")
        expect("redundancy" in offered(4, 2), f"keys that begin with re: {offered(4, 2)}")
    finally:
        server.process.kill()
    print(f"{study}: no mistake, 4 mistakes marked, keys and values offered")


if __name__ == "__main__":
    main()
