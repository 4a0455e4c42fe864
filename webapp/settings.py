"""Every setting, typed, described and checked once at start.

`Settings.from_env()` reads the environment over a `.env` file. `python -m webapp.settings` prints the rows of
`docs/settings.md`.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from dotenv import dotenv_values

from webapp.variable import (
    Variable,
    boolean,
    choice,
    folder,
    must_be,
    number,
    optional_number,
    postgres,
    rate,
    secret_key,
    show_optional,
    show_rate,
    text,
    url,
    whole,
)


class SettingsError(Exception):
    """A setting is wrong. The message is one line, names the variable, and never holds a secret's value."""


def _var(
    name: str,
    parse: Callable[[str], Any],
    default: str,
    about: str,
    *,
    secret: bool = False,
    show: Callable[[Any], str] = str,
) -> Any:
    return field(metadata={"variable": Variable(name, parse, default, about, secret, show)})


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Settings:
    """The configuration of one process. Built by `from_env`; tests build their own with `replace`."""

    # Where things are
    data_dir: Path = _var("DATA_DIR", folder, "./var", "Folder of the embedded database, queue, demo.json and secrets")
    host: str = _var("HOST", text, "127.0.0.1", "Address the web server listens on")
    port: int = _var("PORT", whole(0, 65535), "8000", "Port the web server listens on")
    base_url: str = _var(
        "BASE_URL", url("http", "https"), "", "Public address, used in links; default: http://HOST:PORT"
    )
    trusted_proxies: int = _var("TRUSTED_PROXIES", whole(0, 10), "0", "How many reverse proxies set X-Forwarded-*")
    demo: bool = _var("DEMO", boolean, "1", "Create the demo org on the first start of an empty installation")

    # Stores
    database_url: str = _var(
        "DATABASE_URL", postgres, "", "Role of the web and the workers (memory_app); empty: embedded", secret=True
    )
    database_owner_url: str = _var(
        "DATABASE_OWNER_URL",
        postgres,
        "",
        "Role that owns the tables (memory_owner): migrations and CLI; empty: embedded",
        secret=True,
    )
    database_backup_url: str = _var(
        "DATABASE_BACKUP_URL",
        postgres,
        "",
        "Role that may read past row-level security (memory_backup), for `flask backup`; empty: embedded",
        secret=True,
    )
    database_pool: int = _var(
        "DATABASE_POOL", whole(1, 200), "10", "Connections per web process; a worker keeps one more per four lanes"
    )
    database_prepare: bool = _var(
        "DATABASE_PREPARE",
        boolean,
        "1",
        "Server-side prepared statements; switch off behind an old transaction pooler",
    )
    redis_url: str = _var(
        "REDIS_URL", url("redis", "rediss", "unix"), "", "Queue and rate limits; empty: embedded", secret=True
    )

    # The web
    secret_key: str = _var(
        "SECRET_KEY", secret_key, "", "Signs cookies and keys tombstones; empty: made once in DATA_DIR", secret=True
    )
    session_idle_minutes: int = _var(
        "SESSION_IDLE_MINUTES", whole(1, 43_200), "30", "A sign-in ends after so long without a request"
    )
    session_hours: int = _var("SESSION_HOURS", whole(1, 720), "12", "A sign-in ends after so long in any case")
    web_workers: int = _var("WEB_WORKERS", whole(1, 64), "2", "Web server processes")
    web_threads: int = _var("WEB_THREADS", whole(1, 64), "8", "Threads per web server process")
    max_body_bytes: int = _var(
        "MAX_BODY_BYTES", whole(1024, 100_000_000), "1048576", "Larger request bodies are refused (413)"
    )
    rate_limit: str = _var(
        "RATE_LIMIT",
        rate,
        "1200/minute",
        "Requests per token or sign-in, shared by all processes; `none`: no limit",
        show=show_rate,
    )
    rate_limit_address: str = _var(
        "RATE_LIMIT_ADDRESS", rate, "2400/minute", "Requests per address; `none`: no limit", show=show_rate
    )
    smtp_url: str = _var(
        "SMTP_URL", url("smtp", "smtps"), "", "Mail server for invitations; empty: links are only shown", secret=True
    )
    mail_from: str = _var("MAIL_FROM", text, "agent-memory@localhost", "Sender of invitations")
    metrics_token: str = _var(
        "METRICS_TOKEN", text, "", "Bearer token that opens /metrics; empty: there is no /metrics", secret=True
    )
    log_level: str = _var(
        "LOG_LEVEL", choice("debug", "info", "warning", "error"), "info", "Least severity that is logged"
    )

    # Models
    openai_api_key: str = _var(
        "OPENAI_API_KEY", text, "", "Key of the model server; empty: built-in parts", secret=True
    )
    openai_base_url: str = _var(
        "OPENAI_BASE_URL", url("http", "https"), "", "Any OpenAI-compatible server; empty: the client's default"
    )
    chat_model: str = _var("MEMORY_CHAT_MODEL", text, "gpt-4o-mini", "Model that extracts memories")
    embedding_model: str = _var(
        "MEMORY_EMBEDDING_MODEL",
        text,
        "",
        "Embedding model; empty: text-embedding-3-small with a key, else the built-in one; `builtin` forces the built-in one",
    )
    model_timeout: float = _var(
        "MEMORY_MODEL_TIMEOUT_SECONDS",
        number(1, 600),
        "60",
        "Soft limit of one model call; the lease is half as much again",
    )

    # Capture
    workers: int = _var("MEMORY_WORKERS", whole(0, 64), "1", "Worker processes that `flask serve` starts")
    lanes: int = _var("MEMORY_LANES", whole(1, 500), "40", "Model calls in flight per worker process")
    max_attempts: int = _var("MEMORY_MAX_ATTEMPTS", whole(1, 50), "8", "Attempts before an exchange is failed")
    exchange_days: int = _var(
        "MEMORY_EXCHANGE_DAYS", whole(0, 3650), "30", "Days the text of a finished or failed exchange is kept"
    )
    backlog_limit: int = _var(
        "MEMORY_BACKLOG_LIMIT",
        whole(1, 10_000_000),
        "10000",
        "Unfinished exchanges per org before new ones are answered 429",
    )
    dedup_threshold: float | None = _var(
        "MEMORY_DEDUP_THRESHOLD",
        optional_number(0, 2),
        "",
        "Cosine distance under which a memory is compared as a duplicate; empty: by the embedding model",
        show=show_optional,
    )
    related_memories: int = _var("MEMORY_RELATED", whole(0, 100), "15", "Existing memories put before the model")

    # Recall
    ranking: str = _var("MEMORY_RANKING", choice("hybrid", "cosine"), "hybrid", "Order of recalled memories")
    max_global: int = _var("MEMORY_MAX_GLOBAL", whole(0, 100), "5", "Global memories recalled per message")
    max_agent: int = _var("MEMORY_MAX_AGENT", whole(0, 100), "5", "Agent memories recalled per message")
    recall_floor: float | None = _var(
        "MEMORY_RECALL_FLOOR",
        optional_number(0, 2),
        "",
        "Cosine distance beyond which a memory without a shared word is not relevant; empty: by the embedding model",
        show=show_optional,
    )
    graph_index_mb: int = _var(
        "GRAPH_INDEX_MB",
        whole(0, 1_000_000),
        "256",
        "Megabytes in which each web process holds graph facts for search; larger groups, or with 0 all, are searched in the database",
    )
    knowledge_budget: int = _var(
        "MEMORY_KNOWLEDGE_BUDGET", whole(0, 1_000_000), "16000", "Characters of agent knowledge injected"
    )

    # Keeping and forgetting
    restore_days: int = _var("MEMORY_RESTORE_DAYS", whole(0, 3650), "30", "Days a deleted memory can be restored")
    max_episodes: int = _var(
        "MEMORY_MAX_EPISODES_PER_USER", whole(1, 10_000_000), "10000", "Graph episodes kept per group"
    )
    retention_days: int = _var(
        "MEMORY_RETENTION_DAYS", whole(0, 36_500), "365", "Days graph episodes are kept after ingestion; 0: for ever"
    )
    similarity_threshold: float | None = _var(
        "MEMORY_SIMILARITY_THRESHOLD",
        optional_number(-1, 1),
        "",
        "Cosine similarity a graph fact must reach on the vector side; empty: by the embedding model",
        show=show_optional,
    )
    disable_memory: bool = _var("DISABLE_MEMORY", boolean, "false", "Capture, recall, ingest and retrieval answer 503")
    encryption: bool = _var(
        "MEMORY_ENABLE_ENCRYPTION",
        must_be(False, "encryption at rest is not built yet; encrypt the disk and leave this false"),
        "false",
        "Must be false until it is built",
    )
    isolation_strict: bool = _var(
        "MEMORY_ISOLATION_STRICT",
        must_be(True, "row-level security is always on and cannot be switched off"),
        "true",
        "Must be true: row-level security is always on",
    )

    @classmethod
    def from_env(cls, environ: Mapping[str, str] | None = None, dotenv: str | Path | None = ".env") -> Settings:
        """Read and check everything.

        Raises SettingsError, one line, for a value that does not parse or an unknown `MEMORY_*` name.
        """
        given = dict(os.environ if environ is None else environ)
        if dotenv is not None:
            given = {name: value for name, value in dotenv_values(dotenv).items() if value is not None} | given
        variables = cls.variables()
        _refuse_unknown(given, {variable.name for variable in variables.values()})
        return cls(**{name: _read(variable, given) for name, variable in variables.items()})

    @classmethod
    def variables(cls) -> dict[str, Variable]:
        """Field name → how it is read, in the order of the documentation."""
        return {item.name: item.metadata["variable"] for item in fields(cls)}

    def environment(self) -> dict[str, str]:
        """Variable name → text that `from_env` reads back as the same settings: how a child process is told."""
        return {item.name: item.show(getattr(self, name)) for name, item in self.variables().items()}

    def __repr__(self) -> str:
        return f"Settings({self.public()})"

    def public(self) -> dict[str, str]:
        """Variable name → value as text, with secrets replaced by `(set)`."""
        shown = {}
        for name, variable in self.variables().items():
            value = getattr(self, name)
            shown[variable.name] = ("(set)" if value else "(not set)") if variable.secret else str(value)
        return shown

    @property
    def built_in_chat(self) -> bool:
        """Whether the rule-based extractor stands in for a language model."""
        return not (self.openai_api_key or self.openai_base_url)

    @property
    def built_in_embedding(self) -> bool:
        """Whether the built-in embedding model is used."""
        return self.embedding_model == "builtin" or (not self.embedding_model and self.built_in_chat)


def _read(variable: Variable, given: Mapping[str, str]) -> Any:
    raw = given.get(variable.name, "").strip() or variable.default
    try:
        return variable.parse(raw)
    except ValueError as error:
        shown = "" if variable.secret else f" {raw!r}:"
        raise SettingsError(f"{variable.name}:{shown} {error}") from None


def _refuse_unknown(given: Mapping[str, str], known: set[str]) -> None:
    for name in sorted(given):
        if name.startswith("MEMORY_") and name not in known:
            close = difflib.get_close_matches(name, known, n=1)
            hint = f"; did you mean {close[0]}?" if close else "; see docs/settings.md"
            raise SettingsError(f"{name}: unknown setting{hint}")


def main() -> None:
    """Print one table row per setting."""
    for variable in Settings.variables().values():
        print(documentation_row(variable))


def documentation_row(variable: Variable) -> str:
    """The row of the table in `docs/settings.md`."""
    default = f"`{variable.default}`" if variable.default else ""
    return f"| `{variable.name}` | {default} | {variable.about} |"


if __name__ == "__main__":
    main()
