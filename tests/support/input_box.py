"""A program that draws an input line as Claude Code does, and misbehaves on demand.

python -m tests.support.input_box LOG [MODE]

Every text that Enter sends, and every other key, becomes a JSON line of LOG. MODE: `deaf-N` swallows the first N
presses of Enter; `dialog` opens a menu as soon as something was pasted; `meddle` adds a letter to what was pasted, as
a person's hand on the keyboard would.
"""

from __future__ import annotations

import json
import os
import re
import sys
import tty
from pathlib import Path

RULE = "─" * 60
MENU = f"{RULE}\n ☐ Store\n\nWhich store?\n\n❯ 1. SQLite\n  2. Type something.\n{RULE}\n  3. Chat about this\n"
_PIECE = re.compile(r"\x1b\[200~(?P<paste>.*?)\x1b\[201~|(?P<key>\x1b\[[A-D]|.)", re.S)


class InputBox:
    def __init__(self, log: Path, mode: str) -> None:
        self.log, self.mode = log, mode
        self.deaf = int(mode.removeprefix("deaf-")) if mode.startswith("deaf-") else 0
        self.text = ""
        self.menu = False

    def draw(self) -> None:
        rows = self.text.split("\n")
        box = "\n".join([RULE, f"❯ {rows[0]}", *(f"  {row}" for row in rows[1:]), RULE, "  ⏵⏵ status"])
        screen = MENU if self.menu else box
        os.write(1, ("\x1b[2J\x1b[H" + screen.replace("\n", "\r\n")).encode())

    def paste(self, text: str) -> None:
        self.text += text + ("x" if self.mode == "meddle" else "")
        self.menu = self.mode == "dialog"

    def press(self, key: str) -> None:
        if self.menu or (key not in "\r\x15" and not key.isprintable()):
            self.record({"key": key})
        elif key == "\x15":
            self.text = ""
        elif key != "\r":
            self.text += key
        elif self.deaf:
            self.deaf -= 1
        elif self.text:
            self.record({"sent": self.text})
            self.text = ""

    def record(self, line: dict[str, str]) -> None:
        with self.log.open("a") as file:
            file.write(json.dumps(line) + "\n")

    def run(self) -> None:
        tty.setraw(0)
        os.write(1, b"\x1b[?2004h")
        pending = b""
        while True:
            self.draw()
            pending += os.read(0, 65536)
            if b"\x1b[200~" in pending and b"\x1b[201~" not in pending:
                continue  # the rest of the paste is still on its way
            for piece in _PIECE.finditer(pending.decode()):
                if piece["paste"] is not None:
                    self.paste(piece["paste"])
                else:
                    self.press(piece["key"])
            pending = b""


def sent(log: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []


if __name__ == "__main__":
    InputBox(Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else "").run()
