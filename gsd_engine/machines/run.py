"""An agent run: one agent working in one session towards a signal."""

from gsd_engine.machines.table import Table, row

RUN = Table(
    name="agent_run",
    initial="running",
    states={
        "running": "the agent works",
        "waiting": "held until something outside happens: a reset time, a gate",
        "completed": "signalled complete, or its policy said done",
        "failed": "ended by its policy or by a person's decision",
        "cancelled": "ended by request",
        "escalated": "a person was called; a decision is open",
    },
    rows=(
        row("wait", "running", "waiting", "nothing to do until a time or a gate"),
        row("resume", "waiting | escalated", "running", "the wait is over, or a person decided to go on"),
        row("complete", "running | waiting | escalated", "completed", "signal complete, or policy done"),
        row("fail", "running | waiting | escalated", "failed", "policy fail, or a person's decision"),
        row("cancel", "running | waiting | escalated", "cancelled", "asked for"),
        row("escalate", "running | waiting", "escalated", "attempts used up, or policy escalate"),
    ),
)
