"""The agent's answer to an AskUserQuestion call: what is a valid one, how a hook hands it over, and whether it arrived.

One action per question, in order, or a single `chat` that redirects the whole call:

    {"action": "select", "optionIndex": N}             + "note" where the option has a preview
    {"action": "type", "text": "…"}
    {"action": "multi-select", "selectedIndices": […]} + "text"
    {"action": "chat", "text": "…"}

Every complaint says what would be right, for an agent reads it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gsd_engine.errors import UsageError
from gsd_engine.rules.texts import fold, forbidden_character

Question = Mapping[str, Any]
Action = Mapping[str, Any]

_FIELDS = {
    "select": {"optionIndex", "note"},
    "type": {"text"},
    "multi-select": {"selectedIndices", "text"},
    "chat": {"text"},
}
BETWEEN = ", "


def checked_actions(questions: Sequence[Question], given: Any) -> list[dict[str, Any]]:
    """The actions as they will be stored, or a UsageError."""
    actions = [given] if isinstance(given, Mapping) else given
    if not isinstance(actions, list) or not actions:
        raise UsageError(f"the answer is a JSON list with one action per question: {_expected(questions)}")
    if any(isinstance(action, Mapping) and action.get("action") == "chat" for action in actions):
        if len(actions) != 1:
            raise UsageError('"chat" redirects the whole call: give it alone, as [{"action": "chat", "text": "…"}]')
        return [_chat(actions[0])]
    if len(actions) != len(questions):
        raise UsageError(
            f"{len(actions)} action{'s' * (len(actions) != 1)} for {len(questions)} "
            f"question{'s' * (len(questions) != 1)}: {_expected(questions)}"
        )
    return [_checked(number, q, a) for number, (q, a) in enumerate(zip(questions, actions, strict=True), start=1)]


def is_redirect(actions: Sequence[Action]) -> bool:
    return bool(actions) and actions[0]["action"] == "chat"


def _expected(questions: Sequence[Question]) -> str:
    example = ", ".join(
        '{"action": "multi-select", "selectedIndices": [0]}'
        if question.get("multiSelect")
        else '{"action": "select", "optionIndex": 0}'
        for question in questions
    )
    return f"[{example}]"


def _checked(number: int, question: Question, action: Any) -> dict[str, Any]:
    where = f"action {number}"
    if not isinstance(action, Mapping) or action.get("action") not in _FIELDS:
        raise UsageError(
            f'{where}: "action" is one of select, type, multi-select, chat; for example {_expected([question])}'
        )
    kind = str(action["action"])
    unknown = sorted(set(action) - _FIELDS[kind] - {"action"})
    if unknown:
        raise UsageError(f"{where}: {kind} has no {unknown[0]!r}; it takes {', '.join(sorted(_FIELDS[kind]))}")
    if kind == "type":
        return {"action": "type", "text": _text(where, action.get("text"))}
    if kind == "select":
        return _select(where, question, action)
    return _multi_select(where, question, action)


def _select(where: str, question: Question, action: Action) -> dict[str, Any]:
    if question.get("multiSelect"):
        raise UsageError(
            f'{where}: the question is a multi-select; write {{"action": "multi-select", "selectedIndices": [0]}}'
        )
    index = _index(where, question, action.get("optionIndex"), "optionIndex")
    found: dict[str, Any] = {"action": "select", "optionIndex": index}
    if "note" in action:
        if not options(question)[index].get("preview"):
            raise UsageError(f"{where}: a note goes only with an option that has a preview; leave it out, or use type")
        found["note"] = _text(where, action["note"], "note")
    return found


def _multi_select(where: str, question: Question, action: Action) -> dict[str, Any]:
    if not question.get("multiSelect"):
        raise UsageError(f'{where}: the question takes one option; write {{"action": "select", "optionIndex": 0}}')
    indices = action.get("selectedIndices", [] if "text" in action else None)
    if not isinstance(indices, list) or (not indices and "text" not in action):
        raise UsageError(f"{where}: selectedIndices is a list of option numbers, such as [0, 2], or [] with a text")
    checked = [_index(where, question, index, "selectedIndices") for index in indices]
    if len(set(checked)) != len(checked):
        raise UsageError(f"{where}: selectedIndices names an option twice; name each once")
    found: dict[str, Any] = {"action": "multi-select", "selectedIndices": checked}
    if "text" in action:
        found["text"] = _text(where, action["text"])
    return found


def _chat(action: Any) -> dict[str, Any]:
    unknown = sorted(set(action) - {"action", "text"})
    if unknown:
        raise UsageError(f"chat has no {unknown[0]!r}; it takes text")
    return {"action": "chat", "text": _text("chat", action.get("text"))}


def _index(where: str, question: Question, index: Any, name: str) -> int:
    count = len(options(question))
    if type(index) is not int or not 0 <= index < count:
        raise UsageError(f"{where}: {name} {index!r} is no option; they are numbered 0 to {count - 1}")
    return index


def _text(where: str, text: Any, name: str = "text") -> str:
    if not isinstance(text, str) or not text.strip():
        raise UsageError(f"{where}: {name} is empty; write the words that Claude is to receive")
    if bad := forbidden_character(text):
        raise UsageError(f"{where}: {name} contains {bad}; only newline and tab are allowed as control characters")
    return text


def options(question: Question) -> list[Mapping[str, Any]]:
    found = question.get("options")
    return [option for option in found if isinstance(option, Mapping)] if isinstance(found, list) else []


def labels(question: Question) -> list[str]:
    return [str(option.get("label", "")) for option in options(question)]


# ── towards Claude ───────────────────────────────────────────────────────────────────────────────────────────────────


def handed_over(
    questions: Sequence[Question], actions: Sequence[Action]
) -> tuple[dict[str, str], dict[str, dict[str, str]]]:
    """(answers, annotations) as the open hook returns them, by the text of the question."""
    answers: dict[str, str] = {}
    annotations: dict[str, dict[str, str]] = {}
    for question, action in zip(questions, actions, strict=True):
        key = str(question.get("question", ""))
        answers[key] = BETWEEN.join(_items(question, action))
        if "note" in action:
            annotations[key] = {"notes": action["note"]}
    return answers, annotations


def _items(question: Question, action: Action) -> list[str]:
    if action["action"] == "select":
        return [labels(question)[action["optionIndex"]]]
    if action["action"] == "type":
        return [action["text"]]
    return [labels(question)[i] for i in action["selectedIndices"]] + ([action["text"]] if "text" in action else [])


# ── what Claude received ─────────────────────────────────────────────────────────────────────────────────────────────


def differences(
    questions: Sequence[Question],
    actions: Sequence[Action],
    answers: Mapping[str, Any],
    annotations: Mapping[str, Any],
) -> list[tuple[str, str, str]]:
    """(question, intended, received) for every question whose answer did not arrive as it was meant."""
    found = []
    for question, action in zip(questions, actions, strict=True):
        key = str(question.get("question", ""))
        received, note = answers.get(key), _note(annotations.get(key))
        if not _arrived(question, action, received, note):
            shown = "nothing" if received is None else str(received) + (f" (note: {note})" if note else "")
            found.append((key, described(question, action), shown))
    return found


def _arrived(question: Question, action: Action, received: Any, note: str) -> bool:
    if not isinstance(received, str):
        return False
    text = fold(received)
    if action["action"] == "type":
        return fold(action["text"]) in text
    if action["action"] == "select":
        return text == fold(_items(question, action)[0]) and (
            "note" not in action or fold(note) == fold(action["note"])
        )
    return _is_list_of(text, [fold(item) for item in _items(question, action)])


def _is_list_of(text: str, items: Sequence[str]) -> bool:
    """Whether the text is exactly these items, in any order, each with a comma in it perhaps in quotes."""
    if not items:
        return text == ""
    for position, item in enumerate(items):
        rest = [*items[:position], *items[position + 1 :]]
        for spelling in (item, f'"{item}"') if "," in item else (item,):
            if not rest and text == spelling:
                return True
            if rest and text.startswith(spelling + BETWEEN) and _is_list_of(text[len(spelling) + len(BETWEEN) :], rest):
                return True
    return False


def _note(annotation: Any) -> str:
    found = annotation.get("notes") if isinstance(annotation, Mapping) else None
    return found if isinstance(found, str) else ""


def described(question: Question, action: Action) -> str:
    """What the agent meant, in its own terms."""
    if action["action"] == "type":
        return f"text: {action['text']}"
    if action["action"] == "select":
        note = f" with the note: {action['note']}" if "note" in action else ""
        return f"option {action['optionIndex']} ({_items(question, action)[0]}){note}"
    numbers = ", ".join(str(index) for index in action["selectedIndices"])
    return f"options {numbers or 'none'} ({BETWEEN.join(_items(question, action))})"
