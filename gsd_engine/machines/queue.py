"""A queue: commands that the agent asked for, run one after the other. At most one per session is active."""

from gsd_engine.machines.table import Table, row

QUEUE = Table(
    name="queue",
    initial="active",
    states={
        "active": "its commands are being run, one at a time",
        "completed": "every command is done",
        "cancelled": "a person took over, or someone asked for it",
        "stale": "Claude Code ended or restarted before the queue was done",
        "failed": "a command could not be delivered or did not finish",
    },
    rows=(
        row("complete", "active", "completed", "the last command is done"),
        row("cancel", "active", "cancelled", "manual input, `queue cancel`, or a replacement"),
        row("go_stale", "active", "stale", "a new start of Claude Code, or its end"),
        row("fail", "active", "failed", "a command failed"),
        row("put_right", "failed", "active", "a delivery that was in doubt got its receipt after all"),
    ),
)
