"""Folders that are somebody else's, parts of other indexes, and remote stores that lie.

folders   lexfield is told to write where others keep files: they are all there afterwards
parts     files and whole parts of an index are exchanged with those of another, or taken away:
          ``verify`` says so, and no answer is another's
remotes   CURRENT, manifest and arrays behind an address are changed: what comes is an error,
          or the old answer; nothing is written but whole copies, where copies are kept
"""

from __future__ import annotations

import json
import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import xxhash

from lexfield.cluster.build_shards import build_sharded
from lexfield.cluster.sharded_index import open_index
from lexfield.errors import LexfieldError
from lexfield.index.learn_metric import learn_metric
from lexfield.search.index import Index
from lexfield.store.files import canonical_json
from lexfield.store.folder import Store, discard, write
from lexfield.store.place import copies, place_of
from lexfield.text.corpus import Corpus
from lexfield.text.document import Document
from lexfield.vectors.wordvectors import WordVectors
from tests.fault.artefacts import digest, documents
from tests.fault.rot import outcome, verified
from tests.fault.trials import run_trials, tally

NAMES = (
    "202401", "20240215", "000001", "000002", "1000000001", "9" * 18, "CURRENT", "manifest.json",
    "shards/0001", "shards/spool-1.jsonl", "topics/000001", "topics/CURRENT", "metrics/m/CURRENT",
    ".lock/x", ".CURRENT.mine.tmp", ".DS_Store", "copies/old", "letter.txt", "000001/mine.npy",
    f"shards/0000-{'a' * 32}", f".000001-{'a' * 32}.tmp",
)  # fmt: skip
WORDS = sorted({word for one in documents(0, 20) for word in one.text.lower().split()})


def small_vectors() -> WordVectors:
    rng = np.random.default_rng(0)
    return WordVectors(WORDS, rng.normal(size=(len(WORDS), 4)).astype(np.float32), name="small")


def _build(path: Path) -> object:
    return Index.build(Corpus.of(documents(0, 4)), path, vectors=small_vectors())


def _replace(path: Path) -> object:
    return Index.build(Corpus.of(documents(4, 4)), path, vectors=small_vectors(), replace=True)


def _shards(path: Path) -> object:
    return build_sharded(documents(0, 4), path, shards=2, vectors=small_vectors(), replace=True)


def _models(path: Path) -> None:
    with write(path, "models") as out:
        out.array("matrix.2.0", np.zeros((2, 2)))


def _change(path: Path) -> None:
    index = open_index(path)
    index.add(documents(8, 1))
    index.compact()


WRITERS: dict[str, Callable[[Path], object]] = {
    "index": _build, "index --replace": _replace, "index --shards": _shards,
    "vectors train": _models, "add and compact": _change, "discard": discard,
}  # fmt: skip


def put_others(folder: Path, rng: random.Random) -> None:
    """Files of somebody else, with the names that are most like ours."""
    for name in rng.sample(NAMES, rng.randint(1, 5)):
        path = folder / name
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if "." in path.name or path.name == "CURRENT":
                with open(path, "x") as file:
                    file.write(f"precious {rng.random()}")
            elif rng.random() < 0.2:
                path.symlink_to(folder.parent / "elsewhere", target_is_directory=True)
            else:
                path.mkdir()
                (path / "photo.jpg").write_text(f"precious {rng.random()}")
        except OSError:
            continue  # there is one of that name, or a file where a folder would be


def held(folder: Path) -> dict[str, str]:
    """Every file, but for ours."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes().decode("utf-8", "replace")
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.read_bytes()[:8] == b"precious"
    }


def folders(folder: Path, count: int, seed: int = 0) -> dict[str, Any]:
    rng = random.Random(seed)
    ready = folder / "ready.idx"
    _build(ready)

    def trial(number: int) -> str:
        name = list(WRITERS)[number % len(WRITERS)]
        place = folder / str(number)
        place.mkdir()
        (place / "elsewhere").mkdir()
        (place / "elsewhere" / "kept.txt").write_text("precious elsewhere")
        target = place / "out"
        if rng.random() < 0.5:
            shutil.copytree(ready, target)
        target.mkdir(exist_ok=True)
        put_others(target, rng)
        before = held(place)
        try:
            WRITERS[name](target)
            word = "written"
        except LexfieldError:
            word = "refused"
        except Exception as error:
            return f"fault {name}: {error!r}"
        lost = set(before.items()) - set(held(place).items())
        shutil.rmtree(place)
        return f"LOST {name}: {sorted(lost)}" if lost else word

    return _told(run_trials(range(count), trial), ("written", "refused"))


def make_pair(folder: Path) -> tuple[Path, Path]:
    """Two indexes of documents with the same ids and other texts, both with topics and a metric."""
    for name, first in (("a.idx", 0), ("b.idx", 5)):
        own = [Document(f"d{n}", d.text, d.source, d.metadata)
               for n, d in enumerate(documents(first, 12))]  # fmt: skip
        index = Index.build(Corpus.of(own), folder / name, vectors=small_vectors())
        index.fit_topics(3, passes=1)
        learn_metric(index, "group", "m", shrinkage=0.5)
    return folder / "a.idx", folder / "b.idx"


def ask(path: Path) -> str:
    index, under = open_index(path), open_index(path, metric="m")
    return digest(
        [index.search("the boat in the storm", m, 3).to_dicts() for m in ("bm25", "mean", "topic")],
        under.search("the boat in the storm", "mean", 3).to_dicts(),
    )


def parts(folder: Path) -> dict[str, Any]:
    """Every file exchanged, and every file taken away; and the topics of 0.1 put beside."""
    one, other = make_pair(folder)
    before = ask(one)
    files = [p for p in sorted(one.rglob("*")) if p.is_file() and p.stat().st_size]
    trials = [(path, how) for path in files for how in ("foreign", "missing")]
    trials += [(one / name / "CURRENT", "beside") for name in ("topics", "metrics/other")]

    def trial(what: tuple[Path, str]) -> str:
        path, how = what
        whole = path.read_bytes() if path.exists() else None
        twin = other / path.relative_to(one)
        if how == "beside":
            shutil.copytree(other, path.parent)
        elif how == "missing":
            path.unlink()
        elif not twin.exists() or twin.read_bytes() == whole:
            return "same"
        else:
            path.write_bytes(twin.read_bytes())
        try:
            word = outcome(ask, one, before)
            seen = verified(one, path)
        finally:
            if whole is None:
                shutil.rmtree(path.parent)
            else:
                path.write_bytes(whole)
        return word if seen == "found" else f"MISSED {how} {path.name}"

    found = _told(run_trials(trials, trial), ("detected", "same"))
    assert ask(one) == before
    return found


def remotes(folder: Path, count: int, seed: int = 0) -> dict[str, Any]:
    """Lies behind an address; here of files, which is fetched as every other."""
    rng = random.Random(seed)
    source, victim = folder / "remote" / "s", folder / "victim"
    victim.mkdir()
    copies().mkdir(parents=True, exist_ok=True)
    with write(source, "thing") as out:
        out.array("numbers", np.arange(1000))
        out.array("names", np.arange(10))
    truth = digest(Store.open(source).array("numbers").tolist())

    def use(address: str) -> str:
        store = Store.open(place_of(address).store("s"))
        return digest(store.array("numbers").tolist())

    def trial(number: int) -> str:
        place = folder / f"r{number}"
        shutil.copytree(source, place / "s")
        lie = LIES[number % len(LIES)]
        lie(place / "s", victim, rng)
        before = _tree(victim), _tree(folder / "remote")
        try:
            word = "same" if use(f"file://{place}") == truth else "WRONG"
        except LexfieldError:
            word = "detected"
        except Exception as error:
            return f"fault {lie.__name__}: {error!r}"
        shutil.rmtree(place)
        if (_tree(victim), _tree(folder / "remote")) != before:
            return f"WROTE {lie.__name__}"
        left = [path.name for path in copies().iterdir() if path.name.startswith(".")]
        return f"LEFT {left}" if left else f"{word} {lie.__name__}"

    return _told(run_trials(range(count), trial), ("detected", "same"))


def _pointer(store: Path, change: dict[str, Any]) -> None:
    value = {**json.loads((store / "CURRENT").read_bytes()), **change}
    (store / "CURRENT").write_bytes(canonical_json(value))


def _manifest(store: Path, change: Callable[[dict[str, Any]], object]) -> None:
    path = store / "000001" / "manifest.json"
    manifest = json.loads(path.read_bytes())
    change(manifest)
    path.write_bytes(canonical_json(manifest))
    _pointer(store, {"manifest": xxhash.xxh3_64_hexdigest(path.read_bytes())})


def generation_elsewhere(store: Path, victim: Path, rng: random.Random) -> None:
    name = rng.choice((f"{victim}/.ssh", "../../victim/.ssh", "..", "", "000001/..", "000001\0"))
    inside = store / name.strip("/\0")
    inside.mkdir(parents=True, exist_ok=True)
    (inside / "authorized_keys").write_text("attacker")
    _pointer(store, {"generation": name})


def file_elsewhere(store: Path, victim: Path, rng: random.Random) -> None:
    name = rng.choice((f"{victim}/x.npy", "../../victim/x.npy", "a/x.npy", "..npy", "x@y.npy"))
    _manifest(store, lambda m: m["files"].update({name: m["files"]["names.npy"]}))


def part_elsewhere(store: Path, victim: Path, rng: random.Random) -> None:
    name = rng.choice(("../victim", str(victim), "a/../b", "A", "a/b/c"))
    _manifest(store, lambda m: m["parts"].update({name: {}}))


def file_more(store: Path, victim: Path, rng: random.Random) -> None:
    (store / "000001" / rng.choice(("evil.npy", "x.py", ".bashrc"))).write_text("attacker")


def file_size(store: Path, victim: Path, rng: random.Random) -> None:
    path = store / "000001" / "numbers.npy"
    size = path.stat().st_size
    os.truncate(path, rng.choice((0, 1, size // 2, size - 1, size + 1, 50 * size)))


def listed_size(store: Path, victim: Path, rng: random.Random) -> None:
    size = rng.choice((0, -1, 1, 10**30, 10**15))
    sums = ["0" * 16] * min(-(-max(size, 0) // (1 << 20)), 5)
    _manifest(store, lambda m: m["files"]["numbers.npy"].update(bytes=size, xxh3=sums))


def file_gone(store: Path, victim: Path, rng: random.Random) -> None:
    rng.choice([path for path in store.rglob("*") if path.is_file()]).unlink()


def bytes_flipped(store: Path, victim: Path, rng: random.Random) -> None:
    path = rng.choice([p for p in store.rglob("*") if p.is_file() and p.stat().st_size])
    data = bytearray(path.read_bytes())
    data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    path.write_bytes(data)


def pointer_large(store: Path, victim: Path, rng: random.Random) -> None:
    os.truncate(store / "CURRENT", rng.choice((0, 1001, 1 << 24)))


LIES: tuple[Callable[[Path, Path, random.Random], None], ...] = (
    generation_elsewhere, file_elsewhere, part_elsewhere, file_more, file_size, listed_size,
    file_gone, bytes_flipped, pointer_large,
)  # fmt: skip


def _tree(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


def _told(words: list[str], good: tuple[str, ...]) -> dict[str, Any]:
    bad = [word for word in words if not word.startswith(good)]
    return {"trials": len(words), "outcomes": tally(words), "faults": bad[:10]}


def long(folder: Path) -> dict[str, Any]:
    from tests.fault.remotes import Unreliable
    from tests.fault.remotes import remotes as unreliable

    for name in ("folders", "parts", "remotes", "unreliable", "lost"):
        (folder / name).mkdir()
    failing = unreliable(folder / "unreliable")
    Unreliable.is_lost = True
    lost = unreliable(folder / "lost")
    return {
        "folders": folders(folder / "folders", 1000),
        "parts": parts(folder / "parts"),
        "remotes": remotes(folder / "remotes", 1000),
        **{f"{name}, each call fails, lags or lies": one for name, one in failing.items()},
        **{f"{name}, the answer is lost": one for name, one in lost.items()},
    }
