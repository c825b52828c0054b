"""The scripted model: what it answers to the newest text is read from a file, what it received is written to another.

The script is read anew for every answer, so that it can be changed while the program runs:
    {"commands": ["gsd:plan-phase"], "default": "Noted. Done.", "idle_seconds": 60, "permission_seconds": 6,
     "rules": [{"match": "plan", "say": "...", "seconds": 0.2, "repeat": false,
                "ask": {"questions": [...]}, "run": ["argv", ...], "error": {"kind": "rate_limit", "message": "..."},
                "tokens": 1500}]}
Rules are tried in order; each is used once unless it says "repeat".
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

DEFAULT_ANSWER = "Noted. Done."
DEFAULT_SECONDS = 0.2


class Script:
    """The model's side of the conversation."""

    def __init__(self, path: Path, log: Path | None) -> None:
        self._path = path
        self._log = log
        self._used: set[tuple[int, str]] = set()
        self._tokens = 1000

    def setting(self, name: str, default: float) -> float:
        return float(self._read().get(name, default))

    def ghost(self) -> str:
        return str(self._read().get("ghost", ""))

    def knows_command(self, name: str) -> bool:
        return name in self._read().get("commands", [])

    def received(self, **what: str) -> None:
        """Everything that reaches the model is logged, verbatim and in order."""
        if self._log is None:
            return
        with self._log.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"t": time.time(), **what}, ensure_ascii=False) + "\n")

    def answer(self, newest: str) -> dict[str, Any]:
        script = self._read()
        rule = self._pick(script.get("rules", []), newest)
        self._tokens += 500
        defaults = {"seconds": script.get("seconds", DEFAULT_SECONDS), "tokens": self._tokens}
        if rule is None:
            return defaults | {"say": script.get("default", DEFAULT_ANSWER)}
        return defaults | rule

    def _pick(self, rules: list[dict[str, Any]], newest: str) -> dict[str, Any] | None:
        for index, rule in enumerate(rules):
            key = (index, json.dumps(rule, sort_keys=True))
            if rule["match"] in newest and (rule.get("repeat") or key not in self._used):
                self._used.add(key)
                return rule
        return None

    def _read(self) -> dict[str, Any]:
        content: dict[str, Any] = json.loads(self._path.read_text(encoding="utf-8"))
        return content
