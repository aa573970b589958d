"""Commands built from verbs: one click command per declaration."""

from __future__ import annotations

import inspect
import sys
from pathlib import Path
from typing import Any

import click
import msgspec.inspect as kinds

from lexfield.cli.output import FORMATS, Bar, echo, print_result, say
from lexfield.errors import InputError
from lexfield.plots import figure
from lexfield.progress import listen_to_waits
from lexfield.results import JsonObject
from lexfield.store.provenance import collect, digest_request
from lexfield.text.source import read_at_most
from lexfield.verbs.declare import REQUIRED, Parameter, Verb
from lexfield.verbs.describe import add_bounds
from lexfield.verbs.snippets import name_flags

_MOST_BYTES = 100_000_000  # of standard input


def build_command(verb: Verb) -> click.Command:
    """Return the command of a verb."""

    def call(format_: str | None = None, plot_: str | None = None, **values: Any) -> None:
        given = {name: value for name, value in values.items() if value not in (None, ())}
        for parameter in verb.parameters:
            if parameter.flags.old in given:  # its new name has only its default
                old, new = _name_old(parameter), name_flags(parameter)[-1]
                echo(f"note: {old} is now {new}; the old name works until 0.3", err=True)
                given[parameter.name] = given.pop(parameter.flags.old)
        _run(verb, given, format_, plot_)

    options = [_build_parameter(parameter) for parameter in verb.parameters]
    options += [_build_old(parameter) for parameter in verb.parameters if parameter.flags.old]
    if hasattr(verb.result, "plot"):
        text = inspect.getdoc(verb.result.plot)
        options.append(click.Option(["--plot", "plot_"], metavar="FILE", help=text))
    if verb.result is not None:
        options += [
            click.Option([f"--{name}", "format_"], flag_value=name, help=text)
            for name, text in FORMATS.items()
        ]
    return click.Command(
        verb.command.rpartition(" ")[2],
        callback=call,
        params=options,
        help=keep_examples(verb.help),
        short_help=verb.summary,
    )


def _run(verb: Verb, given: JsonObject, format: str | None, plot: str | None) -> None:
    if plot:
        figure.check_plot_path(plot, getattr(verb.result, "plot_formats", figure.FORMATS))
    arguments = verb.validate(_read_dashes(verb, given), plot)
    request = digest_request(verb.name, arguments)
    with Bar() as bar, listen_to_waits(bar.explain_wait), collect(request) as provenance:
        if verb.takes_progress:
            arguments["progress"] = bar
        result = verb.function(**arguments)
    if plot:
        say(f"wrote {result.plot(plot)}")
    if result is not None:
        print_result(verb.command, result, format, provenance)


def _read_dashes(verb: Verb, given: JsonObject) -> JsonObject:
    """Replace ``-`` by standard input where a parameter says so."""
    for parameter in verb.parameters:
        if given.get(parameter.name) not in ("-", ("-",)):
            continue
        if parameter.input and parameter.input.words:
            given[parameter.name] = Path("-")
        elif parameter.flags.dash:
            if parameter.flags.dash == "text":
                given[parameter.name] = _read_input()
            elif parameter.flags.dash == "lines":
                given[parameter.name] = [line for line in _read_input().split("\n") if line]
            else:
                del given[parameter.name]
                given[parameter.flags.dash] = Path("-")
    return given


def _read_input() -> str:
    data = read_at_most(sys.stdin.buffer, _MOST_BYTES)
    if data is None:
        raise InputError(
            f"Standard input is larger than {_MOST_BYTES // 1_000_000} MB.",
            "Split it, or check that it is what you meant.",
        )
    return data.decode("utf-8", "replace")


class Location(click.Path):
    """A path, or an address such as ``s3://bucket/my.idx``, which a ``Path`` would garble."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> str | Path:
        return value if "://" in str(value) else Path(str(super().convert(value, param, ctx)))


class Declared(click.ParamType[object]):
    """A value that the declaration of its parameter converts and checks."""

    def __init__(self, parameter: Parameter) -> None:
        self.parameter = parameter
        self.name = _name_type(parameter.info)

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> object:
        if self.parameter.repeated and self.name in ("integer", "number"):
            return [self.parameter.convert_one(part.strip()) for part in str(value).split(",")]
        return self.parameter.convert_one(value)


def _flatten(_: click.Context, parameter: click.Parameter, value: Any) -> Any:
    """Join the lists that were written with commas."""
    if parameter.multiple and value:
        return tuple(one for part in value for one in (part if isinstance(part, list) else [part]))
    return value


def _build_parameter(parameter: Parameter) -> click.Parameter:
    if parameter.positional:
        return click.Argument(
            [parameter.name],
            type=_choose_type(parameter),
            nargs=-1 if parameter.repeated else 1,
            required=parameter.required,
            metavar=parameter.flags.metavar,
            envvar=parameter.flags.variable,
        )
    default, is_flag = parameter.default, isinstance(parameter.info, kinds.BoolType)
    shown = not is_flag and default not in (None, REQUIRED, (), [])
    return click.Option(
        [*name_flags(parameter), parameter.name],
        type=None if is_flag else _choose_type(parameter),
        is_flag=is_flag,
        default=default if is_flag or shown else None,
        show_default=shown,
        required=parameter.required,
        multiple=parameter.repeated,
        metavar=parameter.flags.metavar,
        envvar=parameter.flags.variable,
        show_envvar=parameter.flags.variable is not None,
        callback=_flatten,
        help=add_bounds(parameter.help, parameter.info),
    )


def _build_old(parameter: Parameter) -> click.Option:
    """Return the option under its former name, hidden."""
    is_flag = isinstance(parameter.info, kinds.BoolType)
    return click.Option(
        [_name_old(parameter), str(parameter.flags.old)],
        type=None if is_flag else _choose_type(parameter),
        is_flag=is_flag,
        default=None,
        multiple=parameter.repeated,
        callback=_flatten,
        hidden=True,
    )


def _name_old(parameter: Parameter) -> str:
    """Return the former flag of an option: that of k was -k."""
    old = str(parameter.flags.old)
    return f"-{old}" if old == "k" else f"--{old}"


def _choose_type(parameter: Parameter) -> click.ParamType[Any]:
    given = parameter.input
    if given is not None:
        return click.STRING if given.kind in ("vectors", "encoder") or given.words else Location()
    if parameter.choices:
        return click.Choice(parameter.choices)
    return Declared(parameter)


def _name_type(info: kinds.Type) -> str:
    match info:
        case kinds.Metadata():
            return _name_type(info.type)
        case kinds.IntType():
            return "integer"
        case kinds.FloatType():
            return "number"
        case kinds.ListType():
            return _name_type(info.item_type)
        case kinds.UnionType():
            known = [one for one in info.types if not isinstance(one, kinds.NoneType)]
            return "|".join(_name_type(one) for one in known)
        case kinds.LiteralType():
            return "|".join(map(str, info.values))
    return "text"


def keep_examples(text: str) -> str:
    """Tell click to leave the lines of examples as they are, indented."""
    paragraphs = text.split("\n\n")
    for place, paragraph in enumerate(paragraphs):
        lines = [line.strip() for line in paragraph.splitlines()]
        if place and any(line.startswith("lexfield ") for line in lines):
            paragraphs[place] = "\n".join(["\b", *(f"  {line}" for line in lines)])
    return "\n\n".join(paragraphs)
