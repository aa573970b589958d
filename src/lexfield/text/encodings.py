"""Which of the old encodings with one byte per character a text is in: the one in which it reads
as a language.

Every byte stands for something in most of these encodings, so a text can be decoded in all of them.
In the right one it has words of a language and only letters of its alphabet; in the others, signs
and capitals stand inside words: *caf‚*, *cafÚ* and *cafŽ* for *café*.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from lexfield.text.language import weigh_languages

_CYRILLIC = "абвгдежзийклмнопрстуфхцчшщьюя"
_GREEK = "αβγδεζηθικλμνξοπρσςτυφχψωάέήίόύώϊϋΐΰ"
_LETTERS = {  # beyond ASCII
    "bg": _CYRILLIC + "ъ", "ca": "àçèéíïòóúü·", "cs": "áčďéěíňóřšťúůýž", "da": "åæéøü",
    "de": "äéöüß", "el": _GREEK, "en": "àâçèéêïñöüæœ£", "es": "áéíñóúüªº", "et": "äõöüšž",
    "fi": "äåöéšž", "fr": "àâæçèéêëîïôùûüÿœ", "hr": "čćđšž", "hu": "áéíóöúüőű",
    "is": "áæéíðóöúýþ", "it": "àèéìíîòóù", "lt": "ąčęėįšųūž", "lv": "āčēģīķļņšūž",
    "nb": "åæéòôø", "nl": "áèéëïóöü", "pl": "ąćęłńóśźż", "pt": "àáâãçéêíóôõúüªº",
    "ro": "âîăşţșț", "ru": _CYRILLIC + "ъыэё", "sk": "áäčďéíĺľňóôŕšťúýž", "sl": "čšž",
    "sv": "äåéö", "tr": "âçîöûüğış", "uk": _CYRILLIC + "єіїґ",
}  # fmt: skip
_WESTERN = tuple("en de fr es it pt nl sv fi da nb ca is".split())
_CENTRAL = tuple("cs hr hu pl ro sk sl".split())
_BALTIC = ("et", "lt", "lv")
_SPOKEN = {  # the likelier of two in which a text reads the same comes first
    "cp1252": _WESTERN, "cp1250": _CENTRAL, "cp1254": ("tr",), "cp1257": _BALTIC,
    "iso8859_2": _CENTRAL, "iso8859_15": _WESTERN, "cp850": _WESTERN, "cp852": _CENTRAL,
    "cp857": ("tr",), "mac_roman": _WESTERN, "mac_latin2": _CENTRAL,
    "cp1251": ("ru", "bg", "uk"), "koi8_r": ("ru", "bg"), "koi8_u": ("uk",),
    "cp866": ("ru", "bg"), "cp1125": ("uk",), "iso8859_5": ("ru", "bg", "uk"),
    "mac_cyrillic": ("ru", "bg", "uk"),
    "cp1253": ("el",), "iso8859_7": ("el",), "cp737": ("el",),
}  # fmt: skip
_RARE = {  # what an encoding must fit better than those of Windows, in words
    "iso8859_2": 0.5, "iso8859_15": 0.5, "koi8_r": 0.5, "koi8_u": 0.5, "iso8859_5": 1.0,
    "iso8859_7": 0.5, "cp850": 1.5, "cp852": 1.5, "cp857": 1.5, "cp866": 0.5, "cp1125": 0.5,
    "cp737": 0.5, "mac_roman": 1.5, "mac_latin2": 2.0, "mac_cyrillic": 1.5,
}  # fmt: skip
_WEIGHT = 2.0  # of a wrong character, in words
_OTHER_SCRIPTS = ("bg", "el", "ru", "uk")
_SIGNS = frozenset("\xa0¡§«°»¿‘’‚“”„–—…€№\u00ad†•")  # usual in texts of all languages
_BEYOND = re.compile(rb"[\x80-\xff]")
_SAMPLE = 4000  # bytes
_BEFORE = 500  # bytes of a long line before one beyond ASCII
_WRONG = 0.1  # at most, of the characters beyond ASCII
_KNOWN = 0.02  # at least, of the words, in a text long enough to tell
_WORDS = 30  # are that long
_CAPITAL = 0.25  # of a wrong character, if most letters beyond ASCII are capitals
_MIXED = re.compile(r"[A-Za-z][^\W\d_A-Za-z]|[^\W\d_A-Za-z][A-Za-z]")
_STRAY = re.compile(r"(?<=\w)[‚„“”«»†•°§№…€](?=\w)")


def detect_by_words(data: bytes) -> str:
    """Return the encoding in which a text that is not UTF-8 reads best, or nothing if it reads
    badly in all of them."""
    sample = _sample(data)
    beyond = sum(byte > 127 for byte in sample)
    best, most = "", float("-inf")
    for encoding in _SPOKEN:
        for fit, wrong, is_known in _weigh(sample, encoding):
            if wrong <= _WRONG * beyond and is_known and fit > most:
                best, most = encoding, fit
    return best


def _sample(data: bytes) -> bytes:
    """Return the lines from the middle of a text that have bytes beyond ASCII."""
    if len(data) <= _SAMPLE:
        return data
    pieces, size = [], 0
    middle = data.find(b"\n", len(data) // 2) + 1
    for start, end in ((middle, len(data)), (0, middle)):
        while size < _SAMPLE and (found := _BEYOND.search(data, start, end)):
            line = data.rfind(b"\n", start, found.start()) + 1
            begin = max(start, line, found.start() - _BEFORE)
            newline = data.find(b"\n", begin, begin + _SAMPLE - size)
            start = newline + 1 if newline >= 0 else min(end, begin + _SAMPLE - size)
            pieces.append(data[begin:start])
            size += start - begin
    return b"".join(pieces)


def _weigh(sample: bytes, encoding: str) -> Iterator[tuple[float, float, bool]]:
    """Yield, for each language that is written in an encoding, how well a text fits it, how many of
    its characters are wrong, and whether enough of its words are known."""
    try:
        text = sample.decode(encoding)
    except UnicodeDecodeError:
        return
    words = len(text.split())
    beyond = [char for char in text if char > "\x7f"]
    capitals = sum(char.isupper() for char in beyond)
    wrong: float = sum(one.islower() and two.isupper() for one, two in pairwise(text))
    wrong += len(_STRAY.findall(text))
    if capitals * 2 > len(beyond):
        wrong += _CAPITAL * capitals
    evidence = weigh_languages(text)
    for language in _SPOKEN[encoding]:
        letters = _LETTERS[language]
        own = wrong + sum(
            char not in _SIGNS and char.lower().removesuffix("\u0307") not in letters
            for char in beyond
        )
        if language in _OTHER_SCRIPTS:
            own += len(_MIXED.findall(text))
        known = evidence[language]
        fit = known - _WEIGHT * own - _RARE.get(encoding, 0.0)
        yield fit, own, words < _WORDS or known >= _KNOWN * words
