"""The file of a study: one SQLite database, checked before it is used.

    study        kind, methods, seed, source of the sentences
    query        the sentences that are asked about
    suggestion   the sentences of each method for each query, best first
    participant  code for coming back, seed, group, background
    question     what a participant is shown, in order: ids of suggestions by place
    answer       the places that were chosen; written once, never changed

SQLite's integrity check finds broken pages and indexes, but not changed text. So the tables that no
participant changes have one checksum together, and each row of the others has its own. They detect
accidental damage, not an attacker. Damaged bytes that belong to no row can go unnoticed. The tables
must be exactly those defined here, so a file with a trigger or a view is refused.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

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
SCHEMA = 1  # lexfield 0.1 wrote the same tables, and a negative checksum of the file instead
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


def new_database() -> sqlite3.Connection:
    """Create an empty study in memory."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.execute(f"PRAGMA application_id = {APPLICATION}")
    connection.execute(f"PRAGMA user_version = {SCHEMA}")
    connection.executescript(_TABLES)
    return connection


def open_database(path: Path, durable: bool) -> sqlite3.Connection:
    """Open and check the file of a study.

    A rollback journal keeps the study in one file that can be copied or sent. Every commit is
    flushed to the disk, including the folder (synchronous = EXTRA), unless ``durable`` is False.
    """
    if not path.is_file():
        raise InputError(f"There is no study at {path}.", "Make one with: lexfield study new")
    mode = "rw" if os.access(path, os.W_OK) else "ro"
    place = f"{Path(os.path.realpath(path)).as_uri()}?mode={mode}"
    with translate_errors(path):
        connection = sqlite3.connect(
            place, uri=True, isolation_level=None, check_same_thread=False, timeout=20
        )
        try:
            connection.execute("PRAGMA trusted_schema = OFF")
            connection.execute("PRAGMA foreign_keys = ON")
            connection.execute(f"PRAGMA synchronous = {'EXTRA' if durable else 'OFF'}")
            connection.execute("BEGIN")  # no writer comes between the checks
            _check_content(connection, path)
            connection.execute("COMMIT")
        except BaseException:
            connection.close()
            raise
    return connection


def _check_content(connection: sqlite3.Connection, path: Path) -> None:
    def select(sql: str) -> list[tuple[Any, ...]]:
        return connection.execute(sql).fetchall()

    if select("PRAGMA application_id") != [(APPLICATION,)]:
        raise NotAStoreError(f"{path} is a database of some other program, not a study.")
    ((version,),) = select("PRAGMA user_version")
    if version >= 0 and version != SCHEMA:
        raise VersionError(
            f"{path} has schema {version}; this lexfield reads {SCHEMA}.", "Use a newer lexfield."
        )
    problems = select("PRAGMA integrity_check(3)")
    if problems != [("ok",)]:
        raise damage_error(path, str(problems[0][0]).splitlines()[0])
    if select("PRAGMA foreign_key_check"):
        raise damage_error(path, "a row refers to another that is gone")
    tables = "SELECT type, name, sql FROM sqlite_master ORDER BY type, name"
    if select(tables) != new_database().execute(tables).fetchall():
        raise damage_error(path, "it has other tables than a study has")
    if select("SELECT value FROM study WHERE key = 'sum'") != [(sum_fixed_tables(connection),)]:
        raise damage_error(path, "queries or suggestions have changed")


def sum_fixed_tables(connection: sqlite3.Connection) -> str:
    """Return the checksum of the tables that no participant changes."""
    return compute_checksum(
        connection.execute("SELECT * FROM study WHERE key <> 'sum' ORDER BY key").fetchall(),
        connection.execute("SELECT * FROM query ORDER BY id").fetchall(),
        connection.execute("SELECT * FROM suggestion ORDER BY id").fetchall(),
    )


def compute_checksum(*values: object) -> str:
    return xxhash.xxh3_64_hexdigest(canonical_json(list(values)))


@contextmanager
def translate_errors(path: Path) -> Iterator[None]:
    """Raise SQLite's errors as errors of lexfield."""
    try:
        yield
    except sqlite3.OperationalError as error:
        if "locked" in str(error):
            problem = f"{path} is being written by another program."
            raise LockedError(problem, "Try again.") from error
        raise StoreError(f"{path}: {error}.") from error
    except (sqlite3.Error, UnicodeError) as error:
        if "not a database" in str(error):
            raise NotAStoreError(
                f"{path} is not a study: it is not an SQLite file, or its first bytes are damaged."
            ) from error
        raise damage_error(path, str(error)) from error


def damage_error(path: Path, what: str) -> CorruptError:
    return CorruptError(f"{path} is damaged: {what}.", "Restore it from a backup.")
