"""The real Claude Code with the real engine behind its hooks: registry, resident engine, `hooks install`, one agent.

with DrivenClaude(tmp_path, "2.1.326", rules) as driven:
    driven.start()
    driven.cli("queue", "start", "--session", driven.claude.session, '["/clear"]')
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from tests.live.claude import RealClaude
from tests.support.resident import EngineHome
from tests.support.scripted_model import Rule

SESSION = "warden-main"


class DrivenClaude:
    def __init__(
        self,
        root: Path,
        version: str,
        rules: Sequence[Rule] = (),
        *,
        hook_settings: Mapping[str, Any] | None = None,
        size: tuple[int, int] = (140, 45),
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.transport = ""
        self.home = EngineHome(root / "engine", sessions=[SESSION], hook_settings=hook_settings)
        environ = {"GSD_ENGINE_HOME": str(self.home.folder), **(environment or {})}
        self.claude = RealClaude(
            root / "claude", version, rules, hooks={}, environment=environ, size=size, session=SESSION
        )
        self.settings = self.claude.tmux.home / ".claude" / "settings.json"
        self.home.cli("hooks", "install", "--settings", str(self.settings))

    def __enter__(self) -> DrivenClaude:
        self.claude.__enter__()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.claude.__exit__(kind, error, at)
        self.home.__exit__(kind, error, at)

    def start(self) -> None:
        self.claude.start()
        self.home.wait_for_engine()
        self.claude.wait_for(lambda: self.home.events("SessionStarted") >= 1, 30, "the session's start in the store")

    def say(self, text: str) -> None:
        """As a person would: type, look, Enter."""
        self.claude.tmux.type_text(SESSION, text)
        self.claude.wait_for(lambda: text in self.claude.screen().input_text, 10, "the text in the input line")
        self.claude.tmux.send_keys(SESSION, "Enter")

    def cli(self, *arguments: str, check: bool = True) -> str:
        return self.home.cli(*arguments, check=check).stdout

    def shown(self, noun: str) -> dict[str, Any]:
        """`queue show` or `question show`, as a program sees it."""
        found: dict[str, Any] = json.loads(self.cli(noun, "show", "--session", SESSION, "--json"))[noun] or {}
        return found

    def wakes(self) -> list[str]:
        return [row[0] for row in self.home.rows("SELECT trigger FROM inbox ORDER BY id")]
