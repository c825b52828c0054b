"""How the command line asks the resident engine. None: there is none that would answer; the caller does it itself."""

from __future__ import annotations

import http.client
import json
import socket
from pathlib import Path
from typing import Any

from gsd_engine import __version__
from gsd_engine.config import Config
from gsd_engine.errors import EngineError, EngineFailureError, NotFoundError, UsageError
from gsd_engine.resident.address import connect

CONNECT_SECONDS = 0.5
REPLY_SECONDS = 30.0
_ERRORS: dict[int, type[EngineError]] = {1: EngineFailureError, 2: UsageError, 3: NotFoundError}


def _headers(config: Config) -> dict[str, str]:
    environment = {f"Env-{name.replace('_', '-')}": value.encode().hex() for name, value in config.identity().items()}
    return {"Engine-Version": __version__, "Content-Type": "application/json", **environment}


class _Connection(http.client.HTTPConnection):
    def __init__(self, path: Path) -> None:
        super().__init__("engine", timeout=REPLY_SECONDS)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(CONNECT_SECONDS)
        connect(self.sock, self._path)
        self.sock.settimeout(self.timeout)


def ask_resident(config: Config, operation: str, arguments: dict[str, Any]) -> dict[str, Any] | None:
    status, body = send(config, "POST", f"/operation/{operation}", arguments)
    if status == 200:
        return body
    _raise_refusal(status, body)
    return None


def ask_for_loopback(config: Config, address: str) -> str:
    """The address that the resident engine listens on, from now on."""
    status, body = send(config, "POST", "/loopback", {"address": address})
    if status == 200 and body is not None:
        return str(body["address"])
    _raise_refusal(status, body)
    raise EngineFailureError("no resident engine of this version answers: run `gsd-engine stop`, then try again")


def _raise_refusal(status: int | None, body: dict[str, Any] | None) -> None:
    if status == 422 and body is not None:
        raise _ERRORS.get(body["exit_code"], EngineFailureError)(body["error"])


def send(
    config: Config, method: str, path: str, arguments: dict[str, Any] | None = None
) -> tuple[int | None, dict[str, Any] | None]:
    """(status, JSON body); (None, None) where nobody answered before anything was taken over."""
    connection = _Connection(config.socket_path)
    try:
        connection.connect()
    except OSError:
        return None, None
    try:
        body = json.dumps(arguments) if arguments is not None else None
        connection.request(method, path, body, _headers(config))
        response = connection.getresponse()
        return response.status, json.loads(response.read() or b"null")
    except (OSError, http.client.HTTPException, ValueError) as error:
        if method == "GET":
            return None, None
        # It may have been done: to do it again here could do it twice.
        raise EngineFailureError(f"the resident engine did not answer ({error}): look before you ask again") from error
    finally:
        connection.close()
