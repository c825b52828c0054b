"""Something that must happen in the outside world, written with the decision that wants it and done after the commit.

A claim has a lease. When it expires (the performer died) an effect that may be repeated goes back to `pending`; one
that may not becomes `uncertain`, because nobody can know how far it got.
"""

from gsd_engine.machines.table import Table, row

EFFECT = Table(
    name="effect",
    initial="pending",
    states={
        "pending": "to be performed when it is due",
        "claimed": "a performer works on it, under a lease",
        "done": "performed",
        "failed": "tried, and a further attempt cannot help",
        "uncertain": "the performer died while doing what must not be done twice",
        "dropped": "no longer wanted before anyone began",
    },
    rows=(
        row("claim", "pending", "claimed", "a performer took it, with a lease"),
        row("finish", "claimed", "done", "performed"),
        row("finish", "uncertain", "done", "the performer was slow, not dead"),
        row("retry", "claimed", "pending", "may help later, or the lease of a repeatable one expired"),
        row("give_up", "claimed", "failed", "attempts used up, or a retry cannot help"),
        row("doubt", "claimed", "uncertain", "the lease expired on what must not be done twice"),
        row("drop", "pending", "dropped", "what it was for has ended"),
    ),
)
