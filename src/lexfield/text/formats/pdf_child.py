"""A program of its own that reads PDFs from standard input and writes JSON to standard output,
each after its length in eight bytes.

PDFium is written in C++, so whatever a file makes it do happens in this process, which may take
neither much memory nor much time, and may crash.
"""

from __future__ import annotations

import contextlib
import json
import math
import sys
import time
from typing import Any

MEMORY, SECONDS, LONGEST = 3 << 30, 120, 64 << 20  # bytes; of the processor; characters
_SPARSE = 10  # letters and marks per page, which a scan can have as a stamp
_BEGINNING = 200  # characters, which mostly suffice to see that a page is not sparse
_LOOKED_AT = 1000  # pages that are searched for pictures


def main() -> None:
    _limit("RLIMIT_AS", MEMORY)
    while size := int.from_bytes(sys.stdin.buffer.read(8)):
        _limit("RLIMIT_CPU", math.ceil(time.process_time()) + SECONDS)
        found = json.dumps(_read(sys.stdin.buffer.read(size))).encode()
        sys.stdout.buffer.write(len(found).to_bytes(8) + found)
        sys.stdout.buffer.flush()


def _limit(name: str, most: int) -> None:
    with contextlib.suppress(ImportError, ValueError, OSError):  # not on Windows
        import resource

        what = getattr(resource, name)
        hard = resource.getrlimit(what)[1]
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(what, (most, hard))


def _read(data: bytes) -> dict[str, Any]:
    import pypdfium2
    from pypdfium2 import raw

    try:
        pdf = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        is_locked = raw.FPDF_GetLastError() == raw.FPDF_ERR_PASSWORD or "assword" in str(error)
        return {"problem": "encrypted" if is_locked else "damaged"}
    pages: list[str] = []
    size = unread = pictured = 0
    for number in range(len(pdf)):
        try:
            page = pdf[number]
            pages.append(page.get_textpage().get_text_range())
        except pypdfium2.PdfiumError:
            unread += 1
            continue
        size += len(pages[-1])
        if size > LONGEST:
            return {"problem": "long"}
        if number < _LOOKED_AT and _is_sparse(pages[-1]):
            found = page.get_objects(filter=[raw.FPDF_PAGEOBJ_IMAGE], max_depth=3)
            pictured += next(iter(found), None) is not None
    is_scan = pictured > 0 and sum(map(_count_letters, pages)) < _SPARSE * len(pages)
    return {
        "problem": "scanned" if is_scan else "" if any(map(str.strip, pages)) else "empty",
        "pages": pages,
        "unread": unread,
        "pictures": pictured,
        "about": pdf.get_metadata_dict(),
        "language": _read_language(pdf, raw),
    }


def _is_sparse(page: str) -> bool:
    return _count_letters(page[:_BEGINNING]) < _SPARSE and _count_letters(page) < _SPARSE


def _count_letters(text: str) -> int:
    return len("".join(text.split()))


def _read_language(pdf: Any, raw: Any) -> str:
    with contextlib.suppress(Exception):  # an interface that PDFium calls experimental
        import ctypes

        buffer = (ctypes.c_ushort * 64)()
        size = raw.FPDFCatalog_GetLanguage(pdf.raw, buffer, ctypes.sizeof(buffer))
        return bytes(buffer)[: max(size - 2, 0)].decode("utf-16-le")
    return ""


if __name__ == "__main__":
    main()
