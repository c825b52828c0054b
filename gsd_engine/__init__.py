"""gsd-engine: what stands between Claude Code in tmux and the agent that drives it.

payload ─▶ context.py (who is this?) ─▶ domain/events.py ─▶ engine.step: one transaction
             load rows (store/) ─▶ decide/ (machines/ + rules/, pure) ─▶ save rows, history, effects
           ─▶ reply (hooks/reply.py)
after the commit ─▶ dispatch.py: claim an effect ─▶ effects/ perform it ─▶ engine.step again with what came of it

The agent is the brain, the engine is the hands, the hooks are the nerves.
"""

__version__ = "0.1.0"
