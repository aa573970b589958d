"""``lexfield study``"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict

import click

from lexfield.cli.options import SEED, FiniteRange, listening_options
from lexfield.cli.output import Bar, add_formats, echo, print_rows
from lexfield.cluster.sharded_index import open_index
from lexfield.errors import InputError
from lexfield.results import JsonObject, format_rows
from lexfield.study import analyse as analysis
from lexfield.study.build import Lengths, import_study, new_study, read_queries
from lexfield.study.database import Study
from lexfield.study.design import BASELINES, KINDS, PAPER_BASELINES, PAPER_TARGETS, TARGETS
from lexfield.study.simulate import simulate
from lexfield.study.terminal import take_part

_FILE = click.Path(exists=True, dir_okay=False)
_TITLES = {
    "choose3": "Chosen, in per cent of the questions where it was offered",
    "head2head": "The target's list preferred, in per cent",
}


def _making_options(
    targets: Sequence[str], baselines: Sequence[str]
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Add the options of ``new`` and ``import``."""
    options = (
        click.option("--kind", type=click.Choice(KINDS), default="choose3", help="What is asked."),
        click.option(
            "--target",
            "targets",
            multiple=True,
            default=targets,
            metavar="METHOD",
            help="The method that is studied; if repeated, questions alternate.",
        ),
        click.option(
            "--baseline",
            "baselines",
            multiple=True,
            default=baselines,
            metavar="METHOD",
            help="A method to compare it with.",
        ),
        click.option(
            "-o", "--output", "path", required=True, metavar="STUDY.db", help="File to write."
        ),
        click.option("--seed", default=0, type=SEED, help="Seed of all random orders."),
        add_formats,
    )

    def add(command: Callable[..., None]) -> Callable[..., None]:
        for option in reversed(options):
            command = option(command)
        return command

    return add


@click.group(context_settings={"show_default": True})
def study() -> None:
    """Ask people which suggestions help: make a blinded questionnaire, run it, analyse it.

    \b
    lexfield study new my.idx --kind choose3 --queries queries.txt -o study.db
    lexfield study run study.db                    in the terminal
    lexfield study serve study.db                  in the browser
    lexfield study analyse study.db --json
    """


@study.command("new")
@click.argument("index", metavar="IDX")
@click.option(
    "--queries",
    required=True,
    type=_FILE,
    help="One query per line, id<TAB>query, JSON lines, or .json: a list, or lists by level.",
)
@click.option("--by", metavar="FIELD", help="Metadata field that must equal the level of a query.")
@click.option(
    "--shortest", default=3, type=click.IntRange(1, 1000), help="Fewest words of a suggestion."
)
@click.option(
    "--longest", default=15, type=click.IntRange(1, 1000), help="Most words of a suggestion."
)
@click.option(
    "--allow-unknown",
    is_flag=True,
    help="Go on though most words have no vector, as in a language the vectors lack.",
)
@_making_options(TARGETS, BASELINES)
def new(
    index: str,
    queries: str,
    by: str | None,
    shortest: int,
    longest: int,
    allow_unknown: bool,
    kind: str,
    targets: tuple[str, ...],
    baselines: tuple[str, ...],
    path: str,
    seed: int,
    format: str | None,
) -> None:
    """Make a questionnaire: five suggestions of each method for each query.

    choose3: one sentence of each method; choose three. head2head: five sentences of the target
    against five of a baseline; half of the participants say which list helps writing, half which
    is more varied.

    \b
    lexfield study new my.idx --kind choose3 --queries queries.txt -o study.db
    lexfield study new my.idx --kind head2head --queries queries.txt -o lists.db --baseline mean
    lexfield study new books.idx --queries queries.json --by reading_level -o study.db
    """
    asked, lengths = read_queries(queries), Lengths(shortest, longest)
    with Bar("searching") as bar:
        made = new_study(
            open_index(index),
            asked,
            path,
            kind,
            targets=targets,
            baselines=baselines,
            by=by,
            lengths=lengths,
            allow_unknown=allow_unknown,
            seed=seed,
            progress=bar,
        )
    _describe("study new", made, format)


@study.command("import")
@click.argument("source", type=_FILE, metavar="SUGGESTIONS.json")
@click.option("--results", hidden=True)  # of lexfield 0.1
@_making_options(PAPER_TARGETS, PAPER_BASELINES)
def import_(
    source: str,
    results: str | None,
    kind: str,
    targets: tuple[str, ...],
    baselines: tuple[str, ...],
    path: str,
    seed: int,
    format: str | None,
) -> None:
    """Make a questionnaire about suggestions from a file, by any program.

    The file holds {"0": {"query": "…", "mine": ["…", …], "theirs": ["…", …]}, …}. The default
    methods are those in the database.json of Hare et al.

    \b
    lexfield study import mine.json --kind head2head --target mine --baseline theirs -o study.db
    lexfield study import database.json --kind choose3 -o paper.db
    """
    if results is not None:
        raise click.UsageError(
            "--results is gone: reproduce/questionnaire.py --study prints a study beside them."
        )
    made = import_study(source, path, kind, targets=targets, baselines=baselines, seed=seed)
    _describe("study import", made, format)


def _describe(command: str, made: Study, format: str | None) -> None:
    design, left_out = made.design, made.about["left_out"]
    record = {
        "study": str(made.path),
        "kind": design.kind,
        "questions": len(made.queries),
        "left_out": left_out,
        "targets": list(design.targets),
        "baselines": list(design.baselines),
    }
    notes = [f"{left_out} queries left out: too few different suggestions"] if left_out else []
    lines = [
        f"wrote {made.path}: {len(made.queries):,} questions ({design.kind}) on"
        f" {', '.join(design.targets)} beside {', '.join(design.baselines)}",
        f"next: lexfield study run {made.path}, or: lexfield study serve {made.path}",
    ]
    made.close()
    print_rows(command, [record], format, notes=notes, lines=lines)


@study.command("run")
@click.argument("path", metavar="STUDY.db")
@click.option("--resume", metavar="CODE", help="Continue as the participant with this code.")
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
    help="For --simulate: log strength of a method; 0 by default.",
)
@click.option(
    "--spread", default=0.0, type=FiniteRange(0, 100), help="How much simulated tastes differ."
)
@click.option(
    "--answers",
    default=50.0,
    type=FiniteRange(0, 1_000_000, min_open=True),
    help="Mean answers before one quits.",
)
@click.option("--seed", default=0, type=SEED, help="Seed of simulated participants.")
def run(
    path: str,
    resume: str | None,
    count: int | None,
    strengths: tuple[str, ...],
    spread: float,
    answers: float,
    seed: int,
) -> None:
    """Take part in the terminal: every answer is saved at once; q stops after any.

    \b
    lexfield study run study.db
    lexfield study run study.db --resume abcd-efgh-jkmn
    lexfield study run copy.db --simulate 50 --strength ideas=0.5 --strength jaccard=-0.5
    """
    if count is None:
        if strengths:
            raise click.UsageError("--strength goes with --simulate.")
        with Study(path) as opened:
            take_part(opened, _read_line, echo, resume)
        return
    if resume:
        raise click.UsageError("Give either --resume or --simulate.")
    given = _parse_strengths(strengths)
    with Study(path, durable=False) as opened, Bar("answering") as bar:
        simulate(opened, count, given, spread=spread, answers=answers, seed=seed, progress=bar)
        total = len(opened.answers())
    echo(f"{count:,} simulated participants; {path} holds {total:,} answers")
    echo(f"next: lexfield study analyse {path}")


def _read_line(prompt: str) -> str | None:
    echo(prompt, nl=False)
    line = sys.stdin.buffer.readline(1_000)
    return line.decode(errors="replace") if line else None


def _parse_strengths(given: Sequence[str]) -> dict[str, float]:
    """Parse ``["ideas(r=20)=0.5"]`` as ``{"ideas(r=20)": 0.5}``; the last = counts."""
    strengths = {}
    for text in given:
        method, _, value = text.rpartition("=")
        try:
            strengths[method.strip()] = float(value if method else "")
        except ValueError as error:
            raise InputError(f"{text!r} is not a strength.", "Write it as ideas=0.5") from error
    return strengths


@study.command("serve")
@click.argument("path", metavar="STUDY.db")
@listening_options
def serve(path: str, port: int, host: str, token: str | None, no_browser: bool) -> None:
    """Take part in the browser, one or many at a time; everything stays on this machine.

    The printed address contains a token, without which nobody can take part: give it to the
    participants. For those at other machines name a host.

    \b
    lexfield study serve study.db
    lexfield study serve study.db --port 8080 --no-browser
    lexfield study serve study.db --host 0.0.0.0
    """
    from lexfield.serve.study import serve_study  # needs the extra serve, as no other command

    with Study(path) as opened:
        if any(person.simulated for person in opened.participants()):
            raise InputError(f"{path} holds simulated participants.", "Make a new study.")
        serve_study(opened, host=host, port=port, browser=not no_browser, token=token, say=echo)


@study.command("analyse")
@click.argument("path", metavar="STUDY.db")
@click.option(
    "--draws", default=2000, type=click.IntRange(100, 100_000), help="Samples for intervals."
)
@click.option("--level", default=0.95, type=FiniteRange(0.5, 0.9999), help="Level of intervals.")
@add_formats
def analyse(path: str, draws: int, level: float, format: str | None) -> None:
    """Print how often each method was chosen, with intervals, strengths, agreement and power.

    Intervals come from resampling participants, each with all their answers.

    \b
    lexfield study analyse study.db
    lexfield study analyse study.db --json
    lexfield study analyse study.db --csv > shares.csv
    """
    with Study(path) as opened:
        result = analysis.analyse(opened, draws=draws, level=level)
    hidden = ("shares", "notes")
    extra = {key: value for key, value in asdict(result).items() if key not in hidden}
    notes = list(result.notes)
    if not result.answers:
        notes.append("nobody has answered yet")
    if result.simulated:
        notes.append("these participants are simulated")
    lines = _format_analysis(result)
    print_rows("study analyse", result.to_dicts(), format, notes=notes, figures=extra, lines=lines)


def _format_analysis(result: analysis.Analysis) -> list[str]:
    if not result.answers:
        return []
    agreement = [{"group": name, **asdict(a)} for name, a in result.agreement.items()]
    sections = (
        (_TITLES[result.kind], result.to_dicts()),
        ("Bradley–Terry scores", [asdict(row) for row in result.strengths]),
        ("Agreement (Krippendorff's alpha: 1 all agree, 0 chance)", agreement),
        (
            "Chosen by place, in per cent (chance, if order did not matter)",
            [asdict(row) for row in result.positions],
        ),
        (
            "Power: chance to see a difference of 2, 5, 10 points; participants needed for 80%",
            [asdict(row) for row in result.power],
        ),
    )
    lines = [f"participants: {result.participants:,}, answers: {result.answers:,}"]
    for title, records in sections:
        lines += ["", title, *_format_records(records)]
    return lines


def _format_records(records: Sequence[JsonObject]) -> list[str]:
    """Format rounded records, without columns that are empty."""
    if not records:
        return ["(none)"]
    used = [name for name in records[0] if any(record[name] is not None for record in records)]
    digits = 3 if {"score", "alpha", "power_5"} & set(used) else 1

    def shorten(value: object) -> object:
        return round(value, digits) + 0.0 if isinstance(value, float) else value  # no -0

    rows = [{name: shorten(record[name]) for name in used} for record in records]
    return format_rows(rows, shown=len(rows))
