"""Write the types of the API for the page's scripts, from the description of the API.

python scripts/make_page_types.py
"""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from lexfield.serve.app import make_app

TYPES = Path(__file__).parents[1] / "src" / "lexfield" / "serve" / "static" / "lib" / "types.d.ts"
_HEAD = """// The types of the API, written by scripts/make_page_types.py: do not edit.
export type Value = string | number | boolean | string[] | number[] | null | undefined;
export interface PageState {
  server: Holdings;
  index: string;
  about: IndexSummary;
  where: string[];
  params: URLSearchParams;
  view: string;
  refresh: () => Promise<void>;
}
"""
_SIMPLE = {
    "string": "string",
    "integer": "number",
    "number": "number",
    "boolean": "boolean",
    "null": "null",
}


def write_types() -> str:
    """Return the declarations: every schema, and every verb with its parameters and its answer."""
    described = _describe()
    parts = [_HEAD]
    for name, schema in sorted(described["components"]["schemas"].items()):
        parts.append(f"export interface {name} {_object(schema)}\n")
    rows = []
    for path, operations in sorted(described["paths"].items()):
        operation = operations.get("get")
        if path.startswith("/v1/") and operation and "{" not in path:
            names = sorted({one["name"] for one in operation.get("parameters", [])})
            answer = operation["responses"]["200"]["content"]["application/json"]["schema"]
            listed = " | ".join(f'"{name}"' for name in names) or "never"
            rows.append(f"  {path[4:]}: {{ parameters: {listed}; answer: {_type(answer)} }};\n")
    return "".join([*parts, "export interface Verbs {\n", *rows, "}\n"])


def _describe() -> dict[str, Any]:
    with TemporaryDirectory() as folder:
        routes = make_app(folder=folder).routes
    (route,) = (one for one in routes if getattr(one, "path", "") == "/openapi.json")
    endpoint: Any = route.endpoint  # type: ignore[attr-defined]
    import asyncio

    found: dict[str, Any] = json.loads(asyncio.run(endpoint(None)).body)
    return found


def _object(schema: dict[str, Any]) -> str:
    required = set(schema.get("required", []))
    fields = [
        f"  {name}{'' if name in required else '?'}: {_type(one)};\n"
        for name, one in schema.get("properties", {}).items()
    ]
    return "{\n" + "".join(fields) + "}"


def _type(schema: dict[str, Any]) -> str:
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "anyOf" in schema:
        return " | ".join(dict.fromkeys(_type(one) for one in schema["anyOf"]))
    if "enum" in schema:
        return " | ".join(json.dumps(one) for one in schema["enum"])
    match schema.get("type"):
        case "array":
            if "prefixItems" in schema:
                return f"[{', '.join(_type(one) for one in schema['prefixItems'])}]"
            return f"({_type(schema.get('items') or {})})[]"
        case "object":
            inner = schema.get("additionalProperties")
            return f"Record<string, {_type(inner) if isinstance(inner, dict) else 'any'}>"
        case str() as kind:
            return _SIMPLE[kind]
    return "any"


if __name__ == "__main__":
    TYPES.write_text(write_types(), "utf-8")
