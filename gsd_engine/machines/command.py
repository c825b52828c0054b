"""One command of a queue. It is done when the hook it awaits has come, never because it was typed."""

from gsd_engine.machines.table import Table, row

COMMAND = Table(
    name="command",
    initial="pending",
    states={
        "pending": "its turn has not come",
        "active": "handed to delivery; awaits its hook",
        "done": "accepted, and the awaited hook has come",
        "failed": "not delivered, unknown to Claude Code, or interrupted",
        "skipped": "its queue ended before it was done",
    },
    rows=(
        row("activate", "pending", "active", "it is first in line"),
        row("finish", "active", "done", "the awaited hook came for it"),
        row("fail", "active", "failed", "refused, uncertain, unknown_command or interrupted"),
        row("skip", "pending | active", "skipped", "its queue ended early"),
        row("put_right", "failed", "active", "its receipt came late"),
        row("put_right", "skipped", "pending", "its queue goes on after a late receipt"),
    ),
)
