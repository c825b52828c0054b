"""One text put into Claude Code, by keys or by mod. The ledger that keeps anything from being typed twice.

`typed` is claimed before the first key goes out and means "may stand in the pane"; only a receipt (a hook that can
have no other cause) makes it `accepted`. Nothing leads back to `staged`.
"""

from gsd_engine.machines.table import Table, row

DELIVERY = Table(
    name="delivery",
    initial="staged",
    states={
        "staged": "to be put into the pane; nothing has been sent",
        "typed": "keys went out, or the mod took it over; no receipt yet",
        "accepted": "Claude Code has it: the receipt came",
        "refused": "nothing was submitted, for a reason that is known",
        "uncertain": "sent, and no receipt in time: it may or may not have arrived",
        "rejected": "Claude Code answered that it knows no such command",
    },
    rows=(
        row("type", "staged", "typed", "the text went out"),
        row("accept", "staged | typed", "accepted", "the receipt came (it may overtake the report of typing)"),
        row("accept", "uncertain", "accepted", "the receipt came late"),
        row("refuse", "staged | typed", "refused", "dialog open, a person's draft, pane gone, or handed back"),
        row("withdraw", "staged", "refused", "no longer wanted before it was sent"),
        row("doubt", "staged | typed", "uncertain", "no receipt in time, or a crash while sending"),
        row("doubt", "accepted", "uncertain", "Claude Code was resumed: what became of it is not known"),
        row("reject", "staged | typed | uncertain", "rejected", "Unknown command"),
    ),
)
