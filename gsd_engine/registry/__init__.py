"""Who is managed, and how: one JSON file, read fresh for every event, never cached.

models.py    what the file may say, with the built-in defaults and how settings merge
document.py  from any bytes to plain data
wording.py   how a problem is told: path, message, hint
validate.py  every problem of a file at once; loading
edit.py      changing the file without ever leaving half of one
legacy.py    taking over the older agent-registry.json and recovery-registry.json
example.py   a file to start from
"""

from gsd_engine.registry.models import (
    Agent,
    CommandGateway,
    Gateway,
    HookSettings,
    InboxGateway,
    Notify,
    OpenClawCliGateway,
    OpenClawGateway,
    Registry,
)
from gsd_engine.registry.validate import Problem, RegistryError, find_problems, load_registry

__all__ = [
    "Agent",
    "CommandGateway",
    "Gateway",
    "HookSettings",
    "InboxGateway",
    "Notify",
    "OpenClawCliGateway",
    "OpenClawGateway",
    "Problem",
    "Registry",
    "RegistryError",
    "find_problems",
    "load_registry",
]
