"""A loopback HTTP server that answers as OpenClaw does: tokens, agents, size limit, idempotency, and bad days.

`script` holds the answers to the next wakes, in order; an empty script means a healthy gateway. `mode` makes it
accept and never answer ("half_open") or send its answer one byte now and then ("trickle").
"""

from __future__ import annotations

import json
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

HOOK_TOKEN = "hook-secret-1f6b"
GATEWAY_TOKEN = "gateway-secret-9d2e"
BODY_LIMIT = 256 * 1024


@dataclass(frozen=True)
class Answer:
    status: int
    body: str = ""
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Seen:
    """One request as it arrived."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body or b"{}")


@dataclass
class OpenClawServer:
    url: str = ""
    agents: tuple[str, ...] = ("warden",)
    script: list[Answer] = field(default_factory=list)
    mode: str = "healthy"
    reply: str = '{"decision":"none"}'
    seen: list[Seen] = field(default_factory=list)
    runs: dict[tuple[str, bytes], str] = field(default_factory=dict)
    chat_enabled: bool = True
    ended: threading.Event = field(default_factory=threading.Event)

    def answer(self, request: Seen) -> Answer:
        match request.path:
            case "/hooks/agent":
                return self.script.pop(0) if self.script else self._hook(request)
            case "/v1/chat/completions" | "/v1/models" if self.chat_enabled:
                return self._chat(request)
            case _:
                return Answer(404, "Not Found")

    def _hook(self, request: Seen) -> Answer:
        if request.method != "POST":
            return Answer(405, "Method Not Allowed")
        if request.headers.get("authorization") != f"Bearer {HOOK_TOKEN}":
            return Answer(401, "Unauthorized")
        if len(request.body) > BODY_LIMIT:
            return _refused(413, "payload too large")
        return self._admitted(request)

    def _admitted(self, request: Seen) -> Answer:
        wanted = request.json
        if not wanted.get("message"):
            return _refused(400, "message required")
        if wanted.get("agentId") not in self.agents:
            return _refused(400, f'unknown agentId "{wanted.get("agentId")}"')
        key = request.headers.get("idempotency-key") or uuid.uuid4().hex
        run_id = self.runs.setdefault((key, request.body), str(uuid.uuid4()))
        return Answer(200, json.dumps({"ok": True, "runId": run_id}))

    def _chat(self, request: Seen) -> Answer:
        if request.headers.get("authorization") != f"Bearer {GATEWAY_TOKEN}":
            return Answer(401, json.dumps({"error": {"message": "Unauthorized", "type": "unauthorized"}}))
        if request.path == "/v1/models":
            return Answer(200, json.dumps({"data": [{"id": f"openclaw/{agent}"} for agent in self.agents]}))
        if self.reply == "NO_REPLY":
            return Answer(500, json.dumps({"error": {"message": "internal error", "type": "api_error"}}))
        return Answer(200, json.dumps({"choices": [{"message": {"role": "assistant", "content": self.reply}}]}))


def _refused(status: int, error: str) -> Answer:
    return Answer(status, json.dumps({"ok": False, "error": error}))


@contextmanager
def openclaw_server() -> Iterator[OpenClawServer]:
    server = OpenClawServer()
    http = ThreadingHTTPServer(("127.0.0.1", 0), _handler(server))
    http.daemon_threads = True
    http.block_on_close = False
    server.url = f"http://127.0.0.1:{http.server_address[1]}"
    threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    try:
        yield server
    finally:
        server.ended.set()
        http.shutdown()
        http.server_close()


def _handler(server: OpenClawServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None: ...

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            request = Seen(self.command, self.path, {k.lower(): v for k, v in self.headers.items()}, body)
            server.seen.append(request)
            if server.mode == "half_open":
                server.ended.wait(30)
                self.close_connection = True
            elif server.mode == "trickle":
                self._trickle()
            else:
                self._send(server.answer(request))

        def do_GET(self) -> None:
            self.do_POST()

        def _send(self, answer: Answer) -> None:
            body = answer.body.encode()
            self.send_response(answer.status)
            for name, value in {"content-length": str(len(body)), **answer.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def _trickle(self) -> None:
            """Always something new before a read can time out, never an end."""
            self.send_response(200)
            self.end_headers()
            try:
                while not server.ended.wait(0.05):
                    self.wfile.write(b" ")
            except ConnectionError:
                self.close_connection = True

    return Handler
