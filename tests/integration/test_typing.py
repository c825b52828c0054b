"""Typing into a real pane: at most once, never over a person, Enter only while our own text stands."""

from __future__ import annotations

import sys
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gsd_engine.effects.screen import Screen
from gsd_engine.effects.tmux import PaneRef, Tmux
from gsd_engine.effects.typing import Pace, Refused, Typed, press_enter_again, text_to_paste, type_text
from tests.support.input_box import sent
from tests.support.tmux_server import TmuxServer

ROOT = Path(__file__).parents[2]
RECORDED = ROOT / "tests/recordings/claude-code-2.1.326/screens-80x24"

StartBox = Callable[[str], PaneRef]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TmuxServer]:
    with TmuxServer(tmp_path_factory.mktemp("server")) as server:
        server.new_session("keeps-the-server-alive", ["sleep", "1000"])
        yield server


@pytest.fixture
def tmux(server: TmuxServer) -> Tmux:
    return Tmux(server.socket_path)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "log"


@pytest.fixture
def box(tmux: Tmux, server: TmuxServer, log: Path) -> StartBox:
    def start_box(mode: str = "") -> PaneRef:
        command = [sys.executable, "-m", "tests.support.input_box", str(log), mode]
        pane = tmux.new_session(f"box-{uuid.uuid4().hex[:8]}", command, working_directory=str(ROOT), size=(80, 24))
        server.wait_for(lambda: "❯" in tmux.capture(pane), 5, "the input line")
        return pane

    return start_box


class FastPace(Pace):
    """Waiting costs nothing: every sleep moves the clock, and the screen is looked at as often as in earnest."""

    def __init__(self) -> None:
        self.clock = 0.0
        super().__init__(now=lambda: self.clock, sleep=self.pass_time)

    def pass_time(self, seconds: float) -> None:
        self.__dict__["clock"] += seconds


def test_a_text_is_sent_with_one_enter(tmux: Tmux, box: StartBox, log: Path) -> None:
    assert type_text(tmux, box(""), "fix the parser;") == Typed(enter_presses=1, stands=False)
    assert sent(log) == [{"sent": "fix the parser;"}]


def test_enter_is_pressed_again_while_our_text_stands(tmux: Tmux, box: StartBox, log: Path) -> None:
    assert type_text(tmux, box("deaf-2"), "fix the parser") == Typed(enter_presses=3, stands=False)
    assert sent(log) == [{"sent": "fix the parser"}]


def test_after_three_presses_the_text_is_left_standing_and_not_pasted_again(
    tmux: Tmux, box: StartBox, log: Path
) -> None:
    pane = box("deaf-3")
    assert type_text(tmux, pane, "fix the parser") == Typed(enter_presses=3, stands=True)
    assert tmux.capture(pane).count("fix the parser") == 1
    assert press_enter_again(tmux, pane, "fix the parser") == Typed(1, stands=False)
    assert sent(log) == [{"sent": "fix the parser"}]


def test_the_caller_commits_once_and_before_the_first_key(tmux: Tmux, box: StartBox, log: Path) -> None:
    pane, seen = box(""), []
    type_text(tmux, pane, "fix the parser", before_keys=lambda: seen.append(tmux.capture(pane)))
    assert len(seen) == 1
    assert "fix the parser" not in seen[0]


def test_no_key_goes_out_when_the_commit_fails(tmux: Tmux, box: StartBox, log: Path) -> None:
    pane = box("")

    def fail() -> None:
        raise RuntimeError("the database is locked")

    with pytest.raises(RuntimeError):
        type_text(tmux, pane, "fix the parser", before_keys=fail)
    assert "fix the parser" not in tmux.capture(pane)
    assert sent(log) == []


def test_a_draft_is_waited_for_and_then_refused(tmux: Tmux, server: TmuxServer, box: StartBox, log: Path) -> None:
    pane, pace, commits = box(""), FastPace(), []
    server.type_text(pane.session_name, "half a thou")
    server.wait_for(lambda: "half a thou" in tmux.capture(pane), 5, "the draft")
    outcome = type_text(tmux, pane, "mine", wait_for_prompt=2, pace=pace, before_keys=lambda: commits.append(1))
    assert outcome == Refused("draft")
    assert 2 <= pace.clock < 2.2
    assert commits == []
    assert "❯ half a thou\n" in tmux.capture(pane)


def test_typing_goes_ahead_when_the_draft_is_gone_in_time(
    tmux: Tmux, server: TmuxServer, box: StartBox, log: Path
) -> None:
    pane = box("")
    server.type_text(pane.session_name, "half a thou")
    server.wait_for(lambda: "half a thou" in tmux.capture(pane), 5, "the draft")
    looks: list[Screen] = []

    def clear_the_draft_at_the_third_look(seconds: float) -> None:
        looks.append(Screen("prompt"))
        if len(looks) == 3:
            tmux.press(pane, "C-u")

    pace = Pace(sleep=clear_the_draft_at_the_third_look)
    assert type_text(tmux, pane, "mine", wait_for_prompt=10, pace=pace) == Typed(1, stands=False)
    assert sent(log) == [{"sent": "mine"}]


@pytest.mark.parametrize(
    ("recording", "reason"),
    [
        ("menu", "dialog_open"),
        ("menu-review", "dialog_open"),
        ("permission-bash", "dialog_open"),
        ("first-run-trust", "dialog_open"),
        ("first-run-bypass", "dialog_open"),
        ("model-dialog", "no_input_line"),
        ("rewind", "no_input_line"),
        ("draft", "draft"),
        ("working-draft", "draft"),
    ],
)
def test_a_screen_that_must_not_be_typed_into_is_refused(
    tmux: Tmux, server: TmuxServer, tmp_path: Path, recording: str, reason: str
) -> None:
    drawing = tmp_path / "screen"
    drawing.write_text((RECORDED / f"{recording}.txt").read_text().rstrip("\n"))
    command = ["sh", "-c", f"stty -echo; cat '{drawing}'; exec cat > '{tmp_path}/keys'"]
    name = f"drawn-{uuid.uuid4().hex[:8]}"
    pane = tmux.new_session(name, command, working_directory=str(tmp_path), size=(80, 24))
    server.wait_for((tmp_path / "keys").exists, 5, "the drawing")
    outcome = type_text(tmux, pane, "2", wait_for_prompt=1, pace=FastPace())
    assert outcome == Refused(reason)  # type: ignore[arg-type]
    assert (tmp_path / "keys").read_text() == ""


def test_a_dialog_that_opens_after_the_paste_gets_no_enter(tmux: Tmux, box: StartBox, log: Path) -> None:
    assert type_text(tmux, box("dialog"), "fix the parser", pace=FastPace()) == Typed(0, stands=False)
    assert sent(log) == []


def test_letters_that_a_person_adds_are_not_sent(tmux: Tmux, box: StartBox, log: Path) -> None:
    pane = box("meddle")
    assert type_text(tmux, pane, "fix the parser", pace=FastPace()) == Typed(0, stands=False)
    assert press_enter_again(tmux, pane, "fix the parser") == Typed(0, stands=False)
    assert sent(log) == []


def test_a_scrolling_person_is_brought_back_so_that_the_text_arrives(
    tmux: Tmux, server: TmuxServer, box: StartBox, log: Path
) -> None:
    pane = box("")
    server.tmux("copy-mode", "-t", pane.pane_id)
    assert type_text(tmux, pane, "fix the parser") == Typed(1, stands=False)
    assert sent(log) == [{"sent": "fix the parser"}]


def test_a_pane_that_is_gone_is_refused(tmux: Tmux, box: StartBox) -> None:
    pane = box("")
    tmux.kill_session(pane.session_name)
    assert type_text(tmux, pane, "fix the parser") == Refused("pane_gone")
    assert press_enter_again(tmux, pane, "fix the parser") == Typed(0, stands=False)


def test_a_pane_that_goes_between_look_and_paste_is_refused(tmux: Tmux, box: StartBox) -> None:
    pane = box("")
    outcome = type_text(tmux, pane, "text", before_keys=lambda: tmux.kill_session(pane.session_name))
    assert outcome == Refused("pane_gone")


@pytest.mark.parametrize("text", ["/clear", "/gsd:plan-phase 3", "look at @src", "mail a@b", "ends in \\"])
def test_where_enter_would_not_just_send_a_line_feed_goes_along(text: str) -> None:
    assert text_to_paste(text) == f"{text}\n"


@pytest.mark.parametrize("text", ["hello", "a/b", "see @src for more", "a \\ b", "-x;"])
def test_any_other_text_is_pasted_as_it_is(text: str) -> None:
    assert text_to_paste(text) == text
