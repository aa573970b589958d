"""Reading documents: our readers beside the library under each.

The library alone does the least that must be done: PDFium extracts the text of every page, zipfile
unpacks and expat parses without handlers, html.parser and the email package parse. Ours also finds
metadata, the main text and the order of parts, joins divided words and double-spaced lines, and
tells what was left out. Measured in processor time, that of the process which reads PDFs and its
start included; the best of several runs. The PDF is a book, the others are made of another.
"""

from __future__ import annotations

import email
import io
import resource
import zipfile
from collections.abc import Callable
from html import escape
from html.parser import HTMLParser
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from xml.parsers import expat

from harness import rounded

from lexfield.text.read import Reader

MANY, REPEAT = 20, 5  # copies of the PDF in a folder, where the process is started once


def run(data: Path) -> dict[str, Any]:
    pdf = data / "formats" / "carroll-wonderland.pdf"
    book = (data / "gatsby" / "gatsby.txt").read_text("utf-8")
    parts = [escape(part) for part in book.split("\n\n")]
    page = "".join(f"<p>{part}</p>\n" for part in parts)
    body = "".join(f"<w:p><w:r><w:t>{part}</w:t></w:r></w:p>" for part in parts)
    with TemporaryDirectory() as name:
        folder = Path(name)
        docx, html, mail = folder / "a.docx", folder / "a.html", folder / "a.eml"
        html.write_text(f"<html><body>{page}</body></html>", "utf-8")
        mail.write_text(f"Subject: A book\nContent-Type: text/plain\n\n{book}", "utf-8")
        with zipfile.ZipFile(docx, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("[Content_Types].xml", "<Types/>")
            archive.writestr("word/document.xml", f'<w:d xmlns:w="w">{body}</w:d>')
        many = folder / "many"
        many.mkdir()
        for number in range(MANY):
            (many / f"{number}.pdf").write_bytes(pdf.read_bytes())
        return {
            "PDF": _compare(pdf, "PDFium", _extract),
            f"PDF, {MANY} in a folder": _compare(many, "PDFium", _extract),
            "DOCX": _compare(docx, "zipfile and expat", _parse_package),
            "HTML": _compare(html, "html.parser", _parse_page),
            "e-mail": _compare(mail, "email", _parse_mail),
        }


def _compare(path: Path, library: str, alone: Callable[[Path], object]) -> dict[str, Any]:
    files = sorted(path.iterdir()) if path.is_dir() else [path]
    own = _measure(lambda: list(Reader(path)))
    theirs = _measure(lambda: [alone(file) for file in files])
    return {
        "ratio": rounded(own / theirs),
        "library": library,
        "cpu_seconds": rounded(own),
        "library_cpu_seconds": rounded(theirs),
    }


def _measure(work: Callable[[], object]) -> float:
    """Return the least processor time of several runs, with that of processes that were ended."""
    best = float("inf")
    for _ in range(REPEAT):
        start = _count()
        work()
        best = min(best, _count() - start)
    return best


def _count() -> float:
    used = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in used)


def _extract(path: Path) -> list[str]:
    import pypdfium2

    pdf = pypdfium2.PdfDocument(path.read_bytes())
    return [page.get_textpage().get_text_range() for page in pdf]


def _parse_package(path: Path) -> None:
    with zipfile.ZipFile(io.BytesIO(path.read_bytes())) as archive:
        expat.ParserCreate().Parse(archive.read("word/document.xml"), True)


def _parse_page(path: Path) -> None:
    HTMLParser().feed(path.read_text("utf-8"))


def _parse_mail(path: Path) -> object:
    return email.message_from_bytes(path.read_bytes()).get_payload(decode=True)
