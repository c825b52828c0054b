"""One step of a pipeline. A step that is visited again (`on_fail`) is a new row."""

from gsd_engine.machines.table import Table, row

STEP = Table(
    name="pipeline_step",
    initial="pending",
    states={
        "pending": "its turn has not come",
        "running": "its agent or shell command works",
        "waiting": "its agent escalated; a person decides",
        "completed": "done",
        "failed": "failed",
        "skipped": "the pipeline ended or went elsewhere first",
    },
    rows=(
        row("begin", "pending", "running", "its turn came"),
        row("wait", "running", "waiting", "its agent escalated"),
        row("resume", "waiting", "running", "a person decided to go on"),
        row("complete", "running | waiting", "completed", "signal, exit code 0, or a person's decision"),
        row("fail", "running | waiting", "failed", "policy, exit code, or a person's decision"),
        row("skip", "pending | running | waiting", "skipped", "the pipeline ended or went elsewhere"),
    ),
)
