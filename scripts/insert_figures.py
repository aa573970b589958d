"""Insert figures from the results of benchmarks and of the papers into README.md and docs.

    python scripts/insert_figures.py

A page says where: the table NAME replaces what stands between ``<!-- figures: NAME -->`` and
``<!-- end -->``. A test keeps the pages equal to the results.
"""

from __future__ import annotations

import importlib
import json
import re
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))
method_figures = importlib.import_module("scripts.method_figures")
RESULTS = ROOT / "benchmarks" / "results"
_BLOCK = re.compile(r"(<!-- figures: (\w+) -->\n).*?(<!-- end -->)", re.S)
# tasks of the leaderboard: how the table names them, by the name in the results
_TASKS = {
    "similar sentences": "similar sentences",
    "duplicates": "duplicate reports",
    "retrieval, cranfield": "Cranfield",
    "retrieval, med": "MED",
}
_RIVALS = (
    "best", "best (encoded)", "bm25s", "scikit-learn tf–idf", "wordllama", "MiniLM (int8)",
)  # fmt: skip
_LANGUAGES = {
    "en": "English", "fr": "French", "de": "German", "es": "Spanish", "ru": "Russian",
    "zh": "Chinese", "ar": "Arabic", "tr": "Turkish", "fi": "Finnish (unknown to the encoder)",
}  # fmt: skip
_NAMES = {"best": "lexfield", "best (encoded)": "lexfield with its encoder"}


def read(name: str) -> Any:
    """Return the results of a benchmark."""
    return json.loads((RESULTS / f"{name}.json").read_text("utf-8"))


def make_comparison() -> str:
    """Return the table of the README: quality and speed beside what people use today."""
    return "\n".join([*_compare_search(), "", *_compare_other()])


def _compare_search() -> Iterator[str]:
    methods = read("leaderboard")["methods"]
    rows = {name: methods[name]["tasks"] for name in _RIVALS}
    best = {task: max(tasks[task]["quality"] for tasks in rows.values()) for task in _TASKS}
    heads = [f"{text}, {rows['best'][task]['measure']}" for task, text in _TASKS.items()]
    yield f"| search | {' | '.join(heads)} | queries per second | reasons |"
    yield f"|---|{'---:|' * len(_TASKS)}---:|---|"
    for name, tasks in rows.items():
        cells = [
            f"**{value:.3f}**" if value == best[task] else f"{value:.3f}"
            for task in _TASKS
            for value in (tasks[task]["quality"],)
        ]
        speeds = [tasks[task]["queries_a_second"] for task in _TASKS]
        own = name in _NAMES
        cells += [f"{min(speeds):,.0f} to {max(speeds):,.0f}", "yes" if own else "no"]
        yield f"| {_NAMES.get(name, name)} | {' | '.join(cells)} |"


def _compare_other() -> Iterator[str]:
    reuse, style = read("reuse")["planted"]["reworded"], read("style")["c50"]
    wmd = read("search")["brown"]["peers"]
    ours, shingles = reuse["lexfield reuse"], reuse["shingles of 5 words"]
    yield "| other jobs | lexfield | others |"
    yield "|---|---|---|"
    yield (
        "| find reworded passages (plagdet) |"
        f" **{ours['plagdet']:.2f}** in {ours['processor seconds']:.1f} s |"
        f" difflib {reuse['difflib']['plagdet']:.2f} in"
        f" {reuse['difflib']['processor seconds']:.1f} s (processor time), shingles"
        f" {shingles['plagdet']:.2f}, sentence encoder {reuse['sentence encoder']['plagdet']:.2f} |"
    )
    yield (
        f"| name the author, 50 journalists | **{style['ours']['right']:.0%}** |"
        f" {_list_rivals(style)} |"
    )
    yield (
        f"| exact word mover's distance, Brown | {wmd['wmd_ms']:.0f} ms per query |"
        f" gensim {wmd['gensim_seconds']:.0f} s, same ranking |"
    )


def _list_rivals(style: Any) -> str:
    names = {"delta": "Delta", "svm": "linear SVM"}
    return ", ".join(f"{text} {style[key]['right']:.0%}" for key, text in names.items())


def make_scale() -> str:
    """Return the table of large collections: the time to a first answer, and of later ones."""
    results = read("scale")
    sizes = [name for name in results if name.endswith("sentences")]
    lines = [f"| | {' | '.join(sizes)} |", f"|---|{'---:|' * len(sizes)}"]

    def add(name: str, cell: Callable[[Any], str]) -> None:
        lines.append(f"| {name} | {' | '.join(cell(results[size]) for size in sizes)} |")

    add("bytes per sentence, texts included", lambda one: f"{one['bytes_per_sentence']['all']:.0f}")
    add("peak memory of building", lambda one: f"{one['build']['peak_mb'] / 1000:.1f} GB")
    add(
        "words indexed per processor second",
        lambda one: f"{one['build']['words_per_processor_second']:,.0f}",
    )
    add(
        "by the clock, on two cores",
        lambda one: f"{one['build']['words_per_second_by_the_clock']:,.0f}",
    )
    found = results[sizes[0]].items()
    methods = [name for name, one in found if isinstance(one, dict) and "first_answer" in one]
    for name in methods:
        add(f"`{name}`: first answer, new process", partial(_tell_first, name))
        add(f"`{name}`: later ones, median and worst", partial(_tell_later, name, ""))
        add("by the clock", partial(_tell_later, name, "_by_the_clock"))
    add("`best`: memory beyond the page cache", partial(_tell_memory, "best"))
    return "\n".join(lines)


def _tell_first(method: str, one: Any) -> str:
    return f"{one[method]['first_answer']['fresh process']['processor_seconds']:.2f} s"


def _tell_later(method: str, suffix: str, one: Any) -> str:
    median, worst = one[method][f"median_ms{suffix}"], one[method][f"worst_ms{suffix}"]
    return f"{median:.{0 if median >= 10 else 1}f} and {worst:.0f} ms"


def _tell_memory(method: str, one: Any) -> str:
    return f"{one[method]['resident_mb_beyond_page_cache']:.0f} MB"


def make_page() -> str:
    """Return the table of the page: from a click to the first result, in a browser."""
    results = read("page")
    limits, browser = results["limits"], results["browser"]
    lines = [
        "| from a click to its first result | median | 95 of 100 | limit |",
        "|---|---:|---:|---:|",
    ]
    for name, one in browser.items():
        limit = f"{limits[name]:,} ms" if name in limits else ""
        words = name.replace("_", " for ")
        lines.append(f"| {words} | {one['p50_ms']:.0f} ms | {one['p95_ms']:.0f} ms | {limit} |")
    longest = f"{results['longest_task_ms']:.0f} ms"
    return "\n".join([*lines, f"| longest task | | {longest} | {limits['long_task']} ms |"])


def make_languages() -> str:
    """Return the table of languages: what is recognised, and what is found across and within."""
    results = read("languages")
    heads = (
        "detected", "from English", "into English", "TF-IDF", "next sentence: bm25", "best",
        "set cover", "set cover, agreement", "divergence",
    )  # fmt: skip
    lines = [f"| | {' | '.join(heads)} |", f"|---{'|---' * len(heads)}|"]
    for code, name in _LANGUAGES.items():
        across, within = results["across"].get(code, {}), results["within"][code]
        values = [
            results["detection"]["lexfield"][code]["right"],
            *(across.get(key) for key in ("from English", "into English", "tf-idf")),
            *(within[method]["neighbour"] for method in ("bm25", "best", "setcover")),
            within["setcover"]["agreement"],
            within["divergence"],
        ]
        cells = ["" if one is None else f"{one:.3f}".replace("0.", ".", 1) for one in values]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def make_speed() -> str:
    """Return the table of `best` beside MiniLM: median milliseconds of processor time."""
    names = {
        "MiniLM (int8)": "MiniLM, 128 pieces",
        "MiniLM (int8), whole query": "MiniLM, whole query",
        "best": "`best`",
        "fitted (encoded)": "`fitted`",
        "best (encoded)": "`best` with the encoder",
    }
    lines = [f"| ms per query | {' | '.join(names.values())} |", f"|---{'|---:' * len(names)}|"]
    for task, found in read("beside_encoder")["milliseconds"].items():
        if all(name in found for name in names):
            cells = [f"{found[name]['median']:.1f}" for name in names]
            lines.append(f"| {task} | {' | '.join(cells)} |")
    return "\n".join(lines)


TABLES: dict[str, Callable[[], str]] = {
    "comparison": make_comparison,
    "languages": make_languages,
    "page": make_page,
    "scale": make_scale,
    "speed": make_speed,
    **method_figures.TABLES,
}


def insert(text: str) -> str:
    """Return a page with its tables as the results are now."""
    return _BLOCK.sub(lambda found: f"{found[1]}{TABLES[found[2]]()}\n{found[3]}", text)


def list_pages() -> list[Path]:
    """Return the pages that show figures."""
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return [page for page in pages if _BLOCK.search(page.read_text("utf-8"))]


if __name__ == "__main__":
    for path in list_pages():
        path.write_text(insert(path.read_text("utf-8")), "utf-8")
