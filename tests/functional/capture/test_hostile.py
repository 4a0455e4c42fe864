"""Generated answers, broken, careless or hostile: no crash, no half write, no memory made of debris."""

from __future__ import annotations

import json
import os
import unicodedata
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from jobs.worker import Process
from tests.capture_world import Place, World, close, scripted
from tests.model_server import Call, Reply, running
from webapp import create_app
from webapp.inbox import claim
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
keys = {
    "has_memories": scalars,
    "global_memories": st.lists(item, max_size=6) | values,
    "mentor_memories": st.dictionaries(slugs, st.lists(item, max_size=4) | values, max_size=3) | values,
}
shaped = st.fixed_dictionaries({}, optional=keys)
filled = st.fixed_dictionaries(
    {"has_memories": st.booleans(), "global_memories": st.lists(item, min_size=1, max_size=6)},
    optional={"mentor_memories": keys["mentor_memories"]},
)
dressings = st.sampled_from(
    ["{}", "```json\n{}\n```", "<think>{}</think>", "<think>a</think>{}", "Here: {} Bye.", "{}{}", "[{}]"]
)


@st.composite
def hostile(draw: st.DrawFn) -> str:
    """An answer as a broken, careless or hostile model might give it."""
    body = json.dumps(draw(filled | shaped | filled | values), ensure_ascii=draw(st.booleans()))
    text = draw(dressings).replace("{}", body)
    return text[: draw(st.integers(1, len(text)))] if draw(st.integers(0, 4)) == 0 else text


ANSWERS = int(os.environ.get("HOSTILE_ANSWERS", "5000"))
PEOPLE = 250
"""A divisor of ANSWERS."""


def generated(count: int) -> list[str]:
    """Answers made by hypothesis: the same each time in CI, by the profile, and new ones elsewhere.

    It makes the short ones over and over; what was there already runs on from the answer before it.
    """
    found: list[str] = []
    known: set[str] = set()

    @settings(max_examples=count, suppress_health_check=list(HealthCheck), phases=(Phase.generate,), database=None)
    @given(answer=hostile())
    def collect(answer: str) -> None:
        found.append(f"{found[-1]}\n{answer}"[-20_000:] if answer in known else answer)
        known.add(answer)

    collect()
    return found


@dataclass(frozen=True, slots=True)
class Crowd:
    """People, a worker's parts, and the answers that the model gives them next."""

    world: World
    place: Place
    process: Process
    answers: list[str]

    def work_off(self) -> None:
        """All that waits, many at once. Claimed in one go: claiming one by one is tested elsewhere and takes its time."""
        with ThreadPoolExecutor(8) as pool:
            while items := claim.claim(self.place.org_id, PEOPLE, lease_seconds=300, max_attempts=2):
                list(pool.map(self.process.drain.work, items))


@pytest.fixture(scope="module")
def crowd(settings: Settings) -> Iterator[Crowd]:
    with running() as model:
        # Without a queue: nobody has to be woken who never rests.
        chosen = scripted(settings, model, model_timeout=30.0, lanes=24, max_attempts=2, redis_url="")
        app = create_app(chosen)
        with app.app_context():
            world = World(app, chosen, model)
            given: list[str] = []

            def rule(call: Call) -> Reply | None:
                found = call.prompt.partition("[no ")[2].partition("]")[0]
                return Reply(given[int(found)].encode("utf-8", "replace").decode()) if found else None

            model.rule(rule)
            process = Process(app)
            yield Crowd(world, world.place(PEOPLE), process, given)
            process.chat.close()
        close(app)


# As a retry by hand does, for all at once: handing in is tested elsewhere.
_AGAIN = """
    UPDATE inbox SET state = 'pending', attempts = 0, next_at = now(), done_at = NULL, error = NULL, created = 0,
        superseded = 0, duplicates = 0, rejected = 0, rejections = '{}'
"""


def test_hostile_answers_end_in_one_honest_state(crowd: Crowd) -> None:
    """Five thousand, each about a person of whom nothing is remembered yet; many at once."""
    world, place = crowd.world, crowd.place
    answers = generated(ANSWERS)
    assert len(answers) == ANSWERS
    ids = [world.say(place, SAID, user=user, user_name=f"[no {number}]").id for number, user in enumerate(place.users)]
    for start in range(0, ANSWERS, PEOPLE):
        crowd.answers[:] = answers[start : start + PEOPLE]
        world.execute(place, "DELETE FROM memory")
        world.execute(place, "DELETE FROM memory_tally")
        world.execute(place, _AGAIN)
        crowd.work_off()
        rows = world.rows(place, "SELECT * FROM inbox")
        made = world.rows(place, "SELECT content, source_exchange_id FROM memory")
        assert len(rows) == PEOPLE
        _check(rows, made, dict(zip(ids, crowd.answers, strict=True)))


def _check(rows: list[Any], made: list[Any], answered: dict[int | None, str]) -> None:
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
            assert any(
                said in folded for said in ("lisbon", "dog", "portuguese", "two", "may", "learn", "liv", "want")
            ), content
