"""Keys an answer into the menu on the screen: one key at a time, each followed by a look. Stops instead of guessing.

`AnswerSubmitted` is committed before the first key. A person's answer, or anything else that closed the question, makes
that step refuse, and nothing is pressed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from gsd_engine.config import Config
from gsd_engine.domain.effects import KeyAnswer
from gsd_engine.domain.events import AnswerSubmitted
from gsd_engine.domain.records import EffectRow, PendingAnswer, Question, Session
from gsd_engine.domain.results import Done, Failed, Result
from gsd_engine.effects.menu_screen import MenuView, read_menu
from gsd_engine.effects.pane import pane_of
from gsd_engine.effects.screen import read_screen
from gsd_engine.effects.tmux import PaneBusy, PaneRef, Tmux, TmuxError, pane_lock
from gsd_engine.engine import Engine
from gsd_engine.errors import Refusal
from gsd_engine.rules import answers, keystrokes
from gsd_engine.rules.keystrokes import Gone, Noted, Notes, Page, Paste, Press, Row, Sight, Step, Ticked, Written
from gsd_engine.store import pending_answers, questions, sessions

LOCK_SECONDS = 20.0
MENU_SECONDS = 10.0  # the menu is drawn only after the hook that announced it has returned
DEAF_SECONDS = 0.4  # a young menu of a newer version takes no Enter, so that nobody answers by accident
LOOK_SECONDS = 2.0
BETWEEN_LOOKS_SECONDS = 0.05
AFTER_ESCAPE_SECONDS = 0.3  # a key right behind it would make one key of the two (Alt+Enter)
MOST_PRESSES = 3


class Stopped(Exception):  # noqa: N818 - named for what happened
    """The screen does not show what it should."""


class AnsweringPerformer:
    def __init__(self, config: Config, engine: Engine) -> None:
        self.config, self.engine = config, engine

    def __call__(self, effect: KeyAnswer, row: EffectRow) -> Result:
        with self.engine.database.read() as connection:
            answer = pending_answers.by_id(connection, effect.answer_id)
            question = questions.by_id(connection, answer.question_id) if answer is not None else None
            session = sessions.by_id(connection, question.session_id) if question is not None else None
        if answer is None or question is None or session is None or answer.state != "intended":
            return Done({"withdrawn": True})
        try:
            tmux, pane = pane_of(session)
            with pane_lock(self.config.home / "panes", pane, LOCK_SECONDS):
                return self._key(tmux, pane, session, question, answer)
        except Refusal:
            return Done({"withdrawn": True})
        except PaneBusy:
            return Failed("pane_busy")
        except TmuxError as error:
            return Failed(f"pane_gone: {error}")

    def _key(self, tmux: Tmux, pane: PaneRef, session: Session, question: Question, answer: PendingAnswer) -> Result:
        steps = keystrokes.plan(question.questions, answer.actions)
        keys = Keys(tmux, pane, question.questions)
        try:
            keys.wait_for_the_menu()
            self.engine.step(AnswerSubmitted(who=session.id, question_id=question.id, transport="keys"))
            tmux.leave_copy_mode(pane)
            for step in steps:
                keys.take(step)
        except Stopped as stopped:
            return Failed(str(stopped))
        return Done({"redirected": answers.is_redirect(answer.actions), "keys": len(steps)})


class Keys:
    """One menu being keyed. `page` is the number of the question that is shown; after the last comes the review."""

    def __init__(self, tmux: Tmux, pane: PaneRef, asked: Sequence[Mapping[str, Any]]) -> None:
        self.tmux, self.pane, self.asked, self.page = tmux, pane, asked, 0

    def wait_for_the_menu(self) -> None:
        if not self._until(lambda: self._is_menu() and self._view().shows(self.asked[0]), MENU_SECONDS):
            raise Stopped("the question is not on the screen")
        time.sleep(DEAF_SECONDS)
        if self._view().cursor not in (None, 0):
            raise Stopped("a person has moved the cursor in the menu")

    def take(self, step: Step) -> None:
        if isinstance(step, Paste):
            self.tmux.paste(self.pane, step.text)
            self._expect(step.then, "the text")
            return
        for _ in range(MOST_PRESSES):
            before = self._capture()
            self.tmux.press(self.pane, step.key)
            if step.key == "Escape":
                time.sleep(AFTER_ESCAPE_SECONDS)
            if self._until(lambda: self._seen(step.then), LOOK_SECONDS):
                self._turn_page(step)
                return
            if step.key == "Down" or self._capture() != before:
                break  # something happened, and it was not what was meant: pressing again could do harm
        raise Stopped(f"after {step.key} the screen does not show {_words(step.then)}")

    def _turn_page(self, step: Press) -> None:
        if isinstance(step.then, Page):
            self.page = step.then.number

    def _expect(self, sight: Sight, what: str) -> None:
        if not self._until(lambda: self._seen(sight), LOOK_SECONDS):
            raise Stopped(f"after {what} the screen does not show {_words(sight)}")

    def _seen(self, sight: Sight) -> bool:
        if isinstance(sight, Gone):
            return not self._is_menu()
        view = self._view()
        if isinstance(sight, Page):
            following = self.asked[sight.number] if sight.number < len(self.asked) else None
            return view.review if following is None else not view.review and view.shows(following)
        if isinstance(sight, Notes):
            return view.in_notes is sight.are_open
        if isinstance(sight, Noted):
            return view.has_note(sight.text)
        if view.cursor is None:
            return True  # out of sight in a pane that is too low: counting, and the review or the result, must do
        if isinstance(sight, Row):
            return view.cursor == sight.number
        if isinstance(sight, Ticked):
            return sight.number in view.ticked
        return view.written

    def _view(self) -> MenuView:
        return read_menu(self._capture(), self.asked[min(self.page, len(self.asked) - 1)])

    def _is_menu(self) -> bool:
        return read_screen(self.tmux.capture(self.pane, escapes=True)).kind == "menu"

    def _capture(self) -> str:
        return self.tmux.capture(self.pane)

    def _until(self, condition: Callable[[], bool], seconds: float) -> bool:
        deadline = time.monotonic() + seconds
        while not condition():
            if time.monotonic() >= deadline:
                return False
            time.sleep(BETWEEN_LOOKS_SECONDS)
        return True


def _words(sight: Sight) -> str:
    if isinstance(sight, Row):
        return f"the cursor on row {sight.number + 1}"
    if isinstance(sight, Ticked):
        return f"row {sight.number + 1} ticked"
    if isinstance(sight, Written):
        return "the text on its row"
    if isinstance(sight, Notes | Noted):
        return "the note"
    return "the next page" if isinstance(sight, Page) else "the menu's end"
