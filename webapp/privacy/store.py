"""The SQL of erasing: what hangs on a person, and where their name stands beside what they did."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import text
from sqlalchemy.orm import Session

from webapp.access.actor import Actor
from webapp.memory.audit import NOBODY


def count_hanging(session: Session, org_id: int, user_id: int) -> dict[str, int]:
    """Rows about this person in each table that hangs on `subject`, asked of the catalogue: there is no list to forget."""
    quoted = session.get_bind().dialect.identifier_preparer.quote
    counts = {}
    for table, column in session.execute(_HANGING):
        statement = text(f"SELECT count(*) FROM {table} WHERE org_id = :org AND {quoted(column)} = :user")
        counts[table] = session.scalar(statement, {"org": org_id, "user": user_id}) or 0
    return counts


def renew_subject(session: Session, org_id: int, user_id: int) -> None:
    """Delete everything that hangs on the person, and begin anew."""
    who = {"org": org_id, "user": user_id}
    session.execute(text("DELETE FROM subject WHERE org_id = :org AND user_id = :user"), who)
    session.execute(text("INSERT INTO subject (org_id, user_id) VALUES (:org, :user)"), who)


def fence(session: Session, actor: Actor, user_id: int, *, stop_learning: bool) -> Any:
    """Raise the epoch, so that work accepted before this is dropped, and return the time of the erasure."""
    who = {"by": actor.label, "by_id": actor.account_id}
    row = session.execute(_FENCE, {"org": actor.org_id, "user": user_id, "stop": stop_learning, **who}).one()
    return row.erased_at


def rewrite_labels(session: Session, org_id: int, user_id: int, username: str) -> None:
    """Replace the person's name wherever it stands beside something they did or that was done about them."""
    values: Mapping[str, Any] = {"org": org_id, "user": user_id, "name": username, "nobody": NOBODY}
    for statement in _LABELS:
        session.execute(text(statement), values)


def _unname(side: str) -> str:
    """On their own row the id says no more than the row itself: it stays, so that they read that it was they."""
    return (
        f"UPDATE membership SET {side}_changed_by = :nobody, "
        f"{side}_changed_by_id = CASE WHEN user_id = :user THEN {side}_changed_by_id END "
        f"WHERE org_id = :org AND {side}_changed_by_id = :user"
    )


_HANGING = text(
    """
    SELECT c.conrelid::regclass::text, a.attname
    FROM pg_constraint c
    JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[2]
    WHERE c.confrelid = 'subject'::regclass AND c.contype = 'f' AND c.conparentid = 0
    ORDER BY 1
    """
)
_FENCE = text(
    """
    UPDATE membership SET epoch = epoch + 1, erased_at = now(),
        auto_capture_enabled = auto_capture_enabled AND NOT :stop,
        settings_updated_at = CASE WHEN :stop THEN now() ELSE settings_updated_at END,
        capture_changed_at = CASE WHEN :stop AND auto_capture_enabled THEN now() ELSE capture_changed_at END,
        capture_changed_by = CASE WHEN :stop AND auto_capture_enabled THEN :by ELSE capture_changed_by END,
        capture_changed_by_id = CASE WHEN :stop AND auto_capture_enabled THEN :by_id ELSE capture_changed_by_id END
    WHERE org_id = :org AND user_id = :user RETURNING erased_at
    """
)
_LABELS = (
    "UPDATE audit_event SET actor_label = :nobody WHERE org_id = :org AND actor_id = :user",
    "UPDATE audit_event SET target_label = :nobody WHERE org_id = :org AND target_user_id = :user",
    "UPDATE revision SET actor_label = :nobody WHERE org_id = :org AND actor_id = :user",
    "UPDATE memory SET edited_by = :nobody WHERE org_id = :org AND edited_by = :name",
    "UPDATE memory SET deleted_by = :nobody WHERE org_id = :org AND deleted_by = :name",
    "UPDATE knowledge SET deleted_by = :nobody WHERE org_id = :org AND deleted_by = :name",
    "UPDATE knowledge SET created_by_id = NULL WHERE org_id = :org AND created_by_id = :user",
    "UPDATE agent SET memory_changed_by = :nobody WHERE org_id = :org AND memory_changed_by = :name",
    "UPDATE org SET memsearch_changed_by = :nobody WHERE id = :org AND memsearch_changed_by = :name",
    _unname("capture"),
    _unname("use"),
)
