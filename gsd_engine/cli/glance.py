"""All sessions on one screen of 80 columns: a table, then what needs a person, with the call to make."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from gsd_engine.cli.output import one_line
from gsd_engine.rules.telling import local_time

Entry = dict[str, Any]

STYLES = {"person": "bold yellow", "busy": "green", "calm": ""}


def glance(seen: dict[str, Any]) -> RenderableType:
    entries: list[Entry] = seen["sessions"]
    if not entries:
        return Text("no session yet: 'gsd-engine install' sets one up, and its first hook makes it appear here")
    needs = needs_a_person(seen)
    return Group(table(entries, seen["at"]), *([Text(), *needs] if needs else []))


def table(entries: list[Entry], at: str) -> Table:
    """Columns that no session has anything for are left out: 80 columns are few."""
    now = datetime.fromisoformat(at)
    columns: list[tuple[str, Callable[[Entry], str], bool]] = [
        ("STATE", lambda e: e["state"] or "unheard", True),
        ("QUEUE", _queue, any(map(_queue, entries))),
        ("LOOP", _loop, any(map(_loop, entries))),
        ("RUN", _run, any(map(_run, entries))),
        ("CTX", _context, any(map(_context, entries))),
        ("LAST", lambda e: _last(e, now), True),
    ]
    made = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    made.add_column("SESSION", no_wrap=True, overflow="ellipsis", max_width=20)
    for title, _, wanted in columns:
        if wanted:
            made.add_column(title, no_wrap=True)
    made.add_column("WAITS FOR", overflow="fold", ratio=1)
    for entry in entries:
        cells = [of(entry) for _, of, wanted in columns if wanted]
        shown = [one_line(entry["session"]), *cells, one_line(entry["waits_for"])]
        made.add_row(*(Text(cell) for cell in shown), style=STYLES[entry["level"]])
    return made


def needs_a_person(seen: dict[str, Any]) -> list[Text]:
    lines = []
    for entry in seen["sessions"]:
        name = one_line(entry["session"])
        for decision in entry["decisions"]:
            call = f"gsd-engine decision show {decision['id']}"
            lines.append(_line(f"! {name}: {one_line(decision['title'])}", call))
        if entry["question"] and entry["question"]["state"] == "asked":
            call = f"gsd-engine question show --session {name}"
            lines.append(_line(f"? {name}: {one_line(entry['question']['text'])}", call))
        if entry["level"] == "person" and not entry["decisions"]:
            lines.append(_line(f"! {name}: {one_line(entry['waits_for'])}", f"gsd-engine why {name}"))
        if entry["effects"]["unread"]:
            lines.append(
                _line(f"  {name}: {entry['effects']['unread']} unread in the inbox", "gsd-engine inbox --keep")
            )
    waiting = sum(entry["effects"]["open"] for entry in seen["sessions"])
    if waiting and not seen["engine"]["running"]:
        lines.append(_line(f"! no engine is running, effects that wait: {waiting}", "gsd-engine serve"))
    return lines


def _line(text: str, call: str) -> Text:
    return Text.assemble((text, "yellow" if text.startswith("!") else ""), ("  → " + call, "dim"))


def _queue(entry: Entry) -> str:
    queue = entry["queue"]
    if queue is None:
        return ""
    return f"{queue['done']}/{queue['total']}" + ("" if queue["state"] == "active" else f" {queue['state']}")


def _loop(entry: Entry) -> str:
    loop = entry["loop"]
    return f"{loop['iter']}/{loop['max']}" if loop else ""


def _run(entry: Entry) -> str:
    run = entry["run"]
    return one_line(run["step"] or run["state"]) if run else ""


def _context(entry: Entry) -> str:
    return f"{entry['context_percent']}%" if entry["context_percent"] is not None else ""


def _last(entry: Entry, now: datetime) -> str:
    last = entry["last_event"]
    return f"{last['name']} {local_time(datetime.fromisoformat(last['at']), now)}" if last else "never"
