"""Which status an error has over HTTP."""

from __future__ import annotations

import logging

from lexfield.engine.worker import describe_failure
from lexfield.errors import InputError, LexfieldError, MissingExtraError, StoreError

OUT_OF_MEMORY = 507


class NotFoundError(InputError):
    """There is nothing at this address, or of this id."""


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
    """Log the current exception."""
    logging.getLogger("lexfield.serve").error("%s", describe_failure(what))


def status_of(error: LexfieldError) -> int:
    """404 nothing there, 400 wrong input, 501 a package is missing, 409 the index's state."""
    if isinstance(error, ServedError):
        return error.status
    kinds = ((NotFoundError, 404), (InputError, 400), (MissingExtraError, 501), (StoreError, 409))
    return next((status for kind, status in kinds if isinstance(error, kind)), 400)
