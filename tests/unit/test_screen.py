"""Every recorded screen of the real program is read for what it is; our own text is told from anybody else's."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gsd_engine.effects.screen import Screen, own_text_stands, read_screen

RECORDINGS = Path(__file__).parents[1] / "recordings"
VERSIONS = ("2.1.197", "2.1.326")
SIZES = ("80x24", "140x45", "200x50")

# Recordings without styles, several screens to a file: so many of them, from the first, show the menu, the others the
# input line. A number per version where the recordings differ.
MENUS_FIRST: dict[str, int | dict[str, int]] = {
    "06-single-select": 1,
    "07-single-type": 3,
    "08-single-type-empty-enter-declines": 1,
    "09-single-chat": 2,
    "10-single-digit": 1,
    "11-single-escape-no-hook": 1,
    "12-multi-select": 4,
    "13-multi-select-with-text": {"2.1.197": 6, "2.1.326": 5},
    "14-form": 4,
    "15-preview-select": 2,
    "16-preview-notes": 3,
}
EXITED = "19-exit"

# Screens with their styles, one to a file, the same names for every version and size.
STYLED: dict[str, Screen] = {
    "idle": Screen("prompt"),
    "idle-default-mode": Screen("prompt"),
    "draft": Screen("prompt", "half a draft"),
    "draft-wrapped": Screen("prompt", ("a draft that goes on " * 12).strip()),
    "completion-list": Screen("prompt", "/gsd:pl"),
    "shell-command": Screen("prompt", "!ls"),
    "pasted": Screen("prompt", "[Pasted text #1 +8 lines]", pasted=True),
    "unknown-command": Screen("prompt", unknown_command="/gsd:nope"),
    "working": Screen("working"),
    "working-draft": Screen("working", "meanwhile"),
    "working-queued": Screen("working", queued=("queued text",)),
    "after-turn": Screen("prompt"),
    "interrupted-before-output": Screen("prompt", "slow two"),
    "working-tool": Screen("working"),
    "interrupted": Screen("prompt", interrupted=True),
    "menu": Screen("menu"),
    "menu-tall": Screen("menu"),
    "menu-tall-second": Screen("menu"),
    "menu-review": Screen("menu"),
    "ghost-after-error": Screen("prompt"),
    "compacting": Screen("working"),
    "compacted": Screen("prompt"),
    "cleared": Screen("prompt"),
    "model-dialog": Screen("unknown"),
    "transcript-view": Screen("unknown"),
    "rewind": Screen("unknown"),
    "permission-bash": Screen("permission"),
    "permission-write": Screen("permission"),
    "first-run-onboarding": Screen("startup_dialog"),
    "first-run-key": Screen("startup_dialog"),
    "first-run-trust": Screen("startup_dialog"),
    "first-run-bypass": Screen("startup_dialog"),
}


def plain_screens(version: str) -> list[tuple[str, int, str]]:
    found = []
    for path in sorted((RECORDINGS / f"claude-code-{version}").glob("*.screen.txt")):
        screens = re.split(r"^=== .*\n", path.read_text(), flags=re.M)[1:]
        found += [(path.name.removesuffix(".screen.txt"), index, text) for index, text in enumerate(screens)]
    return found


def expected_kind(version: str, name: str, index: int) -> str:
    menus = MENUS_FIRST.get(name, 0)
    menus = menus if isinstance(menus, int) else menus[version]
    return "unknown" if name == EXITED else "menu" if index < menus else "prompt"


@pytest.mark.parametrize("version", VERSIONS)
def test_every_plain_recording_is_read_as_what_it_shows(version: str) -> None:
    screens = plain_screens(version)
    assert len(screens) > 60
    read = {(name, index): read_screen(text).kind for name, index, text in screens}
    assert read == {(name, index): expected_kind(version, name, index) for name, index, _ in screens}


def styled_recordings() -> list[Path]:
    return sorted(RECORDINGS.glob("claude-code-*/screens-*/*.txt"))


@pytest.mark.parametrize("path", styled_recordings(), ids=lambda path: "/".join(path.parts[-3:]))
def test_every_styled_recording_is_read_as_what_it_shows(path: Path) -> None:
    screen, expected = read_screen(path.read_text()), STYLED[path.stem]
    assert " ".join(screen.input_text.split()) == expected.input_text
    assert screen == Screen(**{**expected.__dict__, "input_text": screen.input_text})


def test_the_recordings_cover_both_versions_and_three_sizes() -> None:
    folders = {path.parent for path in styled_recordings()}
    wanted = {RECORDINGS / f"claude-code-{version}" / f"screens-{size}" for version in VERSIONS for size in SIZES}
    assert folders == wanted


# A screen drawn here, to vary what recordings cannot

RULE = "─" * 80


def drawn(*inside: str, above: tuple[str, ...] = (), below: tuple[str, ...] = ("  ⏵⏵ bypass permissions on",)) -> str:
    return "\n".join([*above, RULE, *inside, RULE, *below])


def test_a_title_in_the_upper_rule_does_not_hide_the_box() -> None:
    titled = "─" * 60 + " my-session ──"
    assert read_screen("\n".join([titled, "❯ hello", RULE])) == Screen("prompt", "hello")


def test_ghost_text_is_nobodys_draft() -> None:
    assert read_screen(drawn("❯ \x1b[7mT\x1b[0;2mry this\x1b[0m")).input_text == ""


def test_the_cursor_inside_a_draft_hides_nothing_of_it() -> None:
    assert read_screen(drawn("❯ dr\x1b[7ma\x1b[0mft")).input_text == "draft"


def test_a_colour_number_is_not_taken_for_dim() -> None:
    assert read_screen(drawn("❯ \x1b[38;5;2mdraft\x1b[39m")).input_text == "draft"
    assert read_screen(drawn("❯ \x1b[38;2;2;2;2mdraft\x1b[39m")).input_text == "draft"


def test_a_style_carried_over_from_the_row_before_still_counts() -> None:
    assert read_screen(drawn("❯ typed\x1b[2m", "  hint\x1b[0m")).input_text == "typed"


def test_a_finished_turn_is_not_a_running_one() -> None:
    assert read_screen(drawn("❯ ", above=("● Done.", "", "✻ Cooked for 12s", ""))).kind == "prompt"
    assert read_screen(drawn("❯ ", above=("● Done.", "", "✻ Cooking… (12s · ↓ 3 tokens)", ""))).kind == "working"


def test_a_spinner_that_claude_quotes_is_not_a_running_turn() -> None:
    assert read_screen(drawn("❯ ", above=("● The screen said:", "  ✻ Cooking… (12s)", ""))).kind == "prompt"


def test_esc_to_interrupt_in_the_status_line_is_a_running_turn() -> None:
    assert read_screen(drawn("❯ ", below=("  ⏵⏵ accept edits · esc to interrupt",))).kind == "working"


def test_a_rejection_is_old_news_once_something_newer_follows() -> None:
    rejected = ("● Unknown command: /gsd:nope. Did you mean /gsd:note?", "", "● Args from unknown skill: 3", "")
    assert read_screen(drawn("❯ ", above=rejected)).unknown_command == "/gsd:nope"
    assert read_screen(drawn("❯ ", above=(*rejected, "❯ hello", ""))).unknown_command is None


def test_a_shell_prompt_is_no_input_line() -> None:
    assert read_screen("user@host ~/project\n❯ ls\n").kind == "unknown"
    assert read_screen("").kind == "unknown"


def test_words_of_a_dialog_in_the_conversation_open_none() -> None:
    above = (
        "● Do you want to proceed?",
        "  1. Yes",
        "  5. Chat about this",
        "  Do you trust the files in this folder?",
    )
    assert read_screen(drawn("❯ ", above=above)).kind == "prompt"


# Our own text

LINES = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Zl", "Zp"]), min_size=1, max_size=300)


def wrapped(text: str, width: int) -> list[str]:
    rows = [text[start : start + width] for start in range(0, len(text), width)]
    return [f"❯ {rows[0]}", *(f"  {row}" for row in rows[1:])]


@given(words=st.lists(st.from_regex(r"[a-zA-Z0-9;:/$\"'()é日-]{1,40}", fullmatch=True), min_size=1, max_size=60))
def test_own_text_is_recognised_however_the_box_wraps_it(words: list[str]) -> None:
    text = " ".join(words)
    for width in (76, 136, 196):
        assert own_text_stands(read_screen(drawn(*wrapped(text, width))), text)


@given(LINES)
def test_no_input_text_makes_the_reader_fail(text: str) -> None:
    screen = read_screen(drawn(f"❯ {text}"))
    assert screen.kind in ("prompt", "unknown")


@pytest.mark.parametrize(
    "draft", ["my words fix the parser", "fix the parser my words", "fix the", "", "fix the Parser"]
)
def test_a_draft_beside_or_instead_of_our_text_is_not_ours(draft: str) -> None:
    assert not own_text_stands(read_screen(drawn(f"❯ {draft}")), "fix the parser")


def test_the_placeholder_of_our_paste_is_ours_and_another_one_is_not() -> None:
    text = "\n".join(["line"] * 9)
    assert own_text_stands(read_screen(drawn("❯ [Pasted text #1 +8 lines]")), text)
    assert not own_text_stands(read_screen(drawn("❯ [Pasted text #1 +3 lines]")), text)
    assert not own_text_stands(read_screen(drawn("❯ see [Pasted text #1 +8 lines]")), text)


def test_a_part_of_our_long_text_is_ours_where_the_box_is_cut() -> None:
    text = " ".join(f"word{number}" for number in range(400))
    rows = [f"  {text[start : start + 76]}" for start in range(1500, 2000, 76)]
    cut = "\n".join(["─── ↑ 19 more " + "─" * 66, *rows, RULE])
    assert read_screen(cut).input_cut
    assert own_text_stands(read_screen(cut), text)
    assert not own_text_stands(read_screen(cut), text.upper())


def test_nothing_of_ours_stands_in_a_dialog() -> None:
    assert not own_text_stands(Screen("menu"), "")
