"""Errors over HTTP: their statuses, and what is logged about faults."""

from __future__ import annotations

import logging
from collections.abc import Mapping

from lexfield.engine.worker import describe_failure
from lexfield.errors import (
    InputError,
    LexfieldError,
    MissingExtraError,
    StoreError,
    UnknownDocumentError,
)

OUT_OF_MEMORY = 507
FAULT = {"error": "This is a fault in lexfield.", "hint": "Please report it."}


class NotFoundError(InputError):
    """There is nothing at this address, or of this id."""


class InvalidError(InputError):
    """A parameter that is unknown, missing or out of bounds."""


class ChangedIndexError(LexfieldError):
    """An index, models or vectors are no longer in the state that was asked about."""


class ServedError(LexfieldError):
    """An error with a status of its own, such as one that a worker has reported."""

    def __init__(
        self, message: str, hint: str, status: int, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(message, hint)
        self.status, self.headers = status, headers


_STATUSES: dict[type[LexfieldError], int] = {
    NotFoundError: 404,
    UnknownDocumentError: 404,
    InvalidError: 422,
    InputError: 400,
    MissingExtraError: 501,
    StoreError: 409,
}


def status_of(error: LexfieldError) -> int:
    """Return the status of an error; 409 means that an index is not in the right state."""
    if isinstance(error, ServedError):
        return error.status
    return next((code for kind, code in _STATUSES.items() if isinstance(error, kind)), 400)


def describe_problem(error: LexfieldError) -> dict[str, str]:
    """Return an error as a body says it, with lone surrogates, which UTF-8 lacks, as codes."""
    said = {"error": error.message, "hint": error.hint}
    return {name: text.encode("utf-8", "backslashreplace").decode() for name, text in said.items()}


def log_fault(what: str) -> None:
    """Log the current exception."""
    logging.getLogger("lexfield.serve").error("%s", describe_failure(what))
