"""The resident engine's second listener: TCP on loopback, for `type: "http"` hooks and the page.

It is opened by `serve --http`, or later by whoever asks over the Unix socket (`gsd-engine open`). The address is kept
in the home, so that the next resident engine listens there again: a hook in settings.json names a port, and so does an
open page. It runs in a thread with an event loop of its own; nothing of it stands in the way of hooks on the socket.
"""

from __future__ import annotations

import ipaddress
import socket
import threading
from collections.abc import Callable
from dataclasses import dataclass

import uvicorn
from starlette.types import ASGIApp

from gsd_engine.config import Config
from gsd_engine.errors import EngineError, EngineFailureError, UsageError
from gsd_engine.log import note
from gsd_engine.resident.guard import Guard
from gsd_engine.resident.secret import token_of

GOODBYE_SECONDS = 1
ANY_PORT = "127.0.0.1:0"


@dataclass(frozen=True)
class Address:
    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def parse_address(text: str) -> Address:
    """Refuses every address that another machine could reach."""
    host, _, port = text.strip().rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    host = "127.0.0.1" if host == "localhost" else host
    try:
        loopback = ipaddress.ip_address(host).is_loopback
    except ValueError:
        loopback = False
    if not loopback or not port.isdecimal() or int(port) > 65535:
        raise UsageError(f"{text!r} is not a loopback address with a port, such as 127.0.0.1:8765 (port 0: any free)")
    return Address(host, int(port))


class Loopback:
    def __init__(self, config: Config, app: Callable[[], ASGIApp]) -> None:
        """`app` is made when it is first needed: most resident engines never listen here."""
        self.config, self._app = config, app
        self.address: Address | None = None
        self._server: uvicorn.Server | None = None
        self._thread: threading.Thread | None = None
        self._opening = threading.Lock()

    @property
    def is_open(self) -> bool:
        return self.address is not None

    def reopen(self) -> None:
        """Listen again where the last resident engine of this home did; where that fails, do without."""
        try:
            kept = self.config.address_path.read_text(encoding="ascii").strip()
            if kept:
                self.open(parse_address(kept))
        except FileNotFoundError:
            return
        except (OSError, ValueError, EngineError) as error:
            note("the loopback address of the last engine is not to be had", why=str(error))

    def open(self, wanted: Address) -> Address:
        """The address it listens on. An open listener stays where it is; another port then is a refusal."""
        with self._opening:
            if self.address is not None:
                if wanted.port not in (0, self.address.port):
                    raise EngineFailureError(f"the resident engine listens on {self.address} already: stop it first")
                return self.address
            listener = listen(wanted)
            self.address = Address(wanted.host, listener.getsockname()[1])
            self._serve(listener, self.address.port)
            self.config.address_path.write_text(f"{self.address}\n", encoding="ascii")
            note("listening on loopback", address=str(self.address))
            return self.address

    def close(self) -> None:
        if self._server is not None and self._thread is not None:
            self._server.should_exit = True
            self._thread.join(GOODBYE_SECONDS + 2)

    def _serve(self, listener: socket.socket, port: int) -> None:
        self._server = uvicorn.Server(
            uvicorn.Config(
                Guard(self._app(), token_of(self.config), lambda: port),
                log_config=None,
                access_log=False,
                server_header=False,
                lifespan="off",
                timeout_graceful_shutdown=GOODBYE_SECONDS,
            )
        )
        self._thread = threading.Thread(target=self._server.run, args=([listener],), name="loopback", daemon=True)
        self._thread.start()


def listen(address: Address) -> socket.socket:
    # The protocol is named, since asyncio sets TCP_NODELAY only then: without it keep-alive clients wait 44 ms.
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((address.host, address.port))
    except OSError as error:
        listener.close()
        raise EngineFailureError(f"cannot listen on {address}: {error.strerror or error}") from error
    listener.listen(128)
    return listener
