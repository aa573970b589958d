"""Build the documentation into site/: ``python scripts/build_site.py [FOLDER]``, offline.

Pages are first copied, with these changes: the notebooks become pages, and links that leave docs
(``../reproduce/results/zipf.json``), which work on disk and on forges, point to copies of pictures
and data, or become plain text. Every warning is an error. Search then also works on pages that are
opened from the disk.
"""

from __future__ import annotations

import importlib
import json
import os
import posixpath
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
notebooks = importlib.import_module("scripts.run_notebooks")

ROOT = Path(__file__).parents[1]
_LINK = re.compile(r"(!?)\[([^\]]*)\]\(((?:\.\./)+[^)#\s]+)(#[^)\s]*)?\)")
_COPIED = (".png", ".json")
_BUNDLE = re.compile(r'<script src="([^"]*assets/)javascripts/bundle')
# On pages from the disk a browser starts no worker by its address, only by its code.
_FROM_DISK = """if (location.protocol === "file:") {
  const Started = Worker;
  const code = URL.createObjectURL(new Blob([%s], { type: "text/javascript" }));
  window.Worker = function () { return new Started(code); };
}
"""
_NOTEBOOK = re.compile(r"\]\((?:\.\./)+notebooks/(\w+)\.ipynb\)")


def build(target: Path) -> None:
    """Build the site in a folder that is replaced. Raise SystemExit if there is any warning."""
    with tempfile.TemporaryDirectory() as made:
        stage = Path(made)
        shutil.copytree(ROOT / "docs", stage / "docs")
        (stage / "docs" / "notebooks").mkdir()
        for path in notebooks.NOTEBOOKS:
            (stage / "docs" / "notebooks" / f"{path.stem}.md").write_text(
                notebooks.render(path), "utf-8"
            )
        for page in sorted((stage / "docs").rglob("*.md")):
            page.write_text(_point_links(page, stage / "docs"), "utf-8")
        config = (ROOT / "mkdocs.yml").read_text("utf-8")
        config = config.replace("paths: [src]", f"paths: ['{ROOT / 'src'}']")
        (stage / "mkdocs.yml").write_text(config, "utf-8")
        command = [sys.executable, "-m", "zensical", "build", "--strict", "-f", "mkdocs.yml"]
        environment = {**os.environ, "NO_COLOR": "1"}
        done = subprocess.run(
            command, cwd=stage, env=environment, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise SystemExit(done.stdout[-5000:] + done.stderr[-5000:])
        _search_from_disk(stage / "site")
        if target.exists():
            shutil.rmtree(target)
        shutil.copytree(stage / "site", target)


def _search_from_disk(site: Path) -> None:
    """Write what search needs where nothing can be fetched: its index and its worker as scripts."""
    (worker,) = (site / "assets" / "javascripts" / "workers").glob("search.*.js")
    code = _FROM_DISK % json.dumps(worker.read_text("utf-8"))
    (site / "assets" / "disk.js").write_text(code, "utf-8")
    index = (site / "search.json").read_text("utf-8")
    (site / "search.js").write_text(f"var __index = {index}", "utf-8")
    for page in site.rglob("*.html"):
        text = page.read_text("utf-8")
        added = r'<script src="\1disk.js"></script><script src="\1javascripts/bundle'
        page.write_text(_BUNDLE.sub(added, text), "utf-8")


def _point_links(page: Path, docs: Path) -> str:
    """Return the text of a page whose links stay within the site."""
    folder = Path("docs") / page.relative_to(docs).parent

    def point(found: re.Match[str]) -> str:
        mark, text, link, anchor = found.groups()
        path = Path(os.path.normpath(folder / link))
        if path.parts[0] == "docs":
            return found[0]
        if path.suffix not in _COPIED or not (ROOT / path).is_file():
            return text
        copy = docs / path
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, copy)
        return f"{mark}[{text}]({posixpath.relpath(f'docs/{path}', folder)}{anchor or ''})"

    text = page.read_text("utf-8")
    up = "../" * (len(folder.parts) - 1)
    text = _NOTEBOOK.sub(lambda found: f"]({up}notebooks/{found[1]}.md)", text)
    return _LINK.sub(point, text)


if __name__ == "__main__":
    build(Path(sys.argv[1]).absolute() if len(sys.argv) > 1 else ROOT / "site")
