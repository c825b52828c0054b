"""Everything the engine raises on purpose.

EngineError
├── UsageError          theirs: wrong input; one line says what would be right     exit 2, nothing changed
│   └── Refusal         theirs: the lifecycle does not allow it now                exit 2, nothing changed
├── NotFoundError       theirs: no such session, queue, run, decision              exit 3
├── EngineFailureError  ours or the machine's: the work was tried and failed       exit 1
│   ├── StoreError      the database is locked, missing, damaged or of another revision
│   └── ConflictError   a row was changed by someone else between load and save
└── TransitionRefused   ours: a trigger that no row of the machine's table allows

The command line turns each into one line on stderr and its exit code; a hook turns every one of them into
silence, exit 0 and a trace.
"""


class EngineError(Exception):
    """Something went wrong in gsd-engine."""

    exit_code = 1


class UsageError(EngineError):
    """The input is not usable; the message says what would be."""

    exit_code = 2


class Refusal(UsageError):  # noqa: N818 - it is an answer, not a fault
    """The request is well formed, but the present state does not allow it."""


class NotFoundError(EngineError):
    """There is no such thing."""

    exit_code = 3


class EngineFailureError(EngineError):
    """The work was tried and failed."""


class StoreError(EngineFailureError):
    """The database cannot be used as it is; `gsd-engine doctor` says why."""


class ConflictError(EngineFailureError):
    """A row was changed between load and save; nothing was written."""


class TransitionRefused(EngineError):  # noqa: N818 - named for what happened
    """A trigger that no row of the machine's table allows in this state."""

    def __init__(self, machine: str, entity: object, state: str, trigger: str) -> None:
        self.machine, self.entity, self.state, self.trigger = machine, entity, state, trigger
        super().__init__(f"{machine} {entity} is {state}: nothing allows '{trigger}' there")
