"""What is done to words before they are counted, recorded with every corpus."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Normalisation:
    """Lower case, canonical Unicode (NFC), and one apostrophe for all that are typed."""

    lower: bool = True
    nfc: bool = True
    apostrophe: bool = True

    def __call__(self, text: str) -> str:
        if not text.isascii():
            if self.nfc:
                text = unicodedata.normalize("NFC", text)
            if self.apostrophe:
                text = text.replace("’", "'").replace("ʼ", "'")
        return text.lower() if self.lower else text
