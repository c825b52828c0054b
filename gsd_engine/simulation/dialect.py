"""Everything that differs between versions of Claude Code is here, and nowhere else.

Two versions were recorded; a version in between speaks like the older one.
"""

from __future__ import annotations

from dataclasses import dataclass

OLDER_VERSION = "2.1.197"
NEWER_VERSION = "2.1.326"


@dataclass(frozen=True)
class Dialect:
    """How one version looks and behaves."""

    version: str
    logo: tuple[str, str, str]
    top_margin: int
    model: str
    model_title: str
    effort: str
    effort_badge: str
    prompt_mark_style: str
    queued_mark_style: str
    queued_text_style: str
    fills_the_pane: bool
    """The input box stands at the bottom of the pane, not below the last line of the conversation; queued texts stand
    above the working line, not below it."""
    answered: str
    declined: str
    says_when_done: bool
    """The line after a turn tells the time of day; after an API error there is no such line."""
    suggests_after_errors: bool
    """Dim text in the empty input line after an API error."""
    quotes_commas: bool
    """A multi-select item with a comma in it is quoted in the answer."""
    deaf_seconds: float
    """Enter, Esc and digits are ignored this long after a menu appeared."""
    ticked_description_indent: int
    submit_precedes_expansion: bool
    clear_keeps_prompt_id: bool


_OLDER = Dialect(
    version=OLDER_VERSION,
    logo=(" ▐▛███▜▌   ", "▝▜█████▛▘  ", "  ▘▘ ▝▝    "),
    top_margin=0,
    model="claude-opus-4-8[1m]",
    model_title="Opus 4.8 (1M context) · API Usage Billing",
    effort="high",
    effort_badge="● high · /effort",
    prompt_mark_style="38;5;239;48;5;237",
    queued_mark_style="38;5;239;48;5;237",
    queued_text_style="38;5;231;48;5;237",
    fills_the_pane=False,
    answered="User answered Claude's questions:",
    declined="User declined to answer questions",
    says_when_done=False,
    suggests_after_errors=False,
    quotes_commas=False,
    deaf_seconds=0.0,
    ticked_description_indent=2,
    submit_precedes_expansion=False,
    clear_keeps_prompt_id=True,
)

_NEWER = Dialect(
    version=NEWER_VERSION,
    logo=(" ▐▛███▛█   ", "▝▜██████▀  ", " ▝▝   ▝▝   "),
    top_margin=1,
    model="claude-opus-5-5",
    model_title="Opus 5.5 · API Usage Billing",
    effort="medium",
    effort_badge="◐ medium · /effort",
    prompt_mark_style="38;5;246;48;5;237",
    queued_mark_style="38;5;246;48;5;237",
    queued_text_style="38;5;246;48;5;237",
    fills_the_pane=True,
    answered="Answered Claude's questions:",
    declined="Declined to answer Claude's questions:",
    says_when_done=True,
    suggests_after_errors=True,
    quotes_commas=True,
    deaf_seconds=0.3,
    ticked_description_indent=9,
    submit_precedes_expansion=True,
    clear_keeps_prompt_id=False,
)


def dialect_of(version: str) -> Dialect:
    """The recorded behaviour that a version gets; raises ValueError for text that is not a version."""
    numbers = tuple(int(part) for part in version.split("."))
    newer = numbers >= tuple(int(part) for part in NEWER_VERSION.split("."))
    chosen = _NEWER if newer else _OLDER
    return Dialect(**{**vars(chosen), "version": version})
