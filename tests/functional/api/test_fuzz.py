"""Requests made up from the schema: none may end in a 5xx, or in an answer that the schema does not know.

`make fuzz` sends 10,000; the tests send a few hundred.
"""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import replace
from typing import Any

import hypothesis
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.functional.api.grid import ACCESS, MISSING_ID
from tests.functional.api.world import World
from webapp.api.openapi import document
from webapp.settings import Settings

REQUESTS = int(os.environ.get("FUZZ_REQUESTS", "400"))
CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
# Most requests name something that is there, or they would all end in the same 404.
KNOWN = {
    "org": [*["acme"] * 9, "other"],
    "user": [*["olga"] * 5, "mira", "nobody"],
    "agent": [*["python-tutor"] * 5, "help-desk", "fuzzed"],
    "username": ["olga", "fuzzed"],
}
CALLERS = ("ada", "olga", "service")


@pytest.fixture(scope="module")
def settings(settings: Settings) -> Settings:
    """Ten thousand lines about requests would hide the one line that this prints."""
    return replace(settings, log_level="error")


@pytest.fixture(scope="module")
def api(world: World) -> Any:
    """The schema, over this module's application."""
    return schemathesis.openapi.from_wsgi("/api/schema/", world.app)


@pytest.fixture(scope="module")
def ids(world: World) -> dict[str, list[int]]:
    """Ids that are there, and one that is not."""
    return {
        "memory_id": [world.memories["olga", "global"], world.memories["olga", "agent"], *world.memories.values()],
        "category_id": [world.categories["acme"], MISSING_ID],
        "entry_id": [world.knowledge["acme"], MISSING_ID],
        "exchange_id": [world.exchanges["olga"], MISSING_ID],
    }


def test_made_up_requests(world: World, api: Any, ids: dict[str, list[int]]) -> None:
    sent: Counter[int] = Counter()
    for found in api.get_all_operations():
        _send(world, found.ok(), KNOWN | ids, sent)
    print(f"{sent.total()} requests: " + ", ".join(f"{count} × {status}" for status, count in sorted(sent.items())))
    # Requests that are all refused would prove nothing.
    assert {200, 201, 204, 400, 403, 404} <= set(sent)
    assert not [status for status in sent if status >= 500]


def _send(world: World, operation: Any, known: dict[str, list[Any]], sent: Counter[int]) -> None:
    """This row's share of the requests, valid and invalid ones, as one caller after the other."""
    places = [part["name"] for part in operation.definition.raw["parameters"] if part["in"] == "path"]
    named = st.fixed_dictionaries({place: st.sampled_from(known[place]) for place in places})
    cases = st.one_of(*(operation.as_strategy(mode) for mode in GenerationMode))

    @hypothesis.settings(
        max_examples=max(1, REQUESTS // len(ACCESS)),
        deadline=None,
        database=None,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=cases, place=st.one_of(named, named, named, st.none()), who=st.sampled_from(CALLERS))
    def send(case: Any, place: dict[str, Any] | None, who: str) -> None:
        case.path_parameters = place or case.path_parameters
        answer = case.call(headers=world.headers(who))
        sent[answer.status_code] += 1
        case.validate_response(answer, checks=CHECKS)

    send()


def test_the_schema_names_every_operation() -> None:
    assert sum(len(methods) for methods in document()["paths"].values()) == len(ACCESS)
