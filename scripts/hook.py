"""The hook client that settings.json runs: PYTHON -I -S hook.py EVENT. Standard library only, and little of it.

Reads the payload, hands it to the resident engine over its Unix socket with the few environment variables that matter,
writes the reply and exits with its code. Where there is no engine, or one of another version, or one that hangs, it
becomes `python -m gsd_engine hook EVENT` with the same payload: slower, never lost. The invocation's own id goes along
both ways, so that an event the engine had already taken is not taken twice.
"""

import os
import sys

VERSION = "0.1.0"  # the engine's own, compared on every call; a test binds the two
SILENCE_SECONDS = 4.0  # an engine that works on a hook says so every second; one that says nothing hangs
SILENCE_SECONDS_AT_END = 0.5  # Claude Code gives all SessionEnd hooks together 1.5 s
LONGEST_PATH = 100  # of a Unix socket; longer ones are reached from their folder
FORWARDED = ("TMUX", "TMUX_PANE", "IDLE_LOOP_DISABLE", "GSD_ENGINE_REGISTRY", "GSD_ENGINE_DATABASE_URL")


def home() -> str:
    """As gsd_engine.config has it; a test binds the two."""
    state = os.environ.get("XDG_STATE_HOME") or os.path.join(os.path.expanduser("~"), ".local", "state")
    return os.path.abspath(os.path.expanduser(os.environ.get("GSD_ENGINE_HOME") or os.path.join(state, "gsd-engine")))


def read_all(descriptor: int) -> bytes:
    parts = []
    while part := os.read(descriptor, 1 << 16):
        parts.append(part)
    return b"".join(parts)


def ask_engine(event: str, payload: bytes, invocation: str) -> tuple[int, bytes, bytes] | None:
    """(exit code, stdout, stderr) of a resident engine, or None: there is none that would answer."""
    import _socket

    path = os.path.join(home(), "engine.sock")
    connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    connection.settimeout(SILENCE_SECONDS_AT_END if event == "SessionEnd" else SILENCE_SECONDS)
    try:
        connect(connection, path)
        connection.sendall(request(event, payload, invocation))
        answer = receive(connection)
    except TimeoutError:
        set_aside(path)
        return None
    except OSError:
        return None
    finally:
        connection.close()
    return understood(answer)


def connect(connection, path: str) -> None:
    if len(os.fsencode(path)) <= LONGEST_PATH:
        return connection.connect(path)
    here = os.open(".", os.O_RDONLY)
    os.chdir(os.path.dirname(path))
    try:
        connection.connect(os.path.basename(path))
    finally:
        os.fchdir(here)
        os.close(here)


def request(event: str, payload: bytes, invocation: str) -> bytes:
    """HTTP/1.0: the answer ends with the connection. Values go as hexadecimal digits, since headers are ASCII."""
    lines = [f"POST /hook/{event or '-'} HTTP/1.0", f"Content-Length: {len(payload)}"]
    lines += [f"Engine-Version: {VERSION}", f"Invocation: {invocation}"]
    for name in FORWARDED:
        if value := os.environ.get(name):
            lines.append(f"Env-{name.replace('_', '-')}: {os.fsencode(value).hex()}")
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + payload


def receive(connection) -> bytes:
    parts = []
    while part := connection.recv(1 << 16):
        parts.append(part)
    return b"".join(parts)


def understood(answer: bytes) -> tuple[int, bytes, bytes] | None:
    """The body: a blank for every second of work, the three numbers on a line, then stdout and stderr."""
    head, _, body = answer.partition(b"\r\n\r\n")
    numbers, newline, output = body.lstrip(b" ").partition(b"\n")
    if b" 200 " not in head.partition(b"\r\n")[0] + b" " or not newline:
        return None  # another version, or it died while it answered
    code, stdout, stderr = (int(number) for number in numbers.split())
    if len(output) != stdout + stderr:
        return None
    return code, output[:stdout], output[stdout:]


def set_aside(path: str) -> None:
    """A hung engine delays one hook, not the next: without its socket it is bypassed, and a new one is started."""
    try:
        os.rename(path, path + ".hung")
    except OSError:
        pass


def run_here(event: str, payload: bytes, invocation: str) -> None:
    """Become the engine for this one event. Does not return."""
    if event == "SessionEnd" and os.fork():
        os._exit(0)  # nobody waits for a reply, and there is no time: a child of its own goes on
    if event == "SessionEnd":
        os.setsid()
    memory = os.memfd_create("payload")
    left = memoryview(payload)
    while left:
        left = left[os.write(memory, left) :]
    os.lseek(memory, 0, os.SEEK_SET)
    os.dup2(memory, 0)
    arguments = [sys.executable, "-P", "-m", "gsd_engine", "hook", "--invocation", invocation]
    os.execv(sys.executable, [*arguments, event] if event else arguments)


def main() -> int:
    event = sys.argv[1] if len(sys.argv) > 1 else ""
    if os.environ.get("GSD_ENGINE_DISABLE") == "1":
        return 0
    payload = read_all(0)
    invocation = os.urandom(16).hex()
    answer = None
    if os.environ.get("GSD_ENGINE_RESIDENT") != "off":
        answer = ask_engine(event, payload, invocation)
    if answer is None:
        run_here(event, payload, invocation)
        return 0
    code, stdout, stderr = answer
    if stderr:
        os.write(2, stderr)
    while stdout:
        stdout = stdout[os.write(1, stdout) :]
    return code


if __name__ == "__main__":
    try:
        code = main()
    except BaseException:
        code = 0  # whatever is wrong with us, a hook never traps a user
    os._exit(code)
