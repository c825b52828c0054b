"""A scripted stand-in for the Anthropic Messages API on loopback, so that the real Claude Code runs offline.

with ScriptedModel([Rule("ask me", ask={"questions": […]}), Rule("slow", say="Done.", delay=3)]) as model:
    …start Claude Code with ANTHROPIC_BASE_URL=model.url…
    assert model.prompts() == ["ask me"]

Rules are tried in order against what was typed in the newest user message (its text blocks without system
reminders) and, with `anywhere=True`, against its tool results and reminders too. A rule serves once unless it repeats.
Requests without tools are Claude Code's side jobs (titles and the like): they are answered and not recorded.
"""

from __future__ import annotations

import json
import re
import threading
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

_REMINDER = re.compile(r"<system-reminder>.*?</system-reminder>", re.S)


@dataclass(frozen=True)
class Rule:
    """What the model does when `match` is part of the newest user message."""

    match: str
    say: str = ""
    ask: Mapping[str, Any] | None = None
    tool: tuple[str, Mapping[str, Any]] | None = None
    error: tuple[int, str, str] | None = None
    delay: float = 0.0
    tokens: int = 1000
    repeat: bool = False
    anywhere: bool = False

    def blocks(self) -> list[dict[str, Any]]:
        tool = ("AskUserQuestion", self.ask) if self.ask is not None else self.tool
        text = [{"type": "text", "text": self.say}] if self.say else []
        if tool is None:
            return text
        return [*text, {"type": "tool_use", "id": f"toolu_{uuid.uuid4().hex[:20]}", "name": tool[0], "input": tool[1]}]


@dataclass(frozen=True)
class Request:
    """One request of a turn: what was typed and which tool results came back in the newest user message."""

    at: float
    typed: tuple[str, ...]
    results: tuple[str, ...]
    model: str


class ScriptedModel:
    def __init__(self, rules: Sequence[Rule] = (), default: str = "Noted. Done.") -> None:
        self._lock = threading.Lock()
        self._rules = list(rules)
        self._default = Rule("", say=default)
        self._requests: list[Request] = []
        self._server = _Server(("127.0.0.1", 0), _handler_for(self))
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    def __enter__(self) -> ScriptedModel:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._server.shutdown()
        self._server.server_close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def add(self, *rules: Rule) -> None:
        with self._lock:
            self._rules.extend(rules)

    def requests(self) -> list[Request]:
        with self._lock:
            return list(self._requests)

    def prompts(self) -> list[str]:
        """What the model was asked, in order: the last typed block of every request that a prompt began."""
        return [request.typed[-1] for request in self.requests() if request.typed]

    def answer(self, body: Mapping[str, Any]) -> Rule:
        """Records the request and picks its rule."""
        typed, results, everything = _newest_user_message(body.get("messages", []))
        if not body.get("tools") and "summary" not in everything:
            return Rule("", say="{}")
        with self._lock:
            self._requests.append(Request(time.time(), tuple(typed), tuple(results), str(body.get("model"))))
            for position, rule in enumerate(self._rules):
                if rule.match in (everything if rule.anywhere else "\n".join(typed)):
                    return rule if rule.repeat else self._rules.pop(position)
        return self._default


def _newest_user_message(messages: Sequence[Mapping[str, Any]]) -> tuple[list[str], list[str], str]:
    content: Any = next((each["content"] for each in reversed(messages) if each["role"] == "user"), "")
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    texts = [str(block["text"]) for block in blocks if block.get("type") == "text"]
    results = [_result_text(block.get("content")) for block in blocks if block.get("type") == "tool_result"]
    typed = [text for text in (_REMINDER.sub("", text) for text in texts) if text.strip()]
    return typed, results, "\n".join(texts + results)


def _result_text(content: object) -> str:
    if isinstance(content, list):
        return "\n".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else json.dumps(content)


def _message(rule: Rule, model: object) -> dict[str, Any]:
    blocks = rule.blocks()
    usage = {"input_tokens": rule.tokens, "output_tokens": 20}
    usage |= {"cache_read_input_tokens": 0, "cache_creation_input_tokens": 0}
    stop = "tool_use" if any(block["type"] == "tool_use" for block in blocks) else "end_turn"
    head = {"id": f"msg_{uuid.uuid4().hex[:20]}", "type": "message", "role": "assistant", "model": model}
    return {**head, "content": blocks, "stop_reason": stop, "stop_sequence": None, "usage": usage}


def _stream(message: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    yield {"type": "message_start", "message": {**message, "content": [], "stop_reason": None}}
    for index, block in enumerate(message["content"]):
        if block["type"] == "text":
            empty, delta = {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            partial = json.dumps(block["input"])
            empty, delta = {**block, "input": {}}, {"type": "input_json_delta", "partial_json": partial}
        yield {"type": "content_block_start", "index": index, "content_block": empty}
        yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    end = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield {"type": "message_delta", "delta": end, "usage": message["usage"]}
    yield {"type": "message_stop"}


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """An interrupted turn hangs up in the middle of an answer: nothing to report."""


def _handler_for(scripted: ScriptedModel) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: object) -> None:
            pass

        def do_HEAD(self) -> None:
            self._reply(200, {})

        def do_GET(self) -> None:
            self._refuse(404, "not_found_error", "only messages are served here")

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or b"{}")
            if "count_tokens" in self.path:
                return self._reply(200, {"input_tokens": 1234})
            if not self.path.startswith("/v1/messages"):
                return self._refuse(404, "not_found_error", "only messages are served here")
            rule = scripted.answer(body)
            time.sleep(rule.delay)
            if rule.error is not None:
                return self._refuse(*rule.error)
            message = _message(rule, body.get("model"))
            return self._send_stream(message) if body.get("stream") else self._reply(200, message)

        def _refuse(self, status: int, kind: str, message: str) -> None:
            self._reply(status, {"type": "error", "error": {"type": kind, "message": message}})

        def _reply(self, status: int, body: Mapping[str, Any]) -> None:
            data = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def _send_stream(self, message: Mapping[str, Any]) -> None:
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.send_header("connection", "close")
            self.end_headers()
            for event in _stream(message):
                self.wfile.write(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())
            self.close_connection = True

    return Handler
