"""RTF: the text of the body, without fonts, styles, pictures, headers and footnotes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lexfield.errors import ReadError
from lexfield.text.document import Document
from lexfield.text.source import CUT_OFF, Source, name_text

_TOKEN = re.compile(
    rb"\\([a-zA-Z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-fA-F]{2})|\\([^a-zA-Z])|([{}])|[\r\n]+"
    rb"|([^\\{}\r\n]+)"
)
_SKIP = frozenset(
    b"fonttbl colortbl stylesheet pict object header headerl headerr headerf footer footerl footerr"
    b" footerf footnote annotation themedata datastore listtable listoverridetable rsidtbl xmlnstbl"
    b" generator fldinst latentstyles".split()
)
_WORDS = {
    b"par": "\n\n", b"sect": "\n\n", b"page": "\n\n", b"row": "\n", b"line": "\n", b"tab": "\t",
    b"cell": "\t", b"emdash": "—", b"endash": "–", b"lquote": "‘", b"rquote": "’",
    b"ldblquote": "“", b"rdblquote": "”", b"bullet": "•", b"emspace": " ", b"enspace": " ",
}  # fmt: skip
_SYMBOLS = {b"~": "\u00a0", b"_": "-", b"\n": "\n\n", b"\r": "\n\n"}
_FIELDS = {b"title": "title", b"author": "author", b"creatim": "date"}
_DATE = {b"yr": "{:04}", b"mo": "-{:02}", b"dy": "-{:02}"}  # in this order
_DEEPEST = 5000


_CHARSETS = {
    128: "cp932", 129: "cp949", 134: "cp936", 136: "cp950", 161: "cp1253", 162: "cp1254",
    163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251", 222: "cp874",
    238: "cp1250",
}  # fmt: skip


class _Reader:
    """The state of a group: where its text goes (None: nowhere), characters after ``\\u``, and the
    encoding of its font."""

    def __init__(self) -> None:
        self.body: list[str] = []
        self.fields: dict[str, list[str]] = {}
        self.into: list[str] | None = self.body
        self.fallback = 1  # characters that follow a Unicode character, for old readers
        self.left = 0  # of them still to come
        self.codec = self.usual = "cp1252"  # of the font, and of fonts that name none
        self.fonts: dict[int | None, str] = {}
        self.font: int | None = None
        self.pending = bytearray()  # bytes that may be half a character
        self.groups: list[tuple[list[str] | None, int, str]] = []

    def flush(self) -> None:
        if self.pending and self.into is not None:
            self.into.append(self.pending.decode(self.codec, "replace"))
        self.pending.clear()

    def put(self, text: str) -> None:
        self.flush()
        if self.into is not None:
            self.into.append(text)

    def put_bytes(self, data: bytes) -> None:
        used = min(self.left, len(data))
        self.left -= used
        self.pending += data[used:]

    def control(self, word: bytes, number: int | None) -> None:
        self.flush()
        if word in _SKIP:
            self.into = None
        elif word == b"info":
            self.into = None  # but for its groups with a title, an author and a date
        elif word in _FIELDS and self.into is None:
            self.into = self.fields.setdefault(_FIELDS[word], [])
        elif word in _DATE and number is not None and self.into is self.fields.get("date", ()):
            self.put(_DATE[word].format(number))
        elif word == b"ansicpg" and number is not None:
            self.codec = self.usual = _find_codec(number)
        elif word == b"f":
            self.font, self.codec = number, self.fonts.get(number, self.usual)
        elif word == b"fcharset" and number in _CHARSETS:
            self.fonts[self.font] = _CHARSETS[number]
        elif word == b"uc" and number is not None:
            self.fallback = min(max(number, 0), 100)
        elif word == b"u" and number is not None:
            self.put(chr(number % 65536))
            self.left = self.fallback
        elif word in _WORDS:
            self.put(_WORDS[word])


def _find_codec(page: int) -> str:
    try:
        "".encode(f"cp{page}")
        return f"cp{page}"
    except LookupError:
        return "cp1252"


def read(source: Source) -> Iterator[Document]:
    """Read an RTF document."""
    data = source.data()
    if not data.lstrip().startswith(b"{\\rtf"):
        what = "empty" if not data else "not an RTF document"
        raise ReadError(
            f"{source} is {what}.", "Rename it, or say what it is, as in --format text."
        )
    state = _Reader()
    place = 0
    while token := _TOKEN.match(data, place):
        place = token.end()
        word, number, code, symbol, brace, text = token.groups()
        if word == b"bin":
            place += max(int(number or 0), 0)
        elif word:
            state.control(word, None if number is None else int(number))
        elif code:
            state.put_bytes(bytes.fromhex(code.decode()))
        elif symbol == b"*":
            state.into = None
        elif symbol in (b"\\", b"{", b"}"):
            state.put_bytes(symbol)
        elif symbol:
            state.put(_SYMBOLS.get(symbol, ""))
        elif brace == b"{":
            state.flush()
            if len(state.groups) >= _DEEPEST:
                raise ReadError(f"{source} is nested more than {_DEEPEST:,} groups deep.")
            state.groups.append((state.into, state.fallback, state.codec))
        elif brace:
            state.flush()
            state.left = 0
            if state.groups:
                state.into, state.fallback, state.codec = state.groups.pop()
        elif text:
            state.put_bytes(text)
    state.flush()
    if state.groups or place < len(data.rstrip(b"\0")):
        source.notes.append(f"{source}: {CUT_OFF}")
    yield Document(name_text(source), _join(state.body), str(source), {
        name: text for name, parts in state.fields.items() if (text := _join(parts))
    })  # fmt: skip


def _join(parts: list[str]) -> str:
    text = "".join(parts).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return re.sub(r"\n{3,}", "\n\n", text).strip()
