"""What stands before every request: who may ask, how large a request may be, and what a browser may do with the answer.

A page of another site can make a browser send requests to this computer. It cannot read the answers, unless its own name points
here (DNS rebinding): so a loopback server takes only requests for a loopback name. With a token all of them need it.
"""

from __future__ import annotations

import asyncio
import json
import secrets
from typing import Any
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders, QueryParams
from starlette.requests import ClientDisconnect, Request, cookie_parser
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from simulator.errors import InputError
from simulator.serve.limits import MOST_BODY_BYTES

LOOPBACK_NAMES = ("localhost", "127.0.0.1", "::1")
_BODY_S = 10.0
_HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}


class Guard:
    """Lets requests through, or answers them itself.

    Parameters
    ----------
    app : ASGI application
    names : tuple of str
        Host names that requests may be for; empty: all.
    token : str, optional
        What every request must bring: as ``?token=`` in the address of the page, which leaves it as a cookie; None: nothing.
    port : int
        Part of the cookie's name: browsers send cookies to all ports.
    """

    def __init__(self, app: ASGIApp, *, names: tuple[str, ...], token: str | None, port: int) -> None:
        self._app, self._names, self._token, self._cookie = app, names, token, f"numasim-{port}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers[name] = value
            await send(message)

        app = self._refusal(scope) or self._app
        await app(scope, receive, guarded)

    def _refusal(self, scope: Scope) -> Response | None:
        """Return what stands in the way of a request; None: nothing."""
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if self._names and _name(host) not in self._names:
            return _error(403, f"this page is at {' or '.join(self._names[:2])} only")
        origin = headers.get("origin")
        if origin is not None and urlsplit(origin).netloc != host:
            return _error(403, "another site may not ask")
        return None if self._token is None else self._without_token(scope, headers, self._token)

    def _without_token(self, scope: Scope, headers: Headers, token: str) -> Response | None:
        asked = QueryParams(scope["query_string"]).get("token")
        if _equal(cookie_parser(headers.get("cookie", "")).get(self._cookie), token) and asked is None:
            return None
        if not _equal(asked, token):
            return _error(401, "the token is missing or wrong: open the link that numasim serve printed")
        if scope["path"] != "/":
            return None
        response = RedirectResponse("/", status_code=303)  # the address that is left holds the set-up and no token
        response.set_cookie(self._cookie, token, httponly=True, samesite="strict")
        return response


async def read_json(request: Request) -> Any:
    """Return what a request brings.

    Raises
    ------
    InputError
        It is no JSON, too large, or does not come.
    """
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise InputError("is no JSON", file="request", field="content-type", allowed="application/json")
    try:
        async with asyncio.timeout(_BODY_S):
            body = await _body(request)
        return json.loads(body)
    except TimeoutError:
        raise InputError(f"did not come within {_BODY_S:g} s", file="request") from None
    except (ValueError, RecursionError, ClientDisconnect):
        raise InputError("is no JSON", file="request") from None


async def _body(request: Request) -> bytes:
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > MOST_BODY_BYTES:
            raise InputError("is too large", file="request", allowed=f"at most {MOST_BODY_BYTES} bytes")
    return bytes(body)


def _name(host: str) -> str:
    """Return the name in a Host header, without the port."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


def _equal(given: str | None, token: str) -> bool:
    return given is not None and secrets.compare_digest(given.encode(), token.encode())


def _error(status: int, message: str) -> JSONResponse:
    return JSONResponse({"error": f"numasim serve: {message}"}, status)
