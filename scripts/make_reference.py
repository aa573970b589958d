"""Write the reference pages from the declarations: ``python scripts/make_reference.py``.

docs/cli.md is the help of every command; docs/reference/verbs.md describes every verb in Python,
on the command line and over HTTP.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import msgspec

from lexfield.cli.main import cli
from lexfield.verbs import list_verbs
from lexfield.verbs.declare import Parameter, Verb
from lexfield.verbs.describe import describe
from lexfield.verbs.results import Result
from lexfield.verbs.snippets import name_flags

DOCS = Path(__file__).parents[1] / "docs"
CLI_HEAD = """# The command line

Results go to stdout; notes, narration and progress to stderr (the last two on a terminal only).
Every command that prints results takes `--json`, `--jsonl` and `--csv`. `--json` is one object:

```json
{"schema": "lexfield.near/1", "results": [{"word": "books", "similarity": 0.8, "distance": 0.6}],
 "notes": [], "provenance": {"request": "9f86d0…", "stores": []}}
```

Exit codes: 0 found, 1 nothing found, 2 error. `--debug` with any command shows the traceback of an
error; `NO_COLOR` switches colours off. This page is made by `scripts/make_reference.py`.
"""
VERBS_HEAD = """# Verbs

A verb is one function: `lexfield.near(…)` in Python, `lexfield near` on the command line and
`/v1/near` over HTTP do the same with the same options. A text can be a string, a path, a
`Document`, a `Corpus`, an `Index`, or with `index=…` the id of a document in that index; an index
can be an `Index` or a path. Over HTTP, texts and indexes are named by their ids, as
[Page and API](../serve.md) explains.

Every result can be indexed and iterated, has `notes`, and becomes a table with `to_dicts()`,
`to_pandas()`, `to_polars()` and `to_arrow()`. This page is made by `scripts/make_reference.py`.
"""
_INPUTS = {
    "text": "a text",
    "texts": "texts",
    "collections": "collections of texts",
    "index": "an index",
    "vectors": "word vectors: a name, a file or a `WordVectors`",
    "encoder": "a name or an object",
    "file": "a file",
    "target": "a file or folder to write",
}


def build_cli_page() -> str:
    """Return the page with the help of every command."""
    return "\n".join([CLI_HEAD, *_list_sections("lexfield", cli)])


def _list_sections(name: str, command: click.Command) -> Iterator[str]:
    """Yield the help of a command, then that of the commands in it."""
    context = click.Context(
        command, info_name=name, terminal_width=80, help_option_names=["-h", "--help"]
    )
    yield f"## {name}\n\n```text\n{command.get_help(context)}\n```\n"
    if isinstance(command, click.Group):
        for inner in sorted(command.list_commands(context)):
            found = command.get_command(context, inner)
            assert found is not None
            yield from _list_sections(f"{name} {inner}", found)


def build_verbs_page() -> str:
    """Return the page with every verb, in the order of their Python names."""
    verbs = sorted((listed.load() for listed in list_verbs().values()), key=lambda one: one.name)
    return "\n".join([VERBS_HEAD, *map(_describe_verb, verbs)])


def _describe_verb(verb: Verb) -> str:
    text, examples = _split_help(verb.help)
    parts = [f"## {verb.name}", text, f"- Python: `{_write_call(verb)}`"]
    parts[-1] += f"\n- Command line: `lexfield {verb.command}`\n- HTTP: {_describe_route(verb)}"
    if verb.parameters:
        head = "| parameter | command line | value | default | |\n|---|---|---|---|---|"
        parts.append("\n".join([head, *map(_describe_parameter, verb.parameters)]))
    parts.append(_describe_result(verb.result, verb.row))
    parts.append(f"```text\n{examples}\n```")
    return "\n\n".join(parts) + "\n"


def _split_help(text: str) -> tuple[str, str]:
    """Return the paragraphs of a docstring, and its examples, which stand last."""
    before, _, last = text.rpartition("\n\n")
    return before, inspect.cleandoc(last)


def _write_call(verb: Verb) -> str:
    names = [one.name for one in verb.parameters if one.positional]
    options = any(not one.positional for one in verb.parameters)
    return f"lexfield.{verb.name}({', '.join([*names, *(['…'] if options else [])])})"


def _describe_route(verb: Verb) -> str:
    if verb.served == "no":
        return "not offered, because it reads or writes files of the user's choice"
    if verb.served in ("job", "own"):
        own = ", for indexes built on the server" if verb.served == "own" else ""
        return f'`POST /v1/jobs` with `{{"verb": "{verb.name}", "options": {{…}}}}`{own}'
    return f"`/v1/{verb.name}`"


def _describe_parameter(one: Parameter) -> str:
    flags = one.flags.metavar or one.name.upper() if one.positional else ", ".join(name_flags(one))
    if one.input:
        value = _INPUTS[one.input.kind]
    else:
        value = f"one of {', '.join(one.choices)}" if one.choices else describe(one.info)
    default = "required" if one.required else "" if one.default in (None, (), []) else one.default
    shown = ", ".join(map(str, default)) if isinstance(default, list | tuple) else str(default)
    cells = [f"`{one.name}`", f"`{flags}`", value, shown, one.help]
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def _describe_result(result: Any, row: Any) -> str:
    shown = ", ".join(f"`{name}`" for name in _list_fields(row))
    about = inspect.cleandoc((row if result is Result else result).__doc__ or "")
    name = f"Result[{row.__name__}]" if result is Result else result.__name__
    text = f"Returns `{name}`. {about}"
    figures = ", ".join(
        f"`{one.name}`"
        for one in dataclasses.fields(result)
        if one.name not in ("results", "notes") and not one.metadata.get("hidden")
    )
    others = f" Other fields: {figures}." if figures else ""
    return f"{text} Fields of a row: {shown}.{others}" if shown else f"{text}{others}"


def _list_fields(row: Any) -> list[str]:
    if dataclasses.is_dataclass(row):
        return [field.name for field in dataclasses.fields(row)]
    if isinstance(row, type) and issubclass(row, msgspec.Struct):
        return [field.encode_name for field in msgspec.structs.fields(row)]
    return []


PAGES = {DOCS / "cli.md": build_cli_page, DOCS / "reference" / "verbs.md": build_verbs_page}

if __name__ == "__main__":
    for path, build in PAGES.items():
        path.write_text(build(), "utf-8")
