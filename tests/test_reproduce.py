"""The reproduction: complete, reported as committed; its cache sees what changes."""

from __future__ import annotations

import argparse
import importlib
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from lexfield import Corpus
from lexfield.compare.pair import knn_divergence
from lexfield.sample import TEXTS

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "reproduce"


@pytest.fixture
def reproduce(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(FOLDER))


def module(name: str) -> ModuleType:
    return importlib.import_module(name)


# what the papers print, by their numbers
PRINTED = {
    "hare": {*(f"table-{n}" for n in range(1, 9)), *(f"figure-{n}" for n in range(1, 7))},
    "krstovski": {*(f"table-{n}" for n in range(1, 6)), "figure-1", "figure-2"},
    "mochihashi": {"table-1", *(f"figure-{n}" for n in range(1, 7))},
}


def test_everything_that_is_printed_is_in_the_catalogue(reproduce: None) -> None:
    items = module("catalogue").ITEMS
    found: dict[str, set[str]] = {}
    for item in items:
        paper, kind, *numbers = item.name.split("-")
        for number in numbers:
            found.setdefault(paper, set()).add(f"{kind.removesuffix('s')}-{number}")
    assert {paper: found[paper] & PRINTED[paper] for paper in PRINTED} == PRINTED
    assert {item.paper for item in items} == set(module("catalogue").PAPERS)
    for item in items:
        assert (FOLDER / f"{item.script}.py").is_file()
        assert item.file in module("catalogue").SCRIPTS[item.script].outputs


def test_the_page_is_the_committed_results(reproduce: None) -> None:
    run = module("run")
    page = run.markdown(run.TITLE, run.lead(), run.chapters(), run.PAGE)
    assert run.PAGE.read_text("utf-8") == page, "run: lexfield reproduce --report"
    for section in (section for chapter in run.chapters() for section in chapter.sections):
        told = [block for block in section.blocks if isinstance(block, str)]
        assert any(t.startswith(("**Difference.**", "Not run yet")) for t in told), section.name


def test_the_report_needs_nothing_else(reproduce: None) -> None:
    run = module("run")
    report = run.html(run.TITLE, run.lead(), run.chapters())
    assert len(report.encode()) <= 5_000_000
    assert not re.findall(r'(?:src|href)="(?!data:|#)', report)
    assert "<script" not in report
    assert report.count("<h3") == len(module("catalogue").ITEMS)


def test_blocks(reproduce: None, tmp_path: Path) -> None:
    page = module("page")
    grid = page.Grid(["", "a<b"], [["x|y", "**1** and `2 * 3`"], ["<i>", "more words " * 5]])
    chapter = page.Chapter("C", [page.Section("s", "S & T", [grid, "say *so*"], "Made.")])
    text = page.markdown("M", "lead", [chapter], tmp_path / "m.md")
    assert "| x\\|y | **1** and `2 * 3` |" in text
    assert "| --- | --- |" in text  # the second column is to be read
    html = page.html("M", "lead", [chapter])
    assert "a&lt;b" in html and "<td>&lt;i&gt;</td>" in html
    assert "<b>1</b>" in html and "<code>2 * 3</code>" in html and "<i>so</i>" in html
    with pytest.raises(ValueError, match="bytes"):
        page.html("M", "x" * 5_000_001, [])


def test_the_files_a_run_opens_are_its_code(
    reproduce: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = module("cache")
    (tmp_path / "reproduce" / "results").mkdir(parents=True)
    shutil.copytree(FOLDER / "opened", tmp_path / "reproduce" / "opened")
    home = tmp_path / "src" / "lexfield"
    home.mkdir(parents=True)
    for name, value in {"HERE": tmp_path / "reproduce", "ROOT": tmp_path, "SOURCE": home,
                        "_SEARCHED": (tmp_path / "reproduce",)}.items():  # fmt: skip
        monkeypatch.setattr(cache, name, value)
    sources = {
        "src/lexfield/__init__.py": "",
        "src/lexfield/used.py": "VALUE = 1\n",
        "src/lexfield/in_worker.py": "",
        "src/lexfield/unused.py": "",
        "src/lexfield/words.txt": "a",
        "reproduce/helper.py": "",
        "reproduce/unhelpful.py": "",
        "reproduce/cache.py": "",
        "reproduce/results/kept.json": "{}",
        "reproduce/script.py": "import subprocess, sys\nfrom pathlib import Path\n"
        "import cache, helper, lexfield.used\n"
        "here = Path(__file__).parent\n"
        "(here.parent / 'src/lexfield/words.txt').read_text()\n"
        "(here / 'results/kept.json').read_text()\n"
        "subprocess.run([sys.executable, '-c', 'import lexfield.in_worker'], check=True)\n",
    }
    for name, text in sources.items():
        (tmp_path / name).write_text(text)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "src"))
    for _ in range(2):  # from sources, then from their compiled copies
        with cache.listing() as (environment, lists):
            script = str(tmp_path / "reproduce" / "script.py")
            subprocess.run([sys.executable, script], env=environment, check=True)
            known = cache.hashes(cache.opened(lists))
        assert set(known) >= {
            "reproduce/helper.py",
            *(f"src/lexfield/{n}" for n in ("__init__.py", "used.py", "in_worker.py", "words.txt")),
        }
        assert not any(name.partition("un")[1] for name in known) and len(known) <= 6
    (tmp_path / "src/lexfield/used.py").write_text('"""Says."""\nVALUE = 1  # one\n')
    (tmp_path / "src/lexfield/unused.py").write_text("CHANGED = True")
    assert cache.changed(known) == []
    (tmp_path / "src/lexfield/used.py").write_text("VALUE = 2\n")
    (tmp_path / "src/lexfield/words.txt").unlink()
    assert cache.changed(known) == ["src/lexfield/used.py", "src/lexfield/words.txt"]


def test_data_by_content(reproduce: None, tmp_path: Path) -> None:
    data_hash = module("cache").data_hash
    (tmp_path / "books").mkdir()
    (tmp_path / "books" / "a.txt").write_text("one")
    first = data_hash(tmp_path, ["books"])
    (tmp_path / "other.txt").write_text("not asked for")
    assert data_hash(tmp_path, ["books"]) == first != data_hash(tmp_path, []) == ""
    (tmp_path / "books" / "a.txt").write_text("two")
    assert data_hash(tmp_path, ["books"]) != first


def test_records(reproduce: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = module("cache")
    monkeypatch.setattr(cache, "RESULTS", tmp_path)
    monkeypatch.setattr(cache, "MADE", tmp_path / "made.json")
    (tmp_path / "x.json").write_text("{}")
    assert cache.recorded("x", ["x.json"]) is None
    (tmp_path / "x.json").write_text('{"seed": 7}')
    how = {"command": "c", "day": "2026-01-02", "minutes": 1.24}
    cache.record("x", {"src/a.py": "s"}, "d", ["x.json"], **how)
    known = cache.recorded("x", ["x.json"])
    assert (known["minutes"], known["seed"], known["command"]) == (1.2, 7, "c")
    assert known["commit"] and known["version"]
    (tmp_path / "x.json").write_text("[]")  # changed by hand, or made again without a record
    assert cache.recorded("x", ["x.json"]) is None


def test_the_page_never_claims_newer_results_than_there_are(
    reproduce: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, cache = module("run"), module("cache")
    item = next(item for item in module("catalogue").ITEMS if item.script == "lecture")
    known = cache.made()["lecture"]
    assert run.provenance(item).startswith(f"Made on {known['made']} by `lexfield reproduce lect")
    assert "changed since" not in run.provenance(item)
    with monkeypatch.context() as changed:
        changed.setattr(cache, "hashes", lambda paths: dict.fromkeys(known["files"], "another"))
        assert "**the script has changed since**" in run.provenance(item)
    monkeypatch.setattr(cache, "_sums", lambda outputs: {"lecture.json": "another"})
    assert "without a record" in run.provenance(item)


def test_a_run_continues_where_it_was_interrupted(
    reproduce: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, cache = module("run"), module("cache")
    monkeypatch.setattr(run, "HERE", tmp_path)
    monkeypatch.setattr(cache, "ROOT", tmp_path)
    monkeypatch.setattr(run, "write_report", lambda: None)
    monkeypatch.setattr(cache, "RESULTS", tmp_path)
    monkeypatch.setattr(cache, "MADE", tmp_path / "made.json")
    scripts = [module("catalogue").Script(name, (f"{name}.json",)) for name in ("first", "second")]
    for script in scripts:
        (tmp_path / f"{script.name}.py").write_text(
            "from pathlib import Path\n"
            "here = Path(__file__).parent\n"
            f"with open(here / 'ran', 'a') as file: file.write('{script.name} ')\n"
            f"assert '{script.name}' == 'first' or (here / 'repaired').is_file()\n"
            f"(here / '{script.name}.json').write_text('{{}}')\n"
        )
    options = argparse.Namespace(data=tmp_path, force=False)
    assert [run.run(script, options) for script in scripts] == [True, False]
    assert [run.state(script, tmp_path) for script in scripts] == ["fresh", "not run"]
    (tmp_path / "repaired").touch()
    assert [run.run(script, options) for script in scripts] == [True, True]
    assert (tmp_path / "ran").read_text().split() == ["first", "second", "second"]
    with (tmp_path / "first.py").open("a") as file:
        file.write("VALUE = 2")
    assert run.state(scripts[0], tmp_path) == "older than first.py"


def test_slips_are_kept_only_where_asked(reproduce: None) -> None:
    fidelity = module("fidelity")
    rng = np.random.default_rng(1)
    x, y = rng.standard_normal((60, 3)), rng.standard_normal((70, 3)) + 0.5
    ours = knn_divergence(x, y, k=4, estimator="plain", limit=False).value
    assert fidelity.knn_kl(x, y, 4) == pytest.approx(ours, abs=1e-6)
    printed = fidelity.knn_kl(x, y, 4, fidelity="as_published")
    shift = np.log(70 / 59)
    assert printed - shift == pytest.approx((ours - shift) / 3, abs=1e-4)
    p, q = np.array([1.0, 0]), np.array([0, 1.0])
    assert fidelity.hellinger(p, q) == pytest.approx(1)
    assert fidelity.hellinger(p, q, "as_published") == pytest.approx(2)
    with pytest.raises(ValueError, match="fidelity"):
        fidelity.hellinger(p, q, "exact")


def test_what_is_kept_of_a_corpus_can_be_shown(
    reproduce: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script, shown = module("zipf"), module("shown.hare")
    monkeypatch.setattr(script, "OUT", tmp_path / "zipf.json")
    monkeypatch.setattr(script, "VECTORS", ("default",))
    monkeypatch.setattr(script, "CLUSTERS", {"Gatsby": 35})
    monkeypatch.setattr(script, "seeds_of", lambda name: 2)
    texts = [path.read_text("utf-8") for path in sorted(TEXTS.glob("*-sea.txt"))]
    script.keep("Gatsby", script.measure("Gatsby", Corpus.of(texts)), "code")
    result = json.loads((tmp_path / "zipf.json").read_text("utf-8"))
    own = result["corpora"]["Gatsby"]
    assert own["words"]["exponent"][1] < own["words"]["exponent"][0] < own["words"]["exponent"][2]
    assert [row["model"] for row in own["clusters_default"]["nulls"]] == ["shuffled", "gaussian"]
    assert len(own["clusters_default"]["sizes"]) == 35
    for show in (
        shown.table_2,
        shown.figure_3,
        shown.figures_4_and_6,
        shown.table_5,
        shown.table_6,
    ):
        assert any(isinstance(block, module("page").Grid) for block in show(result))


def test_the_lecture(reproduce: None) -> None:
    lecture = module("lecture")
    rows = [*lecture.counting(), *lecture.frequencies(), *lecture.queries()]
    assert all(row["same"] for row in rows)
    slips = [*lecture.frequencies("as_published"), *lecture.queries("as_published")]
    assert [row["what"] for row in slips if not row["same"]] == [
        "Example 5, frequencies",
        "Example 8, order of the sites",
    ]
    stored = json.loads((FOLDER / "results" / "lecture.json").read_text("utf-8"))
    assert stored["as_printed"] == stored["rows"] == len(rows)


def test_items_by_name(reproduce: None) -> None:
    chosen = module("catalogue").chosen
    assert [item.name for item in chosen(["hare-table-1"])] == ["hare-table-1"]
    assert {item.script for item in chosen(["labels", "lecture"])} == {"labels", "lecture"}
    assert len(chosen(["krstovski"])) == 10
    with pytest.raises(SystemExit, match="nothing"):
        chosen(["nothing"])
