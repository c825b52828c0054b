"""The adapter, against a real tmux server: exact texts, exact names, and every failure by its name."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gsd_engine.effects.tmux import (
    NoServer,
    PaneBusy,
    PaneGone,
    PaneRef,
    RecentPanes,
    SessionExists,
    Tmux,
    TmuxError,
    TmuxUnavailable,
    clean_text,
    identify,
    pane_lock,
)
from gsd_engine.errors import UsageError
from tests.support.input_box import sent
from tests.support.tmux_server import TmuxServer

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TmuxServer]:
    with TmuxServer(tmp_path_factory.mktemp("server")) as server:
        server.new_session("keeps-the-server-alive", ["sleep", "1000"])
        yield server


@pytest.fixture
def tmux(server: TmuxServer) -> Tmux:
    return Tmux(server.socket_path)


@pytest.fixture
def name() -> str:
    return f"warden-{uuid.uuid4().hex[:8]}"


def start(tmux: Tmux, name: str, *command: str) -> PaneRef:
    return tmux.new_session(name, command or ("sleep", "1000"), working_directory=str(ROOT), size=(100, 30))


# Finding


def test_a_process_in_a_pane_finds_its_pane_and_session(tmux: Tmux, name: str) -> None:
    pane = start(tmux, name)
    assert identify({"TMUX": f"{tmux.socket},4711,0", "TMUX_PANE": pane.pane_id}) == pane


def test_outside_tmux_there_is_no_pane_even_if_one_is_named(tmux: Tmux, name: str) -> None:
    pane = start(tmux, name)
    assert identify({"TMUX_PANE": pane.pane_id}) is None
    assert identify({"TMUX": f"{tmux.socket},4711,0"}) is None


def test_a_stale_pane_or_server_in_the_environment_is_no_pane(tmux: Tmux, tmp_path: Path) -> None:
    assert identify({"TMUX": f"{tmux.socket},4711,0", "TMUX_PANE": "%99999"}) is None
    assert identify({"TMUX": f"{tmp_path}/gone,4711,0", "TMUX_PANE": "%0"}) is None


def test_a_session_is_found_by_its_exact_name_only(tmux: Tmux, name: str) -> None:
    pane = start(tmux, f"{name}-main")
    assert tmux.find_session(f"{name}-main") == pane
    assert tmux.find_session(name) is None
    assert not tmux.has_session(name[:-1])


def test_the_active_pane_of_a_session_is_the_one_found(tmux: Tmux, server: TmuxServer, name: str) -> None:
    start(tmux, name)
    second = server.tmux("split-window", "-P", "-F", "#{pane_id}", "-t", f"={name}:", "sleep", "1000").strip()
    found = tmux.find_session(name)
    assert found is not None
    assert found.pane_id == second


def test_a_pane_tells_the_process_behind_it_and_its_death(tmux: Tmux, server: TmuxServer, name: str) -> None:
    pane = start(tmux, name)
    server.tmux("set-option", "-t", f"={name}:", "remain-on-exit", "on")
    process = tmux.pane_state(pane).pid
    assert tmux.pane_alive(pane)
    os.kill(process, signal.SIGKILL)
    server.wait_for(lambda: not tmux.pane_alive(pane), 5, "the dead pane")
    assert tmux.pane_exists(pane)


# Exact texts

TEXTS = {
    "trailing semicolon": "echo hi;",
    "leading dash": "-x --force",
    "quotes and expansions": """"a" 'b' $(id) ${HOME} `id` \\n""",
    "unicode": "naïve 日本語 🚀",
    "several lines and a tab": "one\n\ttwo;\n\nfour",
    "twenty thousand characters": "word " * 4000 + "end",
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
def test_a_pasted_text_arrives_exactly(tmux: Tmux, server: TmuxServer, name: str, tmp_path: Path, text: str) -> None:
    pane = start_box(tmux, server, name, tmp_path / "log")
    tmux.paste(pane, text)
    tmux.press(pane, "Enter")
    server.wait_for(lambda: sent(tmp_path / "log"), 5, "the text")
    assert sent(tmp_path / "log") == [{"sent": text}]
    assert "gsd-engine" not in server.tmux("list-buffers", check=False)


def test_a_text_cannot_break_out_of_its_paste(tmux: Tmux, server: TmuxServer, name: str, tmp_path: Path) -> None:
    pane = start_box(tmux, server, name, tmp_path / "log")
    tmux.paste(pane, "before\x1b[201~\rafter\x03\x04")
    tmux.press(pane, "Enter")
    server.wait_for(lambda: sent(tmp_path / "log"), 5, "the text")
    assert sent(tmp_path / "log") == [{"sent": "before[201~\nafter"}]


def test_keys_that_tmux_would_read_as_syntax_arrive_as_keys(
    tmux: Tmux, server: TmuxServer, name: str, tmp_path: Path
) -> None:
    pane = start_box(tmux, server, name, tmp_path / "log")
    for key in (";", "-", "n", "Down", "Enter"):
        tmux.press(pane, key)
    server.wait_for(lambda: len(sent(tmp_path / "log")) == 2, 5, "the keys")
    assert sent(tmp_path / "log") == [{"key": "\x1b[B"}, {"sent": ";-n"}]


def test_copy_mode_is_left_so_that_keys_arrive(tmux: Tmux, server: TmuxServer, name: str) -> None:
    pane = start(tmux, name, "cat")
    assert not tmux.leave_copy_mode(pane)
    server.tmux("copy-mode", "-t", pane.pane_id)
    assert tmux.pane_state(pane).in_mode
    assert tmux.leave_copy_mode(pane)
    tmux.press(pane, "x")
    server.wait_for(lambda: "x" in tmux.capture(pane), 5, "the key")


@given(st.text())
def test_what_is_pasted_has_no_control_character_but_line_feed_and_tab(text: str) -> None:
    cleaned = clean_text(text)
    assert all(ord(each) >= 32 and not 127 <= ord(each) < 160 for each in cleaned.replace("\n", "").replace("\t", ""))
    assert clean_text(cleaned) == cleaned


def test_line_ends_of_every_kind_become_line_feeds() -> None:
    assert clean_text("a\r\nb\rc\nd") == "a\nb\nc\nd"


# Looking


def test_the_last_lines_reach_back_into_the_scrollback(tmux: Tmux, server: TmuxServer, name: str) -> None:
    pane = start(tmux, name, "sh", "-c", "seq 1 200; exec sleep 1000")
    server.wait_for(lambda: "200" in tmux.capture(pane), 5, "the numbers")
    assert tmux.capture(pane, lines=60).split() == [str(number) for number in range(141, 201)]


def test_styles_are_captured_on_request_only(tmux: Tmux, server: TmuxServer, name: str) -> None:
    pane = start(tmux, name, "sh", "-c", r"printf '\033[2mghost\033[0m'; exec sleep 1000")
    server.wait_for(lambda: "ghost" in tmux.capture(pane), 5, "the text")
    assert "\x1b[2mghost" in tmux.capture(pane, escapes=True)
    assert "\x1b" not in tmux.capture(pane)


def test_a_plain_locale_does_not_spoil_what_is_read(
    tmux: Tmux, server: TmuxServer, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LC_ALL", "C")
    pane = start(tmux, name, "sh", "-c", "printf '❯ é'; exec sleep 1000")
    server.wait_for(lambda: "❯ é" in tmux.capture(pane), 5, "the text")


# Sessions


def test_a_session_starts_its_command_without_a_shell(
    tmux: Tmux, server: TmuxServer, name: str, tmp_path: Path
) -> None:
    show = "import os,sys; print(sys.argv[1:], os.environ['GREETING'], os.getcwd()); sys.stdin.read()"
    command = [sys.executable, "-c", show, "two words", "$HOME", "ends;", "-x"]
    pane = tmux.new_session(name, command, working_directory=str(tmp_path), environment={"GREETING": "a b;"})
    wanted = f"{['two words', '$HOME', 'ends;', '-x']} a b; {tmp_path}"
    server.wait_for(lambda: wanted in tmux.capture(pane).replace("\n", ""), 5, wanted)


def test_a_command_of_one_word_with_a_space_is_one_program(
    tmux: Tmux, server: TmuxServer, name: str, tmp_path: Path
) -> None:
    program = tmp_path / "my program"
    program.write_text("#!/bin/sh\necho started; exec sleep 1000\n")
    program.chmod(0o755)
    pane = start(tmux, name, str(program))
    server.wait_for(lambda: "started" in tmux.capture(pane), 5, "the program")


def test_a_taken_or_impossible_name_is_refused(tmux: Tmux, name: str) -> None:
    start(tmux, name)
    with pytest.raises(SessionExists):
        start(tmux, name)
    for impossible in ("a.b", "a:b", ""):
        with pytest.raises(UsageError):
            start(tmux, impossible)


def test_only_the_session_with_exactly_that_name_is_killed(tmux: Tmux, name: str) -> None:
    start(tmux, f"{name}-main")
    with pytest.raises(PaneGone):
        tmux.kill_session(name)
    tmux.kill_session(f"{name}-main")
    assert not tmux.has_session(f"{name}-main")


# Failures


def test_a_pane_that_is_gone_is_told_from_a_server_that_is_gone(tmux: Tmux, tmp_path: Path) -> None:
    gone = PaneRef(tmux.socket, "%99999", "nobody")
    for call in (tmux.capture, tmux.pane_state, tmux.leave_copy_mode):
        with pytest.raises(PaneGone):
            call(gone)
    with pytest.raises(PaneGone):
        tmux.paste(gone, "text")
    with pytest.raises(PaneGone):
        tmux.press(gone, "Enter")
    with pytest.raises(NoServer):
        Tmux(str(tmp_path / "nobody-listens")).capture(gone)
    assert not tmux.pane_exists(gone)


def test_a_paste_that_fails_leaves_no_buffer_behind(tmux: Tmux, server: TmuxServer) -> None:
    with pytest.raises(PaneGone):
        tmux.paste(PaneRef(tmux.socket, "%99999", "nobody"), "secret")
    assert "secret" not in server.tmux("list-buffers", check=False)


def test_a_server_that_does_not_answer_is_given_up_on(tmp_path: Path) -> None:
    with TmuxServer(tmp_path) as server:
        pane_id = server.new_session("stuck", ["sleep", "1000"])
        process = int(server.tmux("display-message", "-p", "#{pid}"))
        os.kill(process, signal.SIGSTOP)
        try:
            with pytest.raises(TmuxUnavailable, match=r"no answer within 0\.2 s"):
                Tmux(server.socket_path, time_limit=0.2).capture(PaneRef(server.socket_path, pane_id, "stuck"))
        finally:
            os.kill(process, signal.SIGCONT)


def test_a_machine_without_tmux_says_so(tmux: Tmux, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(TmuxUnavailable, match="not installed"):
        tmux.has_session("any")


def test_every_failure_is_a_tmux_error() -> None:
    assert all(issubclass(kind, TmuxError) for kind in (PaneGone, TmuxUnavailable, NoServer, SessionExists, PaneBusy))


# The lock


def test_a_second_typist_waits_and_then_gives_up(tmp_path: Path) -> None:
    pane, other = PaneRef("/s", "%1", "warden"), PaneRef("/s", "%2", "warden")
    with pane_lock(tmp_path, pane, 1):
        with pytest.raises(PaneBusy), pane_lock(tmp_path, pane, 0.05):
            pass
        with pane_lock(tmp_path, other, 0.05):
            pass
    with pane_lock(tmp_path, pane, 0.05):
        pass


def test_a_typist_that_dies_frees_the_pane(tmp_path: Path) -> None:
    pane = PaneRef("/s", "%1", "warden")
    hold = (
        "import sys; from pathlib import Path; from gsd_engine.effects.tmux import PaneRef, pane_lock\n"
        f"with pane_lock(Path({str(tmp_path)!r}), {pane!r}, 1): print('held', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", hold], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(PaneBusy), pane_lock(tmp_path, pane, 0.05):
            pass
        holder.kill()
    with pane_lock(tmp_path, pane, 1):
        pass


def start_box(tmux: Tmux, server: TmuxServer, name: str, log: Path) -> PaneRef:
    pane = start(tmux, name, sys.executable, "-m", "tests.support.input_box", str(log))
    server.wait_for(lambda: "❯" in tmux.capture(pane), 5, "the input line")
    return pane


def test_a_pane_asked_for_twice_within_a_second_is_asked_of_tmux_once(server: TmuxServer, name: str) -> None:
    pane = server.new_session(name, ["sleep", "60"])
    environ = {"TMUX": f"{server.socket_path},1,0", "TMUX_PANE": pane}
    now = [0.0]
    recent = RecentPanes(seconds=1.0, now=lambda: now[0])
    first = recent(environ)
    server.tmux("rename-session", "-t", f"={name}", f"{name}-renamed")
    now[0] = 0.9
    assert recent(environ) == first
    assert first is not None
    assert first.session_name == name
    now[0] = 1.1
    renamed = recent(environ)
    assert renamed is not None
    assert renamed.session_name == f"{name}-renamed"
