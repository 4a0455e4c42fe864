"""What tests of search and recall work with: memories with made-up vectors, written by the product's own verbs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from flask import Flask

from tests.capture_world import Place, World, close, scripted
from tests.model_server import running
from webapp import create_app
from webapp.access.actor import Actor, system
from webapp.memory import categories
from webapp.memory.write import manual
from webapp.recall.recall import Recalled, recall
from webapp.settings import Settings

CATEGORY = "preferences"


class RecallWorld(World):
    """The application over real stores, with shorthands for remembering and recalling."""

    def actor(self, place: Place) -> Actor:
        """May do everything in the org."""
        return system(place.org_id, "test")

    def remember(
        self, place: Place, *texts: str, agent: bool = False, user: int | None = None, **more: Any
    ) -> list[int]:
        """Memories by hand: global ones, or the agent's in one category. Their ids."""
        if agent:
            more = {"agent_id": place.agent_id, "category_slug": CATEGORY, **more}
        drafts = [manual.Draft(user or place.user, text, **more) for text in texts]
        return [manual.add(self.actor(place), draft).id for draft in drafts]

    def recall(self, place: Place, message: str, **more: Any) -> Recalled:
        """Recall by somebody who may see everything, the runners-up included."""
        given = {"actor": self.actor(place), "user_id": place.user, "agent_id": place.agent_id, "explain": True} | more
        return recall(given.pop("actor"), message=message, **given)

    def slugs(self, place: Place) -> dict[str, int]:
        """The agent's categories, seeded."""
        found = categories.list_categories(self.actor(place), place.agent_id, include_inactive=True)
        return {one.slug: one.id for one in found.rows}


@contextmanager
def recall_world(settings: Settings, **changes: Any) -> Iterator[RecallWorld]:
    """A world of its own, inside an application context."""
    with running() as model:
        chosen = scripted(settings, model, **changes)
        app: Flask = create_app(chosen)
        with app.app_context():
            yield RecallWorld(app, chosen, model)
        close(app)


def texts(found: Recalled) -> tuple[list[str], list[str]]:
    """What was recalled: global memories, and the agent's, in their order."""
    about, filed = found.global_memories, found.agent_memories
    return [one.memory.content for one in about], [one.memory.content for one in filed]


def unit(values: Sequence[float]) -> list[float]:
    """The vector of length 1 in this direction."""
    return [float(each) for each in np.asarray(values) / np.linalg.norm(values)]
