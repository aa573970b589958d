"""Bodies of requests on their way in: so many bytes each, so many at a time, before any is parsed.

Where there is one too many, the one that has been silent longest gives way. So somebody who sends a
byte now and then, to hold a place, keeps nobody out: who has something to send, sends it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass, field
from typing import Any

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]


class RefusedError(Exception):
    """An answer that is given before the app is asked."""

    def __init__(self, status: int, error: str, hint: str = "", **headers: str) -> None:
        super().__init__(error)
        self.status, self.body = status, {"error": error, "hint": hint}
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}


class GoneError(Exception):
    """The caller has closed the connection; nobody waits for an answer."""


@dataclass(eq=False)
class _Coming:
    """A body of which there is more to come: when a part of it last came, and who sends it away."""

    last: float
    away: asyncio.Event = field(default_factory=asyncio.Event)


class Bodies:
    def __init__(self, most: int, places: int) -> None:
        self._most, self._places = most, places
        self._coming: list[_Coming] = []

    async def read(self, headers: dict[str, str], receive: Receive) -> bytes:
        """The whole body, unless it is too large: then not one byte more is read."""
        too_large = RefusedError(
            413, f"The body is larger than {self._most / 1e6:,.1f} MB.", "Send less at a time."
        )
        length = headers.get("content-length", "0")
        if not (length.isascii() and length.isdecimal()) or int(length[:20]) > self._most:
            raise too_large
        if "transfer-encoding" in headers and "content-length" in headers:
            # Servers that stand in a row may disagree about where such a body ends.
            raise RefusedError(400, "A body has a length or comes in chunks, not both.")
        if "content-length" not in headers and "transfer-encoding" not in headers:
            return b""
        now = asyncio.get_running_loop().time
        staying = [one for one in self._coming if not one.away.is_set()]
        if len(staying) >= self._places:
            min(staying, key=lambda one: one.last).away.set()
        coming = _Coming(now())
        self._coming.append(coming)
        parts, size, more = [], 0, True
        try:
            while more:
                message = await _next(coming, receive)
                coming.last = now()
                parts.append(message.get("body", b""))
                size += len(parts[-1])
                if size > self._most:
                    raise too_large
                more = message.get("more_body", False)
        finally:
            self._coming.remove(coming)
        return b"".join(parts)


async def _next(coming: _Coming, receive: Receive) -> Message:
    part = asyncio.ensure_future(receive())
    away = asyncio.ensure_future(coming.away.wait())
    try:
        await asyncio.wait({part, away}, return_when=asyncio.FIRST_COMPLETED)
        if not part.done():
            raise RefusedError(
                408, "The body came slowly, and others were waiting.", "Send it again."
            )
        message = part.result()
    finally:
        part.cancel()
        away.cancel()
    if message["type"] == "http.disconnect":
        raise GoneError
    return message
