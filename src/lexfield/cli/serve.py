"""``lexfield serve`` and ``study serve``: commands that listen."""

from __future__ import annotations

import os
import secrets
from collections.abc import Sequence
from typing import Annotated, TypedDict, Unpack

from msgspec import Meta

from lexfield.cli.output import echo
from lexfield.cluster.sharded_index import open_index
from lexfield.errors import InputError
from lexfield.results import JsonObject
from lexfield.serve.access import is_loopback
from lexfield.serve.app import make_app
from lexfield.serve.guard import Limits
from lexfield.serve.run import run
from lexfield.serve.study import serve_study
from lexfield.study.database import Study
from lexfield.verbs.declare import Default, Flags, Help, verb
from lexfield.verbs.options import Target


class Listening(TypedDict, total=False):
    """Where a server listens, and for whom."""

    port: Annotated[
        int, Meta(ge=0, le=65_535), Default(8000), Help("Port to listen on; 0 chooses a free one.")
    ]
    host: Annotated[str, Default("127.0.0.1"), Help("Address to listen on.")]
    no_token: Annotated[
        bool,
        Default(False),
        Help("Do not require a token: every user of this machine can use the server."),
    ]
    token: Annotated[
        str | None,
        Flags(variable="LEXFIELD_TOKEN"),
        Default(None),
        Help("Token that clients must send; random by default."),
    ]
    no_browser: Annotated[bool, Default(False), Help("Do not open the page.")]


def choose_address(options: Listening) -> JsonObject:
    """Return what ``serve.run.run`` needs to know; the token is None with ``--no-token``."""
    token = options["token"]
    if options["no_token"]:
        if token not in (None, os.environ.get("LEXFIELD_TOKEN")):
            raise InputError("Give either --token or --no-token.")
        token = None
    else:
        token = token or secrets.token_urlsafe(24)
    browser = not options["no_browser"]
    return {"host": options["host"], "port": options["port"], "browser": browser, "token": token}


@verb(command="serve", served="no")
def start_server(
    indexes: Annotated[Sequence[str], Flags(metavar="[IDX]...")] = (),
    *,
    models: Annotated[
        Sequence[str],
        Flags(metavar="DIRECTORY"),
        Help("Models of `lexfield vectors train`, for error bars."),
    ] = (),
    folder: Annotated[
        Target | None, Help("Folder for indexes that are built from uploads.")
    ] = None,
    max_body: Annotated[float, Meta(ge=0.001, le=100_000), Help("Megabytes per request.")] = 10.0,
    max_upload: Annotated[
        float | None,
        Meta(ge=0.001, le=100_000),
        Help(
            "Megabytes of files sent at once; by default 200, or the value of "
            "--max-body with --host."
        ),
    ] = None,
    memory: Annotated[
        float, Meta(ge=0.5, le=100_000), Help("Gigabytes of memory per process and job.")
    ] = 4.0,
    timeout: Annotated[float, Meta(ge=0.1, le=86_400), Help("Seconds per request.")] = 30.0,
    concurrent: Annotated[int, Meta(ge=1, le=10_000), Help("Requests at a time.")] = 64,
    workers: Annotated[
        int | None, Meta(ge=1, le=64), Help("Processes; by default one per core.")
    ] = None,
    **listening: Unpack[Listening],
) -> None:
    """Open a page to search, compare and measure, and start an HTTP API.

    Everything stays on this machine; the API is at /v1. Indexes can also be built on the page; they
    are kept for the next time. The printed address contains a token, and requests without it are
    refused.

        lexfield serve my.idx
        lexfield serve books.idx letters.idx --port 8000 --no-browser
        lexfield serve my.idx --host 0.0.0.0
        lexfield serve my.idx --no-token --no-browser
        curl 'http://127.0.0.1:8000/v1/search?q=a+storm+at+sea&k=3'
    """
    address = choose_address(listening)
    for path in indexes:
        open_index(path)  # report what is wrong with an index before anything listens
    upload = max_upload or (200.0 if is_loopback(address["host"]) else max_body)
    limits = Limits(int(max_body * 1e6), timeout, concurrent, int(memory * 1e9), int(upload * 1e6))
    app = make_app(
        indexes,
        models=models,
        folder=folder,
        limits=limits,
        host=address["host"],
        token=address["token"],
        workers=workers,
    )
    run(app, **address, say=echo)


@verb(command="study serve", served="no")
def start_study(
    path: Annotated[str, Flags(metavar="STUDY.db")], **listening: Unpack[Listening]
) -> None:
    """Take part in the browser, one or many at a time; everything stays on this machine.

    The printed address contains a token, without which nobody can take part: give it to the
    participants. For those at other machines name a host.

        lexfield study serve study.db
        lexfield study serve study.db --port 8080 --no-browser
        lexfield study serve study.db --host 0.0.0.0
    """
    with Study(path) as opened:
        if any(person.simulated for person in opened.participants()):
            raise InputError(f"{path} contains simulated participants.", "Make a new study.")
        serve_study(opened, **choose_address(listening), say=echo)
