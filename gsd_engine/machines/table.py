"""A lifecycle is a table of plain strings; this file turns it into a `transitions` machine that cannot surprise.

The only module that knows `transitions`. Flags and calls chosen here because of how that library behaves:
- one machine per table, without models: `add_model` would reset a stored state to the initial one;
- no auto transitions, or every state could be reached from every other by `to_<state>`;
- no conditions or callbacks: a false condition is silent, an exception in `after` leaves the state moved.
  What a transition causes is decided by `decide/`, outside the machine.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from transitions import Machine, MachineError

from gsd_engine.errors import TransitionRefused


@dataclass(frozen=True)
class Row:
    """One line of a table: `trigger` takes any of `sources` to `target`, and `why` says what it means."""

    trigger: str
    sources: tuple[str, ...]
    target: str
    why: str


def row(trigger: str, sources: str, target: str, why: str) -> Row:
    """Sources are written as `a | b`, the way people write them."""
    return Row(trigger, tuple(part.strip() for part in sources.split("|")), target, why)


@dataclass
class _Holder:
    """The smallest thing a `transitions` machine can move."""

    state: str


@dataclass(frozen=True)
class Table:
    """A lifecycle: every state with its gloss, every transition with its reason."""

    name: str
    initial: str
    states: Mapping[str, str]
    rows: tuple[Row, ...]

    @cached_property
    def _machine(self) -> Machine:
        return Machine(
            model=None,
            states=list(self.states),
            initial=self.initial,
            transitions=[
                {"trigger": r.trigger, "source": source, "dest": r.target} for r in self.rows for source in r.sources
            ],
            auto_transitions=False,
            send_event=True,
        )

    def target(self, state: str, trigger: str, entity: object = "?") -> str:
        """The state that `trigger` leads to; a refusal by name where no row allows it."""
        event = self._machine.events.get(trigger)
        holder = _Holder(state)
        try:
            if event is None or not event.trigger(holder):
                raise TransitionRefused(self.name, entity, state, trigger)
        except (MachineError, ValueError) as error:
            raise TransitionRefused(self.name, entity, state, trigger) from error
        return holder.state

    def allows(self, state: str, trigger: str) -> bool:
        return any(r.trigger == trigger and state in r.sources for r in self.rows)

    @property
    def triggers(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(r.trigger for r in self.rows))

    @property
    def final(self) -> tuple[str, ...]:
        """States that no row leaves."""
        left = {source for r in self.rows for source in r.sources}
        return tuple(state for state in self.states if state not in left)

    def edges(self) -> Iterator[tuple[str, str, str, str]]:
        """(source, trigger, target, why), one per arrow."""
        for r in self.rows:
            for source in r.sources:
                yield source, r.trigger, r.target, r.why
