"""What ``help`` shows of a verb in Python: every option by its name, with its default and its line
of help."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable, Iterator

from lexfield.errors import name_parameters
from lexfield.verbs.declare import Parameter, Verb
from lexfield.verbs.describe import add_bounds


def document(function: Callable[..., object]) -> None:
    """Give the function of a verb the signature and the docstring of a call in Python.

    They are shown, and never used: the verb reads its own declaration.
    """
    verb: Verb = function.verb  # type: ignore[attr-defined]
    shown = [_show(parameter) for parameter in verb.parameters]
    function.__signature__ = inspect.Signature(shown)  # type: ignore[attr-defined]
    lines = [*_name_outside_examples(verb.help), "", "Arguments:", *_list_arguments(verb)]
    function.__doc__ = "\n".join(lines)


def _show(parameter: Parameter) -> inspect.Parameter:
    kinds = inspect.Parameter
    kind = kinds.POSITIONAL_OR_KEYWORD if parameter.positional else kinds.KEYWORD_ONLY
    return kinds(parameter.name, kind, default=parameter.default)


def _name_outside_examples(help: str) -> Iterator[str]:
    for line in help.splitlines():
        yield line if line.startswith(" ") else name_parameters(line)


def _list_arguments(verb: Verb) -> Iterator[str]:
    for parameter in verb.parameters:
        line = name_parameters(add_bounds(parameter.help, parameter.info))
        choices = f" One of {', '.join(parameter.choices)}." if parameter.choices else ""
        shown = f"{parameter.name}: {line}{choices}" if line else parameter.name
        yield textwrap.fill(shown, 88, initial_indent="    ", subsequent_indent=" " * 8)
