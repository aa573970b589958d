"""A call of a verb as a user would write it: as a command, and as Python.

Arguments are as the server resolves them: an index, a collection or a text is an object with the
``path`` of an index, the ids of ``documents`` in it, and ``texts`` by name; vectors are
``{"set": NAME}`` or ``{"path": FOLDER}``; the content of a file is a string.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from typing import Any

from lexfield.verbs.declare import Parameter, Verb


def name_flags(parameter: Parameter) -> list[str]:
    """Return the names of an option; a flag that is on by default can be turned off."""
    names = list(parameter.flags.names)
    if not names or (len(parameter.name) > 1 and not any(n.startswith("--") for n in names)):
        names.append(f"--{parameter.name.replace('_', '-')}")
    if parameter.default is True:
        names[-1] = f"{names[-1]}/--no-{names[-1].removeprefix('--')}"
    return names


def write_python(verb: Verb, arguments: Mapping[str, Any]) -> str:
    """Return a Python program that calls the verb."""
    parts: list[str] = []
    by_position = True
    for parameter in verb.parameters:
        if not _is_given(parameter, arguments):
            by_position = False
            continue
        by_position = by_position and parameter.positional
        value = _write_value(parameter, arguments[parameter.name])
        parts.append(value if by_position else f"{parameter.name}={value}")
    return f"import lexfield as lx\n\nlx.{verb.name}({', '.join(parts)})"


def _write_value(parameter: Parameter, value: Any) -> str:
    if parameter.input is None:
        is_one = parameter.repeated and len(value) == 1  # one value is a list of one
        return repr(value[0] if is_one else value)
    if parameter.input.kind == "file":
        names = [repr(name) for name in _name_files(parameter, value)]
        return names[0] if len(names) == 1 else f"[{', '.join(names)}]"
    found = [_write_source(one) for one in (value if isinstance(value, list) else [value])]
    sources = [source for one in found for source in one]
    return sources[0] if len(sources) == 1 else f"[{', '.join(sources)}]"


def _write_source(source: Mapping[str, Any]) -> list[str]:
    if "set" in source:
        return [repr(source["set"])]
    index = repr(source["path"]) if source.get("path") else ""
    chosen = [f"lx.open({index})[{id!r}]" for id in source.get("documents", ())]
    chosen += [repr(text) for text in source.get("texts", {}).values()]
    return chosen or [index]


def write_command(verb: Verb, arguments: Mapping[str, Any]) -> str:
    """Return the command that calls the verb, after what writes the texts that it reads."""
    before: list[str] = []
    places: list[str] = []
    index = _find_index(verb, arguments)
    options = [] if index is None else ["--index", index]
    for parameter in verb.parameters:
        if not _is_given(parameter, arguments):
            continue
        values = _list_words(parameter, arguments[parameter.name], before, by_id=index is not None)
        if parameter.positional:
            places += values
        else:
            options += _write_option(parameter, values)
    if any(place.startswith("-") for place in places):  # else they would be taken for options
        options, places = [*options, "--", *places], []
    return "\n".join([*before, shlex.join(["lexfield", *verb.command.split(), *places, *options])])


def _find_index(verb: Verb, arguments: Mapping[str, Any]) -> str | None:
    """Return the index of which all texts are documents, if the command can take their ids."""
    if not any(one.name == "index" and not one.positional for one in verb.parameters):
        return None
    found = [
        value for value in arguments.values() if isinstance(value, dict) and "set" not in value
    ]
    paths = {value.get("path") if value.get("documents") else None for value in found}
    alone = len(paths) == 1 and not any(value.get("texts") for value in found)
    return paths.pop() if alone else None


def _write_option(parameter: Parameter, values: list[str]) -> list[str]:
    flag = name_flags(parameter)[0]
    if values in (["True"], ["False"]):
        return [flag.partition("/")[2] if values == ["False"] else flag]
    return [word for value in values for word in (flag, value)]


def _list_words(
    parameter: Parameter, value: Any, before: list[str], *, by_id: bool = False
) -> list[str]:
    """Return a value as words of a command; add to ``before`` how to make the files it names.

    ``by_id``: documents are named by their ids, not by files.
    """
    every = value if isinstance(value, list | tuple) else [value]
    if parameter.input is None:
        return [str(one) for one in every]
    words: list[str] = []
    if parameter.input.kind == "file":
        for name, content in _name_files(parameter, value).items():
            words.append(name)
            before.append(_write_file(content, name))
        return words
    for source in every:
        if "set" in source:
            words.append(source["set"])
            continue
        documents, texts = source.get("documents", ()), source.get("texts", {})
        if by_id:
            words += documents
            continue
        for id in documents:
            words.append(_name_file(id))
            program = f"import lexfield as lx; print(lx.open({source['path']!r})[{id!r}].text)"
            before.append(f"python -c {shlex.quote(program)} > {words[-1]}")
        for name, text in texts.items():
            if parameter.input.words:
                words.append(text)
                continue
            words.append(_name_file(name))
            before.append(_write_file(text, words[-1]))
        if not documents and not texts:
            words.append(source["path"])
    return words


def _write_file(text: str, name: str) -> str:
    return f"printf '%s\\n' {shlex.quote(text)} > {name}"


def _name_files(parameter: Parameter, content: str | list[str]) -> dict[str, str]:
    """Return the content of one file, or of several, by the names that a snippet gives them."""
    if isinstance(content, str):
        return {_name_file(parameter.name): content}
    return {_name_file(f"{parameter.name} {i}"): one for i, one in enumerate(content, 1)}


def _name_file(name: str) -> str:
    return f"lexfield-{re.sub(r'[^a-z0-9.]+', '-', name.lower()).strip('-')}.txt"


def _is_given(parameter: Parameter, arguments: Mapping[str, Any]) -> bool:
    value = arguments.get(parameter.name)
    default = parameter.default
    return value not in (None, default, {"set": default}, [{"set": default}], [], ())
