"""The description of the API (OpenAPI 3.1), derived from the operations and their types."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal, get_args, get_type_hints

import msgspec
from msgspec import UNSET, UnsetType
from starlette.requests import Request
from starlette.responses import Response

from lexfield import __version__
from lexfield.results import JsonObject
from lexfield.store.provenance import Provenance
from lexfield.verbs.declare import REQUIRED, Parameter, Verb

_PROBLEMS = {
    400: "Wrong input", 404: "Nothing of this id", 409: "Not in this state", 413: "Too large",
    422: "Wrong parameters", 429: "Too many jobs", 501: "A package is missing",
    503: "Busy: see Retry-After", 504: "Took too long",
}  # fmt: skip
_FILES = {"type": "array", "items": {"type": "string", "format": "binary"}}


@dataclass(frozen=True)
class Operation:
    """One method of one address: what answers it, and what the description says about it.

    summary: by default the docstring of the handler. query, body: parameters by name; a body with
    files is a form. answer: the type of the answer, if there is one. media: other kinds of answers.
    """

    name: str
    method: str
    path: str
    handler: Callable[[Request], Awaitable[Response]]
    summary: str = ""
    query: Mapping[str, Parameter] = field(default_factory=dict)
    body: Mapping[str, Parameter] | None = None
    files: str = ""
    answer: Any = None
    status: int = 200
    media: tuple[str, ...] = ()


class Problem(msgspec.Struct):
    """What went wrong, and what to do next."""

    error: str
    hint: str


class AnyAnswer(msgspec.Struct):
    """The answer of whichever verb it was."""

    schema: str
    provenance: Provenance
    results: list[JsonObject]
    notes: list[str]


def describe_api(operations: list[Operation]) -> JsonObject:
    """Return the description of all operations."""
    parameters = [
        one
        for operation in operations
        for one in (*operation.query.values(), *(operation.body or {}).values())
    ]
    types = [*(one.type for one in parameters), *(one.answer for one in operations if one.answer)]
    schemas, components = msgspec.json.schema_components(
        [*types, Problem], ref_template="#/components/schemas/{name}", schema_hook=lambda _: {}
    )
    known = {id(kind): schema for kind, schema in zip(types, schemas, strict=False)}
    paths: dict[str, JsonObject] = {}
    for operation in operations:
        about = _describe(operation, known)
        if links := _find_links(operation, operations):
            about["responses"][str(operation.status)]["links"] = links
        paths.setdefault(operation.path, {})[operation.method.lower()] = about
    return {
        "openapi": "3.1.0",
        "info": {"title": "lexfield", "version": __version__},
        "paths": paths,
        "components": {"schemas": components},
    }


def _find_links(operation: Operation, operations: list[Operation]) -> JsonObject:
    """Return what can be done next with the job, the index or the text that an operation makes."""
    made = {"/v1/jobs/{id}": "id"} if operation.status == 202 else {}
    if operation.name == "build":
        made["/v1/indexes/{id}"] = "index"
    if operation.name == "paste":
        made["/v1/pastes/{id}"] = "id"
    return {
        one.name: {"operationId": one.name, "parameters": {"id": f"$response.body#/{member}"}}
        for path, member in made.items()
        for one in operations
        if one.path.startswith(path)
    }


def _describe(operation: Operation, known: dict[int, JsonObject]) -> JsonObject:
    about: JsonObject = {
        "operationId": operation.name,
        "summary": operation.summary or inspect.getdoc(operation.handler),
        "responses": _describe_answers(operation, known),
    }
    places = [part[1:-1] for part in operation.path.split("/") if part.startswith("{")]
    about["parameters"] = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
        for name in places
    ] + [
        {"name": one.name, "in": "query", "required": one.required, "schema": _schema(one, known)}
        for one in operation.query.values()
    ]
    if operation.body is not None:
        properties = {one.name: _schema(one, known) for one in operation.body.values()}
        if operation.files:
            properties[operation.files] = _FILES
        schema = {
            "type": "object",
            "properties": properties,
            "required": [one.name for one in operation.body.values() if one.required],
            "additionalProperties": False,
        }
        kind = "multipart/form-data" if operation.files else "application/json"
        about["requestBody"] = {"required": True, "content": {kind: {"schema": schema}}}
    return about


def _describe_answers(operation: Operation, known: dict[int, JsonObject]) -> JsonObject:
    content = {kind: {"schema": {"type": "string"}} for kind in operation.media}
    if operation.answer is not None:
        content["application/json"] = {"schema": known[id(operation.answer)]}
    answers: JsonObject = {str(operation.status): {"description": "The answer"}}
    if content:
        answers[str(operation.status)]["content"] = content
    problem = {"application/json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
    for status, text in _PROBLEMS.items():
        answers[str(status)] = {"description": text, "content": problem}
    return answers


def _schema(parameter: Parameter, known: dict[int, JsonObject]) -> JsonObject:
    schema = dict(known[id(parameter.type)])
    if parameter.help:
        schema["description"] = parameter.help
    if parameter.default not in (None, REQUIRED):
        schema["default"] = msgspec.to_builtins(parameter.default)
    return schema


def answer_type(verb: Verb) -> Any:
    """Return the type of what a verb answers: its rows, and the figures beside them."""
    kind = verb.result
    hints = get_type_hints(kind, include_extras=True)
    own = "figures" in vars(kind)  # a result that chooses its figures itself names them by its rows
    names = [
        one.name
        for one in fields(kind)
        if one.name not in ("results", "notes") and not one.metadata.get("hidden") and not own
    ]
    rows: Any = list[verb.row]  # type: ignore[name-defined]
    schema: Any = Literal[f"lexfield.{verb.command.replace(' ', '.')}/1"]
    figures: list[Any] = [
        (name, hints[name], UNSET) if UnsetType in get_args(hints[name]) else (name, hints[name])
        for name in names
    ]
    return msgspec.defstruct(
        f"{verb.name.title().replace('_', '')}Answer",
        [
            ("schema", schema),
            ("provenance", Provenance),
            *figures,
            ("results", rows),
            ("notes", list[str]),
        ],
        kw_only=True,
    )
