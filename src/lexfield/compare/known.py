"""Texts whose author, or year, is known: what must not count twice when one of them is left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from lexfield.errors import InputError, list_fields, list_names
from lexfield.text.document import Document


def keep_known(documents: Sequence[Document], by: str, notes: list[str]) -> list[Document]:
    """Return the texts that have the field and words; notes name the others.

    Parts of one text (``--chunk``, ``--split``) are joined again and copies left out: otherwise a
    text that is left out would still be among the known ones.
    """
    has_field = [one for one in documents if one.metadata.get(by, "").strip()]
    if not has_field:
        fields = list_fields({name for one in documents for name in one.metadata})
        raise InputError(
            f"No text has the field {by!r}.",
            f"{fields} Join a table with the columns id and {by}: --metadata FILE.",
        )
    kept = join_parts([one for one in has_field if one.text.split()], by, notes)
    left_out = {
        f"without {by}": [one.id for one in documents if one not in has_field],
        "without words": [one.id for one in has_field if not one.text.split()],
    }
    seen: dict[str, Document] = {}
    copies = []
    for one in kept:
        first = seen.setdefault(" ".join(one.text.split()), one)
        if first is not one:
            copies.append(f"{one.id} ({first.id})")
    left_out["copies of another known text"] = copies
    notes += [f"left out, {why}: {list_names(names)}" for why, names in left_out.items() if names]
    return list(seen.values())


def join_parts(documents: Sequence[Document], by: str, notes: list[str]) -> list[Document]:
    """Return documents with the parts of one text joined, where they agree in the field."""
    groups: dict[tuple[str, str], list[Document]] = {}
    for one in documents:
        whole = one.metadata.get("part_of", one.id)
        groups.setdefault((whole, one.metadata.get(by, "")), []).append(one)
    if len(groups) == len(documents):
        return list(documents)
    notes.append(
        f"parts of one text count as one: {len(documents):,} parts of {len(groups):,} texts"
    )
    return [
        replace(parts[0], id=whole if len(parts) > 1 else parts[0].id,
                text="\n".join(part.text for part in parts))
        for (whole, _), parts in groups.items()
    ]  # fmt: skip
