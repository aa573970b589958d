"""Every numeric option of every verb: a clear error or a valid answer, never a fault or a hang."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Iterator
from pathlib import Path

import click
import msgspec.inspect as kinds
import pytest

from lexfield.cli.build import Declared
from lexfield.cli.main import cli
from lexfield.text.corpus import Corpus
from lexfield.vectors.wordvectors import WordVectors
from tests.cli.conftest import Run

HOSTILE = ("-1", "0", "nan", "inf", "1000000000000000000")
TEXTS = ("The red sun sank over a cold sea and the ship turned home. " * 6,
         "A grey cow stood by the old barn while rain fell on the field. " * 6,
         "The blue ship left the cold sea as a red moon rose over home. " * 6)  # fmt: skip
SPECS = {("compare", "dimension"), ("label", "dimension"), ("pairs", "dimension"),
         ("compare", "reduce"), ("label", "reduce"), ("pairs", "reduce")}  # fmt: skip


def commands(
    group: click.Command, context: click.Context, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    if not isinstance(group, click.Group):
        yield path, group
        return
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        yield from commands(command, context, (*path, name))


COMMANDS = dict(commands(cli, click.Context(cli)))


def bounds(option: click.Option) -> tuple[float | None, float | None] | None:
    """Return the lowest and highest value of a numeric option, or None for any other option."""
    if isinstance(option.type, Declared):
        info = find_number(option.type.parameter.info)
        if info is None:
            return None
        return info.gt if info.ge is None else info.ge, info.lt if info.le is None else info.le
    if isinstance(option.type, click.types.IntParamType | click.types.FloatParamType):
        return getattr(option.type, "min", None), getattr(option.type, "max", None)
    return None


def find_number(info: kinds.Type) -> kinds.IntType | kinds.FloatType | None:
    if isinstance(info, kinds.IntType | kinds.FloatType):
        return info
    match info:
        case kinds.Metadata():
            return find_number(info.type)
        case kinds.CollectionType():
            return find_number(info.item_type)
        case kinds.UnionType():
            numbers = (find_number(one) for one in info.types)
            return next((one for one in numbers if one is not None), None)
    return None


NUMERIC = [
    (path, option)
    for path, command in COMMANDS.items()
    for option in command.params
    if isinstance(option, click.Option)
    and (bounds(option) is not None or (path[0], option.name) in SPECS)
]


def test_every_numeric_option_declares_bounds_on_both_sides() -> None:
    unbounded = [
        f"{' '.join(path)} {option.opts[-1]}"
        for path, option in NUMERIC
        if (path[0], option.name) not in SPECS and None in (bounds(option) or ())
    ]
    assert unbounded == []
    assert len(NUMERIC) > 60


@pytest.fixture(scope="module")
def arguments(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, ...], list[str]]:
    """What each command needs to run, small enough to answer at once."""
    import numpy as np

    from lexfield.search.index import Index

    folder = tmp_path_factory.mktemp("numbers")
    for number, text in enumerate(TEXTS * 2):
        (folder / f"t{number}.txt").write_text(text)
    (folder / "about.csv").write_text("id,kind\n" + "".join(f"t{n},{n % 3}\n" for n in range(6)))
    paths = [str(folder / f"t{n}.txt") for n in range(6)]
    words = sorted({word.lower() for text in TEXTS for word in text.replace(".", "").split()})
    matrix = np.random.default_rng(0).normal(size=(len(words), 8)).astype(np.float32)
    vectors, rows = folder / "v.txt", zip(words, matrix, strict=True)
    vectors.write_text("\n".join(f"{w} {' '.join(map(str, row))}" for w, row in rows))
    known = WordVectors(words, matrix, name="small")
    index = str(folder / "i")
    Index.build(Corpus.read(paths, metadata=str(folder / "about.csv")), index, vectors=known)
    by = ["--metadata", str(folder / "about.csv"), "--by", "kind"]
    own = ["--vectors", str(vectors)]
    return {
        ("attribute",): [*paths, *by],
        ("bag",): [paths[0]],
        ("bags",): [index, "sea"],
        ("compare",): [*paths[:2], *own],
        ("duplicates",): [index],
        ("inspire",): [index, paths[0]],
        ("keyness",): paths[:2],
        ("kwic",): [paths[0], "sea"],
        ("label",): [*paths, *by, *own],
        ("near",): ["sea", *own],
        ("pairs",): [*paths, *own],
        ("search",): [index, "red sea"],
        ("threshold",): [str(vectors)],
        ("topics", "fit"): [index, "--min-count", "1", "--min-length", "1", "--passes", "1",
                            "--max-share", "1", "--topics", "2"],
        ("zipf",): [paths[0]],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("path", "option"),
    [pytest.param(p, o, id=f"{' '.join(p)} {o.opts[-1]}") for p, o in NUMERIC],
)
def test_hostile_numbers_are_refused_or_answered(
    run: Run,
    arguments: dict[tuple[str, ...], list[str]],
    path: tuple[str, ...],
    option: click.Option,
    tmp_path: Path,
) -> None:
    """Values in range run the command where that is quick; other commands must refuse the rest."""
    for value in HOSTILE:
        number = float(value)
        low, high = bounds(option) or (None, None)
        inside = low is not None and high is not None and low <= number <= high
        given = arguments.get(path)
        if given is None and (inside or (path[0], option.name) in SPECS):
            continue
        started = time.monotonic()
        done = run(*path, *(given or []), option.opts[-1], value)
        assert time.monotonic() - started < 10, value
        assert done.code in (0, 1, 2), (value, done.err)
        assert "fault" not in done.err.lower() and "Traceback" not in done.err, (value, done.err)
        if done.code == 2:
            assert done.err.strip(), value
        if given is None or number != number or math.isinf(number):
            assert done.code == 2, (value, done.out, done.err)


@pytest.mark.parametrize("name", ["/dev/zero", "loop"])
def test_endless_files_are_refused(
    run: Run, arguments: dict[tuple[str, ...], list[str]], tmp_path: Path, name: str
) -> None:
    link = tmp_path / "link"
    link.symlink_to(link if name == "loop" else name)
    index, vectors = arguments["search",][0], arguments["near",][1:]
    asked = [("search", index, "--queries", link), ("near", "--queries", link, *vectors)]
    if name == "loop":
        asked += [(verb, link) for verb in ("zipf", "speech", "layout", "bag")]
        asked.append(("reproduce", "--data", link, "--list"))
    for command in asked:
        started = time.monotonic()
        done = run(*command)
        assert time.monotonic() - started < 10, command
        assert done.code == 2 and "fault" not in done.err, (command, done.err)


def test_a_store_of_devices_and_pipes_is_refused(run: Run, tmp_path: Path) -> None:
    """An endless manifest must not fill the memory, and a pipe must not wait for a writer."""
    (tmp_path / "a.txt").write_text("The sea was calm.")
    assert run("index", tmp_path / "a.txt", "-o", tmp_path / "i").code == 0
    (generation,) = (path.parent for path in (tmp_path / "i").glob("*/manifest.json"))
    manifest, array = generation / "manifest.json", generation / "deleted.npy"
    kept = manifest.read_bytes()
    manifest.unlink()
    manifest.symlink_to("/dev/zero")
    for command in (("search", tmp_path / "i", "sea"), ("verify", tmp_path / "i")):
        refused = run(*command)
        assert refused.code == 2 and "is not a plain file" in refused.out + refused.err
    manifest.unlink()
    manifest.write_bytes(kept)
    array.unlink()
    os.mkfifo(array)
    for command in (("search", tmp_path / "i", "sea"), ("verify", tmp_path / "i")):
        refused = run(*command)
        assert refused.code == 2 and "is not a plain file" in refused.out + refused.err
