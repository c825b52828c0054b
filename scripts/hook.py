"""The hook client that settings.json runs: PYTHON -I -S hook.py EVENT. Standard library only, and little of it.

Reads the payload, hands it to the resident engine over its Unix socket with the few environment variables that matter,
writes the reply and exits with its code. Where there is no engine, or one of another version, or one that hangs, it
becomes `python -m gsd_engine hook EVENT` with the same payload: slower, never lost. The invocation's own id goes along
both ways, so that an event the engine had already taken is not taken twice.

`posix` instead of `os`, which nothing else has imported under -S: it saves a tenth of the whole.
"""

import posix
import sys

VERSION = "0.1.0"  # the engine's own, compared on every call; a test binds the two
SILENCE_SECONDS = 4.0  # an engine that works on a hook says so every second; one that says nothing hangs
SILENCE_SECONDS_AT_END = 0.5  # Claude Code gives all SessionEnd hooks together 1.5 s
LONGEST_PATH = 100  # of a Unix socket; longer ones are reached from their folder
FORWARDED = (b"TMUX", b"TMUX_PANE", b"IDLE_LOOP_DISABLE", b"GSD_ENGINE_REGISTRY", b"GSD_ENGINE_DATABASE_URL")


def home() -> bytes:
    """As gsd_engine.config has it; a test binds the two."""
    environ = posix.environ
    state = environ.get(b"XDG_STATE_HOME", b"").strip() or b"~/.local/state"
    path = environ.get(b"GSD_ENGINE_HOME") or state + b"/gsd-engine"
    if path.startswith(b"~/") and b"HOME" in environ:
        path = environ[b"HOME"] + path[1:]
    return path if path.startswith(b"/") else posix.getcwdb() + b"/" + path


def read_all(descriptor: int) -> bytes:
    parts = []
    while part := posix.read(descriptor, 1 << 16):
        parts.append(part)
    return b"".join(parts)


def write_all(descriptor: int, data: bytes) -> None:
    while data:
        data = data[posix.write(descriptor, data) :]


def ask_engine(event: str, payload: bytes, invocation: str) -> tuple[int, bytes, bytes] | None:
    """(exit code, stdout, stderr) of a resident engine, or None: there is none that would answer."""
    import _socket

    connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    connection.settimeout(SILENCE_SECONDS_AT_END if event == "SessionEnd" else SILENCE_SECONDS)
    try:
        connect(connection, home())
        connection.sendall(request(event, payload, invocation))
        parts = []
        while part := connection.recv(1 << 16):
            parts.append(part)
    except TimeoutError:
        set_aside(home() + b"/engine.sock")
        return None
    except OSError:
        return None
    finally:
        connection.close()
    return understood(b"".join(parts))


def connect(connection, folder: bytes) -> None:
    if len(folder) + len(b"/engine.sock") <= LONGEST_PATH:
        return connection.connect(folder + b"/engine.sock")
    here = posix.open(".", posix.O_RDONLY)
    posix.chdir(folder)
    try:
        connection.connect(b"engine.sock")
    finally:
        posix.fchdir(here)
        posix.close(here)


def request(event: str, payload: bytes, invocation: str) -> bytes:
    """HTTP/1.0: the answer ends with the connection. Values go as hexadecimal digits, since headers are ASCII."""
    lines = [f"POST /hook/{event or '-'} HTTP/1.0", f"Content-Length: {len(payload)}"]
    lines += [f"Engine-Version: {VERSION}", f"Invocation: {invocation}"]
    for name in FORWARDED:
        if value := posix.environ.get(name):
            lines.append(f"Env-{name.decode().replace('_', '-')}: {value.hex()}")
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + payload


def understood(answer: bytes) -> tuple[int, bytes, bytes] | None:
    """The body: a blank for every second of work, the three numbers on a line, then stdout and stderr."""
    head, _, body = answer.partition(b"\r\n\r\n")
    numbers, newline, output = body.lstrip(b" ").partition(b"\n")
    if b" 200 " not in head.partition(b"\r\n")[0] + b" " or not newline:
        return None  # another version, or it died while it answered
    try:
        code, stdout, stderr = (int(number) for number in numbers.split())
    except ValueError:
        return None
    if len(output) != stdout + stderr:
        return None
    return code, output[:stdout], output[stdout:]


def set_aside(path: bytes) -> None:
    """A hung engine delays one hook, not the next: without its socket it is bypassed, and a new one is started."""
    try:
        posix.rename(path, path + b".hung")
    except OSError:
        pass


def run_here(event: str, payload: bytes, invocation: str) -> None:
    """Become the engine for this one event, with the payload as its input again. Does not return."""
    if event == "SessionEnd":
        if posix.fork():
            posix._exit(0)  # nobody waits for a reply, and there is no time: a child of its own goes on
        posix.setsid()
    reader, writer = posix.pipe()
    if posix.fork() == 0:
        posix.close(reader)
        write_all(writer, payload)
        posix._exit(0)
    posix.close(writer)
    posix.dup2(reader, 0)
    arguments = [sys.executable, "-P", "-m", "gsd_engine", "hook", "--invocation", invocation]
    posix.execv(sys.executable, [*arguments, event] if event else arguments)


def main() -> int:
    event = sys.argv[1] if len(sys.argv) > 1 else ""
    if posix.environ.get(b"GSD_ENGINE_DISABLE") == b"1":
        return 0
    payload = read_all(0)
    invocation = posix.urandom(16).hex()
    answer = None
    if posix.environ.get(b"GSD_ENGINE_RESIDENT") != b"off":
        answer = ask_engine(event, payload, invocation)
    if answer is None:
        run_here(event, payload, invocation)
        return 0
    code, stdout, stderr = answer
    write_all(2, stderr)
    write_all(1, stdout)
    return code


if __name__ == "__main__":
    try:
        code = main()
    except BaseException:
        code = 0  # whatever is wrong with us, a hook never traps a user
    posix._exit(code)
