"""Bodies of requests on their way in: bounded in size and in number, before any is parsed.

If there is one too many, the one that has been silent longest is dropped. So a caller who sends a
byte now and then, to hold a place, keeps nobody out: active senders are never dropped.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from starlette.datastructures import Headers
from starlette.types import Message, Receive

from lexfield.serve.problems import ServedError


class GoneError(Exception):
    """The caller has closed the connection; nobody waits for an answer."""


@dataclass(eq=False)
class _Arrival:
    """A body of which there is more to come, and when a part of it last arrived."""

    last: float
    dropped: asyncio.Event = field(default_factory=asyncio.Event)

    async def receive(self, receive: Receive) -> Message:
        """Return the next message, unless the body is dropped first."""
        part = asyncio.ensure_future(receive())
        dropped = asyncio.ensure_future(self.dropped.wait())
        try:
            await asyncio.wait({part, dropped}, return_when=asyncio.FIRST_COMPLETED)
            if not part.done():
                message = "The body came slowly, and others were waiting."
                raise ServedError(message, "Send it again.", 408)
            received = part.result()
        finally:
            part.cancel()
            dropped.cancel()
        if received["type"] == "http.disconnect":
            raise GoneError
        return received


class Bodies:
    """Reads bodies of at most ``most`` bytes, ``places`` of them at a time."""

    def __init__(self, most: int, places: int) -> None:
        self._most, self._places = most, places
        self._arrivals: list[_Arrival] = []

    async def read(self, headers: Headers, receive: Receive) -> bytes:
        """Return the whole body; of one that is too large, read no more than that shows it."""
        too_large = ServedError(
            f"The body is larger than {self._most / 1e6:,.1f} MB.", "Send less at a time.", 413
        )
        length = headers.get("content-length", "0")
        if not (length.isascii() and length.isdecimal()) or int(length[:20]) > self._most:
            raise too_large
        if "transfer-encoding" in headers and "content-length" in headers:
            # Servers in a row may disagree about where such a body ends.
            raise ServedError("A body has a length or comes in chunks, not both.", "", 400)
        if "content-length" not in headers and "transfer-encoding" not in headers:
            return b""
        arrival = self._add()
        parts, size, more = [], 0, True
        try:
            while more:
                message = await arrival.receive(receive)
                arrival.last = asyncio.get_running_loop().time()
                parts.append(message.get("body", b""))
                size += len(parts[-1])
                if size > self._most:
                    raise too_large
                more = message.get("more_body", False)
        finally:
            self._arrivals.remove(arrival)
        return b"".join(parts)

    def _add(self) -> _Arrival:
        """Make room for one more body."""
        staying = [one for one in self._arrivals if not one.dropped.is_set()]
        if len(staying) >= self._places:
            min(staying, key=lambda one: one.last).dropped.set()
        self._arrivals.append(_Arrival(asyncio.get_running_loop().time()))
        return self._arrivals[-1]
