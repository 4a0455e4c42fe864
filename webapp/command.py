"""How a command is made: inside the application, and every expected failure one line."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import click
from flask.cli import with_appcontext
from sqlalchemy.exc import OperationalError, ProgrammingError

from webapp.db.migrate import MigrationError
from webapp.errors import NON_FIELD, DomainError, Invalid

Function = Callable[..., Any]


def command(name: str) -> Callable[[Function], click.Command]:
    """A command under `flask`; its help is the docstring."""

    def decorate(function: Function) -> click.Command:
        made: click.Command = click.command(name)(with_appcontext(_in_one_line(function)))
        return made

    return decorate


def sentence(error: DomainError) -> str:
    """What a verb refused, as one line."""
    if not isinstance(error, Invalid):
        return error.detail
    return "; ".join(
        message if field == NON_FIELD else f"{field}: {message}"
        for field, messages in error.errors.items()
        for message in messages
    )


def _in_one_line(function: Function) -> Function:
    @wraps(function)
    def run(*args: Any, **given: Any) -> Any:
        try:
            return function(*args, **given)
        except DomainError as error:
            raise click.ClickException(sentence(error)) from error
        except MigrationError as error:
            raise click.ClickException(str(error)) from error
        except OperationalError as error:
            reason = str(error.orig).strip().splitlines()[0]
            raise click.ClickException(f"the database cannot be used: {reason}") from error
        except ProgrammingError as error:
            if type(error.orig).__name__ != "UndefinedTable":
                raise
            raise click.ClickException("the database has no tables yet: run  flask migrate") from error

    return run
