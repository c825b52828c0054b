"""OpenClaw over HTTP: `POST /hooks/agent` wakes, `POST /v1/chat/completions` asks.

A wake is answered as soon as the run is admitted, which OpenClaw tries for up to 15 s while the agent is busy with
the same conversation: hence the default timeout. The `Idempotency-Key` header makes a second attempt harmless.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import quote

import httpx

from gsd_engine.clock import system_clock
from gsd_engine.effects.gateway.base import Delivered, GaveUp, Outcome, TryAgain, Wake, one_line, session_key
from gsd_engine.effects.gateway.http_call import HttpCaller, NoReplyError, Reply
from gsd_engine.effects.gateway.shortening import without_middle

BODY_LIMIT = 256 * 1024  # OpenClaw answers 413 above it
WAKE_SECONDS = 20.0
CHECK_SECONDS = 5.0
LONGEST_RETRY_AFTER = 3600.0

# 500 and 504 are not among OpenClaw's own answers to a wake: they come from a proxy in front of it or from a gateway
# that is going down. Either may pass, and the idempotency key keeps a second attempt from waking twice. Other
# 5xx (501, 505 …) say that this request will never be understood.
MAY_PASS = frozenset({408, 429, 500, 502, 503, 504})

# The label in OpenClaw's own log: "Claude" and the trigger in CamelCase, except for the one that has a hook's name.
NAMES = {"response_complete": "ClaudeStop"}


class OpenClawGateway:
    kind = "openclaw"

    def __init__(
        self,
        url: str,
        token: str | None,
        reply_token: str | None = None,
        *,
        transport: httpx.BaseTransport | None = None,
        timeout: float = WAKE_SECONDS,
        agent_id: str | None = None,
        token_name: str = "OPENCLAW_HOOK_TOKEN",  # noqa: S107 - the variable's name, not its value
    ) -> None:
        self._url, self._timeout, self._agent_id, self._token_name = url, timeout, agent_id, token_name
        self._token, self._reply_token = _clean(token), _clean(reply_token)
        self._http = HttpCaller(url, transport)

    def __repr__(self) -> str:
        return f"OpenClawGateway({_shown(self._url)!r})"

    def wake(self, wake: Wake) -> Outcome:
        if self._token is None:
            return GaveUp(self._no_token())
        headers = {"Idempotency-Key": quote(wake.idempotency_key, safe=" :/@+,=")}
        try:
            reply = self._call("POST", "/hooks/agent", self._token, self._timeout, wake_body(wake), headers)
        except NoReplyError as trouble:
            reason = self._reason(f"OpenClaw at {_shown(self._url)}: {trouble}")
            return GaveUp(reason) if trouble.hopeless else TryAgain(reason)
        return self._judged(reply)

    def ask(self, wake: Wake, seconds: float) -> str | None:
        if self._reply_token is None:
            return None
        try:
            reply = self._call("POST", "/v1/chat/completions", self._reply_token, seconds, question_body(wake))
        except NoReplyError:
            return None
        return _answer(reply.text) if 200 <= reply.status < 300 else None

    def check(self) -> str | None:
        if self._token is None:
            return self._no_token()
        try:
            # Without a message nothing can be woken; the refusal still tells whether hooks and token are right.
            reply = self._call("POST", "/hooks/agent", self._token, CHECK_SECONDS, b"{}")
            return self._hooks_problem(reply) or self._agent_problem()
        except NoReplyError as trouble:
            return self._reason(f"OpenClaw at {_shown(self._url)}: {trouble}; start its gateway or correct the url")

    def _call(
        self, method: str, path: str, token: str, seconds: float, body: bytes = b"", more: dict[str, str] | None = None
    ) -> Reply:
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json", **(more or {})}
        return self._http.call(method, path, seconds, headers, body)

    def _judged(self, reply: Reply) -> Outcome:
        if 200 <= reply.status < 300:
            return Delivered(self._reason(str(_field(reply.text, "runId") or "")))
        reason = self._reason(f"OpenClaw answered {reply.status}: {_error_text(reply)}")
        if reply.status in MAY_PASS:
            return TryAgain(reason, retry_after(reply.headers.get("retry-after"), system_clock()))
        return GaveUp(reason)

    def _hooks_problem(self, reply: Reply) -> str | None:
        match reply.status:
            case 400 | 200 | 202:
                return None
            case 401 | 403:
                return f"OpenClaw refuses the hook token: {self._token_name} must hold its hooks.token"
            case 404:
                return f"OpenClaw at {_shown(self._url)} has no /hooks/agent: set hooks.enabled and hooks.token there"
            case _:
                return self._reason(f"OpenClaw answered {reply.status}: {_error_text(reply)}")

    def _agent_problem(self) -> str | None:
        """Known only with the gateway token, and where its chat completions are enabled; else no verdict."""
        if self._agent_id is None or self._reply_token is None:
            return None
        reply = self._call("GET", "/v1/models", self._reply_token, CHECK_SECONDS)
        models = _field(reply.text, "data") if reply.status == 200 else None
        if not isinstance(models, list) or not models:
            return None
        known = {model.get("id") for model in models if isinstance(model, dict)}
        agent_missing = f"openclaw/{self._agent_id}" not in known
        return f'OpenClaw has no agent "{self._agent_id}": add it there or correct agent_id' if agent_missing else None

    def _no_token(self) -> str:
        return f"{self._token_name} is not set: it must hold OpenClaw's hooks.token (printable ASCII)"

    def _reason(self, text: str) -> str:
        return one_line(text, (self._token, self._reply_token))


def wake_name(trigger: str) -> str:
    return NAMES.get(trigger) or "Claude" + "".join(word.capitalize() for word in trigger.split("_"))


def wake_body(wake: Wake) -> bytes:
    """The request's body, its message shortened where it would be refused for its size."""
    rest = {
        "name": wake_name(wake.trigger),
        "agentId": wake.agent_id,
        "deliver": False,
        "sessionMode": "persistent",
        "sessionKey": session_key(wake),
    }
    room = BODY_LIMIT - len(_json({"message": "", **rest})) + len(_json(""))
    return _json({"message": without_middle(wake.message, lambda text: len(_json(text)) <= room), **rest})


def question_body(wake: Wake) -> bytes:
    """`user` keeps the questions of one tmux session in one conversation."""
    messages = [{"role": "user", "content": wake.message}]
    return _json({"model": f"openclaw/{wake.agent_id}", "messages": messages, "user": session_key(wake)})


def retry_after(value: str | None, now: datetime) -> float | None:
    """Seconds from a Retry-After header, which holds seconds or a date; None where it holds neither."""
    text = (value or "").strip()
    if text.isascii() and text.isdecimal():
        return min(float(text[:9]), LONGEST_RETRY_AFTER)
    try:
        moment = parsedate_to_datetime(text)
        seconds = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() - now.timestamp()
    except (ValueError, OverflowError):
        return None
    return min(max(seconds, 0.0), LONGEST_RETRY_AFTER)


def _json(value: Any) -> bytes:
    """UTF-8 rather than escapes, for size; half a surrogate pair (a cut emoji) becomes a question mark."""
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")


def _field(text: str, name: str) -> Any:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return data.get(name) if isinstance(data, dict) else None


def _error_text(reply: Reply) -> str:
    """OpenClaw says `{"error": "…"}`, its OpenAI side `{"error": {"message": "…"}}`, early refusals plain text."""
    error = _field(reply.text, "error")
    if isinstance(error, dict):
        error = error.get("message")
    return str(error or reply.text or "no text")


def _answer(text: str) -> str | None:
    try:
        content = _field(text, "choices")[0]["message"]["content"]
    except (TypeError, LookupError):
        return None
    return content.strip() or None if isinstance(content, str) else None


def _clean(token: str | None) -> str | None:
    """A token that cannot stand in a header is no token; a newline at its end is a slip of `echo`."""
    stripped = (token or "").strip()
    return stripped if stripped and stripped.isascii() and stripped.isprintable() else None


def _shown(url: str) -> str:
    """The address without a password that someone put into it."""
    scheme, separator, rest = url.partition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme}{separator}{host.rpartition('@')[2]}{slash}{path}"
