"""The floor plan holds: imports point downward, files are short, imports are cheap."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import lexfield

SOURCE = Path(lexfield.__file__).parent
# A package may import those before it in this list, and its own modules.
LAYERS = [
    "arrays", "errors", "progress", "registry", "plottable", "results", "store", "engine", "sample",
    "text", "bags", "vectors", "topics", "metric", "explain", "diverge", "compare", "ranks",
    "evaluate", "index", "search", "plots", "cluster", "study", "answers", "verbs", "shortcuts",
    "serve", "cli", "__main__",
]  # fmt: skip
FILES = sorted(SOURCE.rglob("*.py"))


def layer(module: str) -> str:
    return module.split(".")[1] if "." in module else "__init__"


def imported(tree: ast.AST) -> set[str]:
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("lexfield."):
            found.add(layer(node.module or ""))
        elif isinstance(node, ast.Import):
            found |= {layer(a.name) for a in node.names if a.name.startswith("lexfield.")}
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(SOURCE)))
def test_imports_point_downward_and_files_are_short(path: Path) -> None:
    text = path.read_text("utf-8")
    assert text.count("\n") <= 400
    tree = ast.parse(text)
    here = path.relative_to(SOURCE).parts[0].removesuffix(".py")
    if here != "__init__":
        allowed = set(LAYERS[: LAYERS.index(here) + 1])
        assert imported(tree) <= allowed
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            length = (node.end_lineno or 0) - first_line(node) + 1
            assert length <= 60, f"{node.name} has {length} lines"


def first_line(node: ast.FunctionDef) -> int:
    """Return where a function begins. Signature and docstring of a verb are its declaration."""
    is_verb = any("verb" in ast.unparse(decorator) for decorator in node.decorator_list)
    return node.body[1].lineno if is_verb else node.lineno


def test_import_is_lazy() -> None:
    code = "import lexfield, lexfield.cli.main, sys; print({'numpy', 'scipy'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
