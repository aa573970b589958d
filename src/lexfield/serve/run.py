"""Bind an app to an address, print the address, and open the page."""

from __future__ import annotations

import asyncio
import html
import os
import socket
import tempfile
import threading
import webbrowser
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from lexfield.errors import InputError, check

MOST = 400  # connections; each is a file, of which a process often has 1,024
_JUST, _JUST_IN_A_CROWD = 1.0, 0.1  # seconds


def run(
    app: ASGIApp,
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    browser: bool = True,
    token: str | None = None,
    patience: int = 30,
    say: Callable[[str], None] = print,
) -> None:
    """Serve until interrupted; ``say`` prints the address. Port 0 is any that is free.

    patience: seconds for which a connection may be idle, or its caller not read.
    """
    check(0 <= port <= 65535, "port", "between 0 and 65,535", port)
    listening = _bind(host, port)
    shown = f"[{host}]" if ":" in host else host
    address = f"http://{shown}:{listening.getsockname()[1]}/"
    if token is not None:
        address += f"?token={quote(token, safe='')}"
    config = uvicorn.Config(
        app, log_level="warning", server_header=False, date_header=False,
        timeout_graceful_shutdown=2, timeout_keep_alive=patience, http=Connection, ws="none",
    )  # fmt: skip
    say(address)
    with tempfile.TemporaryDirectory(prefix="lexfield-") as folder:
        if browser and "SSH_CONNECTION" not in os.environ:
            place = address if token is None else _hide_address(address, Path(folder))
            threading.Timer(0.5, webbrowser.open, [place]).start()
        uvicorn.Server(config).run(sockets=[listening])


def _hide_address(address: str, folder: Path) -> str:
    """Return the address of a file that leads to an address and that only its owner can read.

    Everybody on a machine can see the arguments with which a browser is started.
    """
    page = folder / "open.html"
    page.touch(0o600)
    refresh = f'<meta http-equiv="refresh" content="0; url={html.escape(address)}">'
    page.write_text(f"<!doctype html><title>lexfield</title>{refresh}", "utf-8")
    return page.as_uri()


def _bind(host: str, port: int) -> socket.socket:
    """Return a socket that listens; raise InputError if the address cannot be used."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=2048)
    except OSError as error:
        raise InputError(
            f"Cannot listen at {host}:{port}: {error.strerror or error}.",
            "Choose another with --port (0 picks a free one).",
        ) from error


class Connection(H11Protocol):
    """HTTP that drops idle connections, so that none can be held without being used.

    uvicorn waits forever for the head of a request. Here a connection is closed if no complete
    request has arrived for as long as a connection is kept alive, or if its caller has not read a
    byte of the answer for as long. The number of connections is limited: for one more, the one that
    has been idle longest is closed. A new one is spared, as its request may be on the way: for a
    second, or for a tenth of one if there are twice as many as there should be. If only such are
    left, the newest is refused.
    """

    most = MOST

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.idle_since = self.loop.time()
        self._unsent = 0
        self._timer = self.loop.call_later(self.timeout_keep_alive, self._check)
        if len(self.connections) > self.most:
            self._make_room()

    def connection_lost(self, exc: Exception | None) -> None:
        self._timer.cancel()
        super().connection_lost(exc)

    def on_response_complete(self) -> None:
        self.idle_since = self.loop.time()
        super().on_response_complete()

    @property
    def is_idle(self) -> bool:
        """Is no request in work, because its head is incomplete or it has been answered?"""
        return self.cycle is None or bool(self.cycle.response_complete)

    def _check(self) -> None:
        """Close the connection if nothing has happened on it since the last check."""
        patience = self.timeout_keep_alive
        unsent = self.transport.get_write_buffer_size()
        waited = self.loop.time() - self.idle_since
        if (unsent and unsent == self._unsent) or (self.is_idle and waited >= patience):
            self.transport.abort()
            return
        self._unsent = unsent
        rest = patience - waited if self.is_idle and not unsent else patience
        self._timer = self.loop.call_later(rest, self._check)

    def _make_room(self) -> None:
        crowd = len(self.connections) > 2 * self.most
        before = self.loop.time() - (_JUST_IN_A_CROWD if crowd else _JUST)
        ours = [one for one in self.connections if isinstance(one, Connection) and one.is_idle]
        oldest = min(ours, key=lambda one: one.idle_since, default=self)
        if oldest.idle_since <= before:
            oldest.transport.abort()
        elif crowd:
            self.transport.abort()
