"""The file of a study: one SQLite database whose every row is checked before it is believed.

    study        what it is: kind, methods, seed, where the sentences come from
    query        what is asked about
    suggestion   a method's sentences for a query, best first
    participant  code to come back with, seed, group, background
    question     what a participant is shown, in order: ids of suggestions by place
    answer       the places that were chosen; written once, never changed

SQLite's own checks find broken pages, not changed text; so the fixed tables have one checksum
together, and participants, questions and answers one a row. A seal over every byte of the file,
also of those that hold nothing, stands in the head of the file, in SQLite's field for a version of
the user's (with its sign, so that no seal is a version): every transaction renews it. Checksums
find rot, not attackers. The tables must be exactly those made here: a file with a trigger or a view
is refused.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import xxhash

from lexfield.errors import (
    CorruptError,
    InputError,
    LockedError,
    NotAStoreError,
    StoreError,
    VersionError,
)
from lexfield.store.files import canonical_json

APPLICATION = 0x4C784653  # "LxFS"
SCHEMA = 1
_SEALED = 1 << 31
_COUNTERS = (24, 92)  # where the head of the file counts its changes, twice: not under the seal
_USER_VERSION, _WRITER = 60, 96  # where the seal stands, and which SQLite wrote last
_MOST_BYTES = 2_000_000_000
_RESTORE = "Restore it from a backup."
_TABLES = """
CREATE TABLE study (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE query (
  id INTEGER PRIMARY KEY,
  text TEXT NOT NULL CHECK (length(text) BETWEEN 1 AND 2000),
  level TEXT NOT NULL
) STRICT;
CREATE TABLE suggestion (
  id INTEGER PRIMARY KEY,
  query INTEGER NOT NULL REFERENCES query,
  method TEXT NOT NULL,
  place INTEGER NOT NULL,
  text TEXT NOT NULL CHECK (length(text) BETWEEN 1 AND 2000),
  UNIQUE (query, method, place)
) STRICT;
CREATE TABLE participant (
  id INTEGER PRIMARY KEY,
  code TEXT NOT NULL UNIQUE,
  seed INTEGER NOT NULL,
  grp TEXT NOT NULL,
  background TEXT NOT NULL CHECK (length(background) <= 2000),
  began TEXT NOT NULL,
  simulated INTEGER NOT NULL,
  sum TEXT NOT NULL
) STRICT;
CREATE TABLE question (
  participant INTEGER NOT NULL REFERENCES participant,
  place INTEGER NOT NULL,
  query INTEGER NOT NULL REFERENCES query,
  shown TEXT NOT NULL CHECK (length(shown) <= 2000),
  sum TEXT NOT NULL,
  PRIMARY KEY (participant, place)
) STRICT;
CREATE TABLE answer (
  participant INTEGER NOT NULL,
  place INTEGER NOT NULL,
  chosen TEXT NOT NULL CHECK (length(chosen) <= 100),
  given TEXT NOT NULL,
  sum TEXT NOT NULL,
  PRIMARY KEY (participant, place),
  FOREIGN KEY (participant, place) REFERENCES question
) STRICT;
"""


def check_sum(*values: object) -> str:
    """Changes when any of the values does."""
    return xxhash.xxh3_64_hexdigest(canonical_json(list(values)))


def fixed_sum(connection: sqlite3.Connection) -> str:
    """The checksum of what no participant changes."""
    return check_sum(
        connection.execute("SELECT * FROM study WHERE key <> 'sum' ORDER BY key").fetchall(),
        connection.execute("SELECT * FROM query ORDER BY id").fetchall(),
        connection.execute("SELECT * FROM suggestion ORDER BY id").fetchall(),
    )


def seal(connection: sqlite3.Connection) -> None:
    """Put the checksum of the whole file into it; inside the transaction that changes it."""
    image = bytearray(connection.serialize())
    if connection.in_transaction:
        image[_WRITER : _WRITER + 4] = _number(sqlite3.sqlite_version_info).to_bytes(4, "big")
    connection.execute(f"PRAGMA user_version = {_seal_of(image) - (1 << 32)}")


def unseal(connection: sqlite3.Connection) -> None:
    """Say that the file has no seal for now: while many changes are made at once."""
    connection.execute(f"PRAGMA user_version = {SCHEMA}")


def _seal_of(image: bytearray) -> int:
    for place in (*_COUNTERS, _USER_VERSION):
        image[place : place + 4] = bytes(4)
    return int(xxhash.xxh3_64_intdigest(image)) & (_SEALED - 1) | _SEALED


def _number(version: tuple[int, ...]) -> int:
    return version[0] * 1_000_000 + version[1] * 1_000 + version[2]


def _is_sealed(connection: sqlite3.Connection, path: Path) -> bool:
    """Whether every byte is as the last transaction left it; True too where there is no seal."""
    kept = connection.execute("PRAGMA user_version").fetchone()[0] & 0xFFFFFFFF
    if not kept & _SEALED:
        return True
    image = bytearray(connection.serialize())
    first, second = (image[place : place + 4] for place in _COUNTERS)
    return first == second and len(image) == path.stat().st_size and _seal_of(image) == kept


def new_database() -> sqlite3.Connection:
    """An empty study, in memory."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.execute(f"PRAGMA application_id = {APPLICATION}")
    connection.execute(f"PRAGMA user_version = {SCHEMA}")
    connection.executescript(_TABLES)
    return connection


def open_database(path: Path, durable: bool = True) -> sqlite3.Connection:
    """Open a study's file and check all of it.

    A rollback journal, not a log beside the file: the one file is the whole study, to be copied or
    sent. Every commit is flushed to the disk, the folder too (synchronous = EXTRA).
    """
    _check_header(path)
    mode = "rw" if os.access(path, os.W_OK) else "ro"
    with told(path):
        connection = sqlite3.connect(
            f"{Path(os.path.realpath(path)).as_uri()}?mode={mode}",
            uri=True,
            isolation_level=None,
            check_same_thread=False,
            timeout=20,
        )
        try:
            connection.execute("PRAGMA trusted_schema = OFF")
            connection.execute("PRAGMA cell_size_check = ON")
            connection.execute("PRAGMA foreign_keys = ON")
            connection.execute(f"PRAGMA synchronous = {'EXTRA' if durable else 'OFF'}")
            connection.execute("BEGIN")  # no writer comes between the checks
            _check_whole(connection, path)
            connection.execute("COMMIT")
        except BaseException:
            connection.close()
            raise
    return connection


def _check_header(path: Path) -> None:
    if not path.is_file():
        raise InputError(f"There is no study at {path}.", "Make one with: lexfield study new")
    if path.stat().st_size > _MOST_BYTES:
        raise InputError(f"{path} is larger than {_MOST_BYTES // 10**9} GB; no study is.")
    with path.open("rb") as file:
        start = file.read(72)
    if start[:15] != b"SQLite format 3":
        raise NotAStoreError(
            f"{path} is not a study: it is no SQLite file, or its head is damaged."
        )
    if int.from_bytes(start[68:72], "big") != APPLICATION:
        raise NotAStoreError(f"{path} is a database of some other program, not a study.")


def _check_whole(connection: sqlite3.Connection, path: Path) -> None:
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version >= 0 and version != SCHEMA:
        raise VersionError(
            f"{path} has schema {version}; this lexfield reads {SCHEMA}.", "Use a newer lexfield."
        )
    problems = [str(row[0]) for row in connection.execute("PRAGMA integrity_check(3)")]
    if problems != ["ok"]:
        raise CorruptError(f"{path} is damaged: {problems[0].splitlines()[0]}.", _RESTORE)
    if connection.execute("PRAGMA foreign_key_check").fetchone():
        raise CorruptError(f"{path} is damaged: a row refers to another that is gone.", _RESTORE)
    tables = "SELECT type, name, sql FROM sqlite_master ORDER BY type, name"
    fresh = new_database()
    if connection.execute(tables).fetchall() != fresh.execute(tables).fetchall():
        raise CorruptError(f"{path} has other tables than a study has.", _RESTORE)
    fresh.close()
    kept = connection.execute("SELECT value FROM study WHERE key = 'sum'").fetchone()
    if kept is None or kept[0] != fixed_sum(connection):
        raise CorruptError(f"{path} is damaged: queries or suggestions have changed.", _RESTORE)
    if not _is_sealed(connection, path):
        raise CorruptError(
            f"{path} is damaged: not every byte is as lexfield wrote it.",
            "Restore it from a backup; if another program has changed it, undo that.",
        )


@contextmanager
def told(path: Path) -> Iterator[None]:
    """SQLite's errors as ours."""
    try:
        yield
    except sqlite3.OperationalError as error:
        if "locked" in str(error):
            raise LockedError(
                f"{path} is being written by another program.", "Try again."
            ) from error
        raise StoreError(f"{path}: {error}.") from error
    except (sqlite3.Error, UnicodeError) as error:
        raise CorruptError(f"{path} is damaged: {error}.", _RESTORE) from error


def damaged(path: Path, what: str) -> CorruptError:
    return CorruptError(f"{path} is damaged: {what}.", _RESTORE)
