"""HTTP over connections that nobody can occupy without using them.

uvicorn waits forever for the head of a request. Here a connection is closed if no complete request
has arrived for as long as a connection is kept alive, or if its caller has not read a byte of the
answer for as long. The number of connections is limited: for one more, the one that has been idle
longest is closed. A new one is spared, as its request may be on the way: for a second, or for a
tenth of one if there are twice as many as there should be. If only such are left, the newest is
refused.
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
