"""The only two ways to a database transaction. Each verb opens one; nothing else commits."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from flask_sqlalchemy import SQLAlchemy
from sqlalchemy import text
from sqlalchemy.orm import Session

from webapp.db.base import Base

db = SQLAlchemy(model_class=Base, disable_autonaming=True)


@contextmanager
def transaction(org_id: int) -> Iterator[Session]:
    """One transaction inside one org: committed at the end, rolled back on any exception.

    Row-level security shows and accepts this org's rows only. `SET LOCAL` takes no parameters, so the id is checked
    to be an integer here; a session-wide `SET` would leak to the next client of a pooled connection.
    """
    with installation() as session:
        enter(session, org_id)
        yield session


def enter(session: Session, org_id: int) -> None:
    """Go into an org for the rest of a transaction that began outside every org."""
    session.execute(text(f"SET LOCAL app.org_id = {int(org_id)}"))


@contextmanager
def installation() -> Iterator[Session]:
    """One transaction outside every org: it sees the tables that have no org, and no row of those that have."""
    with Session(db.engine, expire_on_commit=False) as session, session.begin():
        yield session
