"""Claude Code in its tmux session: started, looked at, ended. What the store knows of it goes through `Engine.step`.

launch.py    how Claude Code is started for an agent: words, environment, system prompt, working directory
spawning.py  spawn, recover, kill
looking.py   is it still there, does it stand at its prompt? (also the resident engine's watch)
reporting.py sessions as programs see them
"""

from gsd_engine.sessions.launch import Launch, launch_for
from gsd_engine.sessions.spawning import kill, recover, spawn, start

__all__ = ["Launch", "kill", "launch_for", "recover", "spawn", "start"]
