"""Which user a server runs as. PostgreSQL refuses to run as root, and nothing here needs to."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from webapp.embedded.errors import EmbeddedError

CANDIDATES = ("postgres", "nobody")
# Bits of the kernel's capability sets (capabilities(7)), the lesser right first.
PASS_FOLDERS = (("dac_read_search", 2), ("dac_override", 1))


@dataclass(frozen=True, slots=True)
class Account:
    """The user and group that a server runs as: the caller's own, unless the caller is root."""

    uid: int
    gid: int

    def own(self, path: Path) -> None:
        """Give `path`, which this package made, to the account."""
        if os.geteuid() == 0:
            os.chown(path, self.uid, self.gid)


def caller() -> Account:
    """The account that this process runs as."""
    return Account(os.geteuid(), os.getegid())


def account_for(data: Path) -> Account:
    """The owner of an existing data folder, else the caller, else (as root) the first unprivileged user there is.

    Raises EmbeddedError when the data folder belongs to somebody whom the caller cannot act for.
    """
    owner = data.stat() if data.exists() else None
    if os.geteuid() != 0:
        if owner and owner.st_uid != os.geteuid():
            raise EmbeddedError(f"{data} belongs to {_name(owner.st_uid)}: start as that user or as root")
        return caller()
    if owner and owner.st_uid != 0:
        return Account(owner.st_uid, owner.st_gid)
    return _unprivileged()


def launcher(account: Account, death_signal: signal.Signals, reach: Iterable[Path]) -> list[str]:
    """The command that starts another one as `account`, tied to the life of the calling process.

    `reach` are the paths that the server must be able to get to. Where a closed folder such as /root stands in the
    way of an unprivileged user, the server is given the one capability to pass it, and no folder's mode is changed.
    """
    setpriv = shutil.which("setpriv")
    if account.uid == os.geteuid():
        return [setpriv, f"--pdeathsig={_short(death_signal)}", "--"] if setpriv else []
    if not setpriv:
        raise EmbeddedError(
            "starting the database as root needs setpriv (package util-linux): install it, or start as an ordinary user"
        )
    command = [setpriv, f"--reuid={account.uid}", f"--regid={account.gid}", "--clear-groups", "--no-new-privs"]
    closed = _closed_folder(reach)
    return [*command, *(_capability(closed) if closed else ()), f"--pdeathsig={_short(death_signal)}", "--"]


def _unprivileged() -> Account:
    for name in CANDIDATES:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return Account(entry.pw_uid, entry.pw_gid)
    raise EmbeddedError("PostgreSQL does not run as root and there is no user 'nobody': start as an ordinary user")


def _closed_folder(reach: Iterable[Path]) -> Path | None:
    folders = {folder for path in reach for folder in path.parents}
    return next((folder for folder in sorted(folders) if not folder.stat().st_mode & stat.S_IXOTH), None)


def _capability(closed: Path) -> list[str]:
    held = _effective_capabilities()
    for name, bit in PASS_FOLDERS:
        if held >> bit & 1:
            # Without no_setuid_fixup the kernel ignores the capability in access(2), which PostgreSQL asks first.
            sets = [f"--{kind}=-all,+{name}" for kind in ("inh-caps", "bounding-set")]
            return [*sets, f"--ambient-caps=+{name}", "--securebits=+no_setuid_fixup"]
    raise EmbeddedError(
        f"an unprivileged database server cannot enter {closed}: move the installation and DATA_DIR out of it, or start as an ordinary user"
    )


def _effective_capabilities() -> int:
    status = Path("/proc/self/status").read_text()
    return next((int(line.split()[1], 16) for line in status.splitlines() if line.startswith("CapEff:")), 0)


def _short(number: signal.Signals) -> str:
    return number.name.removeprefix("SIG")


def _name(uid: int) -> str:
    try:
        return f"user {pwd.getpwuid(uid).pw_name}"
    except KeyError:
        return f"user id {uid}"
