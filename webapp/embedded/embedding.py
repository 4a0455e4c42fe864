"""The process that holds the built-in embedding model, run like the other servers: one owner, the rest attach."""

from __future__ import annotations

import os
import signal
import socket
import sys
from collections.abc import Mapping
from http.client import HTTPConnection
from pathlib import Path

from webapp.embedded.account import Account, caller
from webapp.embedded.server import EmbeddedServer
from webapp.embedded.socket_folder import socket_folder

SOCKET_NAME = "embedding.sock"
PROJECT = Path(__file__).resolve().parents[2]


def embedding_socket(data_dir: Path) -> Path:
    """Where the built-in embedding process of an installation listens."""
    return socket_folder(data_dir.resolve() / "embedding", SOCKET_NAME) / SOCKET_NAME


class EmbeddingProcess(EmbeddedServer):
    """`webapp.llm.embedding_server` on a socket, as the calling user."""

    name = "the embedding model"
    socket_name = SOCKET_NAME
    # At once: whoever asks for a vector at this moment is about to end, too.
    stop_signal = signal.SIGINT

    def prepare(self, account: Account, lock: int) -> None:
        """It keeps nothing."""

    def command(self) -> list[str]:
        """The module that serves the model, with this interpreter."""
        return [sys.executable, "-m", "webapp.llm.embedding_server", "--socket", str(self.sockets / SOCKET_NAME)]

    def account(self) -> Account:
        """The caller: it needs no folder of its own, and Python may lie where nobody else can read."""
        return caller()

    def environment(self) -> Mapping[str, str]:
        """The caller's, with this project importable from any working folder."""
        path = os.pathsep.join(filter(None, (str(PROJECT), os.environ.get("PYTHONPATH"))))
        return os.environ | {"PYTHONPATH": path}

    def answers(self) -> bool:
        """Whether the model is loaded: the process lists it only then."""
        try:
            with socket.socket(socket.AF_UNIX) as connection:
                connection.settimeout(5)
                connection.connect(str(self.sockets / SOCKET_NAME))
                client = HTTPConnection("localhost")
                client.sock = connection
                client.request("GET", "/v1/models")
                return client.getresponse().status == 200
        except OSError:
            return False

    def usable(self) -> bool:
        """It is as soon as it answers."""
        return self.answers()

    def set_up(self) -> None:
        """There is nothing to set up."""
