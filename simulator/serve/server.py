"""From an address to a server that listens there until it is interrupted."""

from __future__ import annotations

import ipaddress
import secrets
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import uvicorn

from simulator.errors import InputError
from simulator.serve.app import Settings, build_app
from simulator.serve.guard import LOOPBACK_NAMES
from simulator.serve.information import information
from simulator.serve.limits import Limits

_GRACEFUL_S = 1
_MOST_CONNECTIONS = 256
_TOKEN_BYTES = 24


@dataclass(frozen=True)
class Place:
    """Where to listen.

    Attributes
    ----------
    host : str
    port : int
        0: any that is free.
    """

    host: str
    port: int

    @property
    def is_loopback(self) -> bool:
        """Whether only this computer can reach it."""
        try:
            return self.host == "localhost" or ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False


def serve(place: Place, files: Sequence[str], limits: Limits, listening: Callable[[str], None]) -> None:
    """Serve until interrupted.

    Parameters
    ----------
    place : Place
        Loopback: everybody on this computer may ask. Elsewhere a random token is part of the link, and of every request.
    files : sequence of str
        Machine files offered beside the shipped ones.
    limits : Limits
    listening : callable
        Called with the link once requests are taken.

    Raises
    ------
    InputError
        A file is no machine file, or nothing can listen there.
    KeyboardInterrupt
        By Ctrl-C, after all has been closed.
    """
    told = information(files)
    with _listening(place) as listener:
        port = listener.getsockname()[1]
        token = None if place.is_loopback else secrets.token_urlsafe(_TOKEN_BYTES)
        offered = tuple(machine["name"] for machine in told["machines"])
        app = build_app(Settings(told, offered, limits, LOOPBACK_NAMES if place.is_loopback else (), token, port))
        config = uvicorn.Config(
            app,
            log_level="warning",
            access_log=False,
            server_header=False,
            lifespan="on",
            ws="none",
            proxy_headers=False,
            limit_concurrency=_MOST_CONNECTIONS,
            timeout_graceful_shutdown=_GRACEFUL_S,
        )
        _Server(config, lambda: listening(link(place.host, port, token))).run([listener])


def link(host: str, port: int, token: str | None) -> str:
    """Return the address of the page."""
    name = socket.gethostname() if host in ("0.0.0.0", "::", "") else host
    shown = f"[{name}]" if ":" in name else name
    return f"http://{shown}:{port}/" + ("" if token is None else f"?token={token}")


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, listening: Callable[[], None]) -> None:
        super().__init__(config)
        self._listening = listening

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._listening()


def _listening(place: Place) -> socket.socket:
    family = socket.AF_INET6 if ":" in place.host else socket.AF_INET
    try:
        return socket.create_server((place.host, place.port), family=family, backlog=_MOST_CONNECTIONS)
    except OSError as error:
        reason = (error.strerror or str(error)).partition(" (")[0].lower()
        field = f"--host {place.host} --port {place.port}"
        raise InputError(f"cannot listen there: {reason}", field=field, allowed="a free port; 0 finds one") from None
    except (TypeError, UnicodeError):  # a name that no address can have
        raise InputError("is no host", field="--host", value=place.host) from None
