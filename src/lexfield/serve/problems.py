"""Which status an error has over HTTP."""

from __future__ import annotations

import logging
import traceback

from lexfield.errors import InputError, LexfieldError, MissingExtraError, StoreError

OUT_OF_MEMORY = 507


class NotFoundError(InputError):
    """There is nothing at this address, or of this id."""


class InvalidError(InputError):
    """A parameter that is unknown, missing or out of bounds."""


class ChangedIndexError(LexfieldError):
    """An index, models or vectors are no longer in the state that was asked about."""


class ServedError(LexfieldError):
    """An error that a worker has met, with the status that it is told with."""

    def __init__(self, message: str, hint: str, status: int) -> None:
        super().__init__(message, hint)
        self.status = status


def problem(error: LexfieldError) -> dict[str, str]:
    return {"error": encodable(error.message), "hint": encodable(error.hint)}


def encodable(text: str) -> str:
    """Return text with its lone surrogates, which UTF-8 cannot hold, as codes."""
    return text.encode("utf-8", "backslashreplace").decode()


def log_fault(what: str) -> None:
    """Log the exception that is being handled; what a caller sent must not steer a terminal."""
    text = f"{what} failed\n{traceback.format_exc().rstrip()}"
    shown = "".join(c if c.isprintable() or c == "\n" else ascii(c)[1:-1] for c in text)
    logging.getLogger("lexfield.serve").error("%s", shown)


def status_of(error: LexfieldError) -> int:
    """Return the status of an error: 409 is the state of an index, 501 a missing package."""
    if isinstance(error, ServedError):
        return error.status
    kinds = (
        (NotFoundError, 404), (InvalidError, 422), (InputError, 400), (MissingExtraError, 501),
        (StoreError, 409),
    )  # fmt: skip
    return next((status for kind, status in kinds if isinstance(error, kind)), 400)
