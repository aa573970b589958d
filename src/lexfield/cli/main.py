"""The command ``lexfield``: commands are built when they are used, errors print two lines."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Sequence
from functools import lru_cache
from importlib import import_module
from pathlib import Path

import click
from click.exceptions import NoArgsIsHelpError

from lexfield.cli.build import build_command, keep_examples
from lexfield.cli.guide import GROUPS, TOPICS, WELCOME
from lexfield.cli.output import echo, paint
from lexfield.cli.start import discard_output
from lexfield.cli.system import describe_version
from lexfield.errors import InputError, LexfieldError, correct
from lexfield.verbs import Listed, list_verbs, read_verbs

_ALIASES = {"list": "documents"}


def list_declared() -> dict[str, Listed]:
    """Return every command: verbs, and what starts something or is about lexfield itself."""
    return {**list_verbs(), **_list_own()}


@lru_cache(1)
def _list_own() -> dict[str, Listed]:
    return read_verbs("lexfield.cli", [str(Path(__file__).parent)])


class Commands(click.Group):
    """Commands and groups of commands, each imported when it is used."""

    def __init__(self, prefix: str = "", **options: object) -> None:
        super().__init__(**options)  # type: ignore[arg-type]
        self._prefix = prefix

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(self._summaries())

    def _summaries(self) -> dict[str, str]:
        """Return what users can type next, with one line of help each."""
        found = {} if self._prefix else {"help": "Explain a command, or a topic such as scores."}
        for command, listed in list_declared().items():
            if command.startswith(self._prefix):
                first, _, rest = command.removeprefix(self._prefix).partition(" ")
                found.setdefault(first, listed.about.partition("\n")[0] if rest else listed.summary)
        return found

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        command = f"{self._prefix}{name}"
        known = list_declared()
        if command in known:
            return build_command(known[command].load())
        inside = [listed for other, listed in known.items() if other.startswith(f"{command} ")]
        if inside:
            return Commands(f"{command} ", name=name, help=keep_examples(inside[0].about))
        return explain if command == "help" else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        known = self._summaries()
        if args and not self._prefix and args[0] in _ALIASES:
            args = [_ALIASES[args[0]], *args[1:]]
        if args and args[0] not in known and not args[0].startswith("-"):
            hint = correct(args[0], known, f"See: {ctx.command_path} --help")
            raise InputError(f"There is no command {args[0]!r}.", hint)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        found = self._summaries()
        if self._prefix:
            with formatter.section("Commands"):
                formatter.write_dl(sorted(found.items()))
            return
        grouped = {name for names in GROUPS.values() for name in names}
        others = tuple(sorted(set(found) - grouped))
        for title, names in (*GROUPS.items(), *((("More", others),) if others else ())):
            with formatter.section(title):
                formatter.write_dl([(name, found[name]) for name in names if name in found])


def _print_version(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted:
        echo("\n".join(describe_version()))
        context.exit()


@click.group(
    cls=Commands,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Show the versions that a bug report needs.",
)
@click.pass_context
def cli(context: click.Context) -> None:
    """Find, compare and explain texts.

    \b
    lexfield demo                         see what it does
    lexfield index texts/ -o my.idx       build an index
    lexfield search my.idx "a sentence"   similar sentences, with --explain
    lexfield near book -k 5               nearest words

    Every command has examples: lexfield COMMAND --help. With any command, --verbose also shows
    notes on how a result was computed, and --debug the traceback of an error. Exit codes: 0 found,
    1 nothing found, 2 error.
    """
    if context.invoked_subcommand is None:
        echo(WELCOME, nl=False)


@click.command("help")
@click.argument("topic", nargs=-1)
@click.pass_context
def explain(context: click.Context, topic: tuple[str, ...]) -> None:
    """Explain a command, or a topic: filters, measures, output, queries, scores or texts.

    \b
      lexfield help search
      lexfield help topics fit
      lexfield help scores
    """
    words = list(topic)
    if words == ["scores"]:
        scores = import_module("lexfield.verbs.methods").SCORES
        echo("What the score of a hit means, by method:\n")
        echo("\n".join(f"  {name:<12} {text}" for name, text in scores.items()))
    elif len(words) == 1 and words[0] in TOPICS:
        echo(TOPICS[words[0]], nl=False)
    elif not words:
        echo(WELCOME, nl=False)
    else:
        _show_help(context, words)


def _show_help(context: click.Context, words: Sequence[str]) -> None:
    """Print the help of a command. Raise InputError if there is no such command or topic."""
    command, parent = context.find_root().command, context.find_root()
    for word in words:
        found = command.get_command(parent, word) if isinstance(command, click.Group) else None
        if found is None:
            known = ", ".join(sorted([*TOPICS, "scores"]))
            raise InputError(f"There is no command or topic {word!r}.", f"Topics are: {known}.")
        command, parent = found, click.Context(found, parent, info_name=word)
    echo(command.get_help(parent))


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; never shows a traceback without ``--debug``."""
    args = list(sys.argv[1:] if arguments is None else arguments)
    debug = "--debug" in args
    verbose = "--verbose" in args
    args = [arg for arg in args if arg not in ("--debug", "--verbose")]
    try:
        result = cli.main(args, prog_name="lexfield", standalone_mode=False, obj=verbose)
        sys.stdout.flush()
        raise SystemExit(result if isinstance(result, int) else 0)
    except click.ClickException as error:
        if debug:
            raise
        _tell(error)
        raise SystemExit(error.exit_code) from None
    except (click.Abort, KeyboardInterrupt) as error:
        about = str(error.__cause__ or error)  # click wraps an interruption in an error of its own
        echo(f"stopped: {about}" if about else "stopped", err=True)
        raise SystemExit(130) from None
    except BrokenPipeError:
        discard_output()
        raise SystemExit(0) from None
    except Exception as error:
        if debug:
            echo(traceback.format_exc(), err=True, nl=False)
        else:
            _tell(error)
        raise SystemExit(2) from None


def _show_example(context: click.Context) -> str:
    """Return the first example in the help of a command, and where there are more."""
    lines = [line.strip() for line in (context.command.help or "").splitlines()]
    examples = [line for line in lines if line.startswith(f"{context.command_path} ")]
    more = f"(more: {context.command_path} --help)"
    return f"As in: {examples[0]}  {more}" if examples else ""


def _tell(error: Exception) -> None:
    if isinstance(error, NoArgsIsHelpError):
        echo(error.format_message(), err=True)
        return
    if isinstance(error, LexfieldError):
        message, hint = error.typed
    elif isinstance(error, click.ClickException):
        message = error.format_message()
        context = getattr(error, "ctx", None)
        hint = f"See: {context.command_path} --help" if context else ""
        if isinstance(error, click.MissingParameter) and context:
            hint = _show_example(context) or hint
        elif "unexpected extra argument" in message and context:
            hint = f"Put quotes around a text of several words. {_show_example(context) or hint}"
    elif isinstance(error, MemoryError):
        message, hint = "There is not enough memory for this.", "Try a smaller input."
    elif isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        message, hint = f"{where}{error.strerror or error}", ""
    elif isinstance(error, RuntimeError) and "Symlink loop" in str(error):  # until Python 3.12
        message, hint = f"{error}.", "The link leads to itself: name a file or a folder."
    else:
        message = f"{type(error).__name__}: {error}"
        hint = "This is a fault in lexfield. Add --debug to see where, and please report it."
    echo(f"{paint('error:', 'red', sys.stderr)} {message}", err=True)
    if hint:
        echo(f"{paint(' hint:', 'cyan', sys.stderr)} {hint}", err=True)
