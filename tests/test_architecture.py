"""The floor plan holds: imports point downward, files are short, imports are cheap."""

from __future__ import annotations

import ast
import graphlib
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

import lexfield

SOURCE = Path(lexfield.__file__).parent
# A package may import those before it in this list, and its own modules.
LAYERS = [
    "arrays", "errors", "progress", "registry", "specs", "plottable", "results", "store", "engine",
    "sample", "text", "bags", "vectors", "topics", "metric", "explain", "compare", "ranks",
    "evaluate", "index", "search", "reuse", "plots", "cluster", "study", "verbs", "shortcuts",
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
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = (node.end_lineno or 0) - node.lineno + 1
            assert length <= 60, f"{node.name} has {length} lines"


def test_a_class_name_means_one_thing() -> None:
    named: dict[str, list[str]] = {}
    for path in FILES:
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                named.setdefault(node.name, []).append(module_of(path))
    assert {name: places for name, places in named.items() if len(places) > 1} == {}


def module_of(path: Path) -> str:
    name = ".".join(("lexfield", *path.relative_to(SOURCE).with_suffix("").parts))
    return name.removesuffix(".__init__")


MODULES = {module_of(path): path for path in FILES}


def imported_modules(tree: ast.AST) -> set[str]:
    """The modules of the package that are imported anywhere in a tree."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= names & set(MODULES) or {node.module} & set(MODULES)
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names} & set(MODULES)
    return found


def imported_at_top(tree: ast.Module) -> set[str]:
    """The modules that are imported when a file is imported, or for its types."""
    kinds = (ast.Import, ast.ImportFrom, ast.If)
    blocks: list[ast.stmt] = [node for node in tree.body if isinstance(node, kinds)]
    return imported_modules(ast.Module(blocks, []))


def test_no_modules_import_each_other() -> None:
    """``lexfield`` itself imports names when they are used, so it is left out."""
    graph = {
        name: imported_at_top(ast.parse(path.read_text("utf-8"))) - {"lexfield", name}
        for name, path in MODULES.items()
        if name != "lexfield"
    }
    cycle = find_cycle(graph)
    assert not cycle, " → ".join(cycle)


def find_cycle(graph: dict[str, set[str]]) -> list[str]:
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        return list(error.args[1])
    return []


def test_own_modules_are_imported_at_the_top() -> None:
    for name, path in MODULES.items():
        tree = ast.parse(path.read_text("utf-8"))
        deferred = {
            other
            for node in ast.walk(tree)
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            for other in imported_modules(node)
        }
        assert not deferred, f"{name} imports {deferred} inside a function"


@pytest.mark.parametrize("package", ["cluster", "study"])
def test_optional_packages_are_leaves(package: str) -> None:
    """Only what runs commands imports them."""
    users = {
        "cluster": {"verbs", "shortcuts.py", "serve", "cli"},
        "study": {"verbs", "serve", "cli"},
    }
    for path in FILES:
        here = path.relative_to(SOURCE).parts[0]
        if here not in {package, "__init__.py", *users[package]}:
            assert package not in imported(ast.parse(path.read_text("utf-8"))), path


def test_import_is_lazy() -> None:
    code = "import lexfield, lexfield.cli.main, sys; print({'numpy', 'scipy'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_a_verb_loads_no_heavy_package_until_it_needs_one() -> None:
    code = (
        "import sys; from lexfield.verbs import list_verbs\n"
        "list_verbs()['search'].load()\n"
        "print({'scipy', 'sklearn', 'numba', 'pandas'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_the_diagram_shows_the_imports(monkeypatch: pytest.MonkeyPatch) -> None:
    root = Path(__file__).parents[1]
    monkeypatch.syspath_prepend(root / "scripts")
    script = runpy.run_path(str(root / "scripts" / "make_architecture_page.py"))
    drawn = (root / "docs" / "pictures" / "architecture.svg").read_text("utf-8")
    assert script["draw"]() == drawn, "run scripts/make_architecture_page.py"
