"""Results in PostgreSQL's binary form, for columns that come packed as one value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy.orm import Session


def rows(session: Session, statement: str, given: Mapping[str, object]) -> list[Any]:
    """Ask psycopg itself, in the session's transaction: only it takes values in binary, half as long as in text."""
    connection = session.connection().connection.driver_connection
    assert connection is not None
    return list(connection.execute(statement, given, binary=True))
