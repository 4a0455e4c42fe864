"""Everything held about one user, and everything that one agent holds, as JSON documents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from pydantic_core import to_json
from sqlalchemy import TextClause, text
from sqlalchemy.orm import Session

from webapp.access.actor import Actor
from webapp.access.policy import Action, Target, require
from webapp.db.session import transaction
from webapp.errors import NotVisible
from webapp.graph import export as graph
from webapp.memory import audit

Row = Mapping[Any, Any]
Rows = Iterable[Row]

AT_ONCE = 1_000
"""Rows that are objects at one time: of an agent with 100,000 memories only the document is held whole."""


def about_user(actor: Actor, user_id: int) -> bytes:
    """Everything held about a user in this org, as JSON: deleted and superseded memories and queued texts included.

    Not in it: vectors and search terms, which are made of the same texts, and hashes. Raises NotVisible, NotAllowed.
    The memories are in the form that `import-memories` reads.
    """
    require(actor, Action.EXPORT_USER, Target(actor.org_id, user_id))
    with transaction(actor.org_id) as session:
        values = {"org": actor.org_id, "user": user_id}
        user = session.execute(_USER, values).mappings().one_or_none()
        if user is None:
            raise NotVisible
        audit.record(session, actor, "user.exported", "user", target_user_id=user_id)
        held = {name: _rows(session, statement, values) for name, statement in ABOUT_USER.items()}
        return _document({"user": user}, held | {"graph": graph.of_user(session, actor.org_id, user_id)})


def of_agent(actor: Actor, agent_id: int) -> bytes:
    """An agent with its categories, its knowledge, and its live memories about everyone. JSON; raises as `about_user`."""
    require(actor, Action.EXPORT_AGENT, Target(actor.org_id, agent_id=agent_id))
    with transaction(actor.org_id) as session:
        values = {"org": actor.org_id, "agent": agent_id}
        agent = session.execute(_AGENT, values).mappings().one_or_none()
        if agent is None:
            raise NotVisible
        audit.record(session, actor, "agent.exported", "agent", target_id=agent_id, target_label=agent["slug"])
        return _document(
            {"agent": agent}, {name: _rows(session, statement, values) for name, statement in OF_AGENT.items()}
        )


def _rows(session: Session, statement: TextClause, values: Mapping[str, int]) -> Rows:
    return session.execute(statement, dict(values), execution_options={"yield_per": AT_ONCE}).mappings()


def _document(head: Mapping[str, Row], held: Mapping[str, Rows]) -> bytes:
    """One JSON object: the head's members, and each list, a row to a line. Times are in UTC."""
    whole = bytearray(b'{"exported_at":' + to_json(datetime.now(UTC)))
    for name, value in head.items():
        whole += b",\n" + to_json(name) + b":" + to_json(_in_utc(value))
    for name, rows in held.items():
        whole += b",\n" + to_json(name) + b":["
        for place, row in enumerate(rows):
            whole += (b",\n" if place else b"\n") + to_json(_in_utc(row))
        whole += b"]"
    return bytes(whole + b"}\n")


def _in_utc(row: Row) -> dict[str, Any]:
    return {name: value.astimezone(UTC) if isinstance(value, datetime) else value for name, value in row.items()}


_USER = text(
    """
    SELECT o.key AS org, a.id, a.username, a.email, a.full_name, coalesce(a.time_zone, o.time_zone) AS time_zone, m.role,
           m.auto_capture_enabled, m.use_memory_in_responses, m.settings_updated_at, m.created_at AS joined_at,
           m.removed_at, m.erased_at
    FROM membership m JOIN account a ON a.id = m.user_id JOIN org o ON o.id = m.org_id
    WHERE m.org_id = :org AND m.user_id = :user
    """
)
_MEMORY = """
    SELECT m.id, u.username, CASE WHEN m.agent_id IS NULL THEN 'global' ELSE 'agent' END AS scope, g.slug AS agent,
           c.slug AS category_slug, m.content, m.origin, m.evidence, m.source_session_id, m.source_exchange_id,
           m.occurred_at, m.version, m.edited_by, m.created_at, m.updated_at, m.deleted_at, m.deleted_by,
           m.superseded_at, m.superseded_by_id
    FROM memory m JOIN account u ON u.id = m.user_id
    LEFT JOIN agent g ON g.org_id = m.org_id AND g.id = m.agent_id
    LEFT JOIN category c ON c.org_id = m.org_id AND c.id = m.category_id
"""
# What is held about a user, by name in the export. A test reads the catalogue and fails when a table is in neither
# this list nor `DERIVED`.
ABOUT_USER: dict[str, TextClause] = {
    "memories": text(f"{_MEMORY} WHERE m.org_id = :org AND m.user_id = :user ORDER BY m.id"),
    "revisions": text(
        """
        SELECT object_kind AS kind, object_id, action, version, before, after, actor_label, how, at FROM revision
        WHERE org_id = :org AND (user_id = :user OR actor_id = :user) ORDER BY id
        """
    ),
    "exchanges": text(
        """
        SELECT i.id, i.kind, g.slug AS agent, i.session_id, i.body, i.occurred_at, i.state, i.reason, i.error,
               i.created, i.superseded, i.duplicates, i.rejected, i.created_at, i.done_at
        FROM inbox i LEFT JOIN agent g ON g.org_id = i.org_id AND g.id = i.agent_id
        WHERE i.org_id = :org AND i.user_id = :user ORDER BY i.id
        """
    ),
    "forgotten": text(
        """
        SELECT g.slug AS agent, t.source_exchange_id, t.deleted_at
        FROM tombstone t LEFT JOIN agent g ON g.org_id = t.org_id AND g.id = t.agent_id
        WHERE t.org_id = :org AND t.user_id = :user ORDER BY t.id
        """
    ),
    "agent_roles": text(
        """
        SELECT g.slug AS agent, r.role FROM agent_role r JOIN agent g ON g.org_id = r.org_id AND g.id = r.agent_id
        WHERE r.org_id = :org AND r.user_id = :user ORDER BY g.slug
        """
    ),
    "knowledge_written": text(
        """
        SELECT k.id, g.slug AS agent, k.content, k.created_at, k.deleted_at
        FROM knowledge k JOIN agent g ON g.org_id = k.org_id AND g.id = k.agent_id
        WHERE k.org_id = :org AND k.created_by_id = :user ORDER BY k.id
        """
    ),
    "audit": text(
        """
        SELECT at, actor_label, action, target_kind, target_id, target_label, detail FROM audit_event
        WHERE org_id = :org AND (target_user_id = :user OR actor_id = :user) ORDER BY id
        """
    ),
    "tokens": text(
        """
        SELECT name, prefix, scopes, created_at, expires_at, last_used_at, revoked_at FROM token
        WHERE org_id = :org AND account_id = :user ORDER BY id
        """
    ),
}
DERIVED = {
    "memory_vector": "made of the memories' texts",
    "memory_search": "made of the memories' texts",
    "memory_tally": "counts of the memories",
    "membership": "the user",
    "subject": "an anchor without content",
}

_AGENT = text(
    """
    SELECT o.key AS org, a.unique_id, a.slug, a.name, a.description, a.enable_memory_component, a.archived_at, a.created_at
    FROM agent a JOIN org o ON o.id = a.org_id WHERE a.org_id = :org AND a.id = :agent
    """
)
OF_AGENT: dict[str, TextClause] = {
    "categories": text(
        """
        SELECT id, name, slug, description, extraction_prompt, is_active, created_at FROM category
        WHERE org_id = :org AND agent_id = :agent ORDER BY id
        """
    ),
    "knowledge": text(
        """
        SELECT k.id, k.content, a.username AS created_by, k.created_at, k.updated_at
        FROM knowledge k LEFT JOIN account a ON a.id = k.created_by_id
        WHERE k.org_id = :org AND k.agent_id = :agent AND k.deleted_at IS NULL ORDER BY k.id
        """
    ),
    "memories": text(
        f"{_MEMORY} WHERE m.org_id = :org AND m.agent_id = :agent AND m.deleted_at IS NULL "
        "AND m.superseded_at IS NULL ORDER BY m.id"
    ),
}
