"""AskUserQuestion calls and valid answers to them, as hypothesis strategies."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

_ODD = st.sampled_from(
    ["a, b", 'say "no"', "1. first", "[ ] box", "日本語", "é", "x" * 90, "Chat about this", "Submit", "-n"]
)
_WORDS = st.text(st.characters(codec="utf-8", categories=("L", "N", "P", "Zs")), min_size=1, max_size=24)
labels = (_ODD | _WORDS).map(lambda text: " ".join(text.split())).filter(bool)
texts = labels


@st.composite
def questions(draw: st.DrawFn) -> dict[str, Any]:
    multi = draw(st.booleans())
    names = draw(st.lists(labels, min_size=2, max_size=4))
    options = [{"label": name, "description": draw(st.sampled_from(["", "what it means"]))} for name in names]
    if not multi and draw(st.booleans()):
        options = [{**option, "preview": f"preview of {n}"} for n, option in enumerate(options)]
    return {"question": draw(labels), "header": "Header", "options": options, "multiSelect": multi}


def question_lists() -> st.SearchStrategy[list[dict[str, Any]]]:
    return st.lists(questions(), min_size=1, max_size=4, unique_by=lambda question: question["question"])


@st.composite
def actions_for(draw: st.DrawFn, asked: list[dict[str, Any]], *, redirect: bool = True) -> list[dict[str, Any]]:
    """One valid action per question, or a redirect."""
    if redirect and draw(st.integers(0, 9)) == 0:
        return [{"action": "chat", "text": draw(texts)}]
    return [draw(_action(question)) for question in asked]


@st.composite
def _action(draw: st.DrawFn, question: dict[str, Any]) -> dict[str, Any]:
    last = len(question["options"]) - 1
    if question["multiSelect"]:
        chosen = draw(st.lists(st.integers(0, last), unique=True))
        with_text = not chosen or draw(st.booleans())
        action = {"action": "multi-select", "selectedIndices": chosen}
        return {**action, "text": draw(texts)} if with_text else action
    preview = any("preview" in option for option in question["options"])
    if not preview and draw(st.booleans()):
        return {"action": "type", "text": draw(texts)}
    action = {"action": "select", "optionIndex": draw(st.integers(0, last))}
    return {**action, "note": draw(texts)} if preview and draw(st.booleans()) else action
