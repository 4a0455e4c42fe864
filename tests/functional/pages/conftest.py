"""Fixtures of the screens' tests: the API's cast, each of them with a browser that knows htmx or does not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from flask import Flask

from tests import model_server
from tests.functional.api.world import World, build
from tests.functional.pages.visitor import Visitor
from webapp import create_app
from webapp.db.session import db
from webapp.settings import Settings

Visit = Callable[[str], Visitor]


@pytest.fixture(scope="module")
def model() -> Iterator[model_server.ModelServer]:
    """The scripted model, for embeddings."""
    with model_server.running() as server:
        yield server


@pytest.fixture(scope="module")
def app(settings: Settings, model: model_server.ModelServer) -> Iterator[Flask]:
    """The application over this module's stores, with the scripted model behind it."""
    changed = replace(
        settings,
        openai_base_url=model.url,
        openai_api_key="none",
        embedding_model="scripted",
        rate_limit="",
        rate_limit_address="",
    )
    made = create_app(changed)
    yield made
    with made.app_context():
        db.engine.dispose()


@pytest.fixture(scope="module")
def world(app: Flask) -> World:
    """The cast, made once per module."""
    return build(app)


@pytest.fixture(scope="module")
def visit(world: World) -> Visit:
    """`visit("olga")`: a browser in which she is signed in."""
    return lambda who: Visitor(world, who)
