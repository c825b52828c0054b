"""From the registry's settings to a gateway, and the one schedule of attempts."""

from __future__ import annotations

import subprocess
import sys
from types import SimpleNamespace

import pytest

from gsd_engine.effects.gateway import Delivered, GaveUp, Wake, build_gateway, delay_before
from gsd_engine.errors import UsageError
from gsd_engine.registry import CommandGateway, InboxGateway, OpenClawCliGateway, OpenClawGateway
from tests.support.openclaw_server import HOOK_TOKEN, openclaw_server

WAKE = Wake("wake up", "warden", "warden-main", "idle", 42, "effect-42")


def test_three_attempts_with_two_and_four_seconds_between() -> None:
    assert [delay_before(attempt) for attempt in (1, 2, 3, 4)] == [2.0, 4.0, None, None]


@pytest.mark.parametrize(
    "settings",
    [
        OpenClawGateway(kind="openclaw"),
        OpenClawCliGateway(kind="openclaw-cli"),
        CommandGateway(kind="command", command=("true",)),
        InboxGateway(),
    ],
)
def test_every_kind_of_the_registry_has_its_gateway(settings: SimpleNamespace) -> None:
    assert build_gateway(settings, {}).kind == settings.kind


def test_no_settings_mean_the_inbox_which_takes_everything() -> None:
    gateway = build_gateway(None, {})
    assert gateway.kind == "inbox"
    assert gateway.wake(WAKE) == Delivered("inbox, event 42")
    assert (gateway.ask(WAKE, 5), gateway.check()) == (None, None)


def test_an_unknown_kind_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UsageError, match="use openclaw, openclaw-cli, command or inbox"):
        build_gateway(SimpleNamespace(kind="pigeon"), {})


def test_the_token_is_looked_up_under_its_registered_name() -> None:
    with openclaw_server() as server:
        settings = OpenClawGateway(kind="openclaw", url=server.url, token_env="MY_HOOK")
        assert isinstance(build_gateway(settings, {"MY_HOOK": HOOK_TOKEN}).wake(WAKE), Delivered)
        missing = build_gateway(settings, {"OPENCLAW_HOOK_TOKEN": HOOK_TOKEN}).wake(WAKE)
    assert isinstance(missing, GaveUp)
    assert "MY_HOOK is not set" in missing.reason


def test_an_engine_without_openclaw_never_pays_for_httpx() -> None:
    code = "import sys, gsd_engine.effects.gateway as g; g.build_gateway(None, {}); print('httpx' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"
