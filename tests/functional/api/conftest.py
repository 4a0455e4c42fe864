"""Fixtures of the API's tests."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace

import httpx2
import pytest
from flask import Flask
from werkzeug.serving import make_server

from tests import model_server
from tests.functional.api.world import World, build
from webapp import create_app
from webapp.db.session import db
from webapp.settings import Settings


@pytest.fixture(scope="module")
def model() -> Iterator[model_server.ModelServer]:
    """The scripted model, for embeddings and for what is put before it."""
    with model_server.running() as server:
        yield server


@pytest.fixture(scope="module")
def app(settings: Settings, model: model_server.ModelServer) -> Iterator[Flask]:
    """The application over this module's stores, with the scripted model behind it."""
    made = create_app(
        replace(
            settings,
            openai_base_url=model.url,
            openai_api_key="none",
            embedding_model="scripted",
            rate_limit="",
            rate_limit_address="",
        )
    )
    yield made
    with made.app_context():
        db.engine.dispose()


@pytest.fixture(scope="module")
def world(app: Flask) -> World:
    """The cast, made once per module."""
    return build(app)


@pytest.fixture(scope="module")
def server(world: World) -> Iterator[str]:
    """The application behind a real socket; its address."""
    listening = make_server("127.0.0.1", 0, world.app, threaded=True)
    thread = threading.Thread(target=listening.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{listening.server_port}"
    listening.shutdown()
    thread.join()
    listening.server_close()


@pytest.fixture
def http(server: str) -> Iterator[httpx2.Client]:
    """A client of that server."""
    with httpx2.Client(base_url=server) as client:
        yield client
