"""The loop gate: keeps Claude iterating until it signals completion, with a bound. Seed of the five states: 004."""

from gsd_engine.machines.table import Table, row

LOOP = Table(
    name="loop",
    initial="IDLE",
    states={
        "IDLE": "no frame on the stack: nothing to hold",
        "ACTIVE": "the top frame iterates; a stop is blocked",
        "COMPLETING": "a completion signal was seen; the top frame is being popped",
        "STUCK": "bound or age reached; the stop is let go and a person is needed",
        "ABORTED": "stopped by request, or its numbers were not numbers; the stop is let go",
    },
    rows=(
        row("start", "IDLE", "ACTIVE", "a frame was pushed"),
        row("iterate", "ACTIVE", "ACTIVE", "no completion signal: iteration + 1, block"),
        row("complete", "ACTIVE", "COMPLETING", "the completion signal of its mode was found"),
        row("max_iter", "ACTIVE", "STUCK", "iteration >= max"),
        row("staleness", "ACTIVE", "STUCK", "older than two hours"),
        row("abort", "ACTIVE", "ABORTED", "corrupted numbers, an ABORT event, or `loop stop`"),
        row("pop_to_empty", "COMPLETING", "IDLE", "that was the last frame"),
        row("pop_to_outer", "COMPLETING", "ACTIVE", "the outer loop goes on"),
    ),
)
