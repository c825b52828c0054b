"""The agent of the demonstration: woken by the engine with a message on standard input, it calls `gsd-engine`.

A real agent reads the message and thinks; this one knows its three lines by heart. What it is told and what it does
goes to the file that it is started with, for the audience.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

LOOP_ROUNDS = 5


def main() -> int:
    notes, looping = Path(sys.argv[1]), Path(sys.argv[1]).with_name("looping")
    plan: list[list[str]] = json.loads(sys.argv[2])
    session, trigger = os.environ["GSD_SESSION"], os.environ["GSD_TRIGGER"]
    sys.stdin.read()
    _note(notes, f"woken: {trigger}")
    if trigger == "response_complete":
        return _queue(notes, session, plan[0])
    if trigger == "question":
        return _call(notes, "answer", "--session", session, '[{"action": "select", "optionIndex": 0}]')
    if trigger == "queue_complete" and len(plan) > 1 and not looping.exists():
        looping.touch()
        started = _call(notes, "loop", "start", "--session", session, "--mode", "loop", "--max", str(LOOP_ROUNDS))
        return started or _queue(notes, session, plan[1])
    return 0


def _queue(notes: Path, session: str, commands: list[str]) -> int:
    return _call(notes, "queue", "start", "--session", session, json.dumps(commands))


def _call(notes: Path, *arguments: str) -> int:
    _note(notes, f"$ gsd-engine {shlex.join(arguments)}")
    done = subprocess.run([sys.executable, "-m", "gsd_engine", *arguments], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        _note(notes, f"exit {done.returncode}: {done.stderr.strip()}")
    return done.returncode


def _note(notes: Path, text: str) -> None:
    with notes.open("a", encoding="utf-8") as file:
        file.write(text.replace("\n", " ") + "\n")


if __name__ == "__main__":
    sys.exit(main())
