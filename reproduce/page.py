"""A report made of sections: the same blocks as Markdown, and as one HTML file with its pictures.

Markdown links to pictures; HTML holds them, with at most 256 colours, which is plenty for plots.
"""

from __future__ import annotations

import base64
import io
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

LARGEST = 5_000_000  # bytes of the HTML file

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem;
  color: #1a1a1a; background: #fff }
h1, h2, h3 { line-height: 1.2 } h2 { margin-top: 3rem; border-bottom: 1px solid #ccc }
h3 { margin-top: 2.2rem }
table { border-collapse: collapse; font-size: .85rem; display: block; overflow-x: auto }
th, td { padding: .2rem .6rem; border-bottom: 1px solid #ddd; text-align: right;
  white-space: nowrap }
th:first-child, td:first-child { text-align: left }
tr:hover td { background: #f3f6fa }
td.text { text-align: left; white-space: normal; min-width: 14rem }
img { max-width: 100%; height: auto } .made { color: #666; font-size: .85rem }
nav ul { columns: 2; font-size: .9rem } code { background: #f1f1f1; padding: 0 .2em }
@media (prefers-color-scheme: dark) {
  body { color: #e6e6e6; background: #16181c } th, td { border-color: #333 }
  tr:hover td { background: #22262d } code { background: #2a2d33 } a { color: #8ab4f8 }
  img { background: #fff } .made { color: #aaa }
}
"""


@dataclass(frozen=True)
class Grid:
    """A table; cells are Markdown."""

    heads: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True)
class Picture:
    path: Path
    shows: str


Block = str | Grid | Picture  # a string is a paragraph


@dataclass
class Section:
    """One table or figure of a paper."""

    name: str
    title: str
    blocks: list[Block] = field(default_factory=list)
    made: str = ""


@dataclass
class Chapter:
    title: str
    sections: list[Section]


def markdown(title: str, lead: str, chapters: Sequence[Chapter], at: Path) -> str:
    """The report as Markdown; ``at`` is the file it is for, so that links can be relative."""
    lines = [f"# {title}", "", lead]
    for chapter in chapters:
        lines += ["", f"## {chapter.title}"]
        for section in chapter.sections:
            lines += ["", f"### {section.title}", ""]
            for block in section.blocks:
                lines += [*_as_markdown(block, at), ""]
            lines.append(f"*{section.made}*")
    return "\n".join(lines) + "\n"


def _as_markdown(block: Block, at: Path) -> list[str]:
    if isinstance(block, str):
        return [block]
    if isinstance(block, Picture):
        link = Path(os.path.relpath(block.path, at.parent)).as_posix()
        return [f"![{block.shows}]({link})"]
    columns = list(zip(*block.rows, strict=True)) or [()] * len(block.heads)
    text = [not at or any(map(_long, column)) for at, column in enumerate(columns)]
    lines = [block.heads, ["---" if left else "---:" for left in text], *block.rows]
    return ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in lines]


def html(title: str, lead: str, chapters: Sequence[Chapter]) -> str:
    """The report as one file that needs nothing else."""
    links, body = [], []
    for chapter in chapters:
        body.append(f"<h2>{escape(chapter.title)}</h2>")
        items = "".join(
            f'<li><a href="#{section.name}">{escape(section.title)}</a></li>'
            for section in chapter.sections
        )
        links.append(f"<p>{escape(chapter.title)}</p><ul>{items}</ul>")
        for section in chapter.sections:
            body.append(f'<h3 id="{section.name}">{escape(section.title)}</h3>')
            body += [_as_html(block) for block in section.blocks]
            body.append(f'<p class="made">{_inline(section.made)}</p>')
    policy = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
    page = (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{STYLE}</style></head><body>"
        f"<h1>{escape(title)}</h1><p>{_inline(lead)}</p><nav>{''.join(links)}</nav>"
        f"{''.join(body)}</body></html>\n"
    )
    if len(page.encode()) > LARGEST:
        raise ValueError(f"the report has {len(page):,} bytes, more than {LARGEST:,}")
    return page


def _as_html(block: Block) -> str:
    if isinstance(block, str):
        return f"<p>{_inline(block)}</p>"
    if isinstance(block, Picture):
        data = base64.b64encode(_small(block.path)).decode()
        return f'<p><img alt="{escape(block.shows)}" src="data:image/png;base64,{data}"></p>'
    head = "".join(f"<th>{_inline(cell)}</th>" for cell in block.heads)
    rows = "".join(f"<tr>{''.join(_cell(cell) for cell in row)}</tr>" for row in block.rows)
    return f"<table><tr>{head}</tr>{rows}</table>"


def _cell(text: str) -> str:
    kind = ' class="text"' if _long(text) else ""
    return f"<td{kind}>{_inline(text)}</td>"


def _long(text: str) -> bool:
    """Whether a cell is to be read, not compared."""
    return len(text) > 40


def _inline(text: str) -> str:
    """The little Markdown that blocks use: bold, emphasis, code; links keep their text only."""
    text = escape(text, quote=False).replace("&lt;br&gt;", "<br>").replace("\\*", "＊")
    text = re.sub(r"\[([^\]]+)\]\([^)]+\)", r"\1", text)
    text = re.sub(r"`([^`]+)`", r"<code>\1</code>", text)
    text = re.sub(r"\*\*([^*]+)\*\*", r"<b>\1</b>", text)
    text = re.sub(r"(?<![\w*])\*([^*\s][^*]*)\*(?![\w*])", r"<i>\1</i>", text)
    return text.replace("＊", "*")


def _small(path: Path) -> bytes:
    """A picture with 256 colours, where that is smaller."""
    from PIL import Image

    data = path.read_bytes()
    with Image.open(io.BytesIO(data)) as picture:
        out = io.BytesIO()
        picture.convert("RGB").quantize(256).save(out, "png", optimize=True)
    return min(data, out.getvalue(), key=len)
