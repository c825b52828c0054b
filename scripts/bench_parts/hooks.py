"""What a hook costs, from the start of its process to its end, next to processes that do nothing."""

from __future__ import annotations

import shutil
import subprocess

from rig import Rig, python_that_does_nothing
from table import Table, interleaved


def run(rounds: int) -> Table:
    with Rig() as rig:
        rig.start_queue(rounds + 5)
        turn = iter(range(1, rounds + 5))
        accepted: list[str] = []

        def receipt() -> None:
            accepted.append(f"turn-{next(turn)}")
            number = accepted[-1].removeprefix("turn-")
            prompt = {"prompt": f"/gsd:command {number}", "prompt_id": accepted[-1]}
            rig.home.hook("UserPromptSubmit", prompt)

        def advance() -> None:
            rig.home.hook("Stop", {"prompt_id": accepted[-1], "last_assistant_message": "said"})

        environment = rig.home.environment("alpha")

        def process(*command: str) -> None:
            """With a payload and pipes, as hooks are started."""
            subprocess.run(command, env=environment, check=True, input=b"{}", capture_output=True)

        measurements = {
            "python": lambda: process(*python_that_does_nothing()),
            "unmanaged": lambda: rig.stop("hello", session="beta"),
            "silent": lambda: rig.stop(stop_hook_active=True),
            "receipt": receipt,
            "advance": advance,
            "queue show": lambda: rig.home.cli("queue", "show", "--session", "alpha"),
            "fallback": lambda: rig.home.hook("Stop", {"stop_hook_active": True}, GSD_ENGINE_RESIDENT="off"),
        }
        if shutil.which("node"):
            measurements["node"] = lambda: process("node", "-e", "0")
        found = interleaved(rounds, measurements)
        assert rig.home.value("SELECT count(*) FROM commands WHERE state = 'done'") == rounds
        rig.home.cli("queue", "cancel", "--session", "alpha")
        waking = interleaved(rounds, {"python": measurements["python"], "waking": lambda: rig.stop("hello")})
    return _table(found, waking)


def _table(found: dict[str, float], waking: dict[str, float]) -> Table:
    table = Table("Hooks through the client, whole processes")
    base = found["python"]
    node = found.get("node")
    table.add("python -I -S -c pass", base, "ms")
    if node is not None:
        table.add("node -e 0", node, "ms")
    table.add("unmanaged Stop", found["unmanaged"] / base, "x python", at_most=1.5)
    table.add("managed Stop, silent", found["silent"] / base, "x python", at_most=2.0)
    table.add("managed Stop that wakes the agent", waking["waking"] / waking["python"], "x python", at_most=2.0)
    table.add("Stop that advances a queue", found["advance"] / base, "x python", at_most=2.0)
    table.add("receipt (UserPromptSubmit)", found["receipt"] / base, "x python", at_most=2.0)
    if node is not None:
        table.add("managed Stop, silent", found["silent"] / node, "x node", at_most=1.0)
        table.add("in-process fallback (no resident engine)", found["fallback"] / node, "x node", at_most=10)
    table.add("in-process fallback (no resident engine)", found["fallback"], "ms")
    table.add("queue show, whole process", found["queue show"], "ms")
    return table
