"""`gsd-engine hooks` on real files."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gsd_engine.cli import run
from gsd_engine.hooks.settings import HOOK_ENTRIES, installed

FOREIGN: dict[str, Any] = {
    "model": "opus",
    "hooks": {"Stop": [{"matcher": "", "hooks": [{"type": "command", "command": "say 'fertig ✔ äöü'"}]}]},
    "permissions": {"allow": ["Bash(ls:*)"]},
}

Hooks = Callable[..., tuple[int, str, str]]


@pytest.fixture
def hooks(capsys: pytest.CaptureFixture[str]) -> Hooks:
    def call(verb: str, path: Path, *options: str) -> tuple[int, str, str]:
        code = run(["hooks", verb, "--settings", str(path), *options])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call


@pytest.fixture
def settings(tmp_path: Path) -> Path:
    path = tmp_path / "settings.json"
    path.write_text(json.dumps(FOREIGN, ensure_ascii=False, indent=4) + "\n", encoding="utf-8")
    return path


def names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


def backups(folder: Path) -> list[Path]:
    return sorted(folder.glob("settings.json.gsd-backup-*"))


def test_install_keeps_a_backup_and_uninstall_gives_the_very_file_back(hooks: Hooks, settings: Path) -> None:
    original = settings.read_bytes()
    code, out, _ = hooks("install", settings)
    (backup,) = backups(settings.parent)
    assert (code, backup.read_bytes()) == (0, original)
    assert str(backup) in out
    assert json.loads(settings.read_text()) == installed(FOREIGN)
    assert hooks("uninstall", settings)[0] == 0
    assert settings.read_bytes() == original


def test_a_second_install_changes_nothing_and_says_so(hooks: Hooks, settings: Path) -> None:
    hooks("install", settings)
    before, files = settings.stat(), names(settings.parent)
    code, out, _ = hooks("install", settings)
    assert code == 0
    assert "already installed" in out
    assert (settings.stat().st_ino, settings.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert names(settings.parent) == files


def test_a_dry_run_prints_the_difference_and_touches_nothing(hooks: Hooks, tmp_path: Path, settings: Path) -> None:
    before = settings.read_bytes()
    code, out, _ = hooks("install", settings, "--dry-run")
    assert code == 0
    assert out.startswith("--- ")
    assert re.search(r'^\+ +"gsd_engine",$', out, re.MULTILINE)
    assert (settings.read_bytes(), names(tmp_path)) == (before, ["settings.json"])
    hooks("install", tmp_path / "absent" / "settings.json", "--dry-run")
    assert names(tmp_path) == ["settings.json"]


def test_an_install_by_another_interpreter_is_replaced(hooks: Hooks, settings: Path) -> None:
    old = installed(FOREIGN)
    for found in old["hooks"].values():
        found[-1]["hooks"][0]["command"] = "/gone/bin/python"
    settings.write_text(json.dumps(old))
    assert hooks("status", settings)[0] == 1
    hooks("install", settings)
    assert json.loads(settings.read_text()) == installed(FOREIGN)
    assert hooks("status", settings)[0] == 0


def test_a_missing_file_is_made_for_its_owner_alone(hooks: Hooks, tmp_path: Path) -> None:
    path = tmp_path / ".claude" / "settings.json"
    assert hooks("install", path)[0] == 0
    assert (path.stat().st_mode & 0o777, path.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    assert names(path.parent) == ["settings.json"]
    assert hooks("uninstall", path)[0] == 0
    assert json.loads(path.read_text()) == {}


def test_a_symlink_stays_a_link_and_the_mode_stays(hooks: Hooks, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles" / "claude.json"
    real.parent.mkdir()
    real.write_text("{}")
    real.chmod(0o666)  # more than the umask would give
    link = tmp_path / "settings.json"
    link.symlink_to(Path("dotfiles", "claude.json"))
    assert hooks("install", link)[0] == 0
    assert link.readlink() == Path("dotfiles", "claude.json")
    assert real.stat().st_mode & 0o777 == 0o666
    assert set(json.loads(real.read_text())["hooks"]) == {entry.event for entry in HOOK_ENTRIES}
    (backup,) = real.parent.glob("*.gsd-backup-*")
    assert backup.stat().st_mode & 0o777 == 0o666


@pytest.mark.parametrize(
    ("text", "indent", "ending"),
    [
        ('{\n\t"a": 1\n}', "\t", ""),
        ('{\n   "a": 1\n}\n', "   ", "\n"),
        ('{\r\n  "a": "ö"\r\n}\r\n', "  ", "\r\n"),
        ('\ufeff{\n  "a": 1\n}\n', "  ", "\n"),
    ],
)
def test_indentation_line_ends_and_the_last_newline_are_kept(
    hooks: Hooks, tmp_path: Path, text: str, indent: str, ending: str
) -> None:
    path = tmp_path / "settings.json"
    path.write_bytes(text.encode())
    hooks("install", path)
    written = path.read_bytes().decode()
    assert f'\n{indent}"hooks": {{' in written
    assert written.endswith("}" + ending)
    hooks("uninstall", path)
    assert path.read_bytes() == text.encode()


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b'{\n  "a": 1,\n}', "line 3, column 1"),
        (b"[]", "must hold a JSON object"),
        (b'{"hooks": []}', "'hooks' must be an object"),
        (b'{"hooks": {"Stop": [{"hooks": "x"}]}}', "'hooks.Stop[0].hooks' must be a list"),
        (b'{"a": 1, "a": 2}', 'the key "a" appears twice'),
        (b'{"a": NaN}', "NaN is not JSON"),
        (b'{"a": 1e999}', "1e999"),
        (b'{"a": "\xff"}', "not UTF-8"),
        (b"[" * 100_000, "not usable JSON"),
    ],
)
@pytest.mark.parametrize("verb", ["install", "uninstall", "status"])
def test_a_file_that_cannot_be_read_for_certain_is_refused_in_one_line_and_left_alone(
    hooks: Hooks, tmp_path: Path, verb: str, content: bytes, complaint: str
) -> None:
    path = tmp_path / "settings.json"
    path.write_bytes(content)
    code, out, err = hooks(verb, path)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert complaint in err
    assert str(path) in err
    assert (path.read_bytes(), names(tmp_path)) == (content, ["settings.json"])


def test_half_a_surrogate_pair_survives(hooks: Hooks, tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text('{\n  "a": "\\ud800"\n}\n')
    assert hooks("install", path)[0] == 0
    assert json.loads(path.read_bytes())["a"] == "\ud800"


def test_a_folder_in_place_of_the_file_is_refused(hooks: Hooks, tmp_path: Path) -> None:
    code, _, err = hooks("install", tmp_path)
    assert code == 2
    assert "is a folder" in err


def test_status_tells_that_hooks_are_switched_off(hooks: Hooks, settings: Path) -> None:
    settings.write_text(json.dumps(installed(FOREIGN) | {"disableAllHooks": True}))
    code, out, _ = hooks("status", settings, "--json")
    data = json.loads(out)
    assert code == 1
    assert data["disable_all_hooks"] is True
    assert set(data["events"].values()) == {"installed"}
    assert "disableAllHooks" in hooks("status", settings)[1]


def test_claude_config_dir_says_where_the_settings_are(tmp_path: Path) -> None:
    with_folder = {**os.environ, "HOME": str(tmp_path), "CLAUDE_CONFIG_DIR": str(tmp_path / "elsewhere")}
    without = {key: value for key, value in with_folder.items() if key != "CLAUDE_CONFIG_DIR"}
    for environment, folder in ((with_folder, "elsewhere"), (without, ".claude")):
        subprocess.run([sys.executable, "-m", "gsd_engine", "hooks", "install"], env=environment, check=True)
        assert names(tmp_path / folder) == ["settings.json"]


def test_many_installs_at_once_leave_every_hook_once_and_one_backup(settings: Path) -> None:
    command = [sys.executable, "-m", "gsd_engine", "hooks", "install", "--settings", str(settings)]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(6)]
    outputs = [process.communicate(timeout=60)[0] for process in running]
    assert [process.returncode for process in running] == [0] * 6
    assert sum("backup" in output for output in outputs) == 1
    assert json.loads(settings.read_text()) == installed(FOREIGN)
    assert names(settings.parent) == ["settings.json", backups(settings.parent)[0].name]


LOCK_HOLDER = """
import fcntl, json, os, sys
path = sys.argv[1]
lock = path + ".gsd-lock"

def held():
    file = open(lock, "w")
    fcntl.flock(file, fcntl.LOCK_EX)
    return file

first = held()
print(os.fstat(first.fileno()).st_ino, flush=True)
sys.stdin.readline()
os.rename(lock, lock + ".gone")
second = held()
first.close()
print(os.fstat(second.fileno()).st_ino, flush=True)
sys.stdin.readline()
with open(path, "w") as file:
    json.dump({"written": "meanwhile"}, file)
os.unlink(lock)
"""


def test_an_install_waits_for_each_holder_of_the_lock_and_sees_what_it_wrote(settings: Path) -> None:
    """The lock file is replaced while the install waits on it: it has to wait on the new one, too."""
    before = settings.read_bytes()
    install = [sys.executable, "-m", "gsd_engine", "hooks", "install", "--settings", str(settings)]
    arguments = [sys.executable, "-c", LOCK_HOLDER, str(settings)]
    with subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1) as holder:
        assert holder.stdin is not None
        assert holder.stdout is not None
        inode = holder.stdout.readline().strip()
        waiting = subprocess.Popen(install, stdout=subprocess.DEVNULL)
        wait_until_blocked(waiting.pid, inode)
        holder.stdin.write("replace the lock\n")
        wait_until_blocked(waiting.pid, holder.stdout.readline().strip())
        assert settings.read_bytes() == before
        holder.stdin.write("write and let go\n")
        assert waiting.wait(timeout=30) == 0
    assert json.loads(settings.read_text()) == installed({"written": "meanwhile"})


def wait_until_blocked(pid: int, inode: str) -> None:
    """The kernel lists who waits for a lock in /proc/locks: `1: -> FLOCK ADVISORY WRITE pid device:inode 0 EOF`."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        waiting = [line.split() for line in Path("/proc/locks").read_text().splitlines() if "->" in line]
        if any(str(pid) in line and line[6].endswith(f":{inode}") for line in waiting):
            return
    raise AssertionError("the install does not wait for the lock")
