"""Generated answers, broken, careless or hostile: no crash, no half write, no memory made of debris."""

from __future__ import annotations

import json
import os
import unicodedata
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.capture_world import Place, World, close, scripted
from tests.model_server import Call, Reply, running
from webapp import create_app
from webapp.settings import Settings

SAID = "I live in Lisbon with my two dogs, and I want to learn Portuguese by May."
HOME = "The user lives in Lisbon with two dogs."
GOAL = "The user wants to learn Portuguese by May."

words = st.sampled_from(
    [
        "Lisbon",
        "dogs",
        "two",
        "Portuguese",
        "May",
        "The user",
        "...",
        "null",
        "\x00",
        "\ud800",
        "</think>",
        "```",
        "{",
        "]",
        '"',
    ]
)
texts = (
    st.lists(words, max_size=8).map(" ".join) | st.text(max_size=60) | st.sampled_from([HOME, GOAL, SAID, "", "N/A"])
)
scalars = st.none() | st.booleans() | st.integers() | st.floats() | texts
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4), max_leaves=12
)
slugs = st.sampled_from(["learning_goals", "preferences", "moods", "", "global"]) | texts
item = texts | values | st.fixed_dictionaries(
    {"text": texts | values},
    optional={
        "evidence": values | st.fixed_dictionaries({"message": st.integers(-2, 3) | values, "quote": texts | values}),
        "relation": values | st.fixed_dictionaries({"kind": st.sampled_from(["none", "same", "supersedes"]) | values, "n": values}),
    },
)  # fmt: skip
shaped = st.fixed_dictionaries(
    {},
    optional={
        "has_memories": scalars,
        "global_memories": st.lists(item, max_size=6) | values,
        "mentor_memories": st.dictionaries(slugs, st.lists(item, max_size=4) | values, max_size=3) | values,
    },
)
dressings = st.sampled_from(
    ["{}", "```json\n{}\n```", "<think>{}</think>", "<think>a</think>{}", "Here: {} Bye.", "{}{}", "[{}]"]
)


@st.composite
def hostile(draw: st.DrawFn) -> str:
    """An answer as a broken, careless or hostile model might give it."""
    body = json.dumps(draw(shaped | values), ensure_ascii=draw(st.booleans()))
    text = draw(dressings).replace("{}", body)
    return text[: draw(st.integers(0, len(text)))] if draw(st.integers(0, 4)) == 0 else text


BATCH = 100
BATCHES = int(os.environ.get("HOSTILE_BATCHES", "6"))


@pytest.fixture(scope="module")
def crowd(settings: Settings) -> Iterator[tuple[World, Place, list[list[str]]]]:
    """A worker that always runs, a hundred people, and the answers that the model gives them next."""
    with running() as model:
        chosen = scripted(settings, model, model_timeout=10.0, lanes=24, max_attempts=2)
        app = create_app(chosen)
        with app.app_context():
            world = World(app, chosen, model)
            given: list[list[str]] = [[]]

            def rule(call: Call) -> Reply | None:
                found = call.prompt.partition("[no ")[2].partition("]")[0]
                return Reply(given[0][int(found)].encode("utf-8", "replace").decode()) if found else None

            model.rule(rule)
            with world.worker():
                yield world, world.place(BATCH), given
        close(app)


# A batch of a hundred answers is long to print: hypothesis says so, and it is meant to be.
@pytest.mark.filterwarnings("ignore:Generating overly large repr")
@settings(
    max_examples=BATCHES, deadline=None, suppress_health_check=list(HealthCheck), phases=(Phase.reuse, Phase.generate)
)
@given(answers=st.lists(hostile(), min_size=BATCH, max_size=BATCH))
def test_hostile_answers_end_in_one_honest_state(
    crowd: tuple[World, Place, list[list[str]]], answers: list[str]
) -> None:
    """A hundred generated answers at a time; HOSTILE_BATCHES=50 makes it five thousand."""
    world, place, given_answers = crowd
    with world.app.app_context():
        world.execute(place, "DELETE FROM memory")
        given_answers[0] = answers
        ids = [
            world.say(place, SAID, user=user, user_name=f"[no {number}]").id for number, user in enumerate(place.users)
        ]
        world.settled(place, 120)
        rows = world.rows(place, "SELECT * FROM inbox WHERE id = ANY(:ids)", ids=ids)
        made = world.rows(place, "SELECT content, source_exchange_id FROM memory")
        _check(rows, made, dict(zip(ids, answers, strict=True)))


def _check(rows: list[Any], made: list[Any], answered: dict[int | None, str]) -> None:
    assert len(rows) == BATCH
    for row in rows:
        told = (row.state, row.error, answered[row.id])
        assert row.state in {"done", "failed"}, told
        assert (row.error is None) == (row.state == "done"), told
        assert row.error != "internal", told
        texts_made = [one.content for one in made if one.source_exchange_id == row.id]
        assert len(texts_made) == row.created, told
        assert row.state == "done" or not texts_made, told
        for content in texts_made:
            assert 10 <= len(content) <= 500, content
            assert not set(content) & set("{}[]\x00<>`"), content
            # In whatever letters and form of the word: the gate asks for one content word that the user said.
            folded = unicodedata.normalize("NFKC", content).casefold()
            assert any(said in folded for said in ("lisbon", "dog", "portuguese", "two", "may")), content
