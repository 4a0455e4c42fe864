"""Facts and the claims that they rest on: `settle` brings both into agreement by the rules of `graph.temporal`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import uuid4

from sqlalchemy import delete, func, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from webapp.db.models import GraphClaim, GraphFact, GraphFactVector, GraphTerm
from webapp.graph.store.groups import note_change
from webapp.graph.temporal import Claim, Placement, plan
from webapp.llm.embeddings import Embedder, Vector
from webapp.terms import unpacked


@dataclass(frozen=True, slots=True)
class NewFact:
    """A statement that may become a fact. ``terms`` are packed; ``vector`` is that of the sentence."""

    source_id: int
    target_id: int
    relation: str
    content: str
    statement: str
    terms: bytes
    vector: Vector


@dataclass(frozen=True, slots=True)
class NewClaim:
    """What an episode says of one value of a slot; without a statement, only that it ended."""

    slot: str
    value: str
    statement: str | None
    start: datetime | None
    end: datetime | None


@dataclass(frozen=True, slots=True)
class Settled:
    """What settling changed: facts that are new, and facts that have ended and had not."""

    created: int
    ended: int


def claim(session: Session, org_id: int, group_id: int, episode_id: int, claims: Iterable[NewClaim]) -> None:
    """Record what an episode says; `settle` then works out what follows from it."""
    given = [
        {
            "org_id": org_id, "group_id": group_id, "episode_id": episode_id, "slot": one.slot, "value": one.value,
            "statement": one.statement, "starts_at": one.start, "ends_at": one.end,
        }
        for one in dict.fromkeys(claims)
    ]  # fmt: skip
    if given:
        session.execute(insert(GraphClaim), given)


def settle(
    session: Session,
    org_id: int,
    group_id: int,
    slots: Iterable[str],
    new: Mapping[str, NewFact] | None = None,
    embedder: Embedder | None = None,
) -> Settled:
    """Make the facts of these slots what their claims say. `new` holds the statements that have no fact yet."""
    book = _Book(session, org_id, group_id, new or {}, embedder)
    for slot in sorted(set(slots)):
        book.settle(slot)
    return Settled(book.created, book.ended)


def slots_of(session: Session, org_id: int, group_id: int, episode_ids: Sequence[int]) -> list[str]:
    """The slots that these episodes say something about."""
    chosen = select(GraphClaim.slot).where(
        GraphClaim.org_id == org_id, GraphClaim.group_id == group_id, GraphClaim.episode_id.in_(episode_ids)
    )
    return list(session.scalars(chosen.distinct()))


def load(session: Session, org_id: int, group_id: int, fact_id: int) -> GraphFact | None:
    """One fact's row."""
    return session.scalar(select(GraphFact).where(*_in(GraphFact, org_id, group_id), GraphFact.id == fact_id))


def value_of(session: Session, org_id: int, group_id: int, fact_id: int) -> str | None:
    """The value that a fact gives its slot."""
    chosen = select(GraphClaim.value).where(*_in(GraphClaim, org_id, group_id), GraphClaim.fact_id == fact_id)
    return session.scalar(chosen.limit(1))


def move_slot(session: Session, org_id: int, group_id: int, old: str, new: str, values: Mapping[str, str]) -> None:
    """Let everything said about one slot count for another; `values` maps statements to what they are worth there."""
    for statement, value in values.items():
        session.execute(
            update(GraphClaim)
            .where(*_in(GraphClaim, org_id, group_id), GraphClaim.slot == old, GraphClaim.statement == statement)
            .values(value=value)
        )
    for table in (GraphClaim, GraphFact):
        session.execute(update(table).where(*_in(table, org_id, group_id), table.slot == old).values(slot=new))


def statements_of(session: Session, org_id: int, group_id: int, slot: str) -> list[GraphFact]:
    """The facts of a slot."""
    return list(session.scalars(select(GraphFact).where(*_in(GraphFact, org_id, group_id), GraphFact.slot == slot)))


def find(session: Session, org_id: int, uuid: str, group_ids: Sequence[int]) -> list[tuple[int, int]]:
    """(group, fact) of every fact of this uuid in these groups."""
    chosen = select(GraphFact.group_id, GraphFact.id).where(
        GraphFact.org_id == org_id, GraphFact.group_id.in_(group_ids), GraphFact.uuid == uuid
    )
    return [(row.group_id, row.id) for row in session.execute(chosen)]


def remove(session: Session, org_id: int, group_id: int, fact_ids: Iterable[int]) -> None:
    """Delete facts with their vectors, terms and claims."""
    ids = list(fact_ids)
    if not ids:
        return
    chosen = select(GraphFact).where(*_in(GraphFact, org_id, group_id), GraphFact.id.in_(ids))
    rows = session.scalars(chosen).all()
    note_change(session, org_id, group_id, removed=[row.terms for row in rows])
    for row in rows:
        session.execute(
            delete(GraphTerm).where(
                *_in(GraphTerm, org_id, group_id), GraphTerm.term.in_(_terms(row.terms)), GraphTerm.fact_id == row.id
            )
        )
    session.execute(delete(GraphFact).where(*_in(GraphFact, org_id, group_id), GraphFact.id.in_(ids)))


class _Book:
    """The facts of one group while they are being settled."""

    def __init__(
        self, session: Session, org_id: int, group_id: int, new: Mapping[str, NewFact], embedder: Embedder | None
    ) -> None:
        self._session = session
        self._here = (org_id, group_id)
        self._new = new
        self._embedder = embedder
        self.created = self.ended = 0

    def settle(self, slot: str) -> None:
        facts = {row.id: row for row in statements_of(self._session, *self._here, slot)}
        decided = plan(facts, self._claims(slot))
        self._part(facts, decided.unsupported)
        for placement in decided.placements:
            if placement.fact_id in facts:
                self._keep(facts[placement.fact_id], placement)
            else:
                self._support(placement, self._add(slot, placement, facts.values()))
        remove(self._session, *self._here, decided.unsupported)

    def _claims(self, slot: str) -> list[Claim]:
        chosen = select(GraphClaim).where(*_in(GraphClaim, *self._here), GraphClaim.slot == slot)
        rows = self._session.scalars(chosen.execution_options(populate_existing=True))
        return [
            Claim(row.id, row.statement or "", row.value, row.starts_at, row.ends_at, row.statement is not None, row.fact_id)
            for row in rows
        ]  # fmt: skip

    def _part(self, facts: Mapping[int, GraphFact], unsupported: frozenset[int]) -> None:
        """Take the claims off facts that are about to go: deleting a fact deletes what still rests on it."""
        for fact_id in unsupported & facts.keys():
            self._session.execute(
                update(GraphClaim)
                .where(*_in(GraphClaim, *self._here), GraphClaim.fact_id == fact_id)
                .values(fact_id=None)
            )
            # Out of the way of the fact that takes its interval over.
            facts[fact_id].statement = f"gone {fact_id}"
        self._session.flush()

    def _keep(self, fact: GraphFact, placement: Placement) -> None:
        span = placement.span
        if (fact.valid_at, fact.invalid_at) != (span.start, span.end):
            self.ended += fact.invalid_at is None and span.end is not None
            if fact.invalid_at != span.end:
                fact.expired_at = func.greatest(func.now(), span.end) if span.end else None
            fact.valid_at, fact.invalid_at = span.start, span.end
            fact.revision = self._change()
            self._session.flush()
        self._support(placement, fact.id)

    def _add(self, slot: str, placement: Placement, others: Iterable[GraphFact]) -> int:
        span = placement.span
        like = self._new.get(span.statement) or next(row for row in others if row.statement == span.statement)
        row = GraphFact(
            org_id=self._here[0], group_id=self._here[1], uuid=str(uuid4()), source_id=like.source_id,
            target_id=like.target_id, relation=like.relation, content=like.content, statement=span.statement, slot=slot,
            valid_at=span.start, invalid_at=span.end, terms=like.terms,
            expired_at=func.greatest(func.now(), span.end) if span.end else None, revision=self._change(like.terms),
        )  # fmt: skip
        self._session.add(row)
        self._session.flush()
        self._index(row.id, like)
        self.created += 1
        return row.id

    def _change(self, *added: bytes) -> int:
        number = note_change(self._session, *self._here, added=added)
        assert number is not None, "the group is locked, so it is there"
        return number

    def _index(self, fact_id: int, like: NewFact | GraphFact) -> None:
        """Let the new fact be found: by its terms, and by its vector, its own or that of the fact it was part of."""
        org_id, group_id = self._here
        terms = [
            {"org_id": org_id, "group_id": group_id, "term": term, "fact_id": fact_id} for term in _terms(like.terms)
        ]
        if terms:
            self._session.execute(insert(GraphTerm), terms)
        vectors = self._vectors(like)
        if vectors:
            self._session.execute(
                insert(GraphFactVector),
                [{"org_id": org_id, "group_id": group_id, "fact_id": fact_id, "embedding_model": model, "embedding": one} for model, one in vectors],
            )  # fmt: skip

    def _vectors(self, like: NewFact | GraphFact) -> list[tuple[str, object]]:
        if isinstance(like, NewFact):
            assert self._embedder is not None
            return [(self._embedder.model, self._embedder.stored(like.vector))]
        chosen = select(GraphFactVector.embedding_model, GraphFactVector.embedding).where(
            *_in(GraphFactVector, *self._here), GraphFactVector.fact_id == like.id
        )
        return [(row.embedding_model, row.embedding) for row in self._session.execute(chosen)]

    def _support(self, placement: Placement, fact_id: int) -> None:
        moved = [one.id for one in placement.span.claims if one.fact_id != fact_id]
        if moved:
            self._session.execute(
                update(GraphClaim)
                .where(*_in(GraphClaim, *self._here), GraphClaim.id.in_(moved))
                .values(fact_id=fact_id)
            )


def _in(table: type[GraphFact | GraphClaim | GraphFactVector | GraphTerm], org_id: int, group_id: int):  # type: ignore[no-untyped-def]  # SQLAlchemy expressions
    return table.org_id == org_id, table.group_id == group_id


def _terms(packed: bytes) -> list[int]:
    """The terms of a fact as the index keeps them: each once, as signed numbers."""
    return sorted({int(term) for term in unpacked(packed).view("<i4")})
