"""lexfield writes into its own folders only, and deletes only what it can prove it wrote."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from lexfield.cluster.build_shards import build_sharded
from lexfield.errors import LexfieldError, StoreError
from lexfield.search.index import Index
from lexfield.store import cache
from lexfield.store.files import replace_file
from lexfield.store.folder import Store, discard, write
from lexfield.store.manifest import generations
from lexfield.store.place import Place, copies
from lexfield.text.corpus import Corpus


def fill(path: Path) -> None:
    with write(path, "thing") as out:
        out.array("numbers", np.arange(5))


def photos(folder: Path) -> list[Path]:
    """Folders whose names are those of generations."""
    kept = [folder / name / "a.jpg" for name in ("202401", "20240215", "9" * 18)]
    for path in kept:
        path.parent.mkdir(parents=True)
        path.write_text("precious")
    return kept


def _index(path: Path) -> object:
    return Index.build(Corpus.of(["The sea was calm."]), path)


def _replaced(path: Path) -> object:
    return Index.build(Corpus.of(["The sea was calm."]), path, replace=True)


def _shards(path: Path) -> object:
    return build_sharded(["The sea was calm.", "The dog ran."], path, shards=2)


@pytest.mark.parametrize("work", [fill, _index, _replaced, _shards])
def test_a_folder_with_other_things_is_refused(
    tmp_path: Path, work: Callable[[Path], object]
) -> None:
    kept = photos(tmp_path / "photos")
    with pytest.raises(StoreError, match="other files in it, such as '202401'"):
        work(tmp_path / "photos")
    assert [path.read_text() for path in kept] == ["precious"] * 3
    assert len(list((tmp_path / "photos").iterdir())) == 3  # nor was anything written


@pytest.mark.parametrize("name", [".git", "CURRENT", "shards", "topics", "manifest.json", "000001"])
def test_one_thing_of_any_name_is_enough(tmp_path: Path, name: str) -> None:
    (tmp_path / "s" / name).mkdir(parents=True)
    with pytest.raises(StoreError):
        fill(tmp_path / "s")
    assert [path.name for path in (tmp_path / "s").iterdir()] == [name]


def test_what_somebody_puts_into_a_store_stays(tmp_path: Path) -> None:
    fill(tmp_path / "s")
    kept = photos(tmp_path / "s")
    mine = tmp_path / "s" / "000001" / "mine.npy"
    mine.write_text("precious")
    (tmp_path / "s" / "000009").symlink_to(kept[0].parent)
    fill(tmp_path / "s")
    fill(tmp_path / "s")
    assert generations(tmp_path / "s")[-1] == "000003"  # others' numbers do not count
    discard(tmp_path / "s")
    assert [path.read_text() for path in (*kept, mine)] == ["precious"] * 4
    with pytest.raises(StoreError, match="does not exist|is not a folder|has no CURRENT"):
        Store.open(tmp_path / "s")


def test_a_generation_is_not_written_over_a_folder_of_its_name(tmp_path: Path) -> None:
    fill(tmp_path / "s")
    (tmp_path / "s" / "000002").mkdir()
    (tmp_path / "s" / "000002" / "a.jpg").write_text("precious")
    fill(tmp_path / "s")
    assert Store.open(tmp_path / "s").generation == "000003"
    assert (tmp_path / "s" / "000002" / "a.jpg").read_text() == "precious"


def test_only_stores_are_discarded(tmp_path: Path) -> None:
    kept = photos(tmp_path / "photos")
    (tmp_path / "photos" / "CURRENT").write_text("MANIFEST-000001\n")  # as LevelDB has
    fill(tmp_path / "s")
    (tmp_path / "link").symlink_to(tmp_path / "s")
    for name in ("photos", "link", "nothing"):
        discard(tmp_path / name)
    Place(str(tmp_path)).remove("photos")
    assert all(path.exists() for path in kept) and Store.open(tmp_path / "s")


def test_shards_keep_what_is_not_theirs(tmp_path: Path) -> None:
    _shards(tmp_path / "x.idx")
    kept = photos(tmp_path / "x.idx" / "shards")
    notes = tmp_path / "x.idx" / "shards" / "notes.txt"
    notes.write_text("precious")
    build_sharded(["Another sea.", "A dog."], tmp_path / "x.idx", shards=1, replace=True)
    assert notes.exists() and all(path.exists() for path in kept)


def test_the_cache_removes_only_copies(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "_FRESH", 0)
    monkeypatch.setenv(cache.SIZE, "1 kB")
    (copies() / "my backup").mkdir(parents=True)
    (copies() / "my backup" / "thesis.txt").write_text("precious")
    other = copies() / ("a" * 32)
    other.mkdir()
    (other / "thesis.txt").write_text("precious")
    fill(copies() / ("b" * 32))
    with pytest.raises(StoreError, match="needs more room than copies may take"):
        cache.add_bytes(10**18, lambda: None, "there")
    assert not (copies() / ("b" * 32)).exists()
    assert (copies() / "my backup" / "thesis.txt").exists() and (other / "thesis.txt").exists()


def test_a_file_is_never_written_through_a_link(tmp_path: Path) -> None:
    """Temporary names cannot be guessed and must be new, so that nobody can plant a link there."""
    replace_file(tmp_path / "a", b"1")
    (tmp_path / "precious").write_text("precious")
    (tmp_path / "b").symlink_to(tmp_path / "precious")
    replace_file(tmp_path / "b", b"2")
    assert (tmp_path / "precious").read_text() == "precious"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b", "precious"]


def test_a_link_to_itself_is_an_error_of_ours(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    for work in (fill, _index, _shards, Index.open):
        with pytest.raises(LexfieldError):
            work(tmp_path / "loop")
