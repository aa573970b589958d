"""A verb is one typed function; everything else is derived from its signature.

The Python call, the command (``cli/build.py``), the HTTP request with its OpenAPI schema
(``serve/app.py``), the background job and the reference page all read the same declaration:

    @verb
    def near(
        word: Annotated[Sequence[str], Help("Words to look up.")],
        *,
        k: Annotated[int, Meta(ge=1, le=1000), Help("Number of neighbours.")] = 10,
        progress: Progress = silent,
    ) -> Neighbours:
        \"\"\"Find the nearest words.\"\"\"

- Positional parameters are arguments of the command, keyword-only ones are options.
- ``Sequence[str]`` is a list: an option that can be repeated; one string is a list of one. On the
  command line a list of numbers can also be written with commas.
- ``msgspec.Meta`` declares bounds, :func:`Help` the line of help, :class:`Flags` short names.
- A parameter whose type carries an :class:`Input` (a text, an index, a file) is resolved at the
  boundary it came through: a path on the command line, an id over HTTP, any object in Python.
- ``**options: Unpack[SomeTypedDict]`` stands for options that several verbs share, each declared
  once with its :class:`Default`.
"""

from __future__ import annotations

import inspect
import math
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, wraps
from pathlib import PurePath
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    ParamSpec,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    overload,
)

import msgspec
from msgspec import Meta

from lexfield.errors import InputError, correct
from lexfield.results import JsonObject
from lexfield.verbs.describe import describe
from lexfield.verbs.outputs import check_outputs

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")
REQUIRED = inspect.Parameter.empty
Served = Literal["yes", "job", "own", "no"]


def Help(text: str) -> Meta:  # noqa: N802 - reads as an annotation
    """Return the one line that explains a parameter everywhere."""
    return Meta(description=text)


class Flags(msgspec.Struct, frozen=True):
    """How a parameter looks on the command line.

    names: short or other names of the option. metavar: what its help shows for a value. variable:
    the environment variable that sets it. dash: what ``-`` stands for: ``"text"`` for the text on
    standard input, ``"lines"`` for each of its lines, or the name of a file parameter that then
    reads it. old: the former name, accepted with a warning until 0.3. replaces: a former option
    that it stands for, with other values. served: is it offered over HTTP? pairs: may FIELD=VALUE
    also be given as a mapping?
    """

    names: tuple[str, ...] = ()
    metavar: str | None = None
    variable: str | None = None
    dash: str | None = None
    old: str | None = None
    replaces: str | None = None
    served: bool = True
    pairs: bool = False


class Input(msgspec.Struct, frozen=True):
    """What a parameter stands for, where that is more than a number or a name.

    text: one text. texts: one collection; the command line joins several paths. collections: one or
    more, each on its own. file: a file to read, whose content is sent over HTTP. target: a file or
    folder to write, which is not offered over HTTP.
    """

    kind: Literal["text", "texts", "collections", "index", "vectors", "encoder", "file", "target"]
    many: bool = False  # the command line accepts several
    words: bool = False  # the command line also accepts the words themselves


class Default(msgspec.Struct, frozen=True):
    """The default of an option that is declared in a TypedDict."""

    value: Any


@dataclass(frozen=True)
class Parameter:
    """One parameter of a verb, as every surface needs it."""

    name: str
    type: Any
    default: object
    help: str
    positional: bool
    repeated: bool
    flags: Flags
    input: Input | None

    @property
    def required(self) -> bool:
        return self.default is REQUIRED

    @cached_property
    def info(self) -> msgspec.inspect.Type:
        """The type without its description."""
        found = msgspec.inspect.type_info(self.type)
        return found.type if isinstance(found, msgspec.inspect.Metadata) else found

    @property
    def choices(self) -> tuple[str, ...]:
        """The values of an option that is one of a few, in the order of their declaration."""
        base = _take_apart(self.type)[0]
        return tuple(map(str, get_args(base))) if get_origin(base) is Literal else ()

    def convert(self, value: object, *, lax: bool = False) -> object:
        """Return the value as its declared type; ``lax`` also accepts numbers written as text."""
        if self.input is not None or (value is None and self.default is None):
            return value
        if self.flags.pairs and isinstance(value, Mapping):
            value = [f"{name}={one}" for name, given in value.items() for one in _list(given)]
        elif self.repeated:
            value = _list(value)
        return self._convert(value, self.type, lax)

    def convert_one(self, value: object) -> object:
        """Convert one value from the command line, where a list is a repeated option."""
        if self.repeated:
            (kind, *_) = get_args(_take_apart(self.type)[0])
            return self._convert(value, kind, lax=True)
        return self.convert(value, lax=True)

    def _convert(self, value: object, kind: Any, lax: bool) -> object:
        try:
            converted = msgspec.convert(value, kind, strict=not lax)
        except (msgspec.ValidationError, ValueError) as error:
            raise InputError(self._describe_violation(value, kind)) from error
        if isinstance(converted, float) and not math.isfinite(converted):
            raise InputError(self._describe_violation(value, kind))
        return converted

    def _describe_violation(self, value: object, kind: Any) -> str:
        given = repr(value)
        given = given if len(given) <= 80 else f"{given[:80]}…"
        wanted = describe(msgspec.inspect.type_info(kind))
        wanted = f"one of {', '.join(self.choices)}" if self.choices else wanted
        return f"{self.name} must be {wanted}. Got {given} instead."


class Verb:
    """What a verb's signature says. ``command`` is what a user types: ``topics fit``.

    ``served`` says how the verb is offered over HTTP. yes: at once or as a job. job: as a job only,
    because it writes something beside the texts of an index. own: as a job only, and only for
    indexes that were built on the server, because it changes them. no: not at all, because it
    writes files of the user's choice.
    """

    def __init__(self, function: Callable[..., Any], command: str, served: Served) -> None:
        self.function = function
        self.name = function.__name__
        self.command = command
        self.served = served

    @cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        return tuple(
            found
            for parameter in self._signature.parameters.values()
            if parameter.name != "progress"
            for found in _read_parameter(parameter)
        )

    @cached_property
    def takes_progress(self) -> bool:
        return "progress" in self._signature.parameters

    @cached_property
    def result(self) -> Any:
        """The class of the result."""
        returned = self._signature.return_annotation
        return get_origin(returned) or returned

    @cached_property
    def row(self) -> Any:
        """The type of a row of the result."""
        bases = (self._signature.return_annotation, *self.result.__orig_bases__)
        return next(get_args(base)[0] for base in bases if get_args(base))

    @cached_property
    def summary(self) -> str:
        return self.help.partition("\n")[0]

    @cached_property
    def help(self) -> str:
        return inspect.getdoc(self.function) or ""

    def name_arguments(self, values: Sequence[object]) -> dict[str, object]:
        """Return positional arguments by name. Raise InputError if there are too many.

        If the last parameter is a list, the remaining arguments are its items; unless the last one
        is an option after a collection, as version 0.1 took it: ``fuse([a, b], "sum")``.
        """
        places = [parameter for parameter in self.parameters if parameter.positional]
        names = [parameter.name for parameter in places]
        last = len(names) - 1
        option = self._find_option(values, len(names))
        if option:
            call = f"lx.{self.name}(…, {option}={values[-1]!r})"
            warnings.warn(f"{option} must be named: {call}", DeprecationWarning, stacklevel=3)
            return {**self.name_arguments(values[:-1]), option: values[-1]}
        has_number = any(isinstance(value, int | float) for value in values[max(last, 0) :])
        if len(values) > len(names) and names and places[last].repeated and not has_number:
            values = [*values[:last], list(values[last:])]
        if len(values) > len(names):
            extra = values[len(names)]
            options = [p for p in self.parameters if not p.positional]
            fitting = [p for p in options if extra in p.choices]
            fitting += [p for p in options if not p.choices and type(extra) is type(p.default)]
            taken = ", ".join(names) or "nothing"
            raise InputError(
                f"{self.name} takes {taken} by position; got {len(values)} arguments.",
                f"Name the others, as in {fitting[0].name}={extra!r}." if fitting else "",
            )
        return dict(zip(names, values, strict=False))

    def _find_option(self, values: Sequence[object], places: int) -> str | None:
        """Return the option whose values include the extra last argument, or None."""
        if len(values) != places + 1 or not places or isinstance(values[-2], str | PurePath):
            return None
        options = [p for p in self.parameters if not p.positional and p.input is None]
        return next((p.name for p in options if values[-1] in (*p.choices, p.default)), None)

    def validate(self, arguments: Mapping[str, object], plot: str | None = None) -> JsonObject:
        """Return the keyword arguments of the function, checked, with defaults of shared options.
        Raise InputError if one is unknown, missing or out of bounds, or writes over an input."""
        known = {parameter.name: parameter for parameter in self.parameters}
        renamed = {p.flags.old: p.name for p in self.parameters if p.flags.old}
        found: JsonObject = {
            name: parameter.default
            for name, parameter in known.items()
            if name not in self._signature.parameters and not parameter.required
        }
        for given, value in arguments.items():
            name = renamed.get(given, given)
            if name != given:
                warnings.warn(f"{given} is now {name}", DeprecationWarning, stacklevel=3)
            if name not in known:
                raise self._make_error(f"has no option {name!r}.", _suggest(name, known))
            found[name] = known[name].convert(value)
        missing = [p for p in self.parameters if p.required and p.name not in found]
        if missing:
            raise self._describe_missing(missing)
        paths = [(p.input.kind, found.get(p.name)) for p in self.parameters if p.input]
        check_outputs([*paths, ("target", plot)])
        return found

    def _describe_missing(self, missing: list[Parameter]) -> InputError:
        """Return an error that shows a call; on the command line, an example of the command."""
        flags = [p.name if p.positional else f"--{p.name.replace('_', '-')}" for p in missing]
        call = _show_call([p for p in self.parameters if p.required])
        error = self._make_error(f"needs {' and '.join(flags)}.", f"As in lx.{self.name}({call}).")
        examples = [line.strip() for line in self.help.splitlines()]
        first = [line for line in examples if line.startswith(f"lexfield {self.command} ")]
        error.typed = error.typed[0], f"As in: {first[0]}" if first else ""
        return error

    def _make_error(self, message: str, hint: str) -> InputError:
        """Return an error that begins with the name of the verb; on the command line as typed."""
        error = InputError(f"{self.name} {message}", hint)
        error.typed = f"{self.command} {message}", hint
        return error

    @cached_property
    def _signature(self) -> inspect.Signature:
        return inspect.signature(self.function, eval_str=True)


@overload
def verb(function: Callable[P, R], /) -> Callable[P, R]: ...
@overload
def verb(
    *, command: str = "", served: Served = "yes"
) -> Callable[[Callable[P, R]], Callable[P, R]]: ...
def verb(
    function: Callable[P, R] | None = None, /, *, command: str = "", served: Served = "yes"
) -> Callable[P, R] | Callable[[Callable[P, R]], Callable[P, R]]:
    """Declare a verb. The function is unchanged except that its arguments are validated."""

    def declare(function: Callable[P, R]) -> Callable[P, R]:
        declared = Verb(function, command or function.__name__, served)

        @wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            given = {**declared.name_arguments(args), **kwargs}
            progress = {}
            if declared.takes_progress and "progress" in given:
                progress["progress"] = given.pop("progress")
            checked: Callable[..., R] = function
            return checked(**declared.validate(given), **progress)

        call.verb = declared  # type: ignore[attr-defined]
        return call

    return declare if function is None else declare(function)


def _read_parameter(parameter: inspect.Parameter) -> Iterator[Parameter]:
    if parameter.kind is inspect.Parameter.VAR_KEYWORD:
        (shared,) = get_args(parameter.annotation)
        for name, hint in get_type_hints(shared, include_extras=True).items():
            default = _find(_take_apart(hint)[1], Default)
            yield _make(name, hint, REQUIRED if default is None else default.value, False)
    else:
        positional = parameter.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD
        yield _make(parameter.name, parameter.annotation, parameter.default, positional)


def _make(name: str, kind: Any, default: object, positional: bool) -> Parameter:
    base, extras = _take_apart(kind)
    metas = [extra for extra in extras if isinstance(extra, Meta)]
    resolved = _find(extras, Input)
    return Parameter(
        name=name,
        type=Any if resolved else _put_together(base, metas, default),
        default=default,
        help=next((meta.description for meta in metas if meta.description), ""),
        positional=positional,
        repeated=resolved.many if resolved else get_origin(base) in (list, Sequence),
        flags=_find(extras, Flags) or Flags(),
        input=resolved,
    )


def _take_apart(kind: Any) -> tuple[Any, list[Any]]:
    """Return a type without annotations and without None, and its annotations, outermost first."""
    if get_origin(kind) is Annotated:
        inner, *extras = get_args(kind)
        base, more = _take_apart(inner)
        return base, [*reversed(extras), *more]
    if get_origin(kind) in (Union, UnionType):
        arms = [  # a mapping is another way to write a list of conditions
            arm for arm in get_args(kind) if arm is not NoneType and get_origin(arm) is not Mapping
        ]
        return _take_apart(arms[0]) if len(arms) == 1 else (Union[tuple(arms)], [])  # noqa: UP007
    return kind, []


def _put_together(base: Any, metas: list[Meta], default: object) -> Any:
    """Return the type that msgspec checks: bounds apply to the value, not to None."""
    for meta in metas:
        base = Annotated[base, meta]
    return base | None if default is None else base


def _find(extras: list[Any], wanted: type[T]) -> T | None:
    """Return the outermost annotation of a class: what a verb adds overrides what a type brings."""
    return next((extra for extra in extras if isinstance(extra, wanted)), None)


def _list(value: Any) -> list[Any]:
    """Return one value as a list, and a list of values as it is."""
    is_single = isinstance(value, str | Mapping) or not isinstance(value, Iterable)
    return [value] if is_single else list(value)


def _show_call(parameters: Iterable[Parameter]) -> str:
    """Return arguments of a call as one writes them in Python, with numbers that are defaults."""
    shown = {p: p.default if isinstance(p.default, int | float) else "…" for p in parameters}
    return ", ".join(p.name if p.positional else f"{p.name}={value}" for p, value in shown.items())


def _suggest(name: str, known: Mapping[str, Parameter]) -> str:
    for parameter in known.values():
        if parameter.flags.replaces == name:
            return f"It is now {parameter.name!r}: {parameter.help}"
    return correct(name, known, f"It has: {', '.join(known)}.")
