"""The gateways against the real OpenClaw, with a scripted model: what the stand-ins claim, it does."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from uuid import uuid4

import pytest

from gsd_engine.effects.gateway import Delivered, GaveUp, Wake
from gsd_engine.effects.gateway.openclaw import OpenClawGateway
from gsd_engine.effects.gateway.openclaw_cli import REFUSED, OpenClawCliGateway
from tests.support.openclaw_real import GATEWAY_TOKEN, HOOK_TOKEN, RealOpenClaw, missing, real_openclaw, wait_until

pytestmark = [
    pytest.mark.openclaw,
    pytest.mark.skipif(missing() is not None, reason=missing() or "it is there"),
    pytest.mark.timeout(240),
]


@pytest.fixture(scope="module")
def openclaw(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealOpenClaw]:
    with real_openclaw(tmp_path_factory.mktemp("openclaw")) as running:
        yield running


@pytest.fixture
def wake() -> Wake:
    """Its own words, conversation and key, so that tests do not see each other."""
    name = uuid4().hex[:8]
    return Wake(f"[TRIGGER]\nnews-{name}", "warden", f"s-{name}", "response_complete", 1, f"effect-{name}")


def gateway(openclaw: RealOpenClaw, token: str = HOOK_TOKEN, agent_id: str | None = None) -> OpenClawGateway:
    return OpenClawGateway(openclaw.url, token, GATEWAY_TOKEN, agent_id=agent_id)


def wait_for_model(openclaw: RealOpenClaw, wake: Wake) -> None:
    words = wake.message.splitlines()[-1]
    wait_until(lambda: bool(openclaw.model.told(words)), 60, lambda: openclaw.log.read_text()[-3000:])


def test_a_wake_reaches_the_agents_model_under_its_name(openclaw: RealOpenClaw, wake: Wake) -> None:
    outcome = gateway(openclaw).wake(wake)
    assert isinstance(outcome, Delivered)
    assert outcome.detail
    wait_for_model(openclaw, wake)
    assert openclaw.model.told("Task: ClaudeStop")


def test_one_idempotency_key_is_one_run(openclaw: RealOpenClaw, wake: Wake) -> None:
    assert gateway(openclaw).wake(wake) == gateway(openclaw).wake(wake)
    # Runs of one conversation are in order: once the model has the later one, a second earlier one would be there.
    later = replace(wake, message="[TRIGGER]\nlater-" + wake.session, idempotency_key=wake.idempotency_key + "-later")
    assert isinstance(gateway(openclaw).wake(later), Delivered)
    wait_for_model(openclaw, later)
    assert len(openclaw.model.told(wake.message.splitlines()[-1])) == 1


def test_an_unknown_agent_is_given_up(openclaw: RealOpenClaw, wake: Wake) -> None:
    outcome = gateway(openclaw).wake(replace(wake, agent_id="nobody"))
    assert outcome == GaveUp('OpenClaw answered 400: unknown agentId "nobody"')


def test_a_wrong_token_is_given_up(openclaw: RealOpenClaw, wake: Wake) -> None:
    assert gateway(openclaw, token="wrong").wake(wake) == GaveUp("OpenClaw answered 401: Unauthorized")


def test_a_message_over_the_limit_is_accepted_shortened(openclaw: RealOpenClaw, wake: Wake) -> None:
    assert isinstance(gateway(openclaw).wake(replace(wake, message="ä" * 300_000)), Delivered)


def test_a_bare_session_id_is_an_admissible_conversation(openclaw: RealOpenClaw, wake: Wake) -> None:
    assert isinstance(gateway(openclaw).wake(replace(wake, openclaw_session_id=f"0000-{wake.session}")), Delivered)


def test_asking_brings_the_models_answer_and_no_reply_brings_none(openclaw: RealOpenClaw, wake: Wake) -> None:
    openclaw.model.answer = '{"decision":"none"}'
    assert gateway(openclaw).ask(wake, 60) == '{"decision":"none"}'
    openclaw.model.answer = "NO_REPLY"
    assert gateway(openclaw).ask(wake, 60) is None
    openclaw.model.answer = "Understood."


def test_check_knows_the_gateway_its_token_and_its_agents(openclaw: RealOpenClaw) -> None:
    assert gateway(openclaw, agent_id="warden").check() is None
    assert 'no agent "nobody"' in (gateway(openclaw, agent_id="nobody").check() or "")
    assert "refuses the hook token" in (gateway(openclaw, token="wrong").check() or "")


def test_the_command_line_wakes_and_answers(openclaw: RealOpenClaw, wake: Wake) -> None:
    cli = OpenClawCliGateway(openclaw.command, openclaw.environ)
    outcome = cli.wake(wake)
    assert isinstance(outcome, Delivered)
    assert outcome.detail
    assert openclaw.model.told(wake.message.splitlines()[-1])
    assert cli.ask(wake, 60) == openclaw.model.answer


def test_the_command_line_gives_up_on_an_unknown_agent(openclaw: RealOpenClaw, wake: Wake) -> None:
    outcome = OpenClawCliGateway(openclaw.command, openclaw.environ).wake(replace(wake, agent_id="nobody"))
    assert isinstance(outcome, GaveUp)
    assert "nobody" in outcome.reason


def test_the_real_refusal_in_an_agents_shell_is_recognised(openclaw: RealOpenClaw, wake: Wake) -> None:
    """`env` sets the marker behind the gateway's back, so that the program itself refuses."""
    cli = OpenClawCliGateway(["env", "OPENCLAW_SHELL=exec", *openclaw.command], openclaw.environ)
    assert cli.wake(wake) == GaveUp(REFUSED)
