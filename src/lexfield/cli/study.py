"""``lexfield study``"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from lexfield.answers import bounds
from lexfield.answers.answer import Record
from lexfield.answers.bounds import Bound
from lexfield.cli.options import allow_unknown_option, listening_options, real, whole
from lexfield.cli.output import Bar, echo, emit, output_options
from lexfield.errors import InputError, need
from lexfield.results import format_rows

if TYPE_CHECKING:
    from lexfield.study.analyse import Analysis
    from lexfield.study.store import Study

_KINDS = click.Choice(("choose3", "head2head"))
_FILE = click.Path(exists=True, dir_okay=False)
_target_file = click.option(
    "-o", "--output", "target_file", required=True, metavar="STUDY.db", help="The file to write."
)
_seed = click.option(
    "--seed", default=0, show_default=True, type=whole(bounds.SEED), help="Of all orders."
)


@click.group()
def study() -> None:
    """Ask people which suggestions help: make a blinded questionnaire, run it, analyse it.

    \b
    lexfield study new my.idx --kind choose3 --queries queries.txt -o study.db
    lexfield study run study.db                    in the terminal
    lexfield study serve study.db                  in the browser
    lexfield study analyse study.db --json
    """


@study.command("new")
@click.argument("path", metavar="IDX")
@click.option("--kind", type=_KINDS, default="choose3", show_default=True, help="What is asked.")
@click.option(
    "--queries", required=True, type=_FILE, help="A query a line, or .json: texts, or by level."
)
@_target_file
@click.option(
    "--target",
    "targets",
    multiple=True,
    default=("setcover",),
    show_default=True,
    metavar="SPEC",
    help="The method that is asked about; given twice, questions alternate.",
)
@click.option(
    "--baseline",
    "baselines",
    multiple=True,
    default=("mean", "wmd", "jaccard", "edit"),
    show_default=True,
    metavar="SPEC",
    help="A method beside it.",
)
@click.option("--by", metavar="FIELD", help="Metadata field that must equal a query's level.")
@click.option(
    "--shortest",
    default=3,
    show_default=True,
    type=whole(bounds.SENTENCES),
    help="Least words of a suggestion.",
)
@click.option(
    "--longest",
    default=15,
    show_default=True,
    type=whole(bounds.SENTENCES),
    help="Most words of a suggestion.",
)
@allow_unknown_option
@_seed
@output_options
def new(
    path: str,
    kind: str,
    queries: str,
    target_file: str,
    targets: tuple[str, ...],
    baselines: tuple[str, ...],
    by: str | None,
    shortest: int,
    longest: int,
    allow_unknown: bool,
    seed: int,
    output: str | None,
) -> None:
    """Make a questionnaire: every method's five suggestions for every query.

    choose3: five sentences, one of each method, choose three. head2head: five of the target against
    five of a baseline; half the participants say what helps writing, half what is more varied.

    \b
    lexfield study new my.idx --kind choose3 --queries queries.txt -o study.db
    lexfield study new my.idx --kind head2head --queries queries.txt -o lists.db --baseline mean
    lexfield study new books.idx --queries queries.json --by reading_level -o study.db
    """
    from lexfield.search.index import Index
    from lexfield.study.build import Lengths, new_study
    from lexfield.study.queries import read_queries

    asked = read_queries(queries)
    index = Index.open(path)
    with Bar("searching") as bar:
        made = new_study(
            index, asked, target_file, kind, targets=targets, baselines=baselines, by=by,
            lengths=Lengths(shortest, longest), allow_unknown=allow_unknown, seed=seed,
            progress=bar,
        )  # fmt: skip
    _describe("study.new", made, output)


@study.command("import")
@click.argument("database", type=_FILE, metavar="DATABASE.json")
@click.option("--kind", type=_KINDS, default="choose3", show_default=True, help="What is asked.")
@click.option("--results", type=_FILE, help="Published totals of that kind, to stand beside ours.")
@_target_file
@_seed
@output_options
def import_(
    database: str,
    kind: str,
    results: str | None,
    target_file: str,
    seed: int,
    output: str | None,
) -> None:
    """Make a questionnaire of Hare et al.'s own queries and suggestions.

    \b
    lexfield study import database.json --kind choose3 -o paper.db
    lexfield study import database.json --results choose-3-results.json -o paper.db
    lexfield study analyse paper.db
    """
    from lexfield.study.paper import import_study

    made = import_study(database, target_file, kind, results=results, seed=seed)
    _describe("study.import", made, output)


def _describe(verb: str, made: Study, output: str | None) -> None:
    design, about = made.design, made.about
    record = {
        "study": str(made.path),
        "kind": design.kind,
        "questions": len(made.queries),
        "left_out": about["left_out"],
        "targets": list(design.targets),
        "baselines": list(design.baselines),
    }
    notes = []
    if about["left_out"]:
        notes.append(f"{about['left_out']} queries left out: too few different suggestions")

    def table() -> list[str]:
        return [
            f"wrote {made.path}: {len(made.queries):,} questions ({design.kind}) on"
            f" {', '.join(design.targets)} beside {', '.join(design.baselines)}",
            f"next: lexfield study run {made.path}, or: lexfield study serve {made.path}",
        ]

    emit(verb, [record], output, notes=notes, table=table)
    made.close()


@study.command("run")
@click.argument("path", metavar="STUDY.db")
@click.option("--resume", metavar="CODE", help="Go on where the participant with this code quit.")
@click.option(
    "--simulate",
    "count",
    type=click.IntRange(1, 10_000),
    metavar="N",
    help="No people: N participants answer by the model in docs/methods/study.md.",
)
@click.option(
    "--strength",
    "strengths",
    multiple=True,
    metavar="METHOD=θ",
    help="For --simulate: a method's log strength; 0 where not given.",
)
@click.option(
    "--spread",
    default=0.0,
    show_default=True,
    type=real(bounds.TASTES),
    help="How much simulated tastes differ.",
)
@click.option(
    "--answers",
    default=50.0,
    show_default=True,
    type=real(bounds.ANSWERS),
    help="Answers before one quits.",
)
@click.option(
    "--seed",
    default=0,
    show_default=True,
    type=whole(bounds.SEED),
    help="Of simulated participants.",
)
def run(
    path: str,
    resume: str | None,
    count: int | None,
    strengths: tuple[str, ...],
    spread: float,
    answers: float,
    seed: int,
) -> None:
    """Take part in the terminal: answers are kept as they are given; q stops after any.

    \b
    lexfield study run study.db
    lexfield study run study.db --resume abcd-efgh-jkmn
    lexfield study run copy.db --simulate 50 --strength setcover=0.5 --strength jaccard=-0.5
    """
    from lexfield.study.simulate import simulate
    from lexfield.study.store import Study
    from lexfield.study.terminal import take_part

    if count is None:
        if strengths:
            raise click.UsageError("--strength goes with --simulate.")
        with Study(path) as opened:
            take_part(opened, _read, echo, resume)
        return
    if resume:
        raise click.UsageError("Give either --resume or --simulate.")
    with Study(path, durable=False) as opened, Bar("answering") as bar:
        simulate(
            opened, count, _strengths(strengths), spread=spread, answers=answers, seed=seed,
            progress=bar,
        )  # fmt: skip
        total = len(opened.answers())
    echo(f"{count:,} simulated participants; {path} holds {total:,} answers")
    echo(f"next: lexfield study analyse {path}")


def _read(prompt: str) -> str | None:
    echo(prompt, nl=False)
    line = sys.stdin.buffer.readline(1_000)
    return line.decode(errors="replace") if line else None


def _strengths(given: Sequence[str]) -> dict[str, float]:
    """``["setcover(r=20)=0.5"]`` → ``{"setcover(r=20)": 0.5}``; the last = counts."""
    strengths = {}
    for one in given:
        method, equals, value = one.rpartition("=")
        try:
            strengths[method.strip()] = float(value)
        except ValueError:
            equals = ""
        if not equals:
            raise InputError(f"{one!r} is not a strength.", "Write it as setcover=0.5")
    return strengths


@study.command("serve")
@click.argument("path", metavar="STUDY.db")
@listening_options
def serve(path: str, port: int, host: str, token: str | None, no_browser: bool) -> None:
    """Take part in the browser, one or many at a time; everything stays on this machine.

    The address that is printed holds a token, without which nobody can take part: give it to the
    participants. For those at other machines name a host.

    \b
    lexfield study serve study.db
    lexfield study serve study.db --port 8080 --no-browser
    lexfield study serve study.db --host 0.0.0.0
    """
    need("uvicorn", "serve")
    need("fastapi", "serve")
    from lexfield.serve.run import run as listen
    from lexfield.study.store import Study
    from lexfield.study.web import study_app

    with Study(path) as opened:
        if any(person.simulated for person in opened.participants()):
            raise InputError(f"{path} holds simulated participants.", "Make a new study.")
        app = study_app(opened, host=host, token=token)
        opens = not no_browser and "SSH_CONNECTION" not in os.environ
        listen(app, host=host, port=port, browser=opens, token=token, say=echo)


@study.command("analyse")
@click.argument("path", metavar="STUDY.db")
@click.option(
    "--draws",
    default=2000,
    show_default=True,
    type=click.IntRange(100, 100_000),
    help="Redrawn sets of participants for intervals.",
)
@click.option(
    "--level",
    default=0.95,
    show_default=True,
    type=real(Bound(0.5, 0.9999)),
    help="Of intervals.",
)
@output_options
def analyse(path: str, draws: int, level: float, output: str | None) -> None:
    """Print how often each method was chosen, with intervals, strengths, agreement and power.

    Intervals come from redrawing participants, each with all answers. Where the study was imported
    with published totals, those stand beside ours.

    \b
    lexfield study analyse study.db
    lexfield study analyse study.db --json
    lexfield study analyse study.db --csv > shares.csv
    """
    from lexfield.study.analyse import analyse as figures
    from lexfield.study.store import Study

    with Study(path) as opened:
        found = figures(opened, draws=draws, level=level)
    extra: dict[str, Any] = {
        key: value for key, value in asdict(found).items() if key not in ("shares", "notes")
    }
    records = found.to_dicts()
    if not records and found.published:
        records = found.published["shares"]
    notes = found.notes if found.answers else [*found.notes, "nobody has answered yet"]
    if found.simulated:
        notes = [*notes, "these participants are simulated"]
    emit("study.analyse", records, output, notes=notes, extra=extra, table=partial(_table, found))


def _table(found: Analysis) -> list[str]:
    lines = []
    if found.answers:
        lines.append(f"participants: {found.participants:,}, answers: {found.answers:,}")
        lines += ["", _TITLES[found.kind], *_rows(found.to_dicts())]
        lines += ["", "Bradley–Terry scores", *_rows([asdict(s) for s in found.strengths])]
        lines += ["", "Agreement (Krippendorff's alpha: 1 all agree, 0 chance)"]
        lines += _rows([{"group": g, **asdict(a)} for g, a in found.agreement.items()])
        lines += ["", "Chosen by place, in per cent (chance, if order did not matter)"]
        lines += _rows([asdict(p) for p in found.positions])
        lines += [
            "",
            "Power: chance to see a difference of 2, 5, 10 points; participants needed for 80%",
        ]
        lines += _rows([asdict(p) for p in found.power])
    if found.published:
        there = found.published
        lines += [
            "",
            f"Published: participants: {there['participants']}, answers: {there['answers']:,}",
        ]
        lines += [_TITLES[found.kind], *_rows(there["shares"])]
        lines += ["", "Published: Bradley–Terry scores", *_rows(there["strengths"])]
    return lines


_TITLES = {
    "choose3": "Chosen, in per cent of the questions where it was offered",
    "head2head": "The target's list preferred, in per cent",
}


def _rows(records: Sequence[Record]) -> list[str]:
    """Rounded; a column in which nothing stands is left out."""
    if not records:
        return ["(none)"]
    used = [name for name in records[0] if any(record[name] is not None for record in records)]
    digits = 3 if {"score", "alpha", "power_5"} & set(used) else 1

    def rounded(value: Any) -> Any:
        return round(value, digits) + 0.0 if isinstance(value, float) else value  # no -0

    shown = [{name: rounded(record[name]) for name in used} for record in records]
    return format_rows(shown, shown=len(shown))
