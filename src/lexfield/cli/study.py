"""Ask people which suggestions help, and analyse their answers.

lexfield study new my.idx --kind choose3 --queries queries.txt -o study.db
lexfield study run study.db                    in the terminal
lexfield study serve study.db                  in the browser
lexfield study analyse study.db --json
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated, Literal, TypedDict, Unpack

from msgspec import Meta

from lexfield.cli.output import CommandResult, echo
from lexfield.cluster.sharded_index import open_index
from lexfield.errors import InputError
from lexfield.progress import Progress, begin_stage, silent
from lexfield.results import JsonObject, format_rows, pluralise
from lexfield.study import analyse as analysis
from lexfield.study.build import (
    MOST_QUERIES,
    Lengths,
    draw_queries,
    import_study,
    new_study,
    read_queries,
)
from lexfield.study.database import Study
from lexfield.study.design import BASELINES, PAPER_BASELINES, PAPER_TARGETS, TARGETS
from lexfield.study.simulate import simulate
from lexfield.study.terminal import take_part
from lexfield.verbs.declare import Default, Flags, Help, verb
from lexfield.verbs.options import AllowUnknown, FileInput, Seed, Target

_TITLES = {
    "choose3": "Chosen, in per cent of the questions where it was offered",
    "head2head": "The target's list preferred, in per cent",
}
StudyFile = Annotated[str, Flags(metavar="STUDY.db")]
Words = Annotated[int, Meta(ge=1, le=1000)]
Targets = Annotated[
    Sequence[str],
    Flags(("--target",), "METHOD"),
    Help("The method that is studied; if repeated, questions alternate."),
]
Baselines = Annotated[
    Sequence[str], Flags(("--baseline",), "METHOD"), Help("A method to compare it with.")
]


class Making(TypedDict, total=False):
    """What is asked, and where it is written."""

    kind: Annotated[Literal["choose3", "head2head"], Default("choose3"), Help("What is asked.")]
    output: Annotated[Target, Flags(("-o",), "STUDY.db"), Help("File to write.")]
    seed: Annotated[Seed, Default(0), Help("Seed of all random orders.")]


@verb(command="study new", served="no")
def new(
    index: Annotated[str, Flags(metavar="IDX")],
    *,
    queries: Annotated[
        FileInput | None,
        Help("One query per line, id<TAB>query, JSON lines, or .json: a list, or lists by level."),
    ] = None,
    sample: Annotated[
        int | None,
        Meta(ge=1, le=MOST_QUERIES),
        Flags(metavar="N"),
        Help("Draw N sentences of the index as queries, with --by equally many of each level."),
    ] = None,
    by: Annotated[
        str | None,
        Flags(metavar="FIELD"),
        Help("Metadata field that must equal the level of a query."),
    ] = None,
    shortest: Annotated[Words, Help("Smallest number of words in a suggestion.")] = 3,
    longest: Annotated[Words, Help("Largest number of words in a suggestion.")] = 15,
    allow_unknown: AllowUnknown = False,
    targets: Targets = TARGETS,
    baselines: Baselines = BASELINES,
    progress: Progress = silent,
    **making: Unpack[Making],
) -> CommandResult:
    """Make a questionnaire: five suggestions of each method for each query.

    choose3: one sentence of each method; choose three. head2head: five sentences of the target
    against five of a baseline; half of the participants say which list helps writing, half which
    is more varied.

        lexfield study new my.idx --kind choose3 --queries queries.txt -o study.db
        lexfield study new my.idx --kind head2head --queries queries.txt -o lists.db --baseline mean
        lexfield study new books.idx --queries queries.json --by reading_level -o study.db
        lexfield study new books.idx --sample 100 --by reading_level -o study.db
    """
    if (queries is None) == (sample is None):
        raise InputError("Give either --queries FILE or --sample N.")
    opened = open_index(index)
    lengths = Lengths(shortest, longest)
    if queries is not None:
        asked = read_queries(queries)
    else:
        asked = draw_queries(opened, sample or 0, by, lengths, making["seed"])
    begin_stage(progress, "searching")
    made = new_study(
        opened,
        asked,
        making["output"],
        making["kind"],
        targets=targets,
        baselines=baselines,
        by=by,
        lengths=lengths,
        allow_unknown=allow_unknown,
        seed=making["seed"],
        progress=progress,
    )
    return _describe(made)


@verb(command="study import", served="no")
def import_suggestions(
    source: Annotated[FileInput, Flags(metavar="SUGGESTIONS.json")],
    *,
    targets: Targets = PAPER_TARGETS,
    baselines: Baselines = PAPER_BASELINES,
    **making: Unpack[Making],
) -> CommandResult:
    """Make a questionnaire from a file of suggestions by any program.

    The file holds {"0": {"query": "…", "mine": ["…", …], "theirs": ["…", …]}, …}. The default
    methods are those in the database.json of Hare et al.

        lexfield study import mine.json --kind head2head --target mine --baseline theirs -o study.db
        lexfield study import database.json --kind choose3 -o paper.db
    """
    output, kind, seed = making["output"], making["kind"], making["seed"]
    made = import_study(source, output, kind, targets=targets, baselines=baselines, seed=seed)
    return _describe(made)


def _describe(made: Study) -> CommandResult:
    design, left_out = made.design, made.about["left_out"]
    record = {
        "study": str(made.path),
        "kind": design.kind,
        "questions": len(made.queries),
        "left_out": left_out,
        "targets": list(design.targets),
        "baselines": list(design.baselines),
    }
    missing = pluralise(left_out, "query", "queries")
    notes = [f"{missing} left out: too few different suggestions"] if left_out else []
    lines = [
        f"wrote {made.path}: {pluralise(len(made.queries), 'question')} ({design.kind}) on"
        f" {', '.join(design.targets)} beside {', '.join(design.baselines)}",
        f"next: lexfield study run {made.path}, or: lexfield study serve {made.path}",
    ]
    made.close()
    return CommandResult([record], text=lines, notes=notes)


@verb(command="study run", served="no")
def run(
    path: StudyFile,
    *,
    code: Annotated[
        str | None,
        Flags(metavar="CODE", old="resume"),
        Help("Continue as the participant with this code."),
    ] = None,
    count: Annotated[
        int | None,
        Meta(ge=1, le=10_000),
        Flags(("--simulate",), "N"),
        Help("Simulate N participants, who answer by the model in docs/methods/study.md."),
    ] = None,
    strengths: Annotated[
        Sequence[str],
        Flags(("--strength",), "METHOD=θ"),
        Help("For --simulate: log strength of a method; 0 by default."),
    ] = (),
    spread: Annotated[float, Meta(ge=0, le=10), Help("How much simulated tastes differ.")] = 0.0,
    answers: Annotated[
        float, Meta(ge=1, le=1_000_000), Help("Mean number of answers before a participant quits.")
    ] = 50.0,
    seed: Annotated[Seed, Help("Seed of simulated participants.")] = 0,
    progress: Progress = silent,
) -> None:
    """Take part in the terminal: every answer is saved immediately; q quits.

    lexfield study run study.db
    lexfield study run study.db --code abcd-efgh-jkmn
    lexfield study run copy.db --simulate 50 --strength ideas=0.5 --strength jaccard=-0.5
    """
    if count is None:
        if strengths:
            raise InputError("--strength goes with --simulate.")
        with Study(path) as opened:
            take_part(opened, _read_line, echo, code)
        return
    if code:
        raise InputError("Give either --code or --simulate.")
    given = _parse_strengths(strengths)
    begin_stage(progress, "answering")
    with Study(path, durable=False) as opened:
        simulate(opened, count, given, spread=spread, answers=answers, seed=seed, progress=progress)
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
        method, equals, value = text.rpartition("=")
        try:
            strengths[method.strip()] = float(value)
        except ValueError:
            equals = ""
        if not equals:
            raise InputError(f"{text!r} is not a strength.", "Write it as ideas=0.5")
    return strengths


@verb(command="study analyse", served="no")
def analyse(
    path: StudyFile,
    *,
    draws: Annotated[int, Meta(ge=100, le=100_000), Help("Samples for intervals.")] = 2000,
    level: Annotated[float, Meta(ge=0.5, le=0.9999), Help("Level of intervals.")] = 0.95,
) -> CommandResult:
    """Print how often each method was chosen, with intervals, strengths, agreement and power.

    Intervals come from resampling participants, each with all their answers.

        lexfield study analyse study.db
        lexfield study analyse study.db --json
        lexfield study analyse study.db --csv > shares.csv
    """
    with Study(path) as opened:
        result = analysis.analyse(opened, draws=draws, level=level)
    hidden = ("shares", "notes")
    figures = {key: value for key, value in asdict(result).items() if key not in hidden}
    notes = list(result.notes)
    if not result.answers:
        notes.append("nobody has answered yet")
    if result.simulated:
        notes.append("these participants are simulated")
    lines = _format_analysis(result)
    return CommandResult(result.to_dicts(), extra=figures, text=lines, notes=notes)


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
