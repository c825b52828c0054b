"""No sequence of triggers leads any machine out of its table."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gsd_engine.errors import TransitionRefused
from gsd_engine.machines import MACHINES

TRIGGERS = sorted({trigger for table in MACHINES.values() for trigger in table.triggers} | {"create", "to_idle", ""})


@pytest.mark.parametrize("name", MACHINES)
@given(triggers=st.lists(st.sampled_from(TRIGGERS) | st.text(max_size=8), max_size=40))
def test_no_sequence_of_triggers_leaves_the_table(name: str, triggers: list[str]) -> None:
    table = MACHINES[name]
    arrows = {(source, trigger): target for source, trigger, target, _ in table.edges()}
    state = table.initial
    for trigger in triggers:
        try:
            state = table.target(state, trigger)
        except TransitionRefused:
            assert (state, trigger) not in arrows
        else:
            assert state in table.states
    assert state in table.states


@pytest.mark.parametrize("name", MACHINES)
@given(data=st.data())
def test_a_walk_along_the_arrows_is_never_refused_and_ends_only_in_final_states(name: str, data: st.DataObject) -> None:
    table = MACHINES[name]
    state = table.initial
    for _ in range(20):
        leaving = [(trigger, target) for source, trigger, target, _ in table.edges() if source == state]
        if not leaving:
            assert state in table.final
            return
        trigger, target = data.draw(st.sampled_from(leaving))
        state = table.target(state, trigger)
        assert state == target


@pytest.mark.parametrize("name", MACHINES)
@given(states=st.data())
def test_asking_a_machine_changes_nothing_in_it(name: str, states: st.DataObject) -> None:
    """One machine serves every row: a question about one must not leak into the next."""
    table = MACHINES[name]
    arrows = list(table.edges())
    for source, trigger, target, _ in states.draw(st.lists(st.sampled_from(arrows), max_size=10)):
        assert table.target(source, trigger) == target
