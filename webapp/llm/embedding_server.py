"""The one process that holds the built-in embedding model: OpenAI's ``/v1/embeddings`` on a Unix socket.

``python -m webapp.llm.embedding_server --socket PATH`` serves until SIGTERM or SIGINT and then exits with 0.
It is ready when ``GET /v1/models`` is answered, which is only after the model is loaded.
"""

from __future__ import annotations

import argparse
import base64
import json
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from gunicorn.app.base import BaseApplication

from webapp.llm.local import DIMENSIONS, MODEL_NAME, LocalModel, LocalModelError, verify

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIEnvironment

MAX_TEXTS = 2048
MAX_BODY_BYTES = 32 * 1024 * 1024
THREADS = 8
"""More than the cores on purpose: a short question shares the processor with long batches instead of waiting."""

_STATUS_LINES = {
    200: "200 OK",
    400: "400 Bad Request",
    404: "404 Not Found",
    405: "405 Method Not Allowed",
    413: "413 Content Too Large",
}


@dataclass(frozen=True, slots=True)
class Answer:
    """One HTTP answer: the status and the object that is sent as JSON."""

    status: int
    body: dict[str, Any]


class RequestRefused(Exception):
    """The request cannot be served; carries the answer that says why."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.answer = Answer(status, {"error": {"message": message, "type": "invalid_request_error", "code": None}})


class EmbeddingApp:
    """A WSGI application over one loaded model. Requests may come from several threads."""

    def __init__(self, model: LocalModel) -> None:
        self._model = model

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        try:
            answer = self._route(environ)
        except RequestRefused as refused:
            answer = refused.answer
        body = json.dumps(answer.body, separators=(",", ":")).encode()
        headers = [("Content-Type", "application/json"), ("Content-Length", str(len(body)))]
        start_response(_STATUS_LINES[answer.status], headers)
        return [body]

    def _route(self, environ: WSGIEnvironment) -> Answer:
        handlers: dict[str, tuple[str, Callable[[WSGIEnvironment], Answer]]] = {
            "/v1/embeddings": ("POST", self._embeddings),
            "/v1/models": ("GET", self._models),
        }
        if (known := handlers.get(environ["PATH_INFO"])) is None:
            raise RequestRefused(404, "Not found.")
        method, handler = known
        if environ["REQUEST_METHOD"] != method:
            raise RequestRefused(405, f"Only {method} is allowed here.")
        return handler(environ)

    def _models(self, _environ: WSGIEnvironment) -> Answer:
        self._model.load()
        return Answer(200, {"object": "list", "data": [{"id": MODEL_NAME, "object": "model", "owned_by": "built-in"}]})

    def _embeddings(self, environ: WSGIEnvironment) -> Answer:
        request = _read_json(environ)
        texts = _texts(request.get("input"))
        if request.get("model") != MODEL_NAME:
            raise RequestRefused(404, f"The only model here is {MODEL_NAME}.")
        if request.get("dimensions") not in (None, DIMENSIONS):
            raise RequestRefused(400, f"{MODEL_NAME} has {DIMENSIONS} dimensions.")
        encode = _encoder(request.get("encoding_format"))
        vectors = self._model.embed(texts)
        data = [
            {"object": "embedding", "index": index, "embedding": encode(vector)} for index, vector in enumerate(vectors)
        ]
        usage = {"prompt_tokens": 0, "total_tokens": 0}
        return Answer(200, {"object": "list", "model": MODEL_NAME, "data": data, "usage": usage})


def _read_json(environ: WSGIEnvironment) -> dict[str, Any]:
    length = environ.get("CONTENT_LENGTH") or ""
    if not length.isdigit():
        raise RequestRefused(400, "A Content-Length is required.")
    if int(length) > MAX_BODY_BYTES:
        raise RequestRefused(413, f"At most {MAX_BODY_BYTES} bytes are taken.")
    try:
        request = json.loads(environ["wsgi.input"].read(int(length)))
    except ValueError as error:
        raise RequestRefused(400, "The body is not JSON.") from error
    if not isinstance(request, dict):
        raise RequestRefused(400, "The body is not a JSON object.")
    return request


def _texts(given: object) -> list[str]:
    texts = [given] if isinstance(given, str) else given
    if not isinstance(texts, list) or not texts or not all(isinstance(text, str) and text for text in texts):
        raise RequestRefused(400, "input must be a text or a list of texts, none of them empty.")
    if len(texts) > MAX_TEXTS:
        raise RequestRefused(400, f"input holds at most {MAX_TEXTS} texts.")
    return texts


def _encoder(encoding_format: object) -> Callable[[npt.NDArray[np.float32]], object]:
    if encoding_format == "base64":
        return lambda vector: base64.b64encode(vector.astype("<f4").tobytes()).decode()
    if encoding_format in (None, "float"):
        return lambda vector: vector.tolist()
    raise RequestRefused(400, "encoding_format is float or base64.")


class EmbeddingServer(BaseApplication):  # type: ignore[misc]  # gunicorn ships no types
    """Gunicorn with one threaded worker: its master starts the worker anew should that one die."""

    def __init__(self, socket_path: str) -> None:
        self._socket_path = socket_path
        super().__init__()

    def load_config(self) -> None:
        """Set what gunicorn would otherwise read from its command line."""
        settings = {
            "bind": f"unix:{self._socket_path}",
            "umask": 0o177,
            "worker_class": "gthread",
            "workers": 1,
            "threads": THREADS,
            "keepalive": 75,
            "timeout": 120,
            "graceful_timeout": 5,
            "control_socket_disable": True,
            "loglevel": "warning",
            "proc_name": "embedding-server",
        }
        for name, value in settings.items():
            self.cfg.set(name, value)

    def load(self) -> EmbeddingApp:
        """Build the application in the worker, model included, so that no request pays for loading it."""
        model = LocalModel()
        model.load()
        return EmbeddingApp(model)


def main() -> None:
    """Serve on the socket that the command line names."""
    parser = argparse.ArgumentParser(prog="python -m webapp.llm.embedding_server", description=__doc__)
    parser.add_argument("--socket", required=True, metavar="PATH", help="the Unix socket to listen on")
    arguments = parser.parse_args()
    try:
        verify()
    except LocalModelError as error:
        sys.exit(str(error))
    EmbeddingServer(arguments.socket).run()


if __name__ == "__main__":
    main()
