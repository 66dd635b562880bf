"""The pages and requests of `numasim serve`, as an ASGI application."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from simulator.errors import InputError
from simulator.serve.guard import Guard, read_json
from simulator.serve.limits import Limits
from simulator.serve.messages import WRONG_INPUT, Answer, refusal
from simulator.serve.pool import Pool
from simulator.serve.setup import read_setup
from simulator.serve.tabs import Tabs, attended, check_tab
from simulator.web.assets import asset

_PAGE = "serve.html"
_TYPES = {"css": "text/css", "html": "text/html", "js": "text/javascript", "svg": "image/svg+xml"}
_SCRIPTS = ("machine.js", "page.js", "serve-setup.js", "serve-place.js", "serve-show.js", "serve.js")
_ASSETS = ("common.css", "serve.css", "serve.svg", *_SCRIPTS)


@dataclass(frozen=True)
class Settings:
    """What a server serves.

    Attributes
    ----------
    information : dict
        What pages show at once, see :func:`simulator.serve.information.information`.
    offered : tuple of str
        Machines that may be loaded.
    limits : Limits
    names : tuple of str
        Host names that requests may be for; empty: all.
    token : str, optional
        What every request must bring.
    port : int
    """

    information: dict[str, Any]
    offered: tuple[str, ...]
    limits: Limits
    names: tuple[str, ...]
    token: str | None = None
    port: int = 0


def build_app(settings: Settings) -> Starlette:
    """Return the application; its workers start and end with it."""
    desk = _Desk(settings)
    return Starlette(
        routes=[
            Route("/", desk.page),
            Route("/assets/{name}", desk.asset),
            Route("/api/information", desk.information),
            Route("/api/machine", desk.machine, methods=["POST"]),
            Route("/api/run", desk.run, methods=["POST"]),
            Route("/api/why", desk.why, methods=["POST"]),
            Route("/api/why/{tab}", desk.explanation, methods=["GET", "DELETE"]),
        ],
        middleware=[Middleware(Guard, names=settings.names, token=settings.token, port=settings.port)],
        exception_handlers={InputError: _wrong_input},
        lifespan=desk.open,
    )


class _Desk:
    """Answers requests."""

    def __init__(self, settings: Settings) -> None:
        limits = settings.limits
        self._information = settings.information
        self._assets = {name: asset(f"assets/{name}") for name in (_PAGE, *_ASSETS)}
        self._runs = Pool(limits.jobs, settings.offered, limit_s=limits.run_s, waiting=limits.waiting, grace_s=limits.grace_s)
        self._explanations = Pool(1, settings.offered, limit_s=limits.why_s, waiting=limits.waiting, grace_s=0.0)
        self._tabs = Tabs(self._runs, self._explanations, limits)

    @asynccontextmanager
    async def open(self, app: Starlette) -> AsyncIterator[None]:
        """Have workers while inside."""
        self._runs.start(at_once=True)
        self._explanations.start(at_once=False)
        tidy = asyncio.create_task(self._tabs.keep_tidy())
        try:
            yield
        finally:
            tidy.cancel()
            await asyncio.gather(self._runs.close(), self._explanations.close())

    async def page(self, request: Request) -> Response:
        return self._text(_PAGE)

    async def asset(self, request: Request) -> Response:
        name = request.path_params["name"]
        return self._text(name) if name in _ASSETS else Response(status_code=404)

    async def information(self, request: Request) -> Response:
        return JSONResponse(self._information, headers={"cache-control": "no-store"})

    async def machine(self, request: Request) -> Response:
        setup = await read_json(request)
        read_setup(setup)
        return _response(await attended(self._runs.submit("machine", setup), request.is_disconnected))

    async def run(self, request: Request) -> Response:
        tab, setup = await _asked(request)
        return _response(await self._tabs.run(tab, setup, request.is_disconnected))

    async def why(self, request: Request) -> Response:
        tab, setup = await _asked(request)
        return _response(self._tabs.explain(tab, setup))

    async def explanation(self, request: Request) -> Response:
        tab = check_tab(request.path_params["tab"])
        if request.method == "DELETE":
            self._tabs.forget(tab)
            return Response(status_code=204)
        return _response(self._tabs.explanation(tab))

    def _text(self, name: str) -> Response:
        headers = {"cache-control": "no-cache"}
        return Response(self._assets[name], media_type=_TYPES[name.rpartition(".")[2]], headers=headers)


async def _asked(request: Request) -> tuple[str, Any]:
    """Return the tab that asks, and the set-up, whose form has been seen to."""
    document = await read_json(request)
    if not isinstance(document, dict) or document.keys() != {"tab", "setup"}:
        raise InputError("is none of this page", file="request", allowed="an object with tab and setup")
    read_setup(document["setup"])
    return check_tab(document["tab"]), document["setup"]


def _response(answer: Answer) -> Response:
    return Response(answer.body, answer.status, {"cache-control": "no-store"}, "application/json")


def _wrong_input(request: Request, error: Exception) -> Response:
    return _response(refusal(WRONG_INPUT, str(error)))
