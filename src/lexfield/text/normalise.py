"""What is done to words before they are counted, recorded with every corpus."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cache

from lexfield.text.segment import character_ranges
from lexfield.text.stem import NONE, check_stemmer

_MOST_MARKS = 30  # on one letter, as in Unicode's stream-safe format; sorting more takes n² time


@dataclass(frozen=True, slots=True)
class Normalisation:
    """Lower case, canonical Unicode (NFC), and one apostrophe for all that are typed.

    ``stem`` names the Snowball stemmer of an index's bags (english, german, …). Texts and words
    stay as they are, for word vectors know words; bag queries count and compare stems.
    """

    lower: bool = True
    nfc: bool = True
    apostrophe: bool = True
    stem: str = NONE

    def __post_init__(self) -> None:
        check_stemmer(self.stem)

    def __call__(self, text: str) -> str:
        if not text.isascii():
            if self.nfc and not unicodedata.is_normalized("NFC", text):
                text = unicodedata.normalize("NFC", _long_runs().sub(_shortened, text))
            if self.apostrophe:
                text = text.replace("’", "'").replace("ʼ", "'")
        return text.lower() if self.lower else text


@cache
def _long_runs() -> re.Pattern[str]:
    marks = [code for code in range(0x300, 0x1F000) if unicodedata.combining(chr(code))]
    return re.compile(f"[{character_ranges(marks)}]{{{_MOST_MARKS + 1},}}")


def _shortened(run: re.Match[str]) -> str:
    return run[0][:_MOST_MARKS]
