"""Questions and their answers as programs see them."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, text

from gsd_engine.domain.records import Question
from gsd_engine.store import pending_answers, questions, sessions
from gsd_engine.store.database import Database

COUNTED = ("asked", "verified", "mismatched", "taken_over", "redirected", "abandoned")


def newest_question(database: Database, host: str, session: str) -> dict[str, Any] | None:
    with database.read() as connection:
        row = sessions.by_name(connection, host, session)
        question = questions.newest(connection, row.id) if row is not None else None
        return _report(connection, question) if question is not None else None


def questions_of(database: Database, session: str | None) -> list[dict[str, Any]]:
    with database.read() as connection:
        names = {row.id: row.name for row in sessions.everyone(connection)}
        return [
            {"session": names[question.session_id], **_report(connection, question)}
            for question in questions.everyone(connection)
            if session is None or names[question.session_id] == session
        ]


def answer_stats(database: Database, session: str | None) -> list[dict[str, Any]]:
    """As the view v_answer_accuracy has it: one line per session and transport."""
    with database.read() as connection:
        rows = connection.execute(text("SELECT * FROM v_answer_accuracy ORDER BY session, transport"))
        return [dict(row._mapping) for row in rows if session is None or row.session == session]


def _report(connection: Connection, question: Question) -> dict[str, Any]:
    given = pending_answers.of_question(connection, question.id)
    answer = given[-1] if given else None
    return {
        "id": question.id,
        "tool_use_id": question.tool_use_id,
        "state": question.state,
        "reason": question.reason,
        "questions": list(question.questions),
        "answer": None
        if answer is None
        else {
            "state": answer.state,
            "transport": answer.transport,
            "actions": list(answer.actions),
            "received": answer.received,
            "reason": answer.reason,
        },
    }
