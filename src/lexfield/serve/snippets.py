"""A question as its user would ask it elsewhere: as a command, as Python, and with curl."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import msgspec
from starlette.requests import Request

from lexfield.results import JsonObject
from lexfield.serve.inputs import VerbRequest
from lexfield.verbs.snippets import write_command, write_python

_LONGEST_QUERY = 4000  # characters of an address; what is longer is posted


class Snippets(msgspec.Struct):
    """The same question, as a user would ask it elsewhere."""

    command: str
    python: str
    curl: str


def write_snippets(
    request: Request, asked: VerbRequest, arguments: JsonObject, *, local: bool
) -> Snippets:
    """Return a question in all forms; ``local``: is the server used on this machine alone?"""
    shown = {name: _show_paths(value, local) for name, value in arguments.items()}
    command, python = (write(asked.verb, shown) for write in (write_command, write_python))
    return Snippets(command, python, _write_curl(request, asked))


def _show_paths(value: Any, local: bool) -> Any:
    """Return an argument with its path as a user of this machine would type it.

    Others see only its last part: where something is stored is private.
    """
    if isinstance(value, list):
        return [_show_paths(one, local) for one in value]
    if not isinstance(value, dict) or not value.get("path"):
        return value
    path, here = Path(value["path"]), Path.cwd()
    if not local:
        return {**value, "path": path.name}
    return {**value, "path": str(path.relative_to(here) if here in path.parents else path)}


def _write_curl(request: Request, asked: VerbRequest) -> str:
    """Return the command that sends a question to this server."""
    words = ["curl"]
    if request.cookies or "authorization" in request.headers:
        words.append('-H "Authorization: Bearer $LEXFIELD_TOKEN"')
    simple = {
        name: str(value).lower() if isinstance(value, bool) else value
        for name, value in asked.values.items()
    }
    query = urlencode(simple, doseq=True)
    if asked.verb.served == "yes" and len(query) < _LONGEST_QUERY:
        return " ".join([*words, shlex.quote(f"{request.base_url}v1/{asked.verb.name}?{query}")])
    path, body = f"v1/{asked.verb.name}", asked.values
    if asked.verb.served in ("job", "own"):
        path, body = "v1/jobs", {"verb": asked.verb.name, "options": asked.values}
    sent = shlex.quote(msgspec.json.encode(body).decode())
    return " ".join([*words, f"--json {sent} {shlex.quote(f'{request.base_url}{path}')}"])
