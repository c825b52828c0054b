"""Whatever comes on standard input: the hook is silent, exits 0, and what could not be taken is kept."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gsd_engine.effects.tmux import PaneRef
from gsd_engine.hooks.holding import Held
from gsd_engine.hooks.intake import Intake
from gsd_engine.hooks.payload import Payload
from gsd_engine.hooks.readers import READERS
from gsd_engine.hooks.reply import Output
from tests.support.engine import Home

ANY = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**20), 10**20) | st.floats(allow_nan=True) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
HOOKS = st.sampled_from([*READERS, "SubagentStop", "NoSuchHook", ""])
PAYLOADS = st.fixed_dictionaries(
    {}, optional={**dict.fromkeys(Payload.model_fields, ANY), "questions": ANY, "something_new": ANY}
)


@pytest.fixture(scope="module")
def home() -> Iterator[Home]:
    with tempfile.TemporaryDirectory() as folder:
        made = Home(Path(folder) / "home")
        registry = {"version": 1, "agents": [{"agent_id": "w", "session_name": "alpha", "working_directory": "/srv"}]}
        (made.folder / "registry.json").write_text(json.dumps(registry))
        yield made
        made.close()


def take(home: Home, hook: str | None, raw: bytes) -> Output | Held:
    intake = Intake(
        home.config,
        engine_for=lambda config, name: home.engine,
        identify=lambda environ: PaneRef(None, "%1", "alpha"),
    )
    return intake.take(hook, raw, {})


@settings(max_examples=300, deadline=None)
@given(hook=HOOKS, payload=PAYLOADS)
def test_any_json_object_is_taken_as_an_event(home: Home, hook: str, payload: dict[str, Any]) -> None:
    before = home.value("SELECT count(*) FROM events"), len(list(home.config.kept_payloads.glob("*")))
    output = take(home, hook or None, json.dumps(payload).encode())
    assert isinstance(output, Held) or output.exit_code == 0
    assert isinstance(output, Held) or output.stdout == ""
    after = home.value("SELECT count(*) FROM events"), len(list(home.config.kept_payloads.glob("*")))
    assert after[1] == before[1]  # nothing of it was too odd to be an event
    assert after[0] in (before[0], before[0] + 1)  # (the same once more, where it had a natural key)


@settings(max_examples=200, deadline=None)
@given(hook=HOOKS, raw=st.binary(max_size=200) | st.text().map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_bytes_that_are_no_json_object_are_kept_and_change_nothing(home: Home, hook: str, raw: bytes) -> None:
    try:
        parsed = json.loads(raw)
    except (ValueError, RecursionError):
        parsed = None
    before = home.value("SELECT count(*) FROM events"), len(list(home.config.kept_payloads.glob("*")))
    output = take(home, hook or None, raw)
    assert output == Output()
    if not isinstance(parsed, dict):
        after = home.value("SELECT count(*) FROM events"), len(list(home.config.kept_payloads.glob("*")))
        assert after == (before[0], before[1] + 1)


def test_a_payload_nested_without_end_is_kept(home: Home) -> None:
    before = len(list(home.config.kept_payloads.glob("*")))
    assert take(home, "Stop", b'{"a":' * 100_000) == Output()
    assert len(list(home.config.kept_payloads.glob("*"))) == before + 1
