"""`gsd-engine demo`: the whole cycle on this machine, shown as it happens, and nothing left behind.

stage.py   a temporary home, a tmux server of its own, Claude Code (simulated, or the real one), a resident engine
script.py  what the simulated Claude says, and when the play is over
agent.py   the scripted agent: a program behind the `command` gateway that calls `gsd-engine`, as a real agent would
telling.py the play as lines, while it runs
play.py    from the first line to the last
audit.py   what the store says about it afterwards, by SQL
"""
