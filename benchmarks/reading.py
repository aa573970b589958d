"""Reading documents: our readers beside the library under each.

The library alone does the least that must be done: PDFium extracts the text of every page, zipfile
unpacks and expat parses without handlers, html.parser and the email package parse. Ours also finds
metadata, the main text and the order of parts, joins divided words and double-spaced lines, and
tells what was left out. Measured in processor time, that of the process which reads PDFs and its
start included; the best of several runs. The PDF and one DOCX are books, the others are made of
another. Where they are installed, docx2txt and python-docx read the DOCX, too: they do what we do
with it, which bare expat does not.
"""

from __future__ import annotations

import email
import io
import resource
import subprocess
import sys
import zipfile
from collections.abc import Callable
from html import escape
from html.parser import HTMLParser
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from xml.parsers import expat

from harness import rounded

from lexfield.text.read import Reader

MANY, REPEAT = 20, 5  # copies of the PDF in a folder, where the process is started once
_PROGRAM = """import sys, pypdfium2
for page in pypdfium2.PdfDocument(sys.argv[1]): page.get_textpage().get_text_range()"""


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
        written = data / "formats" / "carroll-lookingglass.docx"
        peers = {"docx2txt": ("docx2txt", _process), "python-docx": ("docx", _join_paragraphs)}
        return {
            "PDF": _compare(pdf, "PDFium", _extract),
            "PDF, beside a program": _compare(pdf, "PDFium, started for it", _start_and_extract),
            f"PDF, {MANY} in a folder": _compare(many, "PDFium", _extract),
            "DOCX": _compare(docx, "zipfile and expat", _parse_package),
            **{
                f"DOCX, {name}": _compare(written, name, read)
                for name, (module, read) in peers.items()
                if find_spec(module)
            },
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


def _start_and_extract(path: Path) -> None:
    subprocess.run([sys.executable, "-c", _PROGRAM, str(path)], check=True)


def _process(path: Path) -> object:
    return import_module("docx2txt").process(str(path))


def _join_paragraphs(path: Path) -> str:
    return "\n".join(one.text for one in import_module("docx").Document(str(path)).paragraphs)


def _parse_package(path: Path) -> None:
    with zipfile.ZipFile(io.BytesIO(path.read_bytes())) as archive:
        expat.ParserCreate().Parse(archive.read("word/document.xml"), True)


def _parse_page(path: Path) -> None:
    HTMLParser().feed(path.read_text("utf-8"))


def _parse_mail(path: Path) -> object:
    return email.message_from_bytes(path.read_bytes()).get_payload(decode=True)
