"""The command line of the simulated Claude Code; to be run in a terminal, normally a tmux pane.

python -m gsd_engine.simulation --settings settings.json --script script.json --log model.jsonl
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from gsd_engine.simulation.dialect import NEWER_VERSION, Dialect, dialect_of
from gsd_engine.simulation.program import run


def _dialect(version: str) -> Dialect:
    try:
        return dialect_of(version)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{version!r} is not a version such as {NEWER_VERSION}") from None


def main() -> int:
    parser = argparse.ArgumentParser(prog="gsd_engine.simulation", description="A simulated Claude Code.")
    parser.add_argument("--settings", type=Path, required=True, help="settings.json with the hooks")
    parser.add_argument("--script", type=Path, required=True, help="what the model answers (see script.py)")
    parser.add_argument("--log", type=Path, help="file that gets one JSON line for all that reaches the model")
    parser.add_argument("--version", type=_dialect, default=NEWER_VERSION, help="the Claude Code to be like")
    parser.add_argument("--resume", metavar="ID", help="go on with this session id")
    options, _ = parser.parse_known_args()
    if not sys.stdin.isatty():
        parser.error("stdin must be a terminal, such as a tmux pane")
    run(options.settings, options.script, options.log, options.version, options.resume)
    return 0


if __name__ == "__main__":
    sys.exit(main())
