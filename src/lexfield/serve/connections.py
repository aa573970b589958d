"""HTTP over connections that cannot be held for nothing.

uvicorn waits for the head of a request without end. Here a connection on which no whole request
has come for as long as one may be kept alive is closed, and so is one whose caller has not read a
byte of the answer for as long. There are only so many at a time: for one more, the one that has
been idle longest is closed. One that has just come is spared, as its request may be on the way: for
a second, and where there are twice as many as there should be, for a tenth of one. Where there are
then none but such, the new one is refused.
"""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol

MOST = 400  # connections; each is a file, of which a process often has 1,024
_JUST, _JUST_IN_A_CROWD = 1.0, 0.1  # seconds


class Connection(H11Protocol):
    """uvicorn's protocol under limits."""

    most = MOST

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.idle_since = self.loop.time()
        self._unsent = 0
        self._timer = self.loop.call_later(self.timeout_keep_alive, self._look)
        if len(self.connections) > self.most:
            self._make_room()

    def connection_lost(self, exc: Exception | None) -> None:
        self._timer.cancel()
        super().connection_lost(exc)

    def on_response_complete(self) -> None:
        self.idle_since = self.loop.time()
        super().on_response_complete()

    @property
    def idle(self) -> bool:
        """No request is in work: its head has not come whole, or it has been answered."""
        return self.cycle is None or bool(self.cycle.response_complete)

    def _look(self) -> None:
        """Once in a while: is anything going on here?"""
        patience = self.timeout_keep_alive
        unsent = self.transport.get_write_buffer_size()
        waited = self.loop.time() - self.idle_since
        if (unsent and unsent == self._unsent) or (self.idle and waited >= patience):
            self.transport.abort()
            return
        self._unsent = unsent
        rest = patience - waited if self.idle and not unsent else patience
        self._timer = self.loop.call_later(rest, self._look)

    def _make_room(self) -> None:
        crowd = len(self.connections) > 2 * self.most
        before = self.loop.time() - (_JUST_IN_A_CROWD if crowd else _JUST)
        ours = [one for one in self.connections if isinstance(one, Connection) and one.idle]
        oldest = min(ours, key=lambda one: one.idle_since, default=self)
        if oldest.idle_since <= before:
            oldest.transport.abort()
        elif crowd:
            self.transport.abort()
