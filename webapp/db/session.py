"""The only two ways to a database transaction. Each verb opens one; nothing else commits."""

from __future__ import annotations

import select
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from flask_sqlalchemy import SQLAlchemy
from sqlalchemy import event, text
from sqlalchemy.exc import DisconnectionError
from sqlalchemy.orm import Session
from sqlalchemy.pool import Pool

from webapp.db.base import Base

db = SQLAlchemy(model_class=Base, disable_autonaming=True)


@event.listens_for(Pool, "checkout")
def _replace_closed(connection: Any, _record: Any, _proxy: Any) -> None:
    """Replace a connection that the server has closed meanwhile: its end can be read from the socket.

    The pool's own ping asks the server before every transaction: three round trips, a third of a request's.
    """
    poll = select.poll()
    poll.register(connection.pgconn.socket, select.POLLIN)
    if poll.poll(0):
        raise DisconnectionError


@contextmanager
def transaction(org_id: int) -> Iterator[Session]:
    """One transaction inside one org: committed at the end, rolled back on any exception.

    Row-level security shows and accepts this org's rows only. `SET LOCAL` takes no parameters, so the id is checked
    to be an integer here; a session-wide `SET` would leak to the next client of a pooled connection.
    """
    with _begun(f"BEGIN; {_entered(org_id)}") as session:
        yield session


def enter(session: Session, org_id: int) -> None:
    """Go into an org for the rest of a transaction that began outside every org."""
    session.execute(text(_entered(org_id)))


@contextmanager
def installation() -> Iterator[Session]:
    """One transaction outside every org: it sees the tables that have no org, and no row of those that have."""
    with _begun("BEGIN") as session:
        yield session


@contextmanager
def _begun(statements: str) -> Iterator[Session]:
    """A session in the transaction that these statements begin; without parameters the driver sends them as one."""
    with Session(db.engine, expire_on_commit=False) as session, session.begin():
        session.connection().exec_driver_sql(statements)
        yield session


def _entered(org_id: int) -> str:
    return f"SET LOCAL app.org_id = {int(org_id)}"
