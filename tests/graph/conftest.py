"""Fixtures of the graph's tests."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest
from flask import Flask
from werkzeug.serving import make_server

from tests.capture_world import close
from tests.graph.world import GraphWorld, build
from tests.model_server import ModelServer, running
from webapp import create_app
from webapp.llm.embeddings import Embedder
from webapp.runtime import EXTENSION
from webapp.settings import Settings


@pytest.fixture(scope="module")
def model() -> Iterator[ModelServer]:
    """The scripted model: embeddings for all, chat for those who ask."""
    with running() as server:
        yield server


@contextmanager
def listening(app: Flask) -> Iterator[str]:
    """The application behind a real socket; its address."""
    server = make_server("127.0.0.1", 0, app, threaded=True)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture(scope="module")
def without_limits(settings: Settings) -> Settings:
    """Settings under which tests are not throttled."""
    return replace(settings, rate_limit="", rate_limit_address="")


@pytest.fixture(scope="module")
def idle_world(without_limits: Settings, model: ModelServer) -> Iterator[GraphWorld]:
    """Without a language model: the built-in rules, with the scripted embeddings. No worker runs."""
    app = create_app(without_limits)
    vars(app.extensions[EXTENSION])["embedder"] = Embedder(model="scripted", base_url=model.url)
    with listening(app) as address:
        yield build(app, without_limits, model, address)
    close(app)


@pytest.fixture(scope="module")
def world(idle_world: GraphWorld) -> Iterator[GraphWorld]:
    """The same with a worker for the whole module."""
    with idle_world.worker():
        yield idle_world


@pytest.fixture(scope="module")
def asking_world(without_limits: Settings, model: ModelServer) -> Iterator[GraphWorld]:
    """With a language model that plays a script, and a worker."""
    chosen = replace(without_limits, openai_base_url=model.url, openai_api_key="test", embedding_model="scripted")
    app = create_app(chosen)
    with listening(app) as address:
        made = build(app, chosen, model, address)
        with made.worker():
            yield made
    close(app)
