"""The loopback port: hooks by HTTP get the reply a hook's process would give, and nobody without the token."""

from __future__ import annotations

import asyncio
import http.client
import json
import socket
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from gsd_engine.errors import UsageError
from gsd_engine.hooks.reply import Output
from gsd_engine.resident.client import ask_for_loopback
from gsd_engine.resident.http_hooks import answer
from gsd_engine.resident.loopback import Address, listen, parse_address
from gsd_engine.resident.secret import cookie_value, token_of
from tests.support.resident import EngineHome


class Port:
    """What a program on this machine can send to the port, header by header."""

    def __init__(self, home: EngineHome, address: str) -> None:
        self.home, self.address = home, address
        self.number = int(address.rpartition(":")[2])
        self.token = token_of(home.config)

    @property
    def bearer(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}

    @property
    def cookie(self) -> dict[str, str]:
        return {"Cookie": f"gsd-engine-{self.number}={cookie_value(self.token)}"}

    def send(
        self, method: str, path: str, headers: Mapping[str, str], body: bytes = b"", host: str | None = None
    ) -> http.client.HTTPResponse:
        connection = http.client.HTTPConnection("127.0.0.1", self.number, timeout=20)
        connection.putrequest(method, path, skip_host=True)
        for name, value in {"Host": host or f"127.0.0.1:{self.number}", **headers}.items():
            connection.putheader(name, value)
        connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body)
        response = connection.getresponse()
        response.body = response.read()  # type: ignore[attr-defined]  # read before the connection goes
        connection.close()
        return response

    def hook(self, event: str, payload: Mapping[str, Any], **headers: str) -> http.client.HTTPResponse:
        where = self.home.environment("alpha")
        sent = {**self.bearer, "Tmux": where["TMUX"], "Tmux-Pane": where["TMUX_PANE"], **headers}
        body = json.dumps({"hook_event_name": event, "session_id": "claude-1", **payload}).encode()
        return self.send("POST", f"/hooks/{event}", {"Content-Type": "application/json", **sent}, body)


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Port]:
    with EngineHome(tmp_path_factory.mktemp("loopback")) as home:
        home.session("alpha")
        home.start_engine()
        yield Port(home, ask_for_loopback(home.config, "127.0.0.1:0"))


def test_a_hook_by_http_is_taken_like_one_by_command(port: Port) -> None:
    before = port.home.events("Stopped")
    response = port.hook("Stop", {"last_assistant_message": "Phase 2 done.", "prompt_id": "p1"})
    assert (response.status, response.body) == (200, b"")  # type: ignore[attr-defined]
    assert port.home.events("Stopped") == before + 1
    assert port.home.value("SELECT name FROM sessions") == "alpha"


def test_a_hook_by_http_outside_tmux_leaves_no_row(port: Port) -> None:
    before = port.home.value("SELECT count(*) FROM events WHERE source = 'hook'")
    assert port.hook("Stop", {"last_assistant_message": "x"}, **{"Tmux": "", "Tmux-Pane": "$TMUX_PANE"}).status == 200
    assert port.home.value("SELECT count(*) FROM events WHERE source = 'hook'") == before


def test_a_payload_that_is_no_json_does_no_harm(port: Port) -> None:
    response = port.send("POST", "/hooks/Stop", port.bearer, b"\xff{")
    assert (response.status, response.body) == (200, b"")  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("output", "body"),
    [
        (Output(), b""),
        (Output(stdout='{"decision": "block"}', stderr="on", exit_code=2), b'{"decision": "block"}'),
        (Output(stderr="go on", exit_code=2), b'{"decision": "block", "reason": "go on"}'),
        (Output(stdout='{"hookSpecificOutput": {}}'), b'{"hookSpecificOutput": {}}'),
    ],
)
def test_what_exit_2_would_block_a_decision_blocks(output: Output, body: bytes) -> None:
    response = answer(output)
    assert (response.status_code, bytes(response.body)) == (200, body)


@pytest.mark.parametrize("path", ["/", "/page.js", "/api/state", "/hooks/Stop", "/nothing", "/?token=wrong"])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_without_the_token_nothing_is_served(port: Port, method: str, path: str) -> None:
    before = port.home.value("SELECT count(*) FROM events WHERE source = 'hook'")
    response = port.send(method, path, {"Authorization": "Bearer wrong", "Cookie": f"gsd-engine-{port.number}=wrong"})
    assert response.status == 401
    assert b"gsd-engine open" in response.body  # type: ignore[attr-defined]
    assert port.home.value("SELECT count(*) FROM events WHERE source = 'hook'") == before


@pytest.mark.parametrize("host", ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", ""])
def test_a_foreign_name_for_this_machine_is_refused_even_with_the_token(port: Port, host: str) -> None:
    host = host.format(port=port.number)
    assert port.send("POST", "/hooks/Stop", port.bearer, b"{}", host=host or " ").status == 421


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:1", "https://127.0.0.1:{port}"])
def test_another_origin_is_refused_and_never_allowed_to_read(port: Port, origin: str) -> None:
    response = port.send("GET", "/", {**port.cookie, "Origin": origin.format(port=port.number)})
    assert response.status == 403
    assert not [name for name, _ in response.getheaders() if name.lower().startswith("access-control")]


def test_the_page_s_cookie_brings_no_hook_events(port: Port) -> None:
    origin = {"Origin": f"http://127.0.0.1:{port.number}"}
    assert port.send("POST", "/hooks/Stop", {**port.cookie, **origin}, b"{}").status == 401


def test_a_change_with_the_cookie_must_say_that_it_comes_from_the_page(port: Port) -> None:
    own = f"http://127.0.0.1:{port.number}"
    for headers in (
        {},
        {"Origin": own, "Sec-Fetch-Site": "same-site"},
        {"Origin": own, "Sec-Fetch-Site": "cross-site"},
    ):
        assert port.send("POST", "/api/operation/queue.cancel", {**port.cookie, **headers}, b"{}").status == 403


def test_the_link_s_token_becomes_a_strict_cookie_that_scripts_cannot_read(port: Port) -> None:
    response = port.send("GET", f"/?token={port.token}", {})
    cookie = response.getheader("set-cookie") or ""
    assert response.status == 200
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert port.token not in cookie + response.body.decode()  # type: ignore[attr-defined]


def test_the_token_is_the_owner_s_alone_and_stays_the_same(port: Port) -> None:
    assert port.home.config.token_path.stat().st_mode & 0o777 == 0o600
    assert token_of(port.home.config) == port.token
    assert len(port.token) >= 43


def test_connections_of_the_port_do_not_wait_to_fill_their_packets() -> None:
    """Without TCP_NODELAY a client that keeps its connection waits 44 ms for every answer."""

    async def option_of_an_accepted_connection() -> int:
        accepted: asyncio.Future[socket.socket] = asyncio.get_running_loop().create_future()
        server = await asyncio.start_server(
            lambda reader, writer: accepted.set_result(writer.get_extra_info("socket")),
            sock=listen(Address("127.0.0.1", 0)),
        )
        _, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        option = (await accepted).getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
        writer.close()
        server.close()
        return option

    assert asyncio.run(option_of_an_accepted_connection()) == 1


def test_the_next_engine_listens_where_the_last_one_did(tmp_path: Path) -> None:
    with EngineHome(tmp_path) as home:
        home.start_engine()
        address = ask_for_loopback(home.config, "127.0.0.1:0")
        assert ask_for_loopback(home.config, "127.0.0.1:0") == address
        home.cli("stop")
        home.start_engine()
        with socket.create_connection(("127.0.0.1", int(address.rpartition(":")[2])), timeout=5):
            pass
        assert ask_for_loopback(home.config, "127.0.0.1:0") == address


def test_serve_refuses_an_address_that_others_can_reach(tmp_path: Path) -> None:
    with EngineHome(tmp_path) as home:
        for address in ("0.0.0.0:8765", "192.168.1.2:80", "example.org:80", "127.0.0.1", "127.0.0.1:x", ":80"):
            refused = home.cli("serve", "--http", address, check=False)
            assert refused.returncode == 2
            assert "127.0.0.1:8765" in refused.stderr
        assert not home.config.socket_path.exists()


@pytest.mark.parametrize(("text", "meant"), [("localhost:80", "127.0.0.1:80"), ("[::1]:0", "[::1]:0")])
def test_loopback_has_several_names(text: str, meant: str) -> None:
    assert str(parse_address(text)) == meant
    with pytest.raises(UsageError, match="loopback"):
        parse_address("[::]:80")
