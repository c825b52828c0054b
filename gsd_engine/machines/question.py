"""One AskUserQuestion call, from the hook that announces it to the proof of what Claude received."""

from gsd_engine.machines.table import Table, row

QUESTION = Table(
    name="question",
    initial="asked",
    states={
        "asked": "the menu is open or about to be; nobody has answered",
        "answered": "the agent's answer is on its way or submitted",
        "verified": "Claude received exactly what the agent meant",
        "mismatched": "Claude received something else",
        "taken_over": "a person answered first",
        "redirected": "answered by talking about it instead",
        "abandoned": "closed without an answer: Esc, interrupt, end of session",
    },
    rows=(
        row("answer", "asked", "answered", "the agent's intent is recorded"),
        row("reopen", "answered", "asked", "the answer could not be submitted: no key went out, no hook took it"),
        row("verify", "answered", "verified", "received equals intended"),
        row("mismatch", "answered", "mismatched", "received differs from intended"),
        row("take_over", "asked", "taken_over", "a person answered first"),
        row("take_over", "answered", "taken_over", "a person was faster than the answer on its way"),
        row("redirect", "asked | answered", "redirected", "chat about this"),
        row("abandon", "asked | answered", "abandoned", "the menu is gone and no answer came"),
    ),
)
