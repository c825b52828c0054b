"""The states of every lifecycle as types, so that a misspelt state is an error before anything runs.

The tables in `machines/` say how they are connected; a test binds the two, the CHECKs and the migrated schema.
"""

from typing import Literal

SessionState = Literal["starting", "idle", "working", "asking", "failing", "ended", "lost"]
QueueState = Literal["active", "completed", "cancelled", "stale", "failed"]
CommandState = Literal["pending", "active", "done", "failed", "skipped"]
DeliveryState = Literal["staged", "typed", "accepted", "refused", "uncertain", "rejected"]
QuestionState = Literal["asked", "answered", "verified", "mismatched", "taken_over", "redirected", "abandoned"]
AnswerState = Literal["intended", "submitted", "matched", "mismatched", "void"]
LoopState = Literal["IDLE", "ACTIVE", "COMPLETING", "STUCK", "ABORTED"]
RunState = Literal["running", "waiting", "completed", "failed", "cancelled", "escalated"]
PipelineState = Literal["running", "waiting", "completed", "failed", "cancelled"]
StepState = Literal["pending", "running", "waiting", "completed", "failed", "skipped"]
DecisionState = Literal["open", "resolved", "dismissed"]
EffectState = Literal["pending", "claimed", "done", "failed", "uncertain", "dropped"]
