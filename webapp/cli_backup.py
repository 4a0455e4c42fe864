"""`flask backup` and `flask restore`: PostgreSQL's own dump, whole and consistent, through PostgreSQL's own tools."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import click
from sqlalchemy import create_engine, inspect
from sqlalchemy.engine import URL, make_url

from webapp.command import command
from webapp.db.migrate import role_of, upgrade
from webapp.embedded.cluster import binaries
from webapp.runtime import runtime

PASSWORD = "PGPASSWORD"


@command("backup")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
def backup(file: Path) -> None:
    """Write the whole database to FILE, while everything runs. Keep SECRET_KEY (DATA_DIR/secret_key) with it."""
    url = runtime().settings.database_backup_url
    if not url:
        raise click.ClickException(
            "DATABASE_BACKUP_URL: not set; it names a role that may read past row-level security (docs/operations.md)"
        )
    draft = file.with_name(f".{file.name}.unfinished")
    try:
        draft.unlink(missing_ok=True)
        draft.touch(mode=0o600)
        _tool("pg_dump", url, "--format=custom", f"--file={draft}")
        draft.rename(file)
    except OSError as error:
        raise click.ClickException(f"cannot write {file}: {error.strerror}") from error
    finally:
        draft.unlink(missing_ok=True)
    click.echo(f"{file}: {file.stat().st_size:,} bytes")


@command("restore")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
def restore(file: Path) -> None:
    """Fill the empty database of a new DATA_DIR, or of DATABASE_OWNER_URL, from FILE; all of it or nothing."""
    settings = runtime().settings
    owner = settings.database_owner_url
    if not owner:
        raise click.ClickException("DATABASE_OWNER_URL: not set; it names the role that will own the tables")
    if _tables(owner):
        raise click.ClickException("the database is not empty: restore into a new DATA_DIR or an empty database")
    with tempfile.NamedTemporaryFile("w", suffix=".list") as contents:
        contents.write(_contents(file, owner))
        contents.flush()
        options = ("--no-owner", "--single-transaction", "--exit-on-error", f"--use-list={contents.name}")
        _tool("pg_restore", owner, *options, str(file))
    upgrade(owner, app_role=role_of(settings.database_url))
    click.echo(f"restored {len(_tables(owner))} tables")


COMMANDS = (backup, restore)


def _contents(file: Path, owner: str) -> str:
    """What is in the dump, without the extension: it is there already, and only a superuser may touch it."""
    listed = _run([_program("pg_restore", owner), "--list", str(file)], {})
    return "".join(line for line in listed.splitlines(keepends=True) if " EXTENSION " not in line)


def _tables(url: str) -> list[str]:
    engine = create_engine(url)
    try:
        return inspect(engine).get_table_names()
    finally:
        engine.dispose()


def _tool(name: str, url: str, *options: str) -> str:
    """Run a PostgreSQL program over a database. The password goes by the environment: `ps` shows arguments."""
    parsed = make_url(url)
    given = {PASSWORD: parsed.password} if parsed.password else {}
    place = URL.create("postgresql", parsed.username, None, parsed.host, parsed.port, parsed.database, parsed.query)
    return _run([_program(name, url), f"--dbname={place.render_as_string()}", *options], given)


def _program(name: str, url: str) -> str:
    """The program on the PATH for a server of one's own (it may want TLS), the package's for the embedded one."""
    own = not make_url(url).host and "host" in make_url(url).query
    found = None if own else shutil.which(name)
    return found or str(binaries() / name)


def _run(arguments: list[str], environ: dict[str, str]) -> str:
    done = subprocess.run(arguments, capture_output=True, text=True, env=os.environ | environ)
    if done.returncode:
        said = done.stderr.strip().splitlines() or ["it said nothing"]
        raise click.ClickException(said[0])
    return done.stdout
