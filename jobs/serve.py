"""`flask serve`: the whole product in the foreground, from an empty folder to the sign-in page."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any

import click
from flask import Flask
from sqlalchemy.exc import OperationalError

from jobs.supervisor import Process, Signals, Supervisor
from webapp.assets import ROOT
from webapp.db.migrate import role_of, upgrade
from webapp.directory import demo
from webapp.directory.orgs import get_org
from webapp.embedded.postgres import EmbeddedPostgres
from webapp.embedded.stores import Stores, embedding_process
from webapp.graph import demo as graph_demo
from webapp.settings import Settings

READY_SECONDS = 120.0
ANY_ADDRESS = {"0.0.0.0": "127.0.0.1", "::": "::1"}
UNFINISHED_DEMO = "demo.unfinished"


class ServeError(Exception):
    """The product cannot be started. One line that says what to do."""


def listen(host: str, port: int) -> socket.socket:
    """The web server's socket, bound here so that a taken port is known before anything else starts.

    Raises ServeError.
    """
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family, backlog=2048)
    except OSError as error:
        raise ServeError(
            f"cannot listen on {host}:{port} ({error.strerror}): set HOST or PORT to another one"
        ) from error


@contextmanager
def only_one(data_dir: Path) -> Iterator[None]:
    """Hold a data folder for one `flask serve`. Raises ServeError where another one has it."""
    with ExitStack() as stack:
        folder = os.open(data_dir, os.O_RDONLY | os.O_DIRECTORY)
        stack.callback(os.close, folder)
        try:
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise ServeError(
                f"{data_dir} is used by another `flask serve`: stop it, or set another DATA_DIR"
            ) from error
        yield


def serve(app: Flask, stores: Stores, listener: socket.socket, signals: Signals) -> None:
    """Migrate, start the model, the web and the workers, and keep everything up until Ctrl-C or SIGTERM.

    Raises ServeError, EmbeddedError or MigrationError, each one line, where something cannot be started.
    """
    settings = _with_address(stores.settings, listener)
    with ExitStack() as stack:
        model = stack.enter_context(embedding_process(settings, exclusive=True))
        migrate(stores)
        credentials = _demo(app, settings)
        supervisor = stack.enter_context(Supervisor(signals))
        for server in (*stores.servers, *([model] if model else [])):
            supervisor.watch(server)
        # At the end the listener goes first: nobody new is kept waiting for a server that finishes its work.
        stack.callback(listener.close)
        for process in processes(settings, listener):
            supervisor.run(process)
        _await_ready(supervisor, listener)
        _announce(settings, credentials)
        supervisor.keep()


def migrate(stores: Stores) -> None:
    """Bring the database to this version's schema.

    Raises MigrationError, or ServeError where the database is not there or its owner's role is not known.
    """
    settings = stores.settings
    if not settings.database_owner_url:
        raise ServeError("DATABASE_OWNER_URL: not set; it names the role that owns the tables (docs/operations.md)")
    _discard_unfinished_demo(stores)
    try:
        upgrade(settings.database_owner_url, app_role=role_of(settings.database_url))
    except OperationalError as error:
        reason = str(error.orig).strip().splitlines()[0]
        raise ServeError(f"the database of DATABASE_OWNER_URL cannot be used: {reason}") from error


def processes(settings: Settings, listener: socket.socket) -> list[Process]:
    """The web server and the workers; each is told the settings by its environment."""
    # Neither the web nor a worker has any use for the roles that see past row-level security.
    told = replace(settings, database_owner_url="", database_backup_url="").environment()
    env = os.environ | told | _metrics_folder(settings)
    python, bind = [sys.executable, "-m"], f"fd://{listener.fileno()}"
    web = Process("web", [*python, "gunicorn", "--bind", bind, "wsgi:app"], env, ROOT, [listener.fileno()])
    command = [*python, "flask", "--app", "jobs.cli", "worker"]
    return [web, *(Process(f"worker {number + 1}", command, env, ROOT) for number in range(settings.workers))]


def _metrics_folder(settings: Settings) -> dict[str, str]:
    """Where web and workers write their counts, so that one of them can answer for all."""
    folder = settings.data_dir / "metrics"
    shutil.rmtree(folder, ignore_errors=True)
    if not settings.metrics_token:
        return {}
    folder.mkdir()
    return {"PROMETHEUS_MULTIPROC_DIR": str(folder)}


def _with_address(settings: Settings, listener: socket.socket) -> Settings:
    port = listener.getsockname()[1]
    host = ANY_ADDRESS.get(settings.host, settings.host)
    address = f"http://{f'[{host}]' if ':' in host else host}:{port}"
    return replace(settings, port=port, base_url=settings.base_url or address)


def _discard_unfinished_demo(stores: Stores) -> None:
    """Begin anew where making the demo was cut short: its passwords were never written down."""
    marker = stores.settings.data_dir / UNFINISHED_DEMO
    if not marker.exists():
        return
    for server in stores.servers:
        if isinstance(server, EmbeddedPostgres):
            server.reset()
            marker.unlink()
            return
    raise ServeError(
        f"making the demo was interrupted: empty the database and remove {marker}, or set DEMO=0 and remove it"
    )


def _demo(app: Flask, settings: Settings) -> dict[str, Any] | None:
    """The demo's credentials, made on the first start of an empty installation; None where there is no demo."""
    path = settings.data_dir / demo.FILE
    marker = settings.data_dir / UNFINISHED_DEMO
    with app.app_context():
        if settings.demo and demo.is_empty():
            marker.touch()
            made = demo.create(settings.data_dir, settings.base_url)
            graph_demo.tell(get_org(made["org"]).id, settings)
            marker.unlink()
    if not path.exists():
        return None
    kept: dict[str, Any] = json.loads(path.read_text())
    if kept["base_url"] != settings.base_url:
        path.write_text(json.dumps(kept | {"base_url": settings.base_url}, indent=2) + "\n")
    return kept


def _await_ready(supervisor: Supervisor, listener: socket.socket) -> None:
    host, port = listener.getsockname()[:2]
    deadline = time.monotonic() + READY_SECONDS
    while not _ready(ANY_ADDRESS.get(host, host), port):
        if time.monotonic() > deadline:
            raise ServeError(
                f"the web server did not become ready within {READY_SECONDS:.0f} s: its log above says why"
            )
        supervisor.look()
        time.sleep(0.05)


def _ready(host: str, port: int) -> bool:
    try:
        with closing(HTTPConnection(host, port, timeout=10)) as client:
            client.request("GET", "/readyz")
            return client.getresponse().status == 200
    except (OSError, HTTPException):
        return False


def _announce(settings: Settings, credentials: dict[str, Any] | None) -> None:
    click.echo(f"\nAgent Memory is ready: {settings.base_url}\n")
    if credentials:
        click.echo(f"Demo sign-ins (also in {settings.data_dir / demo.FILE}, with the API tokens):")
        for name, password in credentials["passwords"].items():
            click.echo(f"  {name:<10} {password}")
    else:
        click.echo("Make an org and its first admin:  flask create-org acme --admin NAME@example.org")
    click.echo("\nCtrl-C ends everything.")
