"""Where a server's Unix socket lies: in its own folder, or in a short private one where that path is too long."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import stat
from pathlib import Path

from webapp.embedded.account import Account
from webapp.embedded.errors import EmbeddedError

# sizeof(sun_path) is 108 on Linux, with the closing zero byte.
LONGEST_SOCKET_PATH = 107
# libpq splits host names at commas; the rest would need quoting in one of the URLs.
PLAIN = re.compile(r"[\w./+-]+", re.ASCII)
SHORT_PARENT = Path("/tmp")


def socket_folder(folder: Path, socket_name: str) -> Path:
    """The folder of the socket `socket_name` for the server that lives in `folder` (an absolute path)."""
    usual = folder / "socket"
    if len(os.fsencode(usual / socket_name)) <= LONGEST_SOCKET_PATH and PLAIN.fullmatch(str(usual)):
        return usual
    digest = hashlib.sha256(os.fsencode(folder)).hexdigest()[:16]
    return SHORT_PARENT / f"agent-memory-{digest}"


def make_private(folder: Path, account: Account) -> None:
    """Make the folder, mode 0700, owned by the account.

    Raises EmbeddedError where somebody else's folder stands in its place.
    """
    try:
        folder.mkdir(mode=0o700)
    except FileExistsError:
        found = folder.lstat()
        mine = found.st_uid in {account.uid, os.geteuid()}
        if not (stat.S_ISDIR(found.st_mode) and mine):
            raise EmbeddedError(
                f"{folder} belongs to somebody else: remove it, or set DATA_DIR to a shorter path"
            ) from None
    account.own(folder)
    folder.chmod(0o700)


def remove_private(folder: Path) -> None:
    """Remove the folder with the sockets that an ended server left in it."""
    with contextlib.suppress(OSError):
        for left in folder.iterdir():
            left.unlink()
        folder.rmdir()
