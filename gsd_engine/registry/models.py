"""What the registry may say. Every key, every built-in default and every range stands here and nowhere else.

Settings merge field by field: what the agent says, else what the root says, else the default written here. Which
fields were said is pydantic's `model_fields_set`, so that a default never outweighs a word of the user's.
"""

from __future__ import annotations

import re
import shlex
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, BeforeValidator, Field
from pydantic_core import PydanticCustomError

from gsd_engine.rules.policies import OnDead, OnError, OnIdle, OnStop, StrictModel, Word, Words

# tmux turns these into something else, so that a session of the written name can never exist.
_NOT_IN_SESSION_NAMES = re.compile(r"[:.\\\x00-\x1f\x7f-\x9f]")
_ENVIRONMENT_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def _tmux_can_have(name: str) -> str:
    if name == "":
        raise PydanticCustomError("session_name", "must not be empty")
    if _NOT_IN_SESSION_NAMES.search(name):
        raise PydanticCustomError(
            "session_name", "is a name that tmux cannot have: no ':', '.', backslash or control character"
        )
    return name


def _environment_name(name: str) -> str:
    """Also the net for a token that was pasted here: the message must not repeat the value."""
    if not _ENVIRONMENT_NAME.fullmatch(name):
        raise PydanticCustomError("environment_name", "must be the name of an environment variable, not a token")
    return name


def _http_address(url: str) -> str:
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable or re.search(r"[\s\x00-\x1f]", url):
        raise PydanticCustomError("http_address", "must be an http:// or https:// address")
    if parts.username or parts.password:
        raise PydanticCustomError("http_address", "must not carry a user or password: secrets stay out of this file")
    return url


def _words_of_command(value: Any) -> Any:
    """A command line becomes its words; `NAME=value claude` works as it does in a shell."""
    if not isinstance(value, str):
        return value
    try:
        words = shlex.split(value)
    except ValueError:
        raise PydanticCustomError("command_line", "has an unclosed quote or a trailing backslash") from None
    assigns = bool(words) and re.match(r"[A-Za-z_][A-Za-z0-9_]*=", words[0])
    return ["env", *words] if assigns else words


def _only_the_number_one(version: Any) -> Any:
    """In Python, true and 1.0 equal 1; in the file they are something else."""
    if type(version) is not int or version != 1:
        raise PydanticCustomError("version", "must be the number 1")
    return version


SessionName = Annotated[str, AfterValidator(_tmux_can_have)]
EnvironmentName = Annotated[str, AfterValidator(_environment_name)]
HttpAddress = Annotated[str, AfterValidator(_http_address)]
CommandLine = Annotated[Words, BeforeValidator(_words_of_command, json_schema_input_type=str | list[str])]
Percent = Annotated[int, Field(ge=1, le=100)]


class HookSettings(StrictModel):
    """How hooks behave; on the root for everybody, on an agent for that one."""

    pane_capture_lines: int = Field(default=100, ge=1, description="Pane lines in a wake message.", examples=[100])
    context_pressure_threshold: Percent = Field(default=50, description="WARNING from this percent on.", examples=[50])
    autocompact_pct: Percent = Field(
        default=80, description="Claude Code compacts itself at this percent.", examples=[80]
    )
    hook_mode: Literal["async", "bidirectional"] = Field(
        default="async", description="bidirectional: Stop waits for the agent's reply.", examples=["async"]
    )
    answer_transport: Literal["auto", "hook", "keys"] = Field(
        default="auto",
        description="How answers reach a question: by hook, by keys, or whichever is there.",
        examples=["auto"],
    )
    answer_wait_seconds: int = Field(
        default=540, ge=1, le=3600, description="How long a question's hook is held open.", examples=[540]
    )
    delivery_transport: Literal["auto", "mod", "keys"] = Field(
        default="auto",
        description="How text reaches the session: by mod, by keys, or whichever is there.",
        examples=["auto"],
    )


class OpenClawGateway(StrictModel):
    """Wakes the agent over HTTP. Tokens come from the environment, never from this file."""

    kind: Literal["openclaw"] = Field(examples=["openclaw"])
    url: HttpAddress = Field(default="http://127.0.0.1:18789", examples=["http://127.0.0.1:18789"])
    token_env: EnvironmentName = Field(default="OPENCLAW_HOOK_TOKEN", examples=["OPENCLAW_HOOK_TOKEN"])
    reply_token_env: EnvironmentName = Field(default="OPENCLAW_GATEWAY_TOKEN", examples=["OPENCLAW_GATEWAY_TOKEN"])


class OpenClawCliGateway(StrictModel):
    """Wakes the agent through the openclaw program."""

    kind: Literal["openclaw-cli"] = Field(examples=["openclaw-cli"])
    command: Words = Field(default=("openclaw",), examples=[["openclaw"]])


class CommandGateway(StrictModel):
    """Hands the message to any program on its standard input."""

    kind: Literal["command"] = Field(examples=["command"])
    command: Words = Field(examples=[["/path/to/program", "argument"]])


class InboxGateway(StrictModel):
    """Wakes nobody: messages wait for `gsd-engine inbox`."""

    kind: Literal["inbox"] = Field(default="inbox", examples=["inbox"])


Gateway = Annotated[
    OpenClawGateway | OpenClawCliGateway | CommandGateway | InboxGateway,
    Field(discriminator="kind", examples=[{"kind": "inbox"}]),
]
GATEWAYS: dict[str, type[BaseModel]] = {
    "openclaw": OpenClawGateway,
    "openclaw-cli": OpenClawCliGateway,
    "command": CommandGateway,
    "inbox": InboxGateway,
}


class Notify(StrictModel):
    """The program that calls for a person; title and text are in its environment."""

    command: Words = Field(examples=[["notify-send", "gsd-engine"]])


class Agent(StrictModel):
    """One agent and the tmux session it drives."""

    agent_id: Word = Field(description="The agent's name at the gateway.", examples=["warden"])
    enabled: bool = Field(default=True, examples=[True])
    session_name: SessionName = Field(description="The tmux session, by exact name.", examples=["warden-main"])
    working_directory: Word | None = Field(default=None, examples=["/srv/projects/warden"])
    openclaw_session_id: Word | None = Field(default=None, examples=["00000000-0000-0000-0000-000000000002"])
    system_prompt: str | None = Field(
        default=None, description="Appended to the default prompt.", examples=["Commit often."]
    )
    system_prompt_file: Word | None = Field(default=None, examples=["/srv/prompts/warden.md"])
    skip_permissions: bool = Field(default=False, examples=[False])
    launch_command: CommandLine | None = Field(
        default=None, description="Starts Claude Code: a command line, or its words.", examples=["claude --model opus"]
    )
    gateway: Gateway | None = Field(default=None, description="Instead of the root's.", examples=[{"kind": "inbox"}])
    hook_settings: HookSettings = Field(
        default=HookSettings(), description="Over the root's, field by field.", examples=[{}]
    )
    on_stop: OnStop | None = Field(default=None, examples=["escalate"])
    on_idle: OnIdle | None = Field(default=None, examples=[{"action": "nudge", "attempts": 3}])
    on_dead: OnDead | None = Field(default=None, examples=["resume"])
    on_error: OnError | None = Field(default=None, examples=[[{"match": "rate_limit", "action": "resume"}, "escalate"]])


class Registry(StrictModel):
    """The whole file. Built by `load_registry`, which also checks what spans several agents."""

    version: Annotated[Literal[1], BeforeValidator(_only_the_number_one)] = Field(
        description="The form of this file.", examples=[1]
    )
    gateway: Gateway | None = Field(default=None, description="How agents are woken; default: inbox.")
    hook_settings: HookSettings = Field(default=HookSettings(), description="For every agent.", examples=[{}])
    notify: Notify | None = Field(default=None, examples=[{"command": ["notify-send", "gsd-engine"]}])
    agents: Annotated[tuple[Agent, ...], Field(strict=False)] = Field(
        default=(), examples=[[{"agent_id": "warden", "session_name": "warden-main"}]]
    )

    def settings_for(self, agent: Agent) -> HookSettings:
        said = [settings.model_dump(exclude_unset=True) for settings in (self.hook_settings, agent.hook_settings)]
        return HookSettings(**{**HookSettings().model_dump(), **said[0], **said[1]})

    def gateway_for(self, agent: Agent) -> Gateway:
        return agent.gateway or self.gateway or InboxGateway()

    def agent(self, agent_id: str) -> Agent | None:
        return next((agent for agent in self.agents if agent.agent_id == agent_id), None)

    def agent_for_session(self, session_name: str, *, enabled_only: bool = True) -> Agent | None:
        """An enabled agent goes before a disabled one of the same session."""
        named = [agent for agent in self.agents if agent.session_name == session_name]
        enabled = [agent for agent in named if agent.enabled]
        return next(iter(enabled if enabled_only else enabled + named), None)
