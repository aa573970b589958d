"""Bind an app to an address, print the address, and open the page."""

from __future__ import annotations

import html
import socket
import tempfile
import threading
import webbrowser
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import uvicorn
from starlette.types import ASGIApp

from lexfield.errors import InputError, check
from lexfield.serve.connections import Connection


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
        if browser:
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
    try:
        family, kind, protocol, _, place = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listening = socket.socket(family, kind, protocol)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(place)
        listening.listen(2048)
    except OSError as error:
        raise InputError(
            f"Cannot listen at {host}:{port}: {error.strerror or error}.",
            "Choose another with --port (0 takes one that is free).",
        ) from error
    return listening
