"""A worker over real stores: accepted exchanges become memories."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.capture_world import World, close, scripted
from tests.model_server import running
from webapp import create_app
from webapp.llm.embeddings import Embedder
from webapp.runtime import EXTENSION
from webapp.settings import Settings


@pytest.fixture(scope="module")
def world(settings: Settings) -> Iterator[World]:
    with running() as model:
        chosen = scripted(settings, model, openai_base_url="", openai_api_key="")
        app = create_app(chosen)
        # The rules with the scripted embeddings: the built-in model's process has tests of its own.
        vars(app.extensions[EXTENSION])["embedder"] = Embedder(model="scripted", base_url=model.url)
        with app.app_context():
            yield World(app, chosen, model)
        close(app)


def test_an_exchange_becomes_a_memory(world: World) -> None:
    place = world.place()
    accepted = world.say(place, "I live in Lisbon and I work as a nurse.", session_id="s1")
    assert accepted.status == "pending"
    with world.worker():
        world.settled(place)
    row = world.row(place, accepted.id)
    assert row.error is None
    assert (row.state, row.created) == ("done", 2)
    assert world.memories(place) == ["The user lives in Lisbon.", "The user works as a nurse."]
