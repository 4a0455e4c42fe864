"""Writes what was found in one message: entities resolved, statements made into claims, facts settled."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from uuid import uuid4

from sqlalchemy.orm import Session

from webapp.graph import names
from webapp.graph.resolve import Nominee, resolve
from webapp.graph.store import entities, facts
from webapp.graph.store.facts import NewClaim, NewFact
from webapp.graph.types import Ending, Extraction, KnownEntity, KnownFact, Named, Single, Statement
from webapp.inbox.types import Counts
from webapp.llm.embeddings import Embedder, Vector
from webapp.memory.content import normalise
from webapp.sameness import says_the_same
from webapp.terms import memory_terms, packed

SIMILAR = 5
"""Entities whose names are nearest to a new one's that are looked at."""


@dataclass(frozen=True, slots=True)
class Shown:
    """The known entities and facts that the extractor was shown, by their numbers."""

    entities: Mapping[int, KnownEntity]
    facts: Mapping[int, KnownFact]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a message belongs."""

    org_id: int
    group_id: int
    episode_id: int


@dataclass(frozen=True, slots=True)
class _Meaning:
    """What a statement comes to among the group's entities."""

    source_id: int
    target_id: int
    statement: str
    slot: str
    value: str


class Writer:
    """Writes one message's findings in the caller's transaction, under the group's lock."""

    def __init__(
        self, session: Session, place: Place, shown: Shown, embedder: Embedder, vectors: Mapping[str, Vector]
    ) -> None:
        """``vectors`` are those of every name and sentence that was found, by the text."""
        self._session = session
        self._place = place
        self._here = (place.org_id, place.group_id)
        self._shown = shown
        self._embedder = embedder
        self._vectors = vectors
        self._ids: dict[str, int] = {}
        self._claims: list[NewClaim] = []
        self._new: dict[str, NewFact] = {}
        self._slots: set[str] = set()
        self._rejections: Counter[str] = Counter()

    def write(self, found: Extraction) -> Counts:
        """Write everything; what became of it."""
        self._rejections.update(found.rejections)
        for entity in found.entities:
            self._resolve(entity)
        for statement in found.statements:
            self._state(statement)
        for ending in found.endings:
            self._end(ending)
        facts.claim(self._session, *self._here, self._place.episode_id, self._claims)
        settled = facts.settle(self._session, *self._here, self._slots, self._new, self._embedder)
        repeated = sum(one.statement is not None for one in dict.fromkeys(self._claims)) - settled.created
        return Counts(settled.created, settled.ended, max(repeated, 0), dict(self._rejections))

    def _resolve(self, entity: Named) -> None:
        """Find or make the entity, let it be known by the names used, and note that the message uses them."""
        spelled = [entity.name, *entity.aliases, *names.aliases(entity.name)]
        nominees = entities.named(self._session, *self._here, spelled)
        known = self._shown.entities.get(entity.known) if entity.known is not None else None
        entity_id = resolve(spelled, nominees)
        if entity_id is None:
            entity_id = resolve(spelled, self._similar(entity.name), known.id if known else None)
        if entity_id is None or not entities.load(self._session, *self._here, [entity_id]):
            entity_id = entities.add(self._session, *self._here, str(uuid4()), entity.name)
            vector = self._vectors[entity.name]
            entities.put_vectors(self._session, *self._here, self._embedder, [(entity_id, vector)])
        taken = [name for name in spelled if entities.add_name(self._session, *self._here, entity_id, name)]
        entities.mention(self._session, *self._here, self._place.episode_id, taken)
        self._ids[names.key(entity.name)] = entity_id

    def _similar(self, name: str) -> list[Nominee]:
        near = entities.similar(self._session, *self._here, self._embedder, self._vectors[name], SIMILAR)
        return [Nominee(entity.id, entity.name, cosine) for entity, cosine in near]

    def _state(self, statement: Statement) -> None:
        source, target = (self._ids.get(names.key(name)) for name in (statement.source, statement.target))
        if source is None or target is None:
            self._rejections["unlisted_end"] += 1
            return
        meaning = self._meaning(statement, source, target)
        for number in statement.replaces:
            meaning = self._unify(meaning, statement, self._shown.facts[number])
        self._slots.add(meaning.slot)
        self._claims.append(NewClaim(meaning.slot, meaning.value, meaning.statement, statement.start, statement.end))
        self._new.setdefault(meaning.statement, self._fact(statement, meaning))

    def _meaning(self, statement: Statement, source: int, target: int) -> _Meaning:
        same = self._same(statement, source, target)
        if same is not None:
            return same
        digest = _digest(source, target, statement.text)
        if statement.single is None:
            return _Meaning(source, target, digest, own_slot(digest), digest)
        of = self._ids[names.key(statement.single.of)]
        value = digest if source == target else str(target if of == source else source)
        return _Meaning(source, target, digest, slot(of, statement.single), value)

    def _same(self, statement: Statement, source: int, target: int) -> _Meaning | None:
        """The known fact that the model says this repeats, unless its letters say otherwise."""
        shown = self._shown.facts.get(statement.same) if statement.same is not None else None
        row = facts.load(self._session, *self._here, shown.id) if shown else None
        if row is None or (row.source_id, row.target_id) != (source, target):
            return None
        value = facts.value_of(self._session, *self._here, row.id)
        if value is None or not says_the_same(row.content, statement.text):
            return None
        return _Meaning(source, target, row.statement, row.slot, value)

    def _unify(self, meaning: _Meaning, statement: Statement, known: KnownFact) -> _Meaning:
        """Let a new fact and the known one that it replaces be answers to one question.

        Only for the same relation of the same source: that two facts are about the same two entities makes neither
        wrong. A known fact that has its attribute already is closed by that, or not at all.
        """
        row = facts.load(self._session, *self._here, known.id)
        answers = row is not None and row.source_id == meaning.source_id and row.relation == statement.relation
        if row is None or not answers or row.statement == meaning.statement:
            self._rejections["replaces_another_thing"] += row is None or row.slot != meaning.slot
            return meaning
        if row.slot == meaning.slot:
            return meaning
        shared = meaning.slot if not is_own(meaning.slot) else row.slot
        if is_own(shared):
            shared = slot(meaning.source_id, Single("", statement.relation.lower()))
        self._move(row.slot, shared)
        value = meaning.statement if meaning.source_id == meaning.target_id else str(meaning.target_id)
        return _Meaning(meaning.source_id, meaning.target_id, meaning.statement, shared, value)

    def _move(self, old: str, new: str) -> None:
        if old == new or not is_own(old):
            return
        rows = facts.statements_of(self._session, *self._here, old)
        values = {
            row.statement: row.statement if row.source_id == row.target_id else str(row.target_id) for row in rows
        }
        facts.move_slot(self._session, *self._here, old, new, values)
        self._slots.add(new)

    def _end(self, ending: Ending) -> None:
        if ending.fact is not None:
            shown = self._shown.facts[ending.fact]
            row = facts.load(self._session, *self._here, shown.id)
            value = facts.value_of(self._session, *self._here, shown.id)
            if row is not None and value is not None:
                self._over(row.slot, value, ending)
        elif ending.single is not None and ending.other is not None:
            of, other = (self._ids.get(names.key(name)) for name in (ending.single.of, ending.other))
            if of is not None and other is not None:
                self._over(slot(of, ending.single), str(other), ending)

    def _over(self, where: str, value: str, ending: Ending) -> None:
        self._slots.add(where)
        self._claims.append(NewClaim(where, value, None, None, ending.at))

    def _fact(self, statement: Statement, meaning: _Meaning) -> NewFact:
        words = [statement.text, statement.source, statement.target, statement.relation.replace("_", " ")]
        said = statement.start or statement.end
        return NewFact(
            source_id=meaning.source_id,
            target_id=meaning.target_id,
            relation=statement.relation,
            content=statement.text,
            statement=meaning.statement,
            terms=packed(memory_terms(" ".join(words), said.date())) if said else b"",
            vector=self._vectors[statement.text],
        )


def slot(entity_id: int, single: Single) -> str:
    """The question "what is this entity's …?", which has one answer at a time."""
    return f"{entity_id}:{single.what}"


def own_slot(statement: str) -> str:
    """The slot of a statement that excludes nothing."""
    return f"={statement}"


def is_own(where: str) -> bool:
    """Whether a slot belongs to one statement only."""
    return where.startswith("=")


def _digest(source: int, target: int, text: str) -> str:
    return hashlib.sha256(f"{source}|{target}|{normalise(text)}".encode()).hexdigest()
