"""Rate limits: per token and per address, shared between processes, kept where Redis is gone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Any

import pytest
from flask import Flask

from tests import servers
from tests.functional.api.world import World
from webapp import create_app
from webapp.db.session import db
from webapp.embedded.valkey import EmbeddedValkey
from webapp.settings import Settings

PATH = "/api/ai-agent/orgs/acme/users/olga/global-memories/"


@contextmanager
def application(settings: Settings, **changes: Any) -> Iterator[Flask]:
    """One more process over the same stores, as far as limits can tell."""
    made = create_app(replace(settings, **changes))
    try:
        yield made
    finally:
        with made.app_context():
            db.engine.dispose()


@pytest.fixture(autouse=True)
def nothing_counted(valkey_server: EmbeddedValkey) -> None:
    valkey_server.empty()


def get(app: Flask, world: World, who: str, address: str = "10.0.0.1") -> Any:
    return app.test_client().get(PATH, headers=world.headers(who), environ_base={"REMOTE_ADDR": address})


# First, since a limiter that has once lost its store counts in memory for a while.
def test_nothing_in_redis_names_a_token_or_an_address(world: World, settings: Settings, valkey_url: str) -> None:
    import redis

    with application(settings, rate_limit="100/minute", rate_limit_address="100/minute") as app:
        get(app, world, "olga", "10.9.8.7")
    with redis.Redis.from_url(valkey_url) as queue:
        keys = b" ".join(queue.scan_iter())
    assert keys
    assert world.tokens["olga"].encode() not in keys
    assert b"10.9.8.7" not in keys


def test_a_token_over_its_limit_is_429_and_says_when_to_come_back(world: World, settings: Settings) -> None:
    with application(settings, rate_limit="3/minute", rate_limit_address="") as app:
        assert [get(app, world, "olga").status_code for _ in range(3)] == [200] * 3
        refused = get(app, world, "olga")
        assert (refused.status_code, refused.json) == (429, {"detail": "Request was throttled."})
        assert 1 <= int(refused.headers["Retry-After"]) <= 61
        # Another token of the same address is not touched.
        assert get(app, world, "ada").status_code == 200


def test_all_endpoints_count_together(world: World, settings: Settings) -> None:
    with application(settings, rate_limit="3/minute", rate_limit_address="") as app:
        client, headers = app.test_client(), world.headers("olga")
        paths = [PATH, PATH.replace("global-memories", "memsearch-settings"), PATH.replace("/api/", "/dm/api/"), "/"]
        assert [client.get(path, headers=headers).status_code for path in paths] == [200, 200, 200, 429]


def test_processes_share_one_count(world: World, settings: Settings) -> None:
    with ExitStack() as stack:
        apps = [
            stack.enter_context(application(settings, rate_limit="4/minute", rate_limit_address="")) for _ in range(2)
        ]
        found = [get(app, world, "olga").status_code for app in apps * 3]
    assert found == [200] * 4 + [429] * 2


def test_an_address_is_limited_whatever_tokens_it_sends(world: World, settings: Settings) -> None:
    with application(settings, rate_limit="100/minute", rate_limit_address="3/minute") as app:
        client = app.test_client()
        guesses = [
            client.get(PATH, headers={"Authorization": f"Token guess{n}"}, environ_base={"REMOTE_ADDR": "10.0.0.2"})
            for n in range(4)
        ]
        assert [answer.status_code for answer in guesses] == [401, 401, 401, 429]
        assert get(app, world, "olga", "10.0.0.3").status_code == 200


def test_without_redis_each_process_counts_for_itself(world: World, settings: Settings) -> None:
    with servers.valkey() as short_lived:
        changes = {"redis_url": short_lived.url, "rate_limit": "3/minute", "rate_limit_address": ""}
        context = application(settings, **changes)
        app = context.__enter__()
        assert get(app, world, "olga").status_code == 200
    found = [get(app, world, "olga").status_code for _ in range(5)]
    assert 429 in found
    assert set(found) == {200, 429}
    context.__exit__(None, None, None)


def test_no_limit_by_setting_and_none_for_health(world: World, settings: Settings) -> None:
    with application(settings, rate_limit="", rate_limit_address="") as app:
        assert {get(app, world, "olga").status_code for _ in range(20)} == {200}
    with application(settings, rate_limit="1/minute", rate_limit_address="1/minute") as app:
        assert {app.test_client().get("/healthz").status_code for _ in range(5)} == {200}
