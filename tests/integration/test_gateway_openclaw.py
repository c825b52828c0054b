"""OpenClaw over real HTTP on loopback: every status, every way a connection fails, and no secret in any reason."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gsd_engine.effects.gateway import Delivered, GaveUp, TryAgain, Wake
from gsd_engine.effects.gateway.openclaw import BODY_LIMIT, OpenClawGateway, retry_after, wake_body, wake_name
from tests.support.openclaw_server import GATEWAY_TOKEN, HOOK_TOKEN, Answer, OpenClawServer, openclaw_server

WAKE = Wake(
    message="[TRIGGER]\ntrigger: response_complete",
    agent_id="warden",
    session="warden-main",
    trigger="response_complete",
    event_id=7,
    idempotency_key="effect-7",
)


@pytest.fixture
def server() -> Iterator[OpenClawServer]:
    with openclaw_server() as running:
        yield running


def gateway(server: OpenClawServer, timeout: float = 5.0, agent_id: str | None = None) -> OpenClawGateway:
    return OpenClawGateway(server.url, HOOK_TOKEN, GATEWAY_TOKEN, timeout=timeout, agent_id=agent_id)


def unused_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def test_a_wake_is_delivered_with_the_body_that_openclaw_expects(server: OpenClawServer) -> None:
    outcome = gateway(server).wake(WAKE)
    assert outcome == Delivered(next(iter(server.runs.values())))
    assert server.seen[0].headers["authorization"] == f"Bearer {HOOK_TOKEN}"
    assert server.seen[0].json == {
        "message": WAKE.message,
        "name": "ClaudeStop",
        "agentId": "warden",
        "deliver": False,
        "sessionMode": "persistent",
        "sessionKey": "hook:claude:warden-main",
    }


@pytest.mark.parametrize(
    ("own", "key"),
    [("agent:warden:hook:mine", "agent:warden:hook:mine"), ("0000-0001", "hook:claude:0000-0001")],
)
def test_an_agents_own_conversation_is_used_with_an_admissible_prefix(
    server: OpenClawServer, own: str, key: str
) -> None:
    gateway(server).wake(replace(WAKE, openclaw_session_id=own))
    assert server.seen[0].json["sessionKey"] == key


@pytest.mark.parametrize(
    ("trigger", "name"),
    [("response_complete", "ClaudeStop"), ("queue_complete", "ClaudeQueueComplete"), ("idle", "ClaudeIdle")],
)
def test_each_trigger_has_its_name_in_openclaws_log(trigger: str, name: str) -> None:
    assert wake_name(trigger) == name


def test_attempts_carry_one_idempotency_key_and_start_one_run(server: OpenClawServer) -> None:
    server.script = [Answer(503, "restarting"), Answer(502, "bad gateway")]
    outcomes = [gateway(server).wake(WAKE) for _ in range(4)]
    assert [type(outcome) for outcome in outcomes] == [TryAgain, TryAgain, Delivered, Delivered]
    assert {seen.headers["idempotency-key"] for seen in server.seen} == {"effect-7"}
    assert outcomes[2] == outcomes[3]
    assert len(server.runs) == 1


@pytest.mark.parametrize("status", [200, 201, 202, 204])
def test_any_success_counts_as_delivered(server: OpenClawServer, status: int) -> None:
    server.script = [Answer(status, "" if status == 204 else '{"ok":true,"runId":"r-1"}')]
    assert gateway(server).wake(WAKE) == Delivered("" if status == 204 else "r-1")


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504])
def test_a_status_that_may_pass_is_tried_again_and_named(server: OpenClawServer, status: int) -> None:
    server.script = [Answer(status, '{"ok":false,"error":"not\\nnow"}')]
    assert gateway(server).wake(WAKE) == TryAgain(f"OpenClaw answered {status}: not now")


@pytest.mark.parametrize("status", [301, 302, 307, 400, 401, 403, 404, 405, 409, 410, 413, 422, 501, 505])
def test_a_status_that_stays_is_given_up_and_named(server: OpenClawServer, status: int) -> None:
    server.script = [Answer(status, "as it is", {"location": f"{server.url}/hooks/agent"})]
    assert gateway(server).wake(WAKE) == GaveUp(f"OpenClaw answered {status}: as it is")
    assert len(server.seen) == 1


def test_an_unknown_agent_is_given_up_with_the_servers_words(server: OpenClawServer) -> None:
    outcome = gateway(server).wake(replace(WAKE, agent_id="nobody"))
    assert outcome == GaveUp('OpenClaw answered 400: unknown agentId "nobody"')


def test_a_wrong_token_is_given_up(server: OpenClawServer) -> None:
    assert OpenClawGateway(server.url, "wrong").wake(WAKE) == GaveUp("OpenClaw answered 401: Unauthorized")


def test_the_servers_wish_to_wait_is_passed_on(server: OpenClawServer) -> None:
    in_a_minute = format_datetime(datetime.now(UTC) + timedelta(seconds=60), usegmt=True)
    server.script = [Answer(429, "slow", {"Retry-After": "17"}), Answer(503, "", {"Retry-After": in_a_minute})]
    first, second = gateway(server).wake(WAKE), gateway(server).wake(WAKE)
    assert first == TryAgain("OpenClaw answered 429: slow", 17.0)
    assert isinstance(second, TryAgain)
    assert second.after == pytest.approx(60, abs=5)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        (None, None),
        ("", None),
        ("soon", None),
        ("-5", None),
        ("1.5", None),
        ("٣", None),
        ("0", 0.0),
        (" 30 ", 30.0),
        ("9" * 400, 3600.0),
        ("Sun, 06 Nov 1994 08:49:37 GMT", 0.0),
        ("Wed, 18 Nov 2026 08:00:09 GMT", 9.0),
        ("Wed, 18 Nov 2026 08:00:09", 9.0),
        ("Fri, 31 Dec 9999 23:59:59 GMT", 3600.0),
    ],
)
def test_retry_after_is_seconds_or_a_date_or_nothing(value: str | None, seconds: float | None) -> None:
    assert retry_after(value, datetime(2026, 11, 18, 8, 0, 0, tzinfo=UTC)) == seconds


@given(st.text())
def test_no_retry_after_header_can_break_the_gateway(value: str) -> None:
    seconds = retry_after(value, datetime(2026, 11, 18, tzinfo=UTC))
    assert seconds is None or 0 <= seconds <= 3600


def test_a_refused_connection_is_tried_again() -> None:
    outcome = OpenClawGateway(f"http://127.0.0.1:{unused_port()}", HOOK_TOKEN).wake(WAKE)
    assert isinstance(outcome, TryAgain)
    assert "cannot connect" in outcome.reason


def test_a_connection_that_closes_without_an_answer_is_tried_again() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        wake = OpenClawGateway(f"http://127.0.0.1:{listener.getsockname()[1]}", HOOK_TOKEN, timeout=5)
        listener.settimeout(5)
        threading.Thread(target=lambda: listener.accept()[0].close(), daemon=True).start()
        outcome = wake.wake(WAKE)
    assert isinstance(outcome, TryAgain)


@pytest.mark.parametrize("mode", ["half_open", "trickle"])
def test_a_server_that_never_finishes_costs_the_timeout_and_no_more(server: OpenClawServer, mode: str) -> None:
    server.mode = mode
    begun = time.monotonic()
    outcome = gateway(server, timeout=0.4).wake(WAKE)
    assert time.monotonic() - begun < 3
    assert isinstance(outcome, TryAgain)
    assert "no answer within 0.4 s" in outcome.reason


@pytest.mark.parametrize("url", ["ftp://127.0.0.1", "127.0.0.1:18789", "http://[::1", ""])
def test_an_address_that_is_none_is_given_up(url: str) -> None:
    assert isinstance(OpenClawGateway(url, HOOK_TOKEN).wake(WAKE), GaveUp)


@pytest.mark.parametrize("token", [None, "", "  ", "with\nnewline", "schlüssel"])
def test_without_a_usable_token_nothing_is_sent_and_the_variable_is_named(
    server: OpenClawServer, token: str | None
) -> None:
    outcome = OpenClawGateway(server.url, token, token_name="MY_TOKEN").wake(WAKE)
    assert isinstance(outcome, GaveUp)
    assert outcome.reason.startswith("MY_TOKEN is not set")
    assert server.seen == []


def test_a_newline_at_the_end_of_a_token_is_forgiven(server: OpenClawServer) -> None:
    assert isinstance(OpenClawGateway(server.url, HOOK_TOKEN + "\n").wake(WAKE), Delivered)


def test_no_secret_appears_in_reasons_or_repr_even_if_the_server_echoes_it(server: OpenClawServer) -> None:
    echo = f"bad header Bearer {HOOK_TOKEN}, {GATEWAY_TOKEN}"
    server.script = [Answer(400, echo), Answer(503, echo), Answer(200, json.dumps({"runId": echo}))]
    waking = gateway(server)
    said = repr([waking.wake(WAKE) for _ in range(3)]) + repr(waking)
    with_password = OpenClawGateway(f"http://me:{HOOK_TOKEN}@127.0.0.1:{unused_port()}", "t0ken")
    said += repr(with_password) + repr(with_password.wake(WAKE)) + str(with_password.check())
    assert HOOK_TOKEN not in said
    assert GATEWAY_TOKEN not in said
    assert "[secret]" in said


def test_a_long_colourful_error_becomes_one_short_line(server: OpenClawServer) -> None:
    server.script = [Answer(400, "\x1b[31m<html>\n" + "very long " * 500)]
    outcome = gateway(server).wake(WAKE)
    assert isinstance(outcome, GaveUp)
    assert len(outcome.reason) <= 300
    assert outcome.reason.isprintable()


def test_a_message_too_long_for_openclaw_arrives_with_head_and_tail(server: OpenClawServer) -> None:
    message = "HEAD" + "ä" * 300_000 + "TAIL"
    assert isinstance(gateway(server).wake(replace(WAKE, message=message)), Delivered)
    arrived = server.seen[0].json["message"]
    assert arrived.startswith("HEADä")
    assert arrived.endswith("äTAIL")
    assert "characters left out here" in arrived
    assert BODY_LIMIT - 10 <= len(server.seen[0].body) <= BODY_LIMIT


@given(st.text(st.characters(exclude_categories=()), min_size=1, max_size=30), st.integers(1, 400_000))
def test_no_message_makes_a_body_that_is_too_large_or_unreadable(piece: str, length: int) -> None:
    message = (piece * (length // len(piece) + 1))[:length]
    body = wake_body(replace(WAKE, message=message))
    assert len(body) <= BODY_LIMIT
    assert json.loads(body)["message"]


def test_a_message_that_fits_is_sent_as_it_is() -> None:
    overhead = len(wake_body(replace(WAKE, message="")))
    exact = "x" * (BODY_LIMIT - overhead)
    assert json.loads(wake_body(replace(WAKE, message=exact)))["message"] == exact
    assert "left out" in json.loads(wake_body(replace(WAKE, message=exact + "x")))["message"]


def test_asking_returns_the_agents_words(server: OpenClawServer) -> None:
    server.reply = '{"decision":"block","reason":"go on"}'
    assert gateway(server).ask(WAKE, 5) == server.reply
    assert server.seen[0].headers["authorization"] == f"Bearer {GATEWAY_TOKEN}"
    assert server.seen[0].json["model"] == "openclaw/warden"
    assert server.seen[0].json["messages"] == [{"role": "user", "content": WAKE.message}]


def test_no_reply_is_no_answer(server: OpenClawServer) -> None:
    server.reply = "NO_REPLY"
    assert gateway(server).ask(WAKE, 5) is None
    assert len(server.seen) == 1


@pytest.mark.parametrize("body", ["", "no json", "[]", "{}", '{"choices":[]}', '{"choices":[{"message":null}]}'])
def test_an_answer_that_cannot_be_read_is_no_answer(body: str) -> None:
    transport = httpx.MockTransport(lambda request: httpx.Response(200, text=body))
    assert OpenClawGateway("http://gateway", HOOK_TOKEN, GATEWAY_TOKEN, transport=transport).ask(WAKE, 5) is None


@pytest.mark.parametrize("mode", ["half_open", "trickle"])
def test_asking_ends_on_time(server: OpenClawServer, mode: str) -> None:
    server.mode = mode
    begun = time.monotonic()
    assert gateway(server).ask(WAKE, 0.4) is None
    assert time.monotonic() - begun < 3


def test_asking_without_a_token_or_a_server_is_no_answer(server: OpenClawServer) -> None:
    assert OpenClawGateway(server.url, HOOK_TOKEN).ask(WAKE, 5) is None
    assert OpenClawGateway(server.url, HOOK_TOKEN, "wrong").ask(WAKE, 5) is None
    assert OpenClawGateway(f"http://127.0.0.1:{unused_port()}", HOOK_TOKEN, GATEWAY_TOKEN).ask(WAKE, 5) is None


def test_check_finds_a_healthy_gateway_and_wakes_nobody(server: OpenClawServer) -> None:
    assert gateway(server, agent_id="warden").check() is None
    assert server.runs == {}


def test_check_says_what_to_do(server: OpenClawServer) -> None:
    def complaint(checked: OpenClawGateway) -> str:
        return checked.check() or "nothing wrong"

    assert 'no agent "nobody"' in complaint(gateway(server, agent_id="nobody"))
    assert "must hold its hooks.token" in complaint(OpenClawGateway(server.url, "wrong"))
    assert "is not set" in complaint(OpenClawGateway(server.url, None))
    assert "start its gateway" in complaint(OpenClawGateway(f"http://127.0.0.1:{unused_port()}", HOOK_TOKEN))
    server.script = [Answer(404, "Not Found"), Answer(503, "draining")]
    assert "set hooks.enabled" in complaint(gateway(server))
    assert "503: draining" in complaint(gateway(server))


def test_check_passes_no_verdict_on_an_agent_it_cannot_look_up(server: OpenClawServer) -> None:
    server.chat_enabled = False
    assert gateway(server, agent_id="nobody").check() is None


def test_proxies_of_the_environment_never_see_the_token(
    server: OpenClawServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{unused_port()}")
    monkeypatch.setenv("ALL_PROXY", f"http://127.0.0.1:{unused_port()}")
    assert isinstance(gateway(server).wake(WAKE), Delivered)
