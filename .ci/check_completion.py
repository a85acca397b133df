#!/usr/bin/env python3
"""Completes command lines in bash, zsh and fish, with the files of an unpacked release.

    check_completion.py PREFIX

Each shell is a real one on a terminal: what a user would type is typed, the Tab key pressed, and the line that results
compared. The shells find the completions where a release puts them below a prefix.
"""

import os
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pexpect

# What is typed, and the line after Tab. Values come from the program: collectives, presets, keys, directories.
LINES = {
    "jitterfly swe": "jitterfly sweep ",
    "jitterfly sweep --collec": "jitterfly sweep --collective ",
    "jitterfly sweep --collective dissem": "jitterfly sweep --collective dissemination ",
    "jitterfly sweep --noise azure-hb": "jitterfly sweep --noise azure-hbv2 ",
    "jitterfly sweep --reception offload,c": "jitterfly sweep --reception offload,cpu ",
    "jitterfly sweep --set noise.os.laun": "jitterfly sweep --set noise.os.launch=",
    "jitterfly sweep --set noise.os.launch=sta": "jitterfly sweep --set noise.os.launch=stationary ",
    "jitterfly sweep stu": "jitterfly sweep study.yaml ",
    "jitterfly report fin": "jitterfly report finished ",
    "jitterfly compare finished fin": "jitterfly compare finished finished ",
    "jitterfly cluster submit sl": "jitterfly cluster submit slurm ",
    "jitterfly figures finished --only compl": "jitterfly figures finished --only completion ",
}


class Shell:
    """A shell on a terminal, whose line can be read after keys."""

    def __init__(self, name, arguments, setup, environment, folder):
        self.name, self.note = name, folder / f"{name}.line"
        self.shell = pexpect.spawn(name, arguments, env=environment, cwd=folder, encoding="utf-8", timeout=20, dimensions=(40, 120))
        for line in setup:
            self.shell.sendline(line.replace("NOTE", shlex.quote(str(self.note))))
        self.shell.sendline("echo rea''dy")
        self.shell.expect_exact("\r\nready")

    def complete(self, text):
        """Returns the line after text and Tab."""
        self.note.unlink(missing_ok=True)
        self.shell.send("\x15" + text + "\t")  # Control-U empties the line
        self.shell.send("\x18\x04")  # Control-X Control-D writes it to the file
        end = time.monotonic() + 20
        while not self.note.exists() or not self.note.read_text().endswith("\n"):
            if time.monotonic() > end:
                sys.exit(f"check_completion: {self.name} does not answer:\n{self.shell.before}")
            time.sleep(0.01)
        return self.note.read_text().removesuffix("\n")


def bash(prefix, environment, folder):
    setup = [
        "source /usr/share/bash-completion/bash_completion",
        r"""bind -x '"\C-x\C-d": printf "%s\n" "$READLINE_LINE" > NOTE'""",
    ]
    return Shell("bash", ["--norc", "--noprofile", "-i"], setup, environment | {"INPUTRC": "/dev/null"}, folder).complete


def zsh(prefix, environment, folder):
    setup = [
        f"fpath=({shlex.quote(str(prefix / 'share/zsh/site-functions'))} $fpath)",
        f"autoload -Uz compinit && compinit -u -d {shlex.quote(str(folder / 'zcompdump'))}",
        "note() { print -r -- \"$BUFFER\" > NOTE }; zle -N note; bindkey '^X^D' note; bindkey '^U' kill-whole-line",
    ]
    return Shell("zsh", ["-f", "-i"], setup, environment, folder).complete


def fish(prefix, environment, folder):
    """Fish lists completions without a terminal: of one the line that Tab makes."""

    def complete(text):
        done = subprocess.run(["fish", "--no-config", "-c", "set -g fish_complete_path $argv[1]; complete -C $argv[2]", str(prefix / "share/fish/vendor_completions.d"), text], env=environment, cwd=folder, capture_output=True, text=True, check=True)
        words = [line.split("\t")[0] for line in done.stdout.splitlines()]
        if len(words) != 1:
            return f"{text} and any of {words}"
        [word] = words
        return text[: text.rindex(" ") + 1] + word + ("" if word.endswith("=") else " ")

    return complete


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: check_completion.py PREFIX")
    prefix = Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "study.yaml").write_text("ranks: 4\n")
        environment = {"PATH": f"{prefix / 'bin'}:{os.environ['PATH']}", "HOME": name, "TERM": "dumb", "LANG": "C.UTF-8", "XDG_DATA_DIRS": f"{prefix / 'share'}:/usr/share", "PS1": "> "}
        subprocess.run(["jitterfly", "sweep", "--quiet", "--ranks", "4", "--out", "finished"], env=environment, cwd=folder, check=True, stdout=subprocess.DEVNULL)
        wrong = 0
        for shell in bash, zsh, fish:
            complete = shell(prefix, environment, folder)
            for text, want in LINES.items():
                got = complete(text)
                # Bash writes a comma as \, which is the same word.
                if (shlex.split(got), got.endswith(" ")) != (shlex.split(want), want.endswith(" ")):
                    wrong += 1
                    print(f"check_completion: {shell.__name__}: {text!r} becomes {got!r}, not {want!r}", file=sys.stderr)
        if wrong:
            sys.exit(1)
    print(f"completed {len(LINES)} lines each in bash, zsh and fish")


if __name__ == "__main__":
    main()
