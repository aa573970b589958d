"""Draw docs/pictures/architecture.svg: which package imports which, from the code itself.

    python scripts/make_architecture_page.py

A package stands above all that it imports. A line that follows from others is left out.
"""

from __future__ import annotations

import ast
from html import escape
from pathlib import Path

from measure_source import SOURCE, name_package, read_graph

PICTURE = Path(__file__).parents[1] / "docs" / "pictures" / "architecture.svg"
WIDTH, BOX_HEIGHT, ROW_HEIGHT, GAP = 980, 58, 96, 14


def read_packages() -> dict[str, set[str]]:
    """Return for every package which others it imports; small modules at the top are left out."""
    packages = {path.name for path in SOURCE.iterdir() if (path / "__init__.py").is_file()}
    found: dict[str, set[str]] = {package: set() for package in packages}
    for module, imported in read_graph().items():
        here = name_package(module)
        if here in packages:
            found[here] |= {name_package(other) for other, _ in imported} & packages - {here}
    return found


def order_rows(graph: dict[str, set[str]]) -> list[list[str]]:
    """Return the packages in rows, from the bottom: each row imports only from rows below."""
    depth: dict[str, int] = {}

    def measure(package: str) -> int:
        if package not in depth:
            depth[package] = 1 + max((measure(other) for other in graph[package]), default=-1)
        return depth[package]

    rows: list[list[str]] = [[] for _ in range(1 + max(map(measure, graph)))]
    for package in sorted(graph):
        rows[depth[package]].append(package)
    return rows


def drop_implied(graph: dict[str, set[str]]) -> dict[str, set[str]]:
    """Return the graph without the imports that follow from others."""

    def reach(package: str) -> set[str]:
        direct = graph[package]
        return direct | {far for other in direct for far in reach(other)}

    return {
        package: {
            other
            for other in direct
            if not any(other in reach(between) for between in direct - {other})
        }
        for package, direct in graph.items()
    }


def describe(package: str) -> str:
    """Return the first sentence of a package's docstring."""
    docstring = ast.get_docstring(ast.parse((SOURCE / package / "__init__.py").read_text("utf-8")))
    return " ".join((docstring or "").split()).split(": ")[0].split(". ")[0].rstrip(".")


def draw() -> str:
    """Return the diagram as SVG."""
    graph = read_packages()
    rows = order_rows(graph)
    height = ROW_HEIGHT * len(rows) + 20
    places: dict[str, tuple[float, float, float]] = {}
    for number, row in enumerate(rows):
        width = min(300.0, (WIDTH - GAP * (len(row) + 1)) / len(row))
        start = (WIDTH - len(row) * width - GAP * (len(row) - 1)) / 2
        for place, package in enumerate(row):
            top = height - ROW_HEIGHT * (number + 1)
            places[package] = (start + place * (width + GAP), top, width)
    lines = [
        f'<line x1="{places[a][0] + places[a][2] / 2:.0f}" y1="{places[a][1] + BOX_HEIGHT}"'
        f' x2="{places[b][0] + places[b][2] / 2:.0f}" y2="{places[b][1]}"/>'
        for a, others in sorted(drop_implied(graph).items())
        for b in sorted(others)
    ]
    boxes = [_draw_box(package, *places[package]) for package in sorted(places)]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}"'
            ' font-family="sans-serif" font-size="12">',
            f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>',
            '<g stroke="#9aa5b1" stroke-width="1.2">',
            *lines,
            "</g>",
            *boxes,
            "</svg>\n",
        ]
    )


def _draw_box(package: str, left: float, top: float, width: float) -> str:
    words, rows = describe(package).split(), [""]
    for word in words:
        if len(rows[-1]) + len(word) > width / 5.4:
            rows.append("")
        rows[-1] = f"{rows[-1]} {word}".strip()
    text = "".join(
        f'<text x="{left + 8:.0f}" y="{top + 32 + 12 * number}" font-size="10" fill="#52606d">'
        f"{escape(row)}</text>"
        for number, row in enumerate(rows[:2])
    )
    return (
        f'<rect x="{left:.0f}" y="{top}" width="{width:.0f}" height="{BOX_HEIGHT}" rx="6"'
        ' fill="#f0f4f8" stroke="#486581"/>'
        f'<text x="{left + 8:.0f}" y="{top + 17}" font-weight="bold" fill="#102a43">{package}'
        f"</text>{text}"
    )


if __name__ == "__main__":
    PICTURE.write_text(draw(), "utf-8")
