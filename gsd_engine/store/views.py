"""The four views for audit, as SQL that runs on SQLite and PostgreSQL alike."""

from __future__ import annotations

VIEWS: dict[str, str] = {
    # One line per event and transition, in the order they were written.
    "v_timeline": """
        SELECT s.name AS session, e.received_at AS at, e.id AS event, 0 AS step, 'event' AS what, e.kind AS name,
               NULL AS "from", NULL AS "to", e.decision_path AS detail
          FROM events e LEFT JOIN sessions s ON s.id = e.session_id
        UNION ALL
        SELECT s.name, h.at, h.event, h.id, h.machine, h.machine || ' ' || h.entity || ' ' || h.trigger,
               h."from", h."to", h.reason
          FROM history h LEFT JOIN sessions s ON s.id = h.session_id
    """,
    # One line per command of every queue, with how it was delivered.
    "v_queue_report": """
        SELECT s.name AS session, q.id AS queue, q.state AS queue_state, q.reason AS queue_reason,
               c.position, c.command, c.state, c.reason, d.state AS delivery, d.transport, d.enter_presses,
               d.typed_at, c.accepted_at, c.completed_at, c.result
          FROM queues q
          JOIN sessions s ON s.id = q.session_id
          JOIN commands c ON c.queue_id = q.id
          LEFT JOIN deliveries d ON d.command_id = c.id
    """,
    # How often Claude received what the agent meant, by transport.
    "v_answer_accuracy": """
        SELECT s.name AS session, COALESCE(a.transport, 'none') AS transport,
               COUNT(*) AS asked,
               SUM(CASE WHEN q.state = 'verified' THEN 1 ELSE 0 END) AS verified,
               SUM(CASE WHEN q.state = 'mismatched' THEN 1 ELSE 0 END) AS mismatched,
               SUM(CASE WHEN q.state = 'taken_over' THEN 1 ELSE 0 END) AS taken_over,
               SUM(CASE WHEN q.state = 'redirected' THEN 1 ELSE 0 END) AS redirected,
               SUM(CASE WHEN q.state = 'abandoned' THEN 1 ELSE 0 END) AS abandoned
          FROM questions q
          JOIN sessions s ON s.id = q.session_id
          LEFT JOIN pending_answers a ON a.id = (SELECT MAX(p.id) FROM pending_answers p WHERE p.question_id = q.id)
         GROUP BY s.name, COALESCE(a.transport, 'none')
    """,
    # Everything that is not finished, whatever it is.
    "v_open_work": """
        SELECT s.name AS session, 'queue' AS what, q.id, q.state, q.created_at AS since, q.reason AS detail
          FROM queues q JOIN sessions s ON s.id = q.session_id WHERE q.state = 'active'
        UNION ALL
        SELECT s.name, 'command', c.id, c.state, q.created_at, c.command
          FROM commands c JOIN queues q ON q.id = c.queue_id JOIN sessions s ON s.id = q.session_id
         WHERE c.state = 'active'
        UNION ALL
        SELECT s.name, 'delivery', d.id, d.state, d.staged_at, d.text
          FROM deliveries d JOIN sessions s ON s.id = d.session_id WHERE d.state IN ('staged', 'typed')
        UNION ALL
        SELECT s.name, 'question', q.id, q.state, q.asked_at, q.tool_use_id
          FROM questions q JOIN sessions s ON s.id = q.session_id WHERE q.state IN ('asked', 'answered')
        UNION ALL
        SELECT l.key, 'loop', l.id, l.state, l.created_at, l.reason
          FROM loops l WHERE l.state IN ('ACTIVE', 'COMPLETING')
        UNION ALL
        SELECT s.name, 'agent_run', r.id, r.state, r.started_at, r.agent
          FROM agent_runs r JOIN sessions s ON s.id = r.session_id WHERE r.state IN ('running', 'waiting', 'escalated')
        UNION ALL
        SELECT NULL, 'pipeline', p.id, p.state, p.started_at, p.name
          FROM pipelines p WHERE p.state IN ('running', 'waiting')
        UNION ALL
        SELECT s.name, 'decision', d.id, d.state, d.opened_at, d.title
          FROM decisions d LEFT JOIN sessions s ON s.id = d.session_id WHERE d.state = 'open'
        UNION ALL
        SELECT s.name, 'effect', f.id, f.state, f.created_at, f.kind
          FROM effects f LEFT JOIN sessions s ON s.id = f.session_id
         WHERE f.state IN ('pending', 'claimed', 'uncertain')
    """,
}


def create_statements() -> list[str]:
    return [f"CREATE VIEW {name} AS {' '.join(sql.split())}" for name, sql in VIEWS.items()]


def drop_statements() -> list[str]:
    return [f"DROP VIEW IF EXISTS {name}" for name in VIEWS]
