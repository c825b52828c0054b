"""The first schema: every table, its constraints, and the views for audit.

A revision is a photograph: it repeats what the schema said on its day and imports nothing of the engine.
"""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


VIEWS = {
    "v_timeline": """
        SELECT s.name AS session, e.received_at AS at, e.id AS event, 0 AS step, 'event' AS what, e.kind AS name,
               NULL AS "from", NULL AS "to", e.decision_path AS detail
          FROM events e LEFT JOIN sessions s ON s.id = e.session_id
        UNION ALL
        SELECT s.name, h.at, h.event, h.id, h.machine, h.machine || ' ' || h.entity || ' ' || h.trigger,
               h."from", h."to", h.reason
          FROM history h LEFT JOIN sessions s ON s.id = h.session_id
    """,
    "v_queue_report": """
        SELECT s.name AS session, q.id AS queue, q.state AS queue_state, q.reason AS queue_reason,
               c.position, c.command, c.state, c.reason, d.state AS delivery, d.transport, d.enter_presses,
               d.typed_at, c.accepted_at, c.completed_at, c.result
          FROM queues q
          JOIN sessions s ON s.id = q.session_id
          JOIN commands c ON c.queue_id = q.id
          LEFT JOIN deliveries d ON d.command_id = c.id
    """,
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


def upgrade() -> None:
    op.create_table(
        "loops",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("blocks", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.Column("updated_at", sa.Text(), nullable=False),
        sa.Column("ended_at", sa.Text(), nullable=True),
        sa.CheckConstraint(
            "state IN ('IDLE', 'ACTIVE', 'COMPLETING', 'STUCK', 'ABORTED')", name=op.f("ck_loops_state")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_loops")),
        sqlite_strict=True,
    )
    op.create_index(
        "uq_loops_one_unfinished_per_key",
        "loops",
        ["key"],
        unique=True,
        sqlite_where=sa.text("state IN ('ACTIVE', 'COMPLETING')"),
        postgresql_where=sa.text("state IN ('ACTIVE', 'COMPLETING')"),
    )

    op.create_table(
        "pipelines",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("runbook_path", sa.Text(), nullable=False),
        sa.Column("runbook", sa.Text(), nullable=False),
        sa.Column("variables", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("started_at", sa.Text(), nullable=False),
        sa.Column("ended_at", sa.Text(), nullable=True),
        sa.CheckConstraint(
            "(state IN ('completed', 'failed', 'cancelled')) = (ended_at IS NOT NULL)",
            name=op.f("ck_pipelines_ended_at"),
        ),
        sa.CheckConstraint(
            "state IN ('running', 'waiting', 'completed', 'failed', 'cancelled')", name=op.f("ck_pipelines_state")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_pipelines")),
        sqlite_strict=True,
    )
    op.create_table(
        "sessions",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("host", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("agent_id", sa.Text(), nullable=True),
        sa.Column("socket", sa.Text(), nullable=True),
        sa.Column("pane_id", sa.Text(), nullable=True),
        sa.Column("claude_session_id", sa.Text(), nullable=True),
        sa.Column("transcript_path", sa.Text(), nullable=True),
        sa.Column("cwd", sa.Text(), nullable=True),
        sa.Column("model", sa.Text(), nullable=True),
        sa.Column("failure", sa.Text(), nullable=True),
        sa.Column("context_percent", sa.Integer(), nullable=True),
        sa.Column("woken_for", sa.Text(), nullable=True),
        sa.Column("first_seen_at", sa.Text(), nullable=False),
        sa.Column("last_event_at", sa.Text(), nullable=False),
        sa.Column("ended_at", sa.Text(), nullable=True),
        sa.CheckConstraint("(state IN ('ended', 'lost')) = (ended_at IS NOT NULL)", name=op.f("ck_sessions_ended_at")),
        sa.CheckConstraint("state <> 'failing' OR failure IS NOT NULL", name=op.f("ck_sessions_failure")),
        sa.CheckConstraint(
            "state IN ('starting', 'idle', 'working', 'asking', 'failing', 'ended', 'lost')",
            name=op.f("ck_sessions_state"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sessions")),
        sa.UniqueConstraint("host", "name", name=op.f("uq_sessions_host_name")),
        sqlite_strict=True,
    )
    op.create_table(
        "events",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("session_id", sa.Integer(), nullable=True),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=True),
        sa.Column("payload", sa.Text(), nullable=False),
        sa.Column("decision_path", sa.Text(), nullable=True),
        sa.Column("received_at", sa.Text(), nullable=False),
        sa.CheckConstraint("source IN ('hook', 'request', 'report')", name=op.f("ck_events_source")),
        sa.ForeignKeyConstraint(["session_id"], ["sessions.id"], name=op.f("fk_events_session_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_events")),
        sqlite_strict=True,
    )
    op.create_index("ix_events_session_id_id", "events", ["session_id", "id"], unique=False)
    op.create_index(
        "uq_events_key",
        "events",
        ["session_id", "key"],
        unique=True,
        sqlite_where=sa.text("key IS NOT NULL"),
        postgresql_where=sa.text("key IS NOT NULL"),
    )

    op.create_table(
        "loop_frames",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("loop_id", sa.Integer(), nullable=False),
        sa.Column("depth", sa.Integer(), nullable=False),
        sa.Column("mode", sa.Text(), nullable=False),
        sa.Column("iter", sa.Integer(), nullable=False),
        sa.Column("max", sa.Integer(), nullable=False),
        sa.Column("prompt_file", sa.Text(), nullable=True),
        sa.Column("fields", sa.Text(), nullable=True),
        sa.Column("pushed_at", sa.Text(), nullable=False),
        sa.Column("popped_at", sa.Text(), nullable=True),
        sa.CheckConstraint("mode IN ('loop', 'issue', 'grind')", name=op.f("ck_loop_frames_mode")),
        sa.CheckConstraint("iter >= 0", name=op.f("ck_loop_frames_iter")),
        sa.ForeignKeyConstraint(["loop_id"], ["loops.id"], name=op.f("fk_loop_frames_loop_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_loop_frames")),
        sqlite_strict=True,
    )
    op.create_index(
        "uq_loop_frames_one_per_depth",
        "loop_frames",
        ["loop_id", "depth"],
        unique=True,
        sqlite_where=sa.text("popped_at IS NULL"),
        postgresql_where=sa.text("popped_at IS NULL"),
    )

    op.create_table(
        "pipeline_steps",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("pipeline_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("definition", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("started_at", sa.Text(), nullable=True),
        sa.Column("ended_at", sa.Text(), nullable=True),
        sa.CheckConstraint(
            "(state IN ('completed', 'failed', 'skipped')) = (ended_at IS NOT NULL)",
            name=op.f("ck_pipeline_steps_ended_at"),
        ),
        sa.CheckConstraint(
            "state IN ('pending', 'running', 'waiting', 'completed', 'failed', 'skipped')",
            name=op.f("ck_pipeline_steps_state"),
        ),
        sa.CheckConstraint(
            "state NOT IN ('running', 'waiting') OR started_at IS NOT NULL", name=op.f("ck_pipeline_steps_started_at")
        ),
        sa.ForeignKeyConstraint(["pipeline_id"], ["pipelines.id"], name=op.f("fk_pipeline_steps_pipeline_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_pipeline_steps")),
        sa.UniqueConstraint("pipeline_id", "position", name=op.f("uq_pipeline_steps_pipeline_id_position")),
        sqlite_strict=True,
    )
    op.create_index(
        "uq_pipeline_steps_one_under_way",
        "pipeline_steps",
        ["pipeline_id"],
        unique=True,
        sqlite_where=sa.text("state IN ('running', 'waiting')"),
        postgresql_where=sa.text("state IN ('running', 'waiting')"),
    )

    op.create_table(
        "questions",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("session_id", sa.Integer(), nullable=False),
        sa.Column("tool_use_id", sa.Text(), nullable=False),
        sa.Column("prompt_id", sa.Text(), nullable=True),
        sa.Column("questions", sa.Text(), nullable=False),
        sa.Column("running_command", sa.Text(), nullable=True),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("held_at", sa.Text(), nullable=True),
        sa.Column("asked_at", sa.Text(), nullable=False),
        sa.Column("closed_at", sa.Text(), nullable=True),
        sa.CheckConstraint(
            "(state IN ('verified', 'mismatched', 'taken_over', 'redirected', 'abandoned')) = (closed_at IS NOT NULL)",
            name=op.f("ck_questions_closed_at"),
        ),
        sa.CheckConstraint(
            "state IN ('asked', 'answered', 'verified', 'mismatched', 'taken_over', 'redirected', 'abandoned')",
            name=op.f("ck_questions_state"),
        ),
        sa.ForeignKeyConstraint(["session_id"], ["sessions.id"], name=op.f("fk_questions_session_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_questions")),
        sa.UniqueConstraint("session_id", "tool_use_id", name=op.f("uq_questions_session_id_tool_use_id")),
        sqlite_strict=True,
    )
    op.create_index(
        "uq_questions_one_open_per_session",
        "questions",
        ["session_id"],
        unique=True,
        sqlite_where=sa.text("state IN ('asked', 'answered')"),
        postgresql_where=sa.text("state IN ('asked', 'answered')"),
    )

    op.create_table(
        "queues",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("session_id", sa.Integer(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.Column("ended_at", sa.Text(), nullable=True),
        sa.CheckConstraint(
            "(state IN ('completed', 'cancelled', 'stale', 'failed')) = (ended_at IS NOT NULL)",
            name=op.f("ck_queues_ended_at"),
        ),
        sa.CheckConstraint(
            "state IN ('active', 'completed', 'cancelled', 'stale', 'failed')", name=op.f("ck_queues_state")
        ),
        sa.ForeignKeyConstraint(["session_id"], ["sessions.id"], name=op.f("fk_queues_session_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_queues")),
        sqlite_strict=True,
    )
    op.create_index("ix_queues_session_id_id", "queues", ["session_id", "id"], unique=False)
    op.create_index(
        "uq_queues_one_active_per_session",
        "queues",
        ["session_id"],
        unique=True,
        sqlite_where=sa.text("state = 'active'"),
        postgresql_where=sa.text("state = 'active'"),
    )

    op.create_table(
        "agent_runs",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("session_id", sa.Integer(), nullable=False),
        sa.Column("agent", sa.Text(), nullable=False),
        sa.Column("step_id", sa.Integer(), nullable=True),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("prompt", sa.Text(), nullable=True),
        sa.Column("on_stop", sa.Text(), nullable=False),
        sa.Column("on_idle", sa.Text(), nullable=True),
        sa.Column("on_dead", sa.Text(), nullable=True),
        sa.Column("on_error", sa.Text(), nullable=True),
        sa.Column("attempts", sa.Text(), nullable=True),
        sa.Column("signal", sa.Text(), nullable=True),
        sa.Column("started_at", sa.Text(), nullable=False),
        sa.Column("ended_at", sa.Text(), nullable=True),
        sa.CheckConstraint(
            "(state IN ('completed', 'failed', 'cancelled')) = (ended_at IS NOT NULL)",
            name=op.f("ck_agent_runs_ended_at"),
        ),
        sa.CheckConstraint(
            "state IN ('running', 'waiting', 'completed', 'failed', 'cancelled', 'escalated')",
            name=op.f("ck_agent_runs_state"),
        ),
        sa.ForeignKeyConstraint(["session_id"], ["sessions.id"], name=op.f("fk_agent_runs_session_id")),
        sa.ForeignKeyConstraint(["step_id"], ["pipeline_steps.id"], name=op.f("fk_agent_runs_step_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_agent_runs")),
        sqlite_strict=True,
    )
    op.create_index(
        "uq_agent_runs_one_unfinished_per_session",
        "agent_runs",
        ["session_id"],
        unique=True,
        sqlite_where=sa.text("state IN ('running', 'waiting', 'escalated')"),
        postgresql_where=sa.text("state IN ('running', 'waiting', 'escalated')"),
    )

    op.create_table(
        "commands",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("queue_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("command", sa.Text(), nullable=False),
        sa.Column("awaits_hook", sa.Text(), nullable=False),
        sa.Column("awaits_sub", sa.Text(), nullable=True),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("prompt_id", sa.Text(), nullable=True),
        sa.Column("accepted_at", sa.Text(), nullable=True),
        sa.Column("result", sa.Text(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("completed_at", sa.Text(), nullable=True),
        sa.CheckConstraint(
            "(state IN ('done', 'failed', 'skipped')) = (completed_at IS NOT NULL)",
            name=op.f("ck_commands_completed_at"),
        ),
        sa.CheckConstraint("state <> 'done' OR accepted_at IS NOT NULL", name=op.f("ck_commands_done_was_accepted")),
        sa.CheckConstraint(
            "state <> 'pending' OR accepted_at IS NULL", name=op.f("ck_commands_pending_was_not_accepted")
        ),
        sa.CheckConstraint(
            "state IN ('pending', 'active', 'done', 'failed', 'skipped')", name=op.f("ck_commands_state")
        ),
        sa.ForeignKeyConstraint(["queue_id"], ["queues.id"], name=op.f("fk_commands_queue_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_commands")),
        sa.UniqueConstraint("queue_id", "position", name=op.f("uq_commands_queue_id_position")),
        sqlite_strict=True,
    )
    op.create_index(
        "uq_commands_one_active_per_queue",
        "commands",
        ["queue_id"],
        unique=True,
        sqlite_where=sa.text("state = 'active'"),
        postgresql_where=sa.text("state = 'active'"),
    )

    op.create_table(
        "effects",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("event_id", sa.Integer(), nullable=False),
        sa.Column("session_id", sa.Integer(), nullable=True),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("payload", sa.Text(), nullable=False),
        sa.Column("host", sa.Text(), nullable=False),
        sa.Column("repeatable", sa.Integer(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("due_at", sa.Text(), nullable=False),
        sa.Column("claimed_by", sa.Text(), nullable=True),
        sa.Column("lease_until", sa.Text(), nullable=True),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.Column("settled_at", sa.Text(), nullable=True),
        sa.CheckConstraint(
            "(state IN ('done', 'failed', 'uncertain', 'dropped')) = (settled_at IS NOT NULL)",
            name=op.f("ck_effects_settled_at"),
        ),
        sa.CheckConstraint(
            "state <> 'claimed' OR (lease_until IS NOT NULL AND claimed_by IS NOT NULL)", name=op.f("ck_effects_lease")
        ),
        sa.CheckConstraint(
            "state IN ('pending', 'claimed', 'done', 'failed', 'uncertain', 'dropped')", name=op.f("ck_effects_state")
        ),
        sa.ForeignKeyConstraint(["event_id"], ["events.id"], name=op.f("fk_effects_event_id")),
        sa.ForeignKeyConstraint(["session_id"], ["sessions.id"], name=op.f("fk_effects_session_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_effects")),
        sqlite_strict=True,
    )
    op.create_index(
        "ix_effects_open",
        "effects",
        ["host", "due_at"],
        unique=False,
        sqlite_where=sa.text("state IN ('pending', 'claimed')"),
        postgresql_where=sa.text("state IN ('pending', 'claimed')"),
    )
    op.create_index(
        "ix_effects_open_of_session",
        "effects",
        ["session_id"],
        unique=False,
        sqlite_where=sa.text("state IN ('pending', 'claimed')"),
        postgresql_where=sa.text("state IN ('pending', 'claimed')"),
    )

    op.create_table(
        "history",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("at", sa.Text(), nullable=False),
        sa.Column("session_id", sa.Integer(), nullable=True),
        sa.Column("machine", sa.Text(), nullable=False),
        sa.Column("entity", sa.Integer(), nullable=False),
        sa.Column("trigger", sa.Text(), nullable=False),
        sa.Column("from", sa.Text(), nullable=True),
        sa.Column("to", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("event", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(["event"], ["events.id"], name=op.f("fk_history_event")),
        sa.ForeignKeyConstraint(["session_id"], ["sessions.id"], name=op.f("fk_history_session_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_history")),
        sqlite_strict=True,
    )
    op.create_index("ix_history_event", "history", ["event"], unique=False)
    op.create_index("ix_history_machine_entity", "history", ["machine", "entity"], unique=False)
    op.create_index("ix_history_session_id_id", "history", ["session_id", "id"], unique=False)

    op.create_table(
        "pending_answers",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("question_id", sa.Integer(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("transport", sa.Text(), nullable=True),
        sa.Column("actions", sa.Text(), nullable=False),
        sa.Column("received", sa.Text(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("intended_at", sa.Text(), nullable=False),
        sa.Column("submitted_at", sa.Text(), nullable=True),
        sa.Column("settled_at", sa.Text(), nullable=True),
        sa.CheckConstraint(
            "(state IN ('matched', 'mismatched', 'void')) = (settled_at IS NOT NULL)",
            name=op.f("ck_pending_answers_settled_at"),
        ),
        sa.CheckConstraint(
            "state IN ('intended', 'submitted', 'matched', 'mismatched', 'void')", name=op.f("ck_pending_answers_state")
        ),
        sa.CheckConstraint(
            "state NOT IN ('submitted', 'matched', 'mismatched') OR submitted_at IS NOT NULL",
            name=op.f("ck_pending_answers_submitted_at"),
        ),
        sa.CheckConstraint("transport IN ('hook', 'keys')", name=op.f("ck_pending_answers_transport")),
        sa.ForeignKeyConstraint(["question_id"], ["questions.id"], name=op.f("fk_pending_answers_question_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_pending_answers")),
        sqlite_strict=True,
    )
    op.create_index(
        "uq_pending_answers_one_open_per_question",
        "pending_answers",
        ["question_id"],
        unique=True,
        sqlite_where=sa.text("state IN ('intended', 'submitted')"),
        postgresql_where=sa.text("state IN ('intended', 'submitted')"),
    )

    op.create_table(
        "decisions",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=True),
        sa.Column("session_id", sa.Integer(), nullable=True),
        sa.Column("cause", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=True),
        sa.Column("options", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("chosen", sa.Text(), nullable=True),
        sa.Column("opened_at", sa.Text(), nullable=False),
        sa.Column("closed_at", sa.Text(), nullable=True),
        sa.CheckConstraint("(state = 'resolved') = (chosen IS NOT NULL)", name=op.f("ck_decisions_chosen")),
        sa.CheckConstraint(
            "(state IN ('resolved', 'dismissed')) = (closed_at IS NOT NULL)", name=op.f("ck_decisions_closed_at")
        ),
        sa.CheckConstraint("state IN ('open', 'resolved', 'dismissed')", name=op.f("ck_decisions_state")),
        sa.ForeignKeyConstraint(["run_id"], ["agent_runs.id"], name=op.f("fk_decisions_run_id")),
        sa.ForeignKeyConstraint(["session_id"], ["sessions.id"], name=op.f("fk_decisions_session_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_decisions")),
        sqlite_strict=True,
    )
    op.create_index(
        "uq_decisions_one_open_per_run_and_cause",
        "decisions",
        ["run_id", "cause"],
        unique=True,
        sqlite_where=sa.text("state = 'open' AND run_id IS NOT NULL"),
        postgresql_where=sa.text("state = 'open' AND run_id IS NOT NULL"),
    )
    op.create_index(
        "uq_decisions_one_open_per_session_and_cause",
        "decisions",
        ["session_id", "cause"],
        unique=True,
        sqlite_where=sa.text("state = 'open' AND run_id IS NULL"),
        postgresql_where=sa.text("state = 'open' AND run_id IS NULL"),
    )

    op.create_table(
        "deliveries",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("session_id", sa.Integer(), nullable=False),
        sa.Column("command_id", sa.Integer(), nullable=True),
        sa.Column("purpose", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("transport", sa.Text(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("prompt_id", sa.Text(), nullable=True),
        sa.Column("enter_presses", sa.Integer(), nullable=False),
        sa.Column("staged_at", sa.Text(), nullable=False),
        sa.Column("typed_at", sa.Text(), nullable=True),
        sa.Column("settled_at", sa.Text(), nullable=True),
        sa.CheckConstraint("(purpose = 'command') = (command_id IS NOT NULL)", name=op.f("ck_deliveries_command")),
        sa.CheckConstraint(
            "(state IN ('accepted', 'refused', 'uncertain', 'rejected')) = (settled_at IS NOT NULL)",
            name=op.f("ck_deliveries_settled_at"),
        ),
        sa.CheckConstraint("state <> 'typed' OR typed_at IS NOT NULL", name=op.f("ck_deliveries_typed_at")),
        sa.CheckConstraint(
            "state IN ('staged', 'typed', 'accepted', 'refused', 'uncertain', 'rejected')",
            name=op.f("ck_deliveries_state"),
        ),
        sa.CheckConstraint("transport IN ('keys', 'mod')", name=op.f("ck_deliveries_transport")),
        sa.ForeignKeyConstraint(["command_id"], ["commands.id"], name=op.f("fk_deliveries_command_id")),
        sa.ForeignKeyConstraint(["session_id"], ["sessions.id"], name=op.f("fk_deliveries_session_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_deliveries")),
        sqlite_strict=True,
    )
    op.create_index("ix_deliveries_command_id", "deliveries", ["command_id"], unique=False)
    op.create_index("ix_deliveries_session_id_state", "deliveries", ["session_id", "state"], unique=False)

    op.create_table(
        "inbox",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("effect_id", sa.Integer(), nullable=False),
        sa.Column("session_id", sa.Integer(), nullable=False),
        sa.Column("agent_id", sa.Text(), nullable=False),
        sa.Column("trigger", sa.Text(), nullable=False),
        sa.Column("message", sa.Text(), nullable=False),
        sa.Column("delivered_by", sa.Text(), nullable=True),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.Column("read_at", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["effect_id"], ["effects.id"], name=op.f("fk_inbox_effect_id")),
        sa.ForeignKeyConstraint(["session_id"], ["sessions.id"], name=op.f("fk_inbox_session_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_inbox")),
        sa.UniqueConstraint("effect_id", name=op.f("uq_inbox_effect_id")),
        sqlite_strict=True,
    )
    op.create_index("ix_inbox_session_id_id", "inbox", ["session_id", "id"], unique=False)
    for name, query in VIEWS.items():
        op.execute(f"CREATE VIEW {name} AS {' '.join(query.split())}")


def downgrade() -> None:
    for name in VIEWS:
        op.execute(f"DROP VIEW {name}")

    op.drop_table("inbox")

    op.drop_table("deliveries")

    op.drop_table("decisions")

    op.drop_table("pending_answers")

    op.drop_table("history")

    op.drop_table("effects")

    op.drop_table("commands")

    op.drop_table("agent_runs")

    op.drop_table("queues")

    op.drop_table("questions")

    op.drop_table("pipeline_steps")

    op.drop_table("loop_frames")

    op.drop_table("events")
    op.drop_table("sessions")
    op.drop_table("pipelines")

    op.drop_table("loops")
