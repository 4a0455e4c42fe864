"""The application with a scripted model, and capture driven by hand, one exchange at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from jobs.worker import Process
from tests.capture_world import Place, World, close, scripted, take
from tests.model_server import running
from webapp import create_app
from webapp.settings import Settings


@pytest.fixture(scope="module")
def world(settings: Settings) -> Iterator[World]:
    with running() as model:
        chosen = scripted(settings, model, model_timeout=10.0, lanes=12)
        app = create_app(chosen)
        with app.app_context():
            yield World(app, chosen, model)
        close(app)


@pytest.fixture(scope="module")
def process(world: World) -> Iterator[Process]:
    """A worker's parts, driven by hand."""
    made = Process(world.app)
    yield made
    assert made.chat is not None
    made.chat.close()


@pytest.fixture
def place(world: World) -> Place:
    world.model.forget()
    return world.place(2)


@pytest.fixture
def capture(world: World, process: Process, place: Place) -> Any:
    """Hand in one exchange and have it processed; its row."""

    def run(message: str, **more: Any) -> Any:
        where = more.pop("place", place)
        accepted = world.say(where, message, **more)
        if accepted.status != "pending":
            return world.row(where, accepted.id)
        (item,) = take(where)
        process.pipeline.process(item)
        return world.row(where, accepted.id)

    return run
