"""Programs as gateways, with real small programs: what they get, how they end, and that none can hang the engine."""

from __future__ import annotations

import os
import time
from dataclasses import replace
from pathlib import Path

import pytest

from gsd_engine.effects.gateway import Delivered, GaveUp, TryAgain, Wake
from gsd_engine.effects.gateway.command import CommandGateway

ENVIRON = {"PATH": "/usr/local/bin:/usr/bin:/bin"}
WAKE = Wake("line one\nZeile zwei: ä", "warden", "warden-main", "idle", 42, "effect-42")


def program(folder: Path, script: str) -> list[str]:
    path = folder / "wake-program"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return [str(path)]


def is_alive(pid: int) -> bool:
    """Alive and not a zombie that waits for init."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_for(path: Path) -> str:
    deadline = time.monotonic() + 10
    while not (path.exists() and path.read_text().endswith("\n")):
        assert time.monotonic() < deadline, f"{path} was not written"
        time.sleep(0.01)
    return path.read_text()


def test_the_program_gets_the_message_and_who_it_is_about(tmp_path: Path) -> None:
    command = program(tmp_path, f"cat > {tmp_path}/message; env | grep ^GSD_ | sort > {tmp_path}/env")
    assert CommandGateway(command, ENVIRON).wake(WAKE) == Delivered()
    assert (tmp_path / "message").read_text() == WAKE.message
    assert (tmp_path / "env").read_text().splitlines() == [
        "GSD_AGENT_ID=warden",
        "GSD_EVENT_ID=42",
        "GSD_IDEMPOTENCY_KEY=effect-42",
        "GSD_SESSION=warden-main",
        "GSD_TRIGGER=idle",
    ]


def test_arguments_are_handed_on_without_a_shell(tmp_path: Path) -> None:
    command = [*program(tmp_path, f'printf "%s|" "$@" > {tmp_path}/args'), "a b", "$HOME", "; exit 3"]
    assert CommandGateway(command, ENVIRON).wake(WAKE) == Delivered()
    assert (tmp_path / "args").read_text() == "a b|$HOME|; exit 3|"


def test_a_failure_is_tried_again_with_its_last_words(tmp_path: Path) -> None:
    command = program(tmp_path, "echo first >&2; printf 'no\\tnetwork\\n\\n' >&2; exit 7")
    assert CommandGateway(command, ENVIRON).wake(WAKE) == TryAgain(f"{command[0]}: exit 7: no network")


def test_a_program_killed_by_a_signal_is_tried_again(tmp_path: Path) -> None:
    command = program(tmp_path, "kill -9 $$")
    assert CommandGateway(command, ENVIRON).wake(WAKE) == TryAgain(f"{command[0]}: signal 9: nothing on stderr")


def test_a_program_that_is_not_there_is_given_up(tmp_path: Path) -> None:
    gateway = CommandGateway([str(tmp_path / "absent")], ENVIRON)
    assert gateway.wake(WAKE) == GaveUp(f"{tmp_path}/absent cannot be started: No such file or directory")
    assert gateway.ask(WAKE, 5) is None
    assert "not an executable program" in (gateway.check() or "")


def test_a_file_that_is_no_program_is_given_up(tmp_path: Path) -> None:
    command = program(tmp_path, "exit 0")
    Path(command[0]).chmod(0o644)
    assert CommandGateway(command, ENVIRON).wake(WAKE) == GaveUp(f"{command[0]} cannot be started: Permission denied")
    Path(command[0]).write_bytes(b"\x00\x01 neither script nor binary")
    Path(command[0]).chmod(0o755)
    assert CommandGateway(command, ENVIRON).wake(WAKE) == GaveUp(f"{command[0]} cannot be started: Exec format error")


@pytest.mark.parametrize("command", [[], [""], ["nul\0byte"]])
def test_a_command_that_can_never_start_is_given_up(command: list[str]) -> None:
    assert isinstance(CommandGateway(command, ENVIRON).wake(WAKE), GaveUp)
    assert CommandGateway(command, ENVIRON).ask(WAKE, 5) is None
    assert CommandGateway(command, ENVIRON).check()


def test_the_program_is_found_on_the_path_of_the_given_environment(tmp_path: Path) -> None:
    program(tmp_path, "exit 0")
    assert CommandGateway(["wake-program"], {"PATH": f"{tmp_path}:/bin"}).check() is None
    assert CommandGateway(["wake-program"], {"PATH": f"{tmp_path}:/bin"}).wake(WAKE) == Delivered()
    assert isinstance(CommandGateway(["wake-program"], ENVIRON).wake(WAKE), GaveUp)


def test_a_program_that_never_reads_a_long_message_is_fine(tmp_path: Path) -> None:
    command = program(tmp_path, "exec 0<&-; exit 0")
    assert CommandGateway(command, ENVIRON).wake(replace(WAKE, message="x" * 5_000_000)) == Delivered()


def test_a_program_that_writes_a_lot_does_not_hang(tmp_path: Path) -> None:
    command = program(tmp_path, "head -c 3000000 /dev/zero | tr '\\0' x; head -c 3000000 /dev/zero | tr '\\0' y >&2")
    assert CommandGateway(command, ENVIRON).wake(WAKE) == Delivered()


def test_a_background_child_with_open_outputs_does_not_hang_and_lives_on(tmp_path: Path) -> None:
    command = program(tmp_path, f"echo answer; sleep 60 & echo $! > {tmp_path}/pid")
    begun = time.monotonic()
    assert CommandGateway(command, ENVIRON).ask(WAKE, 20) == "answer"
    assert time.monotonic() - begun < 10
    child = int((tmp_path / "pid").read_text())
    assert is_alive(child)
    os.kill(child, 15)


def test_a_program_over_its_time_is_killed_with_its_children_and_tried_again(tmp_path: Path) -> None:
    command = program(tmp_path, f"trap '' TERM; sleep 60 & echo $$ $! > {tmp_path}/pids; wait")
    outcome = CommandGateway(command, ENVIRON, timeout=1.0).wake(WAKE)
    assert outcome == TryAgain(f"{command[0]} was killed: not done after 1 s")
    pids = [int(pid) for pid in wait_for(tmp_path / "pids").split()]
    deadline = time.monotonic() + 5
    while any(map(is_alive, pids)):
        assert time.monotonic() < deadline, "it outlived its time"
        time.sleep(0.01)


def test_asking_returns_what_the_program_prints(tmp_path: Path) -> None:
    command = program(tmp_path, "echo; tr a-z A-Z")
    assert CommandGateway(command, ENVIRON).ask(replace(WAKE, message="block"), 5) == "BLOCK"


@pytest.mark.parametrize("script", ["exit 0", "echo text; exit 1", "echo text; sleep 60"])
def test_silence_failure_and_delay_are_no_answer(tmp_path: Path, script: str) -> None:
    begun = time.monotonic()
    assert CommandGateway(program(tmp_path, script), ENVIRON).ask(WAKE, 0.5) is None
    assert time.monotonic() - begun < 5


def test_bytes_that_are_no_text_do_no_harm(tmp_path: Path) -> None:
    command = program(tmp_path, "printf '\\377ok'")
    assert CommandGateway(command, ENVIRON).ask(replace(WAKE, message="cut \ud83d emoji"), 5) == "\ufffdok"


def test_arguments_stay_out_of_repr_and_reasons(tmp_path: Path) -> None:
    command = [*program(tmp_path, "exit 1"), "--token=s3cret"]
    gateway = CommandGateway(command, ENVIRON)
    assert "s3cret" not in repr(gateway) + repr(gateway.wake(WAKE)) + str(gateway.check())
