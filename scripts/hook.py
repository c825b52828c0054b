"""The hook client that settings.json runs: PYTHON -I -S hook.py EVENT. Standard library only, and little of it.

Reads the payload, hands it to the resident engine over its Unix socket with the few environment variables that matter,
writes the reply and exits with its code. Where there is no engine, or one of another version, or one that hangs, it
becomes `python -m gsd_engine hook EVENT` with the same payload: slower, never lost. The invocation's own id goes along
both ways, so that an event the engine had already taken is not taken twice.
"""

import os
import sys

VERSION = "0.1.0"  # the engine's own, compared on every call; a test binds the two
CONNECT_SECONDS = 0.5
REPLY_SECONDS = 5.0  # an ordinary hook; below every time limit of Claude Code's but SessionEnd's
REPLY_SECONDS_BY_EVENT = {"SessionEnd": 1.0, "PermissionRequest": 590.0, "Stop": 590.0}
HEADERS = ("TMUX", "TMUX_PANE", "GSD_ENGINE_DISABLE", "IDLE_LOOP_DISABLE", "GSD_ENGINE_REGISTRY", "GSD_ENGINE_DATABASE_URL")


def home() -> str:
    """As gsd_engine.config has it; a test binds the two."""
    state = os.environ.get("XDG_STATE_HOME") or os.path.join(os.path.expanduser("~"), ".local", "state")
    return os.environ.get("GSD_ENGINE_HOME") or os.path.join(state, "gsd-engine")


def read_all(descriptor: int) -> bytes:
    parts = []
    while part := os.read(descriptor, 1 << 16):
        parts.append(part)
    return b"".join(parts)


def ask_engine(event: str, payload: bytes, invocation: str) -> tuple[int, bytes, bytes] | None:
    """(exit code, stdout, stderr) of a resident engine, or None: there is none that would answer."""
    import _socket

    path = os.path.join(home(), "engine.sock")
    with _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM) as connection:
        connection.settimeout(CONNECT_SECONDS)
        try:
            connection.connect(path)
            connection.settimeout(REPLY_SECONDS_BY_EVENT.get(event, REPLY_SECONDS))
            connection.sendall(request(event, payload, invocation))
            answer = receive(connection)
        except TimeoutError:
            set_aside(path)
            return None
        except OSError:
            return None
    return understood(answer)


def request(event: str, payload: bytes, invocation: str) -> bytes:
    lines = [f"POST /hook/{event or '-'} HTTP/1.1", "Host: engine", "Connection: close", f"Content-Length: {len(payload)}"]
    lines += [f"Engine-Version: {VERSION}", f"Invocation: {invocation}"]
    for name in HEADERS:
        value = os.environ.get(name, "")
        if value and value.isprintable():
            lines.append(f"Env-{name.replace('_', '-')}: {value}")
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + payload


def receive(connection) -> bytes:
    parts = []
    while part := connection.recv(1 << 16):
        parts.append(part)
    return b"".join(parts)


def understood(answer: bytes) -> tuple[int, bytes, bytes] | None:
    head, separator, body = answer.partition(b"\r\n\r\n")
    first, *lines = head.split(b"\r\n")
    headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(b":") for line in lines)}
    if not separator or b" 200 " not in first + b" " or len(body) != int(headers.get(b"content-length", b"-1")):
        return None  # another version, or it died while it answered
    cut = int(headers[b"stdout-length"])
    return int(headers[b"exit-code"]), body[:cut], body[cut:]


def set_aside(path: str) -> None:
    """A hung engine delays one hook, not the next: without its socket it is bypassed, and a new one is started."""
    try:
        os.rename(path, path + ".hung")
    except OSError:
        pass


def run_here(event: str, payload: bytes, invocation: str) -> None:
    """Become the engine for this one event. Does not return."""
    memory = os.memfd_create("payload")
    with os.fdopen(os.dup(memory), "wb") as file:
        file.write(payload)
    os.lseek(memory, 0, os.SEEK_SET)
    os.dup2(memory, 0)
    arguments = [sys.executable, "-m", "gsd_engine", "hook", "--invocation", invocation]
    os.execv(sys.executable, [*arguments, event] if event else arguments)


def main() -> int:
    event = sys.argv[1] if len(sys.argv) > 1 else ""
    payload = read_all(0)
    invocation = os.urandom(16).hex()
    answer = None
    if os.environ.get("GSD_ENGINE_DISABLE") == "1":
        return 0
    if os.environ.get("GSD_ENGINE_RESIDENT") != "off":
        answer = ask_engine(event, payload, invocation)
    if answer is None:
        run_here(event, payload, invocation)
        return 0
    code, stdout, stderr = answer
    os.write(1, stdout) if stdout else None
    os.write(2, stderr) if stderr else None
    return code


if __name__ == "__main__":
    try:
        code = main()
    except BaseException:
        code = 0  # whatever is wrong with us, a hook never traps a user
    os._exit(code)
