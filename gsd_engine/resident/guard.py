"""Who may ask on the loopback port: nobody without the token, no foreign page, no foreign name for this machine.

Any program and any web page on this machine can reach a loopback port. So every request must name the port by a
loopback host (a foreign name that was pointed here is refused), must not come from another origin, and must carry the
token: as `Authorization: Bearer`, or as the page's cookie. A change asked for with the cookie must moreover say that it
comes from the page itself. There is no CORS: no answer ever allows another origin to read it.
"""

from __future__ import annotations

from collections.abc import Callable
from http.cookies import CookieError, SimpleCookie

from starlette.datastructures import Headers, MutableHeaders, QueryParams
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gsd_engine.resident.secret import cookie_value, same

CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",  # no text can become markup, whatever the script does
        "trusted-types 'none'",
    )
)
ON_EVERY_ANSWER = {
    "content-security-policy": CONTENT_SECURITY_POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
BEARER_ONLY = "/hooks/"
"""Hook events come from Claude Code, which has the token; a browser has no business there."""

# A page that leads to the page: the cookie is strict, and a redirect would still count as the foreign link's doing.
_WELCOME = '<!doctype html><meta http-equiv="refresh" content="0;url=/"><title>gsd-engine</title>'


class Guard:
    """`port` is asked at every request, since it is known only once the socket is bound."""

    def __init__(self, app: ASGIApp, token: str, port: Callable[[], int]) -> None:
        self.app, self.token, self.port = app, token, port
        self._cookie_value = cookie_value(token)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return

        async def hardened(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(ON_EVERY_ANSWER)
            await send(message)

        answer = self._answer_instead(scope) or self.app
        await answer(scope, receive, hardened)

    def _answer_instead(self, scope: Scope) -> Response | None:
        """None: the request may pass."""
        headers = Headers(scope=scope)
        hosts = {f"{name}:{self.port()}" for name in ("127.0.0.1", "localhost", "[::1]")}
        host, origin = headers.get("host", ""), headers.get("origin")
        if host not in hosts:
            return PlainTextResponse("this engine answers on loopback only\n", 421)
        if origin is not None and origin != f"http://{host}":
            return PlainTextResponse("no other origin may ask\n", 403)
        if self._has_bearer(headers):
            return None
        if scope["path"].startswith(BEARER_ONLY):
            return _unauthorised()
        if scope["method"] == "GET" and scope["path"] == "/" and self._has_link_token(scope):
            return self._welcome()
        if not self._has_cookie(headers):
            return _unauthorised()
        if scope["method"] not in ("GET", "HEAD") and not _comes_from_the_page(headers, origin):
            return PlainTextResponse("only the page itself may change anything\n", 403)
        return None

    def _has_bearer(self, headers: Headers) -> bool:
        scheme, _, given = headers.get("authorization", "").partition(" ")
        return scheme.lower() == "bearer" and same(given.strip(), self.token)

    def _has_link_token(self, scope: Scope) -> bool:
        return same(QueryParams(scope["query_string"]).get("token", ""), self.token)

    def _has_cookie(self, headers: Headers) -> bool:
        cookies: SimpleCookie = SimpleCookie()
        try:
            cookies.load(headers.get("cookie", ""))
        except CookieError:
            return False
        found = cookies.get(self._cookie_name)
        return found is not None and same(found.value, self._cookie_value)

    @property
    def _cookie_name(self) -> str:
        """With the port, since browsers keep one jar for all ports of a host."""
        return f"gsd-engine-{self.port()}"

    def _welcome(self) -> Response:
        response = HTMLResponse(_WELCOME)
        response.set_cookie(
            self._cookie_name, self._cookie_value, max_age=30 * 24 * 3600, path="/", httponly=True, samesite="strict"
        )
        return response


def _comes_from_the_page(headers: Headers, origin: str | None) -> bool:
    """`origin` was compared already; a browser that sends none with a change is not believed."""
    return origin is not None and headers.get("sec-fetch-site", "same-origin") == "same-origin"


def _unauthorised() -> Response:
    return PlainTextResponse(
        "401: this needs the engine's token. Run `gsd-engine open` and use the link it prints.\n", 401
    )
