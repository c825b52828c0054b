"""The transcript: JSON lines as the real program writes them, reduced to the records and fields that readers use."""

from __future__ import annotations

import json
import uuid
from datetime import UTC, datetime
from typing import Any

from gsd_engine.simulation.session import PERMISSION_MODE, Session


class Transcript:
    """Appends to the file of the current session, each record pointing to the one before."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.parent: str | None = None

    def user(self, text: str) -> None:
        origin = {"permissionMode": PERMISSION_MODE, "origin": {"kind": "human"}, "promptSource": "typed"}
        self._append("user", message={"role": "user", "content": text}, **self._prompt(), **origin)

    def tool_result(self, tool_use_id: str, text: str) -> None:
        block = {"type": "tool_result", "tool_use_id": tool_use_id, "content": text}
        self._append("user", message={"role": "user", "content": [block]}, **self._prompt())

    def assistant(self, content: list[dict[str, Any]], input_tokens: int, stop_reason: str) -> None:
        usage = {
            "input_tokens": input_tokens,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0,
            "output_tokens": 20,
        }
        self._append("assistant", message=self._message(content, usage, stop_reason))

    def api_error(self, text: str, kind: str) -> None:
        usage = dict.fromkeys(("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"), 0)
        content = [{"type": "text", "text": text}]
        message = self._message(content, usage | {"output_tokens": 0}, "stop_sequence") | {"model": "<synthetic>"}
        self._append("assistant", message=message, error=kind, isApiErrorMessage=True)

    def compact_boundary(self, tokens_before: int) -> None:
        metadata = {"trigger": "manual", "preTokens": tokens_before}
        self._append(
            "system",
            subtype="compact_boundary",
            content="Conversation compacted",
            compactMetadata=metadata,
            level="info",
        )

    def _prompt(self) -> dict[str, Any]:
        return {"promptId": self.session.prompt_id}

    def _message(self, content: list[dict[str, Any]], usage: dict[str, int], stop_reason: str) -> dict[str, Any]:
        return {
            "id": f"msg_{uuid.uuid4().hex[:20]}",
            "type": "message",
            "role": "assistant",
            "model": self.session.dialect.model.removesuffix("[1m]"),
            "content": content,
            "stop_reason": stop_reason,
            "stop_sequence": None,
            "usage": usage,
        }

    def _append(self, kind: str, **fields: Any) -> None:
        record = {
            "parentUuid": self.parent,
            "isSidechain": False,
            "type": kind,
            **fields,
            "uuid": str(uuid.uuid4()),
            "timestamp": datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "userType": "external",
            "entrypoint": "cli",
            "cwd": str(self.session.directory),
            "sessionId": self.session.session_id,
            "version": self.session.dialect.version,
        }
        self.parent = str(record["uuid"])
        path = self.session.transcript_path
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(record, ensure_ascii=False) + "\n")
