"""The LoCoMo conversations kept in the product: written by its verb, searched in its database."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from rich.progress import track
from sqlalchemy.orm import Session

from bench._application import Application
from bench._locomo import Conversation, Row
from webapp.db.session import transaction
from webapp.errors import Conflict, Invalid
from webapp.llm.local import MODEL_NAME
from webapp.memory import embedding, search
from webapp.memory.write import manual
from webapp.ranking import Floats, Ranking, rank
from webapp.recall.recall import recall
from webapp.runtime import runtime
from webapp.terms import message_terms, term_hashes


class StoredCorpus:
    """One conversation's rows as one user's memories. Offers what the corpus in memory does, from the database.

    A text said twice is one memory, found for both turns. ``refused`` counts texts shorter than a memory may be.
    """

    def __init__(self, product: Application, conversation: Conversation, rows: Sequence[Row]) -> None:
        self.conversation = conversation
        self.today = max(row.said_at for row in rows).date()
        self._product = product
        self._user_id = product.user(conversation.name)
        kept = self._write(rows)
        self.refused = len(rows) - sum(len(each) for each in kept.values())
        self._row_of = {memory_id: _joined(same) for memory_id, same in kept.items()}

    def rows_of(self, ranking: Ranking) -> list[Row]:
        """The rows in the places of the ranking."""
        return [self._row_of[int(memory_id)] for memory_id in ranking.memories.ids]

    def rank(self, message: str, vector: Floats) -> Ranking:
        """Rank the stored memories for a message."""
        org_id, embedder = self._product.actor.org_id, runtime().embedder
        with transaction(org_id) as session:
            found = search.corpus(session, org_id, self._user_id, None, MODEL_NAME, embedder.stored(vector)).memories
        floor = runtime().recall_floor(embedder.profile)
        return rank(found, term_hashes(message_terms(message, self.today)), floor)

    def recalled(self, message: str, places: int) -> list[Row]:
        """What the product recalls for a message: relevant and no near-duplicates, at most so many, best first."""
        found = recall(
            self._product.actor,
            user_id=self._user_id,
            agent_id=self._product.agent_id,
            message=message,
            max_global=places,
            at=datetime.combine(self.today, datetime.min.time(), UTC),
        )
        return [self._row_of[one.memory.id] for one in found.global_memories]

    def _write(self, rows: Sequence[Row]) -> dict[int, list[Row]]:
        """Memory id → the rows that it stands for."""
        kept: defaultdict[int, list[Row]] = defaultdict(list)
        org_id = self._product.actor.org_id
        with transaction(org_id) as session:
            for number, row in enumerate(rows):
                with suppress(Invalid):
                    kept[self._insert(session, number, row)].append(row)
        while embedding.embed_due(org_id):
            pass
        return kept

    def _insert(self, session: Session, number: int, row: Row) -> int:
        """The new memory's id, or that of the one with the same text. Raises Invalid."""
        # Turns of one session carry its date; the milliseconds only keep their order.
        said_at = row.said_at.replace(tzinfo=UTC) + timedelta(milliseconds=number)
        draft = manual.Draft(self._user_id, row.text, source_session_id=f"session {row.session}", occurred_at=said_at)
        try:
            return manual.insert(session, self._product.actor, draft).id
        except Conflict as conflict:
            return conflict.existing_id or 0


def store(product: Application, conversations: Sequence[Conversation]) -> list[StoredCorpus]:
    """Write every turn of every conversation, and embed it."""
    return [StoredCorpus(product, each, each.turns) for each in track(conversations, "Storing", transient=True)]


def _joined(rows: Sequence[Row]) -> Row:
    return replace(rows[0], turns=frozenset().union(*(row.turns for row in rows)))
