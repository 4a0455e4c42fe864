"""A connection that the server has closed is replaced before it is used."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest
from flask import Flask
from sqlalchemy import text
from sqlalchemy.exc import OperationalError

from tests import servers
from webapp.db import binary
from webapp.db.session import db, installation, transaction


@pytest.fixture
def context(app: Flask) -> Iterator[None]:
    with app.app_context():
        yield
        db.engine.dispose()


@pytest.mark.usefixtures("context")
def test_a_restart_of_the_server_costs_no_request(database: servers.Database) -> None:
    with installation() as session:
        first = session.scalar(text("SELECT pg_backend_pid()"))
    url = database.superuser_url.replace("+psycopg", "")
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("SELECT pg_terminate_backend(%s, 5000)", [first])
    with installation() as session:
        assert session.scalar(text("SELECT pg_backend_pid()")) != first


@pytest.mark.usefixtures("context")
def test_a_transaction_is_undone_as_a_whole_and_its_org_ends_with_it() -> None:
    with pytest.raises(LookupError):
        _write_and_fail()
    with installation() as session:
        assert session.scalar(text("SELECT count(*) FROM account WHERE username = 'undone'")) == 0
        assert session.scalar(text("SELECT coalesce(current_setting('app.org_id', true), '')")) == ""
        began = session.scalar(text("SELECT now()"))
        assert session.scalar(text("SELECT now()")) == began


def _write_and_fail() -> None:
    with transaction(7) as session:
        session.execute(text("INSERT INTO account (username, email) VALUES ('undone', 'undone@example.org')"))
        assert session.scalar(text("SELECT current_setting('app.org_id')")) == "7"
        raise LookupError


@pytest.mark.usefixtures("context")
def test_a_living_connection_is_used_again() -> None:
    found = []
    for _ in range(3):
        with installation() as session:
            found.append(session.scalar(text("SELECT pg_backend_pid()")))
    assert len(set(found)) == 1


@pytest.mark.usefixtures("context")
def test_what_psycopg_answers_itself_is_in_the_transaction_and_fails_as_the_rest_does() -> None:
    with transaction(7) as session:
        (row,) = binary.rows(
            session, "SELECT current_setting('app.org_id') AS org, %(n)s::int4 AS n", {"n": 5}, named=True
        )
        assert (row.org, row.n) == ("7", 5)
        session.execute(text("SET LOCAL statement_timeout = 20"))
        with pytest.raises(OperationalError) as failed:
            binary.rows(session, "SELECT pg_sleep(5), %(said)s::text", {"said": "a secret"})
        assert "secret" not in str(failed.value)
