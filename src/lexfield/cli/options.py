"""Options that several verbs share."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from lexfield.answers import bounds
from lexfield.answers.bounds import Bound
from lexfield.cli.output import Bar
from lexfield.errors import InputError

if TYPE_CHECKING:
    from lexfield.engine import Engine
    from lexfield.text.corpus import Corpus
    from lexfield.vectors.models import Models

_MOST_BYTES = 100_000_000  # of standard input
F = TypeVar("F", bound=Callable[..., Any])


class _Real(click.FloatRange):
    """A number within bounds; NaN and infinity lie in none."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        number = float(click.FLOAT.convert(value, param, ctx))
        if not math.isfinite(number):
            self.fail(f"{value} is not a finite number.", param, ctx)
        return float(super().convert(number, param, ctx))


def read_input() -> bytes:
    """Return standard input. Raise InputError if it is too large: it may have no end."""
    from lexfield.text.records import read_most

    data = read_most(sys.stdin.buffer, _MOST_BYTES)
    if data is None:
        raise InputError(
            f"Standard input is larger than {_MOST_BYTES // 1_000_000} MB.",
            "Split it, or check that it is what you meant.",
        )
    return data


def whole(bound: Bound) -> click.IntRange:
    """The type of an option that is a whole number."""
    return click.IntRange(int(bound.low), int(bound.high))


def real(bound: Bound) -> click.FloatRange:
    """The type of an option that is any number."""
    return _Real(bound.low, bound.high, min_open=bound.above, max_open=bound.below)


def reading_options(command: F) -> F:
    """How texts are read; the verb gets them in ``**reading``, ready for ``Corpus.read``."""
    options = (
        click.option(
            "--text-field",
            "text_fields",
            multiple=True,
            metavar="NAME",
            help="Field with the text in jsonl, csv, tsv, parquet; give it twice to join two.",
        ),
        click.option("--id-field", metavar="NAME", help="Field with the id of a record."),
        click.option(
            "--metadata",
            type=click.Path(exists=True, dir_okay=False),
            help="A csv, tsv or jsonl file with an id column, joined to the texts.",
        ),
        click.option("--encoding", help="Encoding of the text; found out if not given."),
        click.option(
            "--format",
            type=click.Choice(("text", "lines", "jsonl", "csv", "tsv", "parquet")),
            help="Read every file as this; by default from its name. lines: a document a line.",
        ),
        click.option(
            "--keep-gutenberg", is_flag=True, help="Keep Project Gutenberg's header and licence."
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


cluster_option = click.option(
    "--cluster",
    envvar="LEXFIELD_CLUSTER",
    metavar="ADDRESS",
    help="Run on a Dask cluster: tcp://host:8786. Also from LEXFIELD_CLUSTER. Its machines must see"
    " the same folders.",
)


@contextmanager
def engine_at(cluster: str | None) -> Iterator[Engine | None]:
    """The cluster that was asked for, closed at the end; None for this machine."""
    if not cluster:
        yield None
        return
    from lexfield.cluster.dask_engine import open_engine

    engine = open_engine(cluster)
    try:
        yield engine
    finally:
        engine.close()


allow_unknown_option = click.option(
    "--allow-unknown",
    is_flag=True,
    help="Go on where vectors are needed and most words have none, as in another language.",
)


def _vectors(choices: str, more: str) -> Callable[[F], F]:
    return click.option(
        "--vectors",
        default="default",
        show_default=True,
        metavar=choices,
        help=f"Word vectors: a name from `lexfield vectors list`, {more}.",
    )


vectors_option = _vectors("NAME|FILE", "or a file")
own_vectors_option = _vectors("NAME|FILE|own", "a file, or own (trained on the text)")


def read_each(paths: Sequence[str], reading: dict[str, Any]) -> Iterator[tuple[str, Corpus]]:
    """A corpus for every path, with a short name; a name that comes twice gets a number."""
    names: dict[str, int] = {}
    for path in paths:
        name = (
            "standard input"
            if path == "-"
            else Path(os.path.abspath(path)).name.split(".")[0] or path
        )
        names[name] = names.get(name, 0) + 1
        shown = name if names[name] == 1 else f"{name} {names[name]}"
        yield shown, read_corpus([path], reading, f"{shown}: reading")


def read_corpus(paths: Sequence[str], reading: dict[str, Any], stage: str = "reading") -> Corpus:
    """The texts of files and folders, or of one index."""
    from lexfield.store.manifest import CURRENT
    from lexfield.text.corpus import Corpus

    if len(paths) == 1 and (Path(paths[0]) / CURRENT).is_file():
        from lexfield.cluster.sharded_index import open_index

        if reading.get("metadata"):
            raise InputError(f"{paths[0]} is an index, and has metadata.", "Leave out --metadata.")
        return open_index(paths[0]).corpus
    with Bar(stage) as bar:
        return Corpus.read(paths, progress=bar, **reading)


def read_model_groups(sources: Sequence[str], limit: int | None, bar: Bar) -> dict[str, Models]:
    """Models that belong together, by name: those of a folder by their size, other sets as one."""
    from lexfield.vectors.models import Models, is_models, open_all
    from lexfield.vectors.wordvectors import WordVectors

    if len(sources) == 1 and is_models(sources[0]):
        by_dims = open_all(sources[0], limit)
        return {f"{dims} dimensions": models for dims, models in by_dims.items()}
    sets = [WordVectors.load(source, limit=limit, progress=bar) for source in sources]
    return {sets[0].name if len(sets) == 1 else f"{len(sets)} models": Models(sets)}


def unit_option(default: str) -> Callable[[F], F]:
    """Sentences or documents."""
    return click.option(
        "--unit",
        type=click.Choice(("sentence", "document")),
        default=default,
        show_default=True,
        help="Sentences or documents.",
    )


ngram_option = click.option(
    "--ngram",
    "n",
    default=1,
    show_default=True,
    type=whole(bounds.NGRAM),
    help="Words of an n-gram.",
)
_alpha_option = click.option(
    "--alpha",
    default=0.5,
    show_default=True,
    type=real(bounds.ORDER),
    help="The order of renyi; not 1.",
)


def divergence_options(command: F) -> F:
    """How texts are compared; the verb gets them in ``**compared``, ready for ``Options``."""
    options = (
        click.option(
            "--space",
            type=click.Choice(("categorical", "latent")),
            default="categorical",
            show_default=True,
            help="Texts as counts of words, or as clouds of word vectors.",
        ),
        click.option(
            "--measure",
            type=click.Choice(("kl", "js", "renyi", "hellinger")),
            default="kl",
            show_default=True,
            help="What to compute.",
        ),
        click.option(
            "--smoothing",
            default="jm",
            show_default=True,
            metavar="SPEC",
            help="Words one text lacks: shared, additive(0.1), jm(0.5). Categorical kl, renyi.",
        ),
        ngram_option,
        _alpha_option,
        click.option(
            "--estimator",
            type=click.Choice(("plain", "extrapolated", "equal_radius", "spread")),
            default="plain",
            show_default=True,
            help="How clouds are compared; see docs/methods/divergence.md.",
        ),
        click.option(
            "--points",
            type=click.Choice(("tokens", "types")),
            default="tokens",
            show_default=True,
            help="Words count as often as they occur, or once. Latent.",
        ),
        click.option(
            "--dimension",
            default="ambient",
            show_default=True,
            help="Exponent of distance: ambient, intrinsic or a number. Latent.",
        ),
        click.option("--reduce", metavar="SPEC", help="Fewer dimensions, as in pca(20). Latent."),
        click.option(
            "--stopwords", metavar="LANGUAGE", help="Leave out the stopwords of a language: en."
        ),
        click.option("--bits", is_flag=True, help="Bits instead of nats."),
        vectors_option,
        allow_unknown_option,
    )
    for option in reversed(options):
        command = option(command)
    return command


def _note_no_token(context: click.Context, _: click.Parameter, value: bool) -> None:
    context.meta["lexfield.no_token"] = value


def _choose_token(
    context: click.Context, parameter: click.Parameter, value: str | None
) -> str | None:
    from lexfield.serve.access import make_token

    if not context.meta["lexfield.no_token"]:
        return value or make_token()
    source = context.get_parameter_source(parameter.name or "")
    if source is click.core.ParameterSource.COMMANDLINE:
        raise click.UsageError("Give either --token or --no-token.")
    return None


def listening_options(command: F) -> F:
    """Where a server listens; the verb gets ``port``, ``host``, ``token`` and ``no_browser``.

    The token is random unless one is given; None with ``--no-token``.
    """
    options = (
        click.option(
            "--port",
            default=8000,
            show_default=True,
            type=whole(bounds.PORT),
            help="0 takes one that is free.",
        ),
        click.option(
            "--host", default="127.0.0.1", show_default=True, help="Address to listen at."
        ),
        click.option(
            "--no-token",
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=_note_no_token,
            help="Ask for no token: every user of this machine may use the server.",
        ),
        click.option(
            "--token",
            envvar="LEXFIELD_TOKEN",
            callback=_choose_token,
            help="Token to ask for; random by default. Also from LEXFIELD_TOKEN.",
        ),
        click.option("--no-browser", is_flag=True, help="Do not open the page."),
    )
    for option in reversed(options):
        command = option(command)
    return command
