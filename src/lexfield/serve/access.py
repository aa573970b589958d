"""Who may ask a server: under which name, from which page, and with which token."""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import re
import secrets
import socket
import time
from collections import OrderedDict
from urllib.parse import quote, urlencode

from starlette.datastructures import Headers
from starlette.requests import HTTPConnection
from starlette.types import Scope

from lexfield.errors import InputError, check
from lexfield.serve.problems import ServedError

COOKIE = "lexfield_token"
LONG = 16  # characters of a token that cannot be guessed
_HOST = re.compile(r"(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9._-]+))(?::([0-9]{1,5}))?")
_GUESSES = 10  # different wrong tokens of one network, before it has to wait
_FORGIVEN = 6.0  # seconds after which one of them is forgotten
_ADDRESSES = 10_000  # whose guesses are remembered
_WRONG = 1000  # wrong tokens that are remembered


def is_loopback(host: str) -> bool:
    """Return whether an address to bind to can be reached from this machine only."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def check_token(host: str, token: str | None) -> None:
    """Raise InputError unless the token is safe for this host and fits into a cookie."""
    if token is None and not is_loopback(host):
        raise InputError(
            f"{host} can be reached from other machines, so a token is needed.",
            "Give one with --token, or leave out --no-token, or bind to 127.0.0.1.",
        )
    plain = token is None or re.fullmatch(r"[A-Za-z0-9._~-]{1,200}", token) is not None
    check(plain, "token", "letters, digits and . _ ~ -", token)
    if token is not None and len(token) < LONG and not is_loopback(host):
        raise InputError(
            f"A token of {len(token)} characters can be guessed from other machines; {LONG} or more"
            " are needed.",
            'Leave out --token to get a random one, or use --token "$(openssl rand -hex 16)".',
        )


def parse_host(host: str) -> str | None:
    """Return the name in a Host header, in lower case, or None if the header is malformed."""
    matched = _HOST.fullmatch(host)
    if matched is None or int(matched[3] or 0) > 65535:
        return None
    if matched[1] is None:
        return matched[2].lower()
    try:
        return str(ipaddress.IPv6Address(matched[1]))  # brackets hold nothing else
    except ValueError:
        return None


def network_of(address: str) -> str:
    """Return the network that one person has to themselves: all of loopback, or an IPv6 /64."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv6Address):
        found = found.ipv4_mapped or found
    if found.is_loopback:
        return "loopback"
    if found.version == 4:
        return str(found)
    return str(ipaddress.ip_network((int(found), 64), strict=False))


class Guesses:
    """Counts the attempts of each network, such as wrong tokens, and forgets them over time."""

    def __init__(self, most: int = _GUESSES, forgiven: float = _FORGIVEN) -> None:
        self._most, self._forgiven = most, forgiven
        self._counts: OrderedDict[str, tuple[float, float]] = OrderedDict()  # number, when

    def count(self, address: str) -> float:
        number, when = self._counts.get(network_of(address), (0.0, 0.0))
        return max(0.0, number - (time.monotonic() - when) / self._forgiven)

    def add(self, address: str) -> None:
        network = network_of(address)
        self._counts[network] = min(self.count(address) + 1, self._most + 1), time.monotonic()
        self._counts.move_to_end(network)
        while len(self._counts) > _ADDRESSES:
            self._counts.popitem(last=False)

    def too_many(self, address: str) -> bool:
        return self.count(address) > self._most


class Access:
    """What a server demands of a request before it looks at anything else."""

    def __init__(self, host: str, token: str | None) -> None:
        check_token(host, token)
        self._token = token
        # Only those who had the right token have this. After too many guesses a short token is not
        # looked at any more; whoever was let in before is still let in.
        self._session = secrets.token_urlsafe(24)
        self._wrong: OrderedDict[bytes, None] = OrderedDict()  # digests
        self._loopback = is_loopback(host)
        self._names = {"localhost", host.lower()}
        if not self._loopback:
            self._names.add(socket.gethostname().lower())
        self._guesses = Guesses()

    def check(self, asked: HTTPConnection) -> str | None:
        """Refuse a request without access; return where a visit with ``?token=`` is redirected."""
        self._check_host(asked.headers)
        self._check_site(asked)
        return None if self._token is None else self._check_token(asked, self._token)

    def _check_host(self, headers: Headers) -> None:
        host = headers.get("host", "")
        name = parse_host(host)
        if name is None or not (name in self._names or self._is_own_address(name)):
            message = f"This server is not called {host[:100]!r}."
            raise ServedError(message, "Use the address it printed.", 421)
        # Beyond this machine something in front of us may speak TLS.
        schemes = ("http",) if self._loopback else ("http", "https")
        own = [f"{scheme}://{host}".lower() for scheme in schemes]
        if "origin" in headers and headers["origin"].lower() not in own:
            raise _refuse_site()

    def _is_own_address(self, name: str) -> bool:
        """A number cannot be rebound to us as a name can; on loopback only its own count."""
        try:
            address = ipaddress.ip_address(name)
        except ValueError:
            return False
        return address.is_loopback or not self._loopback

    def _check_site(self, asked: HTTPConnection) -> None:
        """Refuse other pages anything but links to our pages.

        Browsers say where a request comes from. Another server on this machine is the same site,
        but another origin.
        """
        headers, path = asked.headers, asked.scope["path"]
        if headers.get("sec-fetch-site", "none") in ("none", "same-origin"):
            return
        is_visit = (
            asked.scope["method"] == "GET"
            and headers.get("sec-fetch-mode") == "navigate"
            and headers.get("sec-fetch-dest") == "document"
        )
        if not is_visit or path.startswith("/v1/") or path.endswith((".json", "/events")):
            raise _refuse_site()

    def _check_token(self, asked: HTTPConnection, token: str) -> str | None:
        address = asked.client.host if asked.client else ""
        query = asked.query_params.multi_items() if asked.scope["method"] == "GET" else []
        shown = [value for name, value in query if name == "token"][:1]
        cookie, _, session = asked.cookies.get(_name_cookie(asked.scope), "").partition(":")
        kind, _, given = asked.headers.get("authorization", "").partition(" ")
        sent = [given.strip()] if kind.lower() == "bearer" else []
        sent += [cookie] if cookie else []
        if _is_same(session, self._session):
            return None
        if (
            len(token) < LONG
            and self._guesses.too_many(address)
            and any(_digest(one) not in self._wrong for one in sent + shown)
        ):
            raise _refuse_guess()  # without a look at it: guesses of a short token must be few
        if any(_is_same(one, token) for one in sent):
            return None
        if any(_is_same(one, token) for one in shown):
            rest = urlencode([pair for pair in query if pair[0] != "token"])
            # A path that begins with two slashes would be another host.
            return "/" + quote(asked.scope["path"].lstrip("/")) + (f"?{rest}" if rest else "")
        self._count_wrong(address, sent + shown)
        message = "This server requires a token."
        if sent or shown:
            message += " The one that was sent is wrong, or of an earlier run of the server."
        raise ServedError(
            message,
            "Open the address that was printed when it was started, or send the token as"
            " 'Authorization: Bearer …'.",
            401,
            {"www-authenticate": "Bearer"},
        )

    def _count_wrong(self, address: str, given: list[str]) -> None:
        """Count wrong tokens as guesses; one that is repeated, as by an old page, is no guess."""
        new = {_digest(one) for one in given} - self._wrong.keys()
        for digest in new:
            self._guesses.add(address)
            self._wrong[digest] = None
        while len(self._wrong) > _WRONG:
            self._wrong.popitem(last=False)
        if new and self._guesses.too_many(address):
            raise _refuse_guess()

    def make_cookie(self, scope: Scope) -> str:
        """Return a cookie with the token. Lax: it is sent when a link to our page is followed."""
        short = len(self._token or "") < LONG
        value = f"{self._token}:{self._session}" if short else self._token
        return f"{_name_cookie(scope)}={value}; Path=/; HttpOnly; SameSite=Lax"


def _refuse_site() -> ServedError:
    return ServedError("Requests from other sites are refused.", "Open its own page.", 403)


def _refuse_guess() -> ServedError:
    wait = f"{_FORGIVEN:.0f}"
    hint = f"Try again in {wait} seconds."
    return ServedError("There were too many wrong tokens.", hint, 429, {"retry-after": wait})


def _name_cookie(scope: Scope) -> str:
    """Return the cookie of this server: browsers share cookies between all ports of a machine."""
    port = (scope.get("server") or ("", None))[1]
    return f"{COOKIE}_{port}" if port else COOKIE


def _is_same(given: str, right: str) -> bool:
    return hmac.compare_digest(given.encode(), right.encode())


def _digest(given: str) -> bytes:
    return hashlib.sha256(given.encode()).digest()
