"""Commands that Claude's message suggests: a convenience for the agent, who decides."""

from __future__ import annotations

import re

# The argument is taken from the same line only, and ends at white space or a backtick. A path such as
# docs/clear is no command: what precedes the slash must not be part of a word or path.
_SUGGESTION = re.compile(r"(?<![\w/.:-])/(?:gsd:[a-z0-9-]+(?:[ \t]+[^\s`]+)?|clear(?![\w-]))")


def suggested_commands(message: str) -> tuple[str, ...]:
    """Every /gsd:<name> with its argument, and /clear, in order, without repeats."""
    found = (" ".join(match.group().split()) for match in _SUGGESTION.finditer(message))
    return tuple(dict.fromkeys(found))
