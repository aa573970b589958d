"""Words of languages that are written without spaces: Chinese, Japanese and Thai.

The dictionaries of ICU (extra ``cjk``) divide runs of these scripts; everything else is split as
usual. Without the extra, Han characters and kana are words of their own, and a run of Thai is one
word. Korean has spaces; its particles are cut off by its stemmer. docs/decisions/0019-languages.md
compares the packages that could do this.
"""

from __future__ import annotations

import re
import threading
from functools import cache
from importlib.util import find_spec
from typing import Any

from lexfield.errors import need
from lexfield.text.language_data import name_language
from lexfield.text.segment import split_words

SEGMENTED = ("zh", "ja", "th")
_RUN = re.compile(  # Thai, Lao, Myanmar, Khmer; kana; Han
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3041-\u30ff\u31f0-\u31ff\u3400-\u4dbf"
    "\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff]+"
)
_opened = threading.local()
_WITHOUT = {"th": "each run of letters is taken as one word"}


def split_unspaced(text: str) -> list[str]:
    """Return the words of a text, as written, in order; runs without spaces are divided by ICU."""
    words: list[str] = []
    end = 0
    for run in _RUN.finditer(text):
        words += split_words(text[end : run.start()])
        words += _divide(run[0])
        end = run.end()
    return words + split_words(text[end:])


def has_unspaced_letters(text: str) -> bool:
    """Does a text hold letters that ``split_unspaced`` divides into words?"""
    return not text.isascii() and _RUN.search(text) is not None


@cache
def has_segmenter() -> bool:
    """Is the extra ``cjk`` installed?"""
    return find_spec("icu") is not None


def note_missing_segmenter(language: str) -> str:
    """Return a note on what is done with a language whose words cannot be found."""
    done = _WITHOUT.get(language, "each character is taken as a word")
    return (
        f"{name_language(language).title()} is written without spaces; {done}. To split it into"
        " words: pip install 'lexfield[cjk]'"
    )


def _divide(run: str) -> list[str]:
    """Return the words of a run of letters without spaces."""
    breaks, text = _open_breaks(), need("icu", "cjk").UnicodeString(run)
    breaks.setText(text)
    words, start = [], 0
    for end in breaks:  # counts code units of UTF-16, as the slices of its strings do
        words += split_words(str(text[start:end])) if end - start == 1 else [str(text[start:end])]
        start = end
    return words


def _open_breaks() -> Any:
    """Return the iterator of this thread, which holds a text while it is used."""
    if not hasattr(_opened, "breaks"):
        icu = need("icu", "cjk")
        _opened.breaks = icu.BreakIterator.createWordInstance(icu.Locale.getRoot())
    return _opened.breaks
