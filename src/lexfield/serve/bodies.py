"""What a request holds (its query, a body in JSON, or a form with files) and what is sent back."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import msgspec
from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import Response

from lexfield.results import JsonObject
from lexfield.serve.problems import InvalidError
from lexfield.serve.uploads import Sent

_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")


def read_query(request: Request) -> dict[str, object]:
    """Return the parameters of an address; one that is repeated is a list."""
    names = dict.fromkeys(request.query_params)
    return _join_single({name: request.query_params.getlist(name) for name in names})


async def read_form(request: Request) -> tuple[list[Sent], dict[str, object]]:
    """Return the files of a form, and its other fields."""
    async with request.form(max_part_size=5_000_000) as form:
        files = [one for one in form.getlist("files") if isinstance(one, UploadFile)]
        sent = [Sent(file.filename or "text", await file.read()) for file in files]
        names = dict.fromkeys(name for name in form if name != "files")
        return sent, _join_single({name: form.getlist(name) for name in names})


def _join_single(found: Mapping[str, list[Any]]) -> dict[str, object]:
    return {name: values if len(values) > 1 else values[0] for name, values in found.items()}


async def read_body(request: Request) -> JsonObject:
    """Return the object that was sent as JSON."""
    if "json" not in request.headers.get("content-type", ""):
        raise InvalidError("The body is not JSON.", "Send it with content-type: application/json.")
    body = await request.body()
    try:
        return msgspec.json.decode(body, type=JsonObject)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        what = str(error).removeprefix("JSON is malformed: ")
        if _SURROGATE.search(body):
            what = "it may contain half of a character (a lone surrogate)"
        raise InvalidError(f"The body is not a JSON object: {what}.") from error


def send_answer(answer: bytes, headers: Mapping[str, str] | None = None) -> Response:
    """Return the answer of a verb; the provenance of a table goes into a header."""
    if not answer.startswith(b'{"csv":'):
        return Response(answer, headers=headers, media_type="application/json")
    found = msgspec.json.decode(answer)
    provenance = msgspec.json.encode(found["provenance"]).decode("latin-1")
    headers = {"lexfield-provenance": provenance, **(headers or {})}
    return Response(found["csv"], headers=headers, media_type="text/csv; charset=utf-8")


def respond(value: object, status: int = 200) -> Response:
    """Return a value as JSON."""
    return Response(msgspec.json.encode(value), status, media_type="application/json")
