"""Measure the source: lines, files, longest functions, imports and uses of Any.

    python scripts/measure_source.py

The architecture test and the architecture page use the same functions.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src" / "lexfield"


def name_module(path: Path) -> str:
    """Return the dotted name of a file: ``lexfield.text.corpus``."""
    parts = ["lexfield", *path.relative_to(SOURCE).with_suffix("").parts]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def name_package(module: str) -> str:
    """Return the package of a module; a module at the top is its own."""
    return module.split(".")[1] if "." in module else "lexfield"


def list_imports(path: Path, modules: set[str]) -> Iterator[tuple[str, bool]]:
    """Yield each of our modules that a file imports, and whether inside a function.

    Imports for type checkers only do not count.
    """
    tree = ast.parse(path.read_text("utf-8"))
    for node, is_deferred in _walk(tree.body, False):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            inner = [f"{node.module}.{alias.name}" for alias in node.names]
            names = [name if name in modules else node.module for name in inner]
        else:
            continue
        for name in names:
            if name in modules:
                yield name, is_deferred


def _walk(body: list[ast.stmt], is_deferred: bool) -> Iterator[tuple[ast.AST, bool]]:
    for node in body:
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        yield node, is_deferred
        inside = is_deferred or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        for field in ("body", "orelse", "finalbody", "handlers"):
            yield from _walk(getattr(node, field, []), inside)


def read_graph() -> dict[str, set[tuple[str, bool]]]:
    """Return for every module what it imports, and whether inside a function."""
    paths = sorted(SOURCE.rglob("*.py"))
    modules = {name_module(path) for path in paths}
    return {name_module(path): set(list_imports(path, modules)) for path in paths}


def find_cycle(graph: dict[str, set[tuple[str, bool]]]) -> list[str]:
    """Return the modules of an import cycle, or nothing; deferred imports count too."""
    done: set[str] = set()

    def visit(module: str, trail: list[str]) -> list[str]:
        if module in trail:
            return [*trail[trail.index(module) :], module]
        if module not in done:
            for other, _ in sorted(graph[module]):
                if other != module and (cycle := visit(other, [*trail, module])):
                    return cycle
            done.add(module)
        return []

    return next((cycle for module in sorted(graph) if (cycle := visit(module, []))), [])


def list_functions() -> Iterator[tuple[int, str]]:
    """Yield the length and the name of every function."""
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                length = (node.end_lineno or node.lineno) - node.lineno + 1
                yield length, f"{name_module(path)}.{node.name}"


def count_any() -> int:
    """Return how often the source uses ``Any``, imports aside."""
    return sum(
        isinstance(node, ast.Name) and node.id == "Any"
        for path in SOURCE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
    )


def count_lines() -> dict[str, tuple[int, int]]:
    """Return the lines and the files of every package."""
    found: dict[str, tuple[int, int]] = {}
    for path in SOURCE.rglob("*.py"):
        package = path.relative_to(SOURCE).parts[0]
        lines, files = found.get(package, (0, 0))
        found[package] = lines + path.read_text("utf-8").count("\n"), files + 1
    return found


def main() -> None:
    sizes = count_lines()
    for package, (lines, files) in sorted(sizes.items(), key=lambda item: -item[1][0]):
        print(f"{lines:7,} lines {files:4} files  {package}")
    total_lines, total_files = (sum(column) for column in zip(*sizes.values(), strict=True))
    graph = read_graph()
    deferred = sum(is_deferred for found in graph.values() for _, is_deferred in found)
    print(f"{total_lines:7,} lines {total_files:4} files  in all")
    print("longest function:", "{} lines, {}".format(*max(list_functions())))
    print("deferred imports of our own modules:", deferred)
    print("import cycle:", " → ".join(find_cycle(graph)) or "none")
    print("uses of Any:", count_any())


if __name__ == "__main__":
    main()
