"""A tmux session with Claude Code in it, as its hooks tell it.

Hooks can be missed (SIGKILL sends none, a broken engine lets them pass), so any sign of life leads back to life.
"""

from gsd_engine.machines.table import Table, row

SESSION = Table(
    name="session",
    initial="starting",
    states={
        "starting": "spawned, or first heard of; Claude Code has not reported its start",
        "idle": "Claude Code waits at its prompt",
        "working": "a turn is under way",
        "asking": "an AskUserQuestion menu is open",
        "failing": "the last turn ended with an API error",
        "ended": "Claude Code reported its end",
        "lost": "the pane or its process is gone without a report",
    },
    rows=(
        row("spawn", "ended | lost", "starting", "the engine starts Claude Code in it again"),
        row("start", "starting | working | asking | failing | ended | lost", "idle", "SessionStart"),
        row("prompt", "starting | idle | asking | failing | ended | lost", "working", "a prompt was submitted"),
        row("ask", "starting | idle | working | failing | ended | lost", "asking", "AskUserQuestion was called"),
        row("answer", "asking", "working", "the question was answered, the turn goes on"),
        row("stop", "starting | working | asking | failing | ended | lost", "idle", "the turn is over"),
        row("fail", "starting | idle | working | asking | ended | lost", "failing", "StopFailure: an API error"),
        row("end", "starting | idle | working | asking | failing | lost", "ended", "SessionEnd"),
        row("lose", "starting | idle | working | asking | failing", "lost", "the pane or its process is gone"),
    ),
)
