"""Run the notebooks and keep their results in them: ``python scripts/run_notebooks.py [NAME…]``.

Needs no Jupyter. The code of a notebook is run in one namespace, in an empty folder; of every cell
what it prints and the value of its last line are kept, as Jupyter shows them.
"""

from __future__ import annotations

import ast
import base64
import io
import json
import sys
import tempfile
from contextlib import chdir, redirect_stdout
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
_RICHEST = (("image/png", "_repr_png_"), ("text/html", "_repr_html_"))


def run(path: Path) -> Any:
    """Return a notebook with the results of its cells."""
    notebook = json.loads(path.read_text("utf-8"))
    names: dict[str, object] = {"__name__": "__main__"}
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        for number, cell in enumerate(cells, 1):
            cell["execution_count"] = number
            cell["outputs"] = _run_cell("".join(cell["source"]), names, f"{path.stem}, {number}")
    return notebook


def _run_cell(source: str, names: dict[str, object], where: str) -> list[Any]:
    tree = ast.parse(source, where)
    if tree.body and isinstance(last := tree.body[-1], ast.Expr):
        tree.body[-1] = ast.Assign([ast.Name("_", ast.Store())], last.value)
    names["_"], printed = None, io.StringIO()
    with redirect_stdout(printed):
        exec(compile(ast.fix_missing_locations(tree), where, "exec"), names)  # noqa: S102
    outputs: list[Any] = []
    if text := printed.getvalue():
        outputs.append({"output_type": "stream", "name": "stdout", "text": _split(text)})
    if names["_"] is not None:
        shown = _show(names["_"])
        outputs.append({"output_type": "display_data", "metadata": {}, "data": shown})
    return outputs


def _show(value: Any) -> dict[str, object]:
    """Return a value in the richest form that it has."""
    if hasattr(value, "savefig"):
        file = io.BytesIO()
        value.savefig(file, format="png", dpi=80)
        return {"image/png": base64.b64encode(file.getvalue()).decode()}
    for kind, method in _RICHEST:
        shown = getattr(value, method)() if hasattr(value, method) else None
        if isinstance(shown, bytes):
            return {kind: base64.b64encode(shown).decode()}
        if shown is not None:
            return {kind: _split(shown)}
    return {"text/plain": _split(repr(value))}


def _split(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def render(path: Path) -> str:
    """Return a notebook as a page of the documentation."""
    return render_cells(json.loads(path.read_text("utf-8"))["cells"], path.name)


def render_cells(cells: list[Any], name: str) -> str:
    """Return cells and their results as a page."""
    parts = []
    for cell in cells:
        source = "".join(cell["source"])
        is_code = cell["cell_type"] == "code"
        parts.append(f"```python\n{source}\n```" if is_code else source)
        parts += [_render_output(output) for output in cell.get("outputs", ())]
    parts.append(f"*This page is the notebook `notebooks/{name}`.*")
    return "\n\n".join(parts) + "\n"


def _render_output(output: Any) -> str:
    if output["output_type"] == "stream":
        return f"```text\n{''.join(output['text'])}```"
    data = output["data"]
    if "image/png" in data:
        return f'<img alt="" src="data:image/png;base64,{data["image/png"]}">'
    if "text/html" in data:
        html = "".join(data["text/html"])
        return f'<div class="result">{" ".join(html.split())}</div>'
    return f"```text\n{''.join(data['text/plain'])}\n```"


def main(names: list[str]) -> None:
    for path in NOTEBOOKS:
        if not names or path.stem in names:
            text = json.dumps(run(path), indent=1, ensure_ascii=False)
            path.write_text(f"{text}\n", "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
