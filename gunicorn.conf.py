"""Gunicorn reads this by itself: `gunicorn wsgi:app` takes its settings from where the application does."""

from __future__ import annotations

import gc
import os
import shutil
import sys
from pathlib import Path
from typing import Any

from webapp.embedded.errors import EmbeddedError
from webapp.embedded.stores import secret_key
from webapp.settings import Settings, SettingsError

METRICS = "PROMETHEUS_MULTIPROC_DIR"


def _settings() -> Settings:
    try:
        settings = Settings.from_env()
        if not settings.database_url:
            raise SettingsError(
                "DATABASE_URL: not set; `make run` starts an embedded database, gunicorn alone does not"
            )
        if not settings.secret_key:
            os.environ["SECRET_KEY"] = secret_key(settings.data_dir)
    except (SettingsError, EmbeddedError) as error:
        sys.exit(str(error))
    return settings


def _keep_metrics(folder: Path) -> None:
    """Let the workers write their counts where each of them can read all. Before prometheus_client is imported."""
    shutil.rmtree(folder, ignore_errors=True)
    try:
        folder.mkdir(parents=True)
    except OSError as error:
        sys.exit(f"METRICS_TOKEN is set, but {folder} cannot be made ({error.strerror}): set DATA_DIR")
    os.environ[METRICS] = str(folder)


def when_ready(_server: Any) -> None:
    """Leave what the import made out of garbage collection: it stays, and a full collection would walk all of it
    in the middle of somebody's request. The workers then also share its memory for longer."""
    gc.collect()
    gc.freeze()


def child_exit(_server: Any, worker: Any) -> None:
    """A worker that has gone no longer counts in the gauges of /metrics."""
    if METRICS in os.environ:
        from prometheus_client import multiprocess

        multiprocess.mark_process_dead(worker.pid)


_chosen = _settings()
if _chosen.metrics_token and METRICS not in os.environ:
    _keep_metrics(_chosen.data_dir.resolve() / "metrics")

bind = f"{f'[{_chosen.host}]' if ':' in _chosen.host else _chosen.host}:{_chosen.port}"
worker_class = "gthread"
workers = _chosen.web_workers
threads = _chosen.web_threads
# One import for all workers. Connections are opened at their first use, so none is shared across the fork.
preload_app = True
keepalive = 75
timeout = 60
graceful_timeout = 30
loglevel = "warning"
proc_name = "agent-memory-web"
control_socket_disable = True
# Which proxies are trusted is TRUSTED_PROXIES' business alone.
forwarded_allow_ips = ""
worker_tmp_dir = "/dev/shm" if Path("/dev/shm").is_dir() else None
