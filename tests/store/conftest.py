"""An org with people in it and work handed in, for tests of the inbox."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.capture_world import Place, World, close, scripted
from tests.model_server import running
from webapp import create_app
from webapp.settings import Settings


@pytest.fixture(scope="module")
def world(settings: Settings) -> Iterator[World]:
    with running() as model:
        chosen = scripted(settings, model)
        app = create_app(chosen)
        with app.app_context():
            yield World(app, chosen, model)
        close(app)


@pytest.fixture
def place(world: World) -> Place:
    return world.place(3)
