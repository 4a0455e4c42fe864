"""The OpenAPI document and its page: valid, complete, and what the code does."""

from __future__ import annotations

import re

import pytest
import schemathesis

from tests.functional.api.grid import ACCESS
from tests.functional.api.world import World
from webapp.api.openapi import PREFIXES, document
from webapp.http.endpoint import ENDPOINTS


def test_it_is_a_valid_document_and_open_to_everyone(world: World) -> None:
    answer = world.app.test_client().get("/api/schema/")
    assert answer.status_code == 200
    assert answer.json["openapi"].startswith("3.1")
    schemathesis.openapi.from_dict(answer.json).validate()
    assert [server["url"] for server in answer.json["servers"]] == list(PREFIXES)


def test_every_row_is_in_it_with_its_statuses() -> None:
    operations = {
        operation["operationId"]: operation
        for methods in document()["paths"].values()
        for operation in methods.values()
    }
    assert set(operations) == set(ACCESS)
    for row in ENDPOINTS:
        operation = operations[row.name]
        assert operation["summary"].endswith("."), row.name
        expected = {row.status, *row.statuses, 401, 403, 404, 429} | ({400, 413, 415} if row.body else set())
        assert {str(status) for status in expected} <= set(operation["responses"]), row.name
        assert ("requestBody" in operation) is (row.body is not None)


def test_identical_paths_have_one_template() -> None:
    paths = [re.sub(r"{\w+}", "{}", path) for path in document()["paths"]]
    assert len(paths) == len(set(paths))


@pytest.mark.parametrize("path", ["/api/docs/", "/api/docs"])
def test_the_page_shows_every_operation_under_the_applications_csp(world: World, path: str) -> None:
    answer = world.app.test_client().get(path)
    assert answer.status_code == 200
    page = answer.text
    for row in ENDPOINTS:
        assert f'id="{row.name}"' in page
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
    assert not re.search(r"<script(?![^>]*\bsrc=)|\sstyle=|\son\w+=|<style", page)
    assert not re.search(r'(?:src|href)="(?:https?:)?//', page)


def test_a_signed_in_person_sees_it_too(world: World) -> None:
    client, _csrf = world.browser("olga")
    assert client.get("/api/docs/").status_code == 200
