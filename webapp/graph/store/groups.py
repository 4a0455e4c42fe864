"""Groups: found, made, locked, owned and deleted."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import delete, select, text, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from webapp.db.models import Account, GraphGroup, InboxItem
from webapp.graph.types import Group
from webapp.terms import unpacked


def lane(group_id: int) -> str:
    """The inbox lane of a group: its messages are worked off one at a time, in order."""
    return f"graph:{group_id}"


def find(session: Session, org_id: int, key: str) -> Group | None:
    """By its key."""
    row = session.scalar(select(GraphGroup).where(GraphGroup.org_id == org_id, GraphGroup.key == key))
    return _group(row) if row else None


def load(session: Session, org_id: int, group_id: int, *, lock: bool = False) -> Group | None:
    """By its id; with `lock` nobody else writes into the group until the transaction ends."""
    chosen = select(GraphGroup).where(GraphGroup.org_id == org_id, GraphGroup.id == group_id)
    chosen = chosen.execution_options(populate_existing=True)
    row = session.scalar(chosen.with_for_update(key_share=True) if lock else chosen)
    return _group(row) if row else None


def make(session: Session, org_id: int, key: str, owner_id: int | None) -> None:
    """Make a group unless there is one with this key."""
    row = insert(GraphGroup).values(org_id=org_id, key=key, owner_id=owner_id)
    session.execute(row.on_conflict_do_nothing(index_elements=["org_id", "key"]))


def among(session: Session, org_id: int, keys: Sequence[str] | None = None, owner_id: int | None = None) -> list[Group]:
    """The org's groups by key, those of these keys and of this owner where given."""
    given = {"org": org_id, "keys": None if keys is None else list(keys), "owner": owner_id}
    return [Group(*row) for row in session.execute(_AMONG, given)]


def set_owner(session: Session, org_id: int, group_id: int, owner_id: int) -> None:
    """Give a group and its accepted work to a member: erasing that member then takes both."""
    chosen = (GraphGroup.org_id == org_id, GraphGroup.id == group_id)
    session.execute(update(GraphGroup).where(*chosen).values(owner_id=owner_id))
    session.execute(
        text(
            "UPDATE inbox SET user_id = :owner, epoch = (SELECT epoch FROM membership WHERE org_id = :org AND user_id = :owner) "
            "WHERE org_id = :org AND lane = :lane"
        ),
        {"org": org_id, "owner": owner_id, "lane": lane(group_id)},
    )


def note_change(
    session: Session, org_id: int, group_id: int, *, added: Sequence[bytes] = (), removed: Sequence[bytes] = ()
) -> int | None:
    """Count a change of the group's facts, before it is made: facts with these packed terms are added, or go.

    Returns the change's number, which the facts that are then new or different must carry, or None where the group is
    gone. Until the transaction ends nobody else changes the group: numbers are committed in their order.
    """
    facts = len(added) - len(removed)
    terms = sum(len(unpacked(one)) for one in added) - sum(len(unpacked(one)) for one in removed)
    given = {"org": org_id, "group": group_id, "facts": facts, "terms": terms}
    number: int | None = session.scalar(_CHANGE, given)
    return number


def remove(session: Session, org_id: int, group_id: int) -> None:
    """Delete a group with everything in it and its accepted work, whatever its state."""
    session.execute(delete(InboxItem).where(InboxItem.org_id == org_id, InboxItem.lane == lane(group_id)))
    session.execute(delete(GraphGroup).where(GraphGroup.org_id == org_id, GraphGroup.id == group_id))


def counts(session: Session, org_id: int, group_ids: Sequence[int]) -> dict[int, tuple[int, int, int]]:
    """Group → how many episodes, entities and facts it holds."""
    rows = session.execute(_COUNTS, {"org": org_id, "ids": list(group_ids)})
    return {row.id: (row.episodes, row.entities, row.facts) for row in rows}


def owner_names(session: Session, owner_ids: Sequence[int]) -> dict[int, str]:
    """The usernames of groups' owners, by id."""
    rows = session.execute(select(Account.id, Account.username).where(Account.id.in_(owner_ids)))
    return {row.id: row.username for row in rows}


def _group(row: GraphGroup) -> Group:
    return Group(row.id, row.key, row.owner_id, row.fact_count, row.term_count, row.revision)


# Asked before every search: one plain statement.
_AMONG = text(
    """
    SELECT id, key, owner_id, fact_count, term_count, revision FROM graph_group
    WHERE org_id = :org AND (CAST(:keys AS text[]) IS NULL OR key = ANY(CAST(:keys AS text[])))
        AND (CAST(:owner AS bigint) IS NULL OR owner_id = :owner)
    ORDER BY key
    """
)
_CHANGE = text(
    """
    UPDATE graph_group SET revision = revision + 1, fact_count = fact_count + :facts, term_count = term_count + :terms
    WHERE org_id = :org AND id = :group RETURNING revision
    """
)
_COUNTS = text(
    """
    SELECT g.id, (SELECT count(*) FROM graph_episode e WHERE e.org_id = :org AND e.group_id = g.id) AS episodes,
        (SELECT count(*) FROM graph_entity n WHERE n.org_id = :org AND n.group_id = g.id) AS entities,
        (SELECT count(*) FROM graph_fact f WHERE f.org_id = :org AND f.group_id = g.id) AS facts
    FROM graph_group g WHERE g.org_id = :org AND g.id = ANY(CAST(:ids AS bigint[]))
    """
)
