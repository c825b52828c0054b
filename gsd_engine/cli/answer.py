"""Answer the open question of a session."""

from __future__ import annotations

import json

import click

from gsd_engine.cli.calling import call
from gsd_engine.cli.output import json_option, print_json
from gsd_engine.errors import UsageError


@click.command()
@click.option("--session", metavar="NAME", required=True, help="The tmux session, by exact name.")
@json_option
@click.argument("actions")
def command(session: str, as_json: bool, actions: str) -> None:
    """Answer the open question of a session. ACTIONS is a JSON list with one action per question, in order.

    \b
    {"action": "select", "optionIndex": 1}                   an option; "note" where it has a preview
    {"action": "type", "text": "your own words"}             instead of an option
    {"action": "multi-select", "selectedIndices": [0, 2]}    several; "text" adds your own words
    {"action": "chat", "text": "what is wrong"}              alone: redirects the whole call

    \b
    gsd-engine answer --session warden-main-4 '[{"action": "select", "optionIndex": 1}]'
    """
    try:
        given = json.loads(actions)
    except (ValueError, RecursionError) as error:
        raise UsageError(
            f'ACTIONS is not JSON ({error}); write a list such as \'[{{"action": "select", "optionIndex": 0}}]\''
        ) from error
    found = call("answer", session=session, actions=given)
    if as_json:
        print_json(found)
    else:
        answer = found["question"]["answer"]
        click.echo(f"question {found['question']['id']}: answer {answer['state']}, by {answer['transport']}")
