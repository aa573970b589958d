"""Rows of csv and tsv files, as RFC 4180 has them.

The standard library's reader takes four to eight bytes for each character of a field, which is much
for a table whose fields are books; this one reads what it reads, and refuses what it refuses.
"""

from __future__ import annotations

from collections.abc import Iterator

from lexfield.errors import ReadError


class Rows:
    """Rows of fields from lines with their ends; a ``ReadError`` for what is no table.

    A quoted field may hold the delimiter, ends of lines, and quotes, each written twice.
    """

    def __init__(self, lines: Iterator[str], delimiter: str, longest: int, source: str) -> None:
        self._lines = lines
        self._source = source
        self._delimiter = delimiter
        self._longest = longest  # bytes of a field on several lines
        self.line = 0  # the number of the last line that was read

    def __iter__(self) -> Iterator[list[str]]:
        while line := self._next():
            if '"' in line:
                yield self._quoted(line)
            elif bare := line.rstrip("\r\n"):
                yield bare.split(self._delimiter)

    def _next(self) -> str:
        line = next(self._lines, "")
        self.line += bool(line)
        return line

    def _quoted(self, line: str) -> list[str]:
        """The fields of a row that begins with this line, where quotes may be."""
        fields = []
        at = 0
        while True:
            if line.startswith('"', at):
                field, line, at = self._in_quotes(line, at + 1)
            else:
                end = line.find(self._delimiter, at)
                end = len(line) if end < 0 else end
                field, at = line[at:end].rstrip("\r\n"), end
            fields.append(field)
            if not line.startswith(self._delimiter, at):
                if line[at:].strip("\r\n"):
                    raise self._error(f"{self._delimiter!r} expected after a closing quote")
                return fields
            at += 1

    def _in_quotes(self, line: str, at: int) -> tuple[str, str, int]:
        """A field from behind its opening quote, the line where it ends, and the place there."""
        before = bytearray()  # what stands on earlier lines
        start = at
        while True:
            end = line.find('"', at)
            if end >= 0 and line.startswith('"', end + 1):
                at = end + 2
                continue
            if end >= 0:
                field = before.decode("utf-8", "surrogatepass") + line[start:end]
                return field.replace('""', '"'), line, end + 1
            before += line[start:].encode("utf-8", "surrogatepass")
            if len(before) > self._longest:
                raise self._error(f"a field over {self._longest >> 20} MB")
            start = at = 0
            line = self._next()
            if not line:
                raise self._error("a quote is opened and not closed")

    def _error(self, problem: str) -> ReadError:
        return ReadError(f"{self._source}:{self.line}: {problem}.")
