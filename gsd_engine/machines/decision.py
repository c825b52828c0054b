"""A decision that only a person can take. One open per run and cause, so that one cause calls a person once."""

from gsd_engine.machines.table import Table, row

DECISION = Table(
    name="decision",
    initial="open",
    states={
        "open": "a person was called and has not decided",
        "resolved": "an option was chosen and applied",
        "dismissed": "closed without choosing",
    },
    rows=(
        row("resolve", "open", "resolved", "an option was chosen"),
        row("dismiss", "open", "dismissed", "nothing is to be done, or its cause went away"),
    ),
)
