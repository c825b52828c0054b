"""The JSON of all sessions: one entry each, in the shape that the page and scripts rely on."""

from __future__ import annotations

import json

from gsd_engine.overview import overview, why
from gsd_engine.rules.telling import utc_time
from tests.support.engine import NOON, Home


def test_a_session_with_a_queue_is_told_with_its_progress_and_what_it_waits_for(home: Home) -> None:
    home.queue("/clear", "/gsd:plan-phase 3", "/gsd:execute-phase 3")
    home.startup(session_id="claude-2")  # not the clear that is awaited: the queue goes stale
    home.queue("/gsd:plan-phase 3", "/gsd:execute-phase 3")
    home.receipt("/gsd:plan-phase 3", "p1")
    [entry] = overview(home.config, home.database, NOON, performing=True)["sessions"]
    assert (entry["session"], entry["agent"], entry["state"]) == ("alpha", "warden", "working")
    assert entry["queue"]["command"] == "/gsd:plan-phase 3"
    assert (entry["queue"]["done"], entry["queue"]["total"], entry["queue"]["delivery"]) == (0, 2, "accepted")
    assert entry["waits_for"] == "Stop of /gsd:plan-phase 3"
    assert entry["last_event"]["name"] == "UserPromptSubmit"
    assert entry["level"] == "busy"


def test_an_agent_of_the_registry_that_was_never_heard_of_is_listed_too(home: Home) -> None:
    agents = [{"agent_id": "forge", "session_name": "forge-main"}]
    home.config.registry_path.write_text(json.dumps({"version": 1, "agents": agents}))
    entries = overview(home.config, home.database, NOON, performing=True)["sessions"]
    assert [(entry["session"], entry["state"]) for entry in entries] == [("alpha", "idle"), ("forge-main", None)]
    assert entries[1]["why"].startswith("never heard of: no hook has come from the tmux session forge-main")


def test_why_names_the_rows_behind_its_sentence_in_utc(home: Home) -> None:
    home.queue("/gsd:plan-phase 3")
    home.receipt("/gsd:plan-phase 3", "p1")
    told = why(home.config, home.database, "alpha", NOON, performing=True, show_time=utc_time)
    assert told["why"].startswith("waiting for Stop of /gsd:plan-phase 3 since 2030-01-02T12:00:00Z; accepted;")
    [command] = [row for row in told["rows"] if row["table"] == "commands"]
    assert command["values"]["command"] == "/gsd:plan-phase 3"
    assert command["values"]["accepted_at"] == "2030-01-02T12:00:00.000Z"
