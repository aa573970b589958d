"""Notes on many files: which were skipped, and what was noticed in the others."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from lexfield.errors import LexfieldError, MissingExtraError, list_names

_SUMMARY = (  # a pattern of reasons, and what such files are called
    (re.compile("picture$"), "pictures"),
    (re.compile("^a scanned PDF"), "scanned PDFs"),
    (re.compile("encrypted"), "encrypted"),
    (re.compile("^(damaged|a damaged|empty)"), "damaged or empty"),
    (re.compile("^hidden$|^ignored$"), "hidden or ignored"),
    (re.compile(""), "others"),
)


def give_reason(error: LexfieldError, source: str) -> str:
    """Return why a file cannot be read, without its name: many have the same reason."""
    if isinstance(error, MissingExtraError):
        return f"needs{error.hint.partition(':')[2]}"
    reason = error.message.replace(f"{source} is ", "").replace(source, "").strip(": .")
    return re.sub(r"^(\d+): ", r"line \1: ", reason.removesuffix(", not text"))


def report_skipped(skipped: Sequence[tuple[str, str]], read: int) -> list[str]:
    """Return notes: how many files were read and how many of which kind were not, and why."""
    reasons: dict[str, list[str]] = {}
    for name, reason in skipped:
        reasons.setdefault(reason, []).append(name)
    notes = [
        f"skipped {len(names):,} ({reason}): {list_names(names, 3)}"
        for reason, names in reasons.items()
    ]
    kinds = Counter(
        next(name for pattern, name in _SUMMARY if pattern.search(reason)) for _, reason in skipped
    )
    parts = (f"{kind} {count:,}" for kind, count in kinds.most_common())
    summary = f"files read: {read:,}; skipped: {', '.join(parts)}"
    return [summary, *notes] if len(notes) > 1 else notes


def group_notes(notes: Sequence[str], files: Mapping[str, tuple[str, str]]) -> list[str]:
    """Merge identical notes on several files into one."""
    groups: dict[str, list[str]] = {}
    for note in notes:
        what = note.removeprefix(f"{files[note][0]}: ")
        groups.setdefault(what, []).append(note)
    return [
        f"{list_names([files[note][1] for note in same], 3)}: {what}" if same[1:] else same[0]
        for what, same in groups.items()
    ]
