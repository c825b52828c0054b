"""Show, list and count the questions that Claude asked."""

from __future__ import annotations

from typing import Any

import click

from gsd_engine.cli.calling import call
from gsd_engine.cli.output import json_option, print_json
from gsd_engine.errors import NotFoundError
from gsd_engine.question_reports import COUNTED

session_option = click.option("--session", metavar="NAME", help="Only this session, by exact name.")


@click.group()
def command() -> None:
    """Questions that Claude asked with AskUserQuestion, and what became of the answers."""


@command.command()
@click.option("--session", metavar="NAME", required=True, help="The tmux session, by exact name.")
@json_option
def show(session: str, as_json: bool) -> None:
    """Show the newest question of a session, open or closed.

    \b
    gsd-engine question show --session warden-main-4 --json
    """
    found = call("question.show", session=session)
    if as_json:
        print_json(found)
    elif found["question"] is None:
        raise NotFoundError(f"session {session} has never been asked anything")
    else:
        click.echo("\n".join(_lines(found["question"])))


@command.command("list")
@session_option
@json_option
def list_(session: str | None, as_json: bool) -> None:
    """List questions, oldest first.

    \b
    gsd-engine question list --session warden-main-4
    """
    found = call("question.list", session=session)
    if as_json:
        print_json(found)
        return
    for question in found["questions"]:
        asked = "; ".join(str(q.get("header") or q.get("question")) for q in question["questions"])
        click.echo(f"{question['id']:>5}  {question['session']:<24} {question['state']:<11} {_shown(asked)}")


@command.command()
@session_option
@json_option
def stats(session: str | None, as_json: bool) -> None:
    """Count how often Claude received what the agent meant, by transport.

    \b
    gsd-engine question stats
    """
    found = call("question.stats", session=session)
    if as_json:
        print_json(found)
        return
    click.echo(f"{'session':<24} {'by':<6} " + " ".join(f"{name:>10}" for name in COUNTED))
    for row in found["stats"]:
        counts = " ".join(f"{row[name]:>10}" for name in COUNTED)
        click.echo(f"{_shown(row['session']):<24} {row['transport']:<6} {counts}")


def _lines(question: dict[str, Any]) -> list[str]:
    why = f" ({question['reason']})" if question["reason"] else ""
    lines = [f"question {question['id']}: {question['state']}{why}"]
    for asked in question["questions"]:
        lines.append(f"  {_shown(str(asked.get('question', '')))}")
        lines += [f"    {n}. {_shown(str(o.get('label', '')))}" for n, o in enumerate(asked.get("options", []))]
    if question["answer"] is not None:
        lines.append(f"  answer: {question['answer']['state']}, by {question['answer']['transport']}")
    return lines


def _shown(text: str) -> str:
    """One line, and nothing in it that a terminal would obey."""
    return "".join(character if character.isprintable() else " " for character in text)
