"""A pipeline: the steps of a runbook, in order, each an agent run or a shell command."""

from gsd_engine.machines.table import Table, row

PIPELINE = Table(
    name="pipeline",
    initial="running",
    states={
        "running": "a step is under way",
        "waiting": "its step waits for a person",
        "completed": "the last step is done",
        "failed": "a step failed and nothing says where to go on",
        "cancelled": "ended by request",
    },
    rows=(
        row("wait", "running", "waiting", "its step escalated"),
        row("resume", "waiting", "running", "a person decided to go on"),
        row("complete", "running | waiting", "completed", "the last step is done"),
        row("fail", "running | waiting", "failed", "a step failed"),
        row("cancel", "running | waiting", "cancelled", "asked for"),
    ),
)
