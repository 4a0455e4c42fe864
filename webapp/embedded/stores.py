"""From settings that leave something out to settings that name everything, with the servers behind them running."""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from webapp.embedded.embedding import EmbeddingProcess
from webapp.embedded.errors import unwritable
from webapp.embedded.postgres import EmbeddedPostgres
from webapp.embedded.server import EmbeddedServer
from webapp.embedded.valkey import EmbeddedValkey
from webapp.settings import Settings


@dataclass(frozen=True, slots=True)
class Stores:
    """Settings with an absolute data folder, both database URLs, the queue's URL and the secret key.

    `servers` are the embedded servers that stand behind them, in the order of their start; this process owns each
    of them, or is attached to it.
    """

    settings: Settings
    servers: tuple[EmbeddedServer, ...]

    @property
    def owned(self) -> bool:
        """Whether this process runs every embedded server itself."""
        return all(server.owned for server in self.servers)


@contextmanager
def open_stores(settings: Settings, *, exclusive: bool = False) -> Iterator[Stores]:
    """Start, or attach to, an embedded server for each store that has no URL; stop at the end what was started.

    Raises EmbeddedError, one line, where one cannot be used. Call it from the main thread.
    """
    folder = settings.data_dir.resolve()
    settings = replace(settings, data_dir=folder, secret_key=settings.secret_key or secret_key(folder))
    servers: list[EmbeddedServer] = []
    with ExitStack() as stack:
        if not settings.database_url:
            postgres = stack.enter_context(EmbeddedPostgres(folder / "postgres", exclusive=exclusive))
            servers.append(postgres)
            settings = replace(
                settings,
                database_url=postgres.app_url,
                database_owner_url=postgres.owner_url,
                database_backup_url=postgres.superuser_url,
            )
        if not settings.redis_url:
            valkey = stack.enter_context(EmbeddedValkey(folder / "valkey", exclusive=exclusive))
            servers.append(valkey)
            settings = replace(settings, redis_url=valkey.url)
        yield Stores(settings, tuple(servers))


@contextmanager
def embedding_process(settings: Settings, *, exclusive: bool = False) -> Iterator[EmbeddedServer | None]:
    """Start, or attach to, the built-in embedding model where the settings ask for it; else do nothing."""
    if not settings.built_in_embedding:
        yield None
        return
    with EmbeddingProcess(settings.data_dir / "embedding", exclusive=exclusive) as process:
        yield process


def secret_key(folder: Path) -> str:
    """The key in `folder`/secret_key, made once, readable by its owner alone.

    Raises EmbeddedError where the folder cannot be written or the key cannot be read.
    """
    path = folder / "secret_key"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            _write_once(path, secrets.token_urlsafe(48))
        return path.read_text().strip()
    except OSError as error:
        raise unwritable(error, folder) from error


def _write_once(path: Path, text: str) -> None:
    """Whole or not at all, and the first of several processes wins."""
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    draft.touch(mode=0o600)
    draft.write_text(text + "\n")
    with contextlib.suppress(FileExistsError):
        os.link(draft, path)
    draft.unlink()
