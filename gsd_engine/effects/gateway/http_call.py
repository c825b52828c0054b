"""One HTTP request within a time limit. The only file that knows httpx: its exceptions end here.

httpx limits each read, not the whole: a server that sends one byte now and then would hold us for ever. So the
request runs in a thread of its own, and whoever waits for it leaves on time.
"""

from __future__ import annotations

import ssl
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from threading import Thread

import httpx


@dataclass(frozen=True)
class Reply:
    status: int
    headers: Mapping[str, str]
    text: str


class NoReplyError(Exception):
    """Nothing usable came back; `hopeless` where the request itself can never be sent."""

    def __init__(self, reason: str, hopeless: bool = False) -> None:
        super().__init__(reason)
        self.hopeless = hopeless


class HttpCaller:
    """Requests to one address, each on a fresh connection: they are rare, and a stale one costs an attempt."""

    def __init__(self, url: str, transport: httpx.BaseTransport | None = None) -> None:
        self._url = url.rstrip("/")
        self._transport = transport

    def call(
        self, method: str, path: str, seconds: float, headers: Mapping[str, str] | None = None, body: bytes = b""
    ) -> Reply:
        future: Future[Reply] = Future()
        client = self._client(seconds)

        def work() -> None:
            try:
                answer = client.request(method, self._url + path, headers=headers, content=body)
                future.set_result(Reply(answer.status_code, answer.headers, answer.text))
            except Exception as error:  # handed over to the waiting thread
                future.set_exception(error)

        Thread(target=work, name="gateway-call", daemon=True).start()
        try:
            return future.result(seconds)
        except Exception as error:
            raise _translated(error, seconds) from None
        finally:
            client.close()

    def _client(self, seconds: float) -> httpx.Client:
        """Without the environment's proxies and netrc: the token is for the gateway and nobody in between."""
        verify = ssl.create_default_context() if self._url.startswith("https:") else True
        return httpx.Client(timeout=seconds, transport=self._transport, trust_env=False, verify=verify)


def _translated(error: Exception, seconds: float) -> NoReplyError:
    match error:
        case httpx.ConnectTimeout():
            return NoReplyError(f"no connection within {seconds:g} s")
        case TimeoutError() | httpx.TimeoutException():
            return NoReplyError(f"no answer within {seconds:g} s")
        case httpx.ConnectError():
            return NoReplyError(f"cannot connect: {error}")
        case httpx.UnsupportedProtocol() | httpx.LocalProtocolError() | httpx.InvalidURL() | ValueError():
            return NoReplyError(f"the request cannot be made: {error}", hopeless=True)
        case _:
            return NoReplyError(f"the connection broke: {error or type(error).__name__}")
