"""The command line: every command of `webapp.cli`, and the two that start processes.

`.flaskenv` names this module, so that `flask COMMAND` works in the project's folder; elsewhere `flask --app jobs.cli`.
"""

from __future__ import annotations

import atexit
from contextlib import ExitStack

import click
from flask import Flask, current_app
from flask.cli import with_appcontext

import webapp
from jobs.serve import ServeError, listen, only_one
from jobs.serve import serve as run_everything
from jobs.supervisor import Signals
from webapp.assets import AssetError
from webapp.db.migrate import MigrationError
from webapp.embedded.errors import EmbeddedError
from webapp.embedded.stores import Stores, open_stores
from webapp.settings import Settings, SettingsError

ONE_LINERS: tuple[type[Exception], ...] = (SettingsError, EmbeddedError, AssetError, MigrationError, ServeError)


def create_app() -> Flask:
    """The application for the command line, over stores that run.

    Where no URL names a store, an embedded server is started for the length of the command, or the one of a running
    `flask serve` is used. Raises ClickException, one line.
    """
    opened = ExitStack()
    atexit.register(opened.close)
    try:
        stores = opened.enter_context(open_stores(Settings.from_env()))
        app = webapp.create_app(stores.settings)
    except ONE_LINERS as error:
        raise click.ClickException(str(error)) from error
    app.extensions["opened_stores"] = (opened, stores)
    app.cli.add_command(worker)
    app.cli.add_command(serve)
    return app


@click.command()
@with_appcontext
def worker() -> None:
    """Work off what waits in the inbox, until SIGTERM."""
    from jobs.worker import run

    run(_app())


@click.command()
@with_appcontext
def serve() -> None:
    """Start everything in the foreground: stores, model, workers, web. Ctrl-C ends it all."""
    opened, stores = _app().extensions["opened_stores"]
    try:
        with opened, Signals() as signals, ExitStack() as stack:
            listener = stack.enter_context(listen(stores.settings.host, stores.settings.port))
            stack.enter_context(only_one(stores.settings.data_dir))
            run_everything(_app(), _own(opened, stores), listener, signals)
    except ONE_LINERS as error:
        raise click.ClickException(str(error)) from error
    except KeyboardInterrupt:
        click.echo("Stopped.")


def _own(opened: ExitStack, stores: Stores) -> Stores:
    """Run the servers in this process: those of another command would end with it, under the web's feet."""
    if stores.owned:
        return stores
    opened.close()
    return opened.enter_context(open_stores(Settings.from_env(), exclusive=True))


def _app() -> Flask:
    app: Flask = current_app._get_current_object()  # type: ignore[attr-defined]
    return app
