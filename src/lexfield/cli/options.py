"""Options of the commands that are not verbs."""

from __future__ import annotations

import math
import secrets
from collections.abc import Callable
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])
SEED = click.IntRange(0, 2**32 - 1)


class FiniteRange(click.FloatRange):
    """Numbers within bounds, without NaN and infinity."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        number = float(click.FLOAT.convert(value, param, ctx))
        if not math.isfinite(number):
            self.fail(f"{value} is not a finite number.", param, ctx)
        return float(super().convert(number, param, ctx))


def _note_no_token(context: click.Context, _: click.Parameter, value: bool) -> None:
    context.meta["lexfield.no_token"] = value


def _choose_token(
    context: click.Context, parameter: click.Parameter, value: str | None
) -> str | None:
    if not context.meta["lexfield.no_token"]:
        return value or secrets.token_urlsafe(24)
    source = context.get_parameter_source(parameter.name or "")
    if source is click.core.ParameterSource.COMMANDLINE:
        raise click.UsageError("Give either --token or --no-token.")
    return None


def listening_options(command: F) -> F:
    """Add ``port``, ``host``, ``token`` and ``no_browser``: where a server listens, and for whom.

    The token is random unless one is given; None with ``--no-token``.
    """
    options = (
        click.option(
            "--port",
            default=8000,
            show_default=True,
            type=click.IntRange(0, 65_535),
            help="Port to listen at; 0 chooses a free one.",
        ),
        click.option(
            "--host", default="127.0.0.1", show_default=True, help="Address to listen at."
        ),
        click.option(
            "--no-token",
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=_note_no_token,
            help="Ask for no token: every user of this machine may use the server.",
        ),
        click.option(
            "--token",
            envvar="LEXFIELD_TOKEN",
            callback=_choose_token,
            help="Token to ask for; random by default. Also from LEXFIELD_TOKEN.",
        ),
        click.option("--no-browser", is_flag=True, help="Do not open the page."),
    )
    for option in reversed(options):
        command = option(command)
    return command
