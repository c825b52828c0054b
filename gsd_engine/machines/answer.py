"""The agent's answer to one question. It is committed as an intent before anything is submitted."""

from gsd_engine.machines.table import Table, row

ANSWER = Table(
    name="pending_answer",
    initial="intended",
    states={
        "intended": "decided by the agent, not yet submitted",
        "submitted": "handed to the open hook, or keyed into the menu",
        "matched": "Claude received it as intended",
        "mismatched": "Claude received something else",
        "void": "never took effect: a person was first, or the question went away",
    },
    rows=(
        row("submit", "intended", "submitted", "the hook returned it, or its first key went out"),
        row("match", "submitted", "matched", "the tool's result equals it"),
        row("mismatch", "submitted", "mismatched", "the tool's result differs"),
        row("void", "intended | submitted", "void", "a person was first, or the question was closed"),
    ),
)
