"""How Claude Code is started for an agent: the words, the environment, the system prompt and the place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path

from gsd_engine.config import Config
from gsd_engine.errors import UsageError
from gsd_engine.registry import Agent, HookSettings

DEFAULT_COMMAND = ("claude",)
STOP_HOOK_BLOCK_CAP = 1000
"""Claude Code overrides the 9th consecutive block of a Stop; loops and gates have bounds of their own."""

# What Claude Code leaves in the environment of its children: a second one would take itself for nested, and refuse.
_MARKS_OF_A_PARENT = ("CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SSE_PORT")
_SKIP_PERMISSIONS = "--dangerously-skip-permissions"


@dataclass(frozen=True, kw_only=True)
class Launch:
    """One start of Claude Code. `prompt` is appended to its own system prompt."""

    session_name: str
    agent_id: str
    working_directory: Path
    command: Sequence[str] = DEFAULT_COMMAND
    prompt: str = ""
    skip_permissions: bool = False
    resume: str | None = None
    environment: Mapping[str, str] = field(default_factory=dict)

    def words(self, prompt_file: Path) -> list[str]:
        words = [*self.command, "--append-system-prompt-file", str(prompt_file)]
        if self.skip_permissions and _SKIP_PERMISSIONS not in words:
            words.append(_SKIP_PERMISSIONS)
        if self.resume is not None:
            words += ["--resume", self.resume]
        unset = [word for name in _MARKS_OF_A_PARENT for word in ("-u", name)]
        return ["env", *unset, *words]


def launch_for(agent: Agent, settings: HookSettings, workdir: str | None, resume: str | None = None) -> Launch:
    return Launch(
        session_name=agent.session_name,
        agent_id=agent.agent_id,
        working_directory=existing_directory(workdir or agent.working_directory, agent.agent_id),
        command=agent.launch_command or DEFAULT_COMMAND,
        prompt=system_prompt(agent.system_prompt_file, agent.system_prompt),
        skip_permissions=agent.skip_permissions,
        resume=resume,
        environment=environment_for(settings),
    )


def environment_for(settings: HookSettings) -> dict[str, str]:
    return {
        "CLAUDE_AUTOCOMPACT_PCT_OVERRIDE": str(settings.autocompact_pct),
        "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP": str(STOP_HOOK_BLOCK_CAP),
    }


def engine_environment(config: Config) -> dict[str, str]:
    """The hooks of the new session must find the engine that started it, wherever the tmux server came from."""
    named = {"GSD_ENGINE_HOME": str(config.home), "GSD_ENGINE_REGISTRY": str(config.registry_path)}
    if config.sqlite_path != config.home / "engine.db":
        named["GSD_ENGINE_DATABASE_URL"] = config.database_url
    return named


def system_prompt(file: str | None = None, text: str | None = None) -> str:
    """The default prompt, then the agent's own: appended, never instead of it."""
    parts = [(files("gsd_engine") / "prompts" / "default_system_prompt.md").read_text("utf-8")]
    if file is not None:
        try:
            parts.append(Path(file).expanduser().read_text("utf-8"))
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"the agent's system_prompt_file {file} cannot be read: {error}") from error
    parts += [text] if text else []
    return "\n\n".join(part.strip() for part in parts if part.strip()) + "\n"


def write_prompt_file(config: Config, launch: Launch) -> Path:
    """Kept in the engine's home for as long as the session may read it; the next start of it writes it anew."""
    folder = config.home / "prompts"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder / f"{launch.session_name.replace('/', '_')}.md"
    path.write_text(launch.prompt or system_prompt(), "utf-8")
    return path


def existing_directory(given: str | None, agent_id: str) -> Path:
    if given is None:
        raise UsageError(f"agent {agent_id} has no working_directory: say where with --workdir, or in the registry")
    path = Path(given).expanduser()
    if not path.is_absolute() or not path.is_dir():
        raise UsageError(f"{given} is not a folder: give the absolute path of the project's folder")
    return path
