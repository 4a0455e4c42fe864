"""The search index of live memories, and one user's memories as the ranker reads them.

The search is exact and within the user's own rows: another user's or org's rows never cost recall or time.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date

import numpy as np
import numpy.typing as npt
from sqlalchemy import delete
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from webapp.db import binary
from webapp.db.halfvec import Halfvec
from webapp.db.models import Memory, MemorySearch, MemoryVector
from webapp.llm.embeddings import StoredVector
from webapp.ranking import Content, Floats, Integers, Memories, best, rank, similarities_of
from webapp.terms import memory_terms, message_terms, packed, term_hashes, unpacked

MAX_TERMS = 640
"""A memory's words beyond so many are not searched: an entry of a B-tree, which holds the row, has 2,704 bytes at most."""


@dataclass(frozen=True, slots=True, eq=False)
class Corpus:
    """One user's memories in the ranker's columns. `agents` is 0 for a global memory, in the same places."""

    memories: Memories
    agents: npt.NDArray[np.int64]

    @property
    def embedded(self) -> bool:
        """Whether every memory has a similarity."""
        return not np.isnan(self.memories.similarities).any()


def index(session: Session, row: Memory) -> None:
    """Make a live memory findable by its words; again after each change of its text.

    A vector of an older text is taken away: until the memory is embedded again it is found by its words.
    """
    said_on = row.occurred_at.astimezone(UTC).date()
    values = {
        "agent_id": row.agent_id,
        "session_key": session_key(row.source_session_id, row.source_exchange_id),
        "said_at": row.occurred_at,
        "terms": packed(memory_terms(row.content, said_on)[:MAX_TERMS]),
    }
    keys = {"org_id": row.org_id, "user_id": row.user_id, "memory_id": row.id}
    statement = insert(MemorySearch).values(**keys, **values)
    session.execute(statement.on_conflict_do_update(index_elements=list(keys), set_=values))
    if row.version > 1 and row.embed_due_at is not None:
        _delete(session, MemoryVector, row.org_id, row.user_id, [row.id])


def remove(session: Session, org_id: int, user_id: int, memory_ids: Sequence[int]) -> None:
    """Take memories out of the search: only live ones have terms and a vector."""
    for table in (MemorySearch, MemoryVector):
        _delete(session, table, org_id, user_id, memory_ids)


def session_key(session_id: str | None, exchange_id: int | None) -> int:
    """A number per conversation, 0 for none: the same for memories that were said beside each other."""
    if session_id is not None:
        return int.from_bytes(hashlib.blake2b(session_id.encode(), digest_size=8).digest(), signed=True) or 1
    return exchange_id or 0


def corpus(
    session: Session, org_id: int, user_id: int, agent_id: int | None, model: str, vector: StoredVector | None
) -> Corpus:
    """The user's live global memories and, with `agent_id`, those of that agent.

    Similarities are to `vector`, NaN for a memory that has no vector of this model, or where there is no `vector`.
    """
    given = {
        "org": org_id, "user": user_id, "agent": agent_id, "model": model,
        "vector": None if vector is None else Halfvec(vector), "length": None if vector is None else len(vector),
    }  # fmt: skip
    ((ids, agents, sessions, times, lengths, terms, embedded, distances),) = binary.rows(session, CORPUS, given)
    columns = Memories(
        ids=_integers(ids),
        sessions=_integers(sessions),
        times=_integers(times),
        lengths=np.frombuffer(lengths or b"", dtype=">i4").astype(np.int64),
        terms=unpacked(terms or b""),
        similarities=similarities_of(_integers(ids), _integers(embedded), _floats(distances)),
    )
    return Corpus(columns, _integers(agents))


def related(
    session: Session,
    org_id: int,
    user_id: int,
    agent_id: int,
    *,
    message: str,
    said_on: date,
    model: str,
    vector: StoredVector,
    limit: int,
) -> list[int]:
    """The `limit` live memories most about a message, global or of this agent, best first, whether relevant or not.

    By words and vector together. For capture, which is to see what is there; recall decides what is relevant too.
    """
    found = corpus(session, org_id, user_id, agent_id, model, vector)
    asked = term_hashes(message_terms(message, said_on))
    return [one.id for one in best(rank(found.memories, asked, recall_floor=0.0), limit)]


def contents(session: Session, org_id: int, user_id: int, memory_ids: Sequence[int], model: str) -> dict[int, Content]:
    """Text and vector of these memories; the vector is None for one that waits for it."""
    if not memory_ids:
        return {}
    where = {"org": org_id, "user": user_id, "ids": list(memory_ids), "model": model}
    return {
        memory_id: Content(content, _halfvec(sent))
        for memory_id, content, sent in binary.rows(session, _CONTENTS, where)
    }


def fuller_model(session: Session, org_id: int, user_id: int, model: str) -> str | None:
    """Another model that has embedded more of the user's memories than `model` has; None where there is none.

    That is so while a change of model is under way (`flask reembed`) and this user's turn has not come.
    """
    counts = dict(binary.rows(session, _MODELS, {"org": org_id, "user": user_id}))
    fullest = max(counts, key=lambda name: (counts[name], name), default=model)
    return fullest if counts.get(fullest, 0) > counts.get(model, 0) else None


def _delete(
    session: Session, table: type[MemorySearch | MemoryVector], org_id: int, user_id: int, memory_ids: Sequence[int]
) -> None:
    session.execute(
        delete(table).where(table.org_id == org_id, table.user_id == user_id, table.memory_id.in_(memory_ids))
    )


def _integers(sent: bytes | None) -> Integers:
    return np.frombuffer(sent or b"", dtype=">i8").astype(np.int64)


def _floats(sent: bytes | None) -> Floats:
    return np.frombuffer(sent or b"", dtype=">f4").astype(np.float32)


def _halfvec(sent: bytes | None) -> Floats | None:
    """PostgreSQL sends its length, a number that is not used, and the values."""
    return None if sent is None else np.frombuffer(sent, dtype=">f2", offset=4).astype(np.float32)


# Each column comes as one value that NumPy reads in place; rows would cost a Python object per field, and twice the
# time. The aggregates of one SELECT take the rows in the same order.
_SCOPES = "org_id = %(org)s AND user_id = %(user)s AND (agent_id IS NULL OR agent_id = CAST(%(agent)s AS bigint))"
TERMS = f"""
    SELECT string_agg(int8send(memory_id), ''), string_agg(int8send(coalesce(agent_id, 0)), ''),
           string_agg(int8send(session_key), ''), string_agg(timestamptz_send(said_at), ''),
           string_agg(int4send(octet_length(terms) / 4), ''), string_agg(terms, '')
    FROM memory_search WHERE {_SCOPES}
    """
# Conditions are decided before a distance is taken: a vector of another length, which PostgreSQL refuses to compare, is
# as good as none. The message's vector stands in a subquery so that it is read once, in a prepared statement too.
_DISTANCES = f"""
    SELECT string_agg(int8send(memory_id), ''),
           string_agg(float4send(CAST(embedding <=> (SELECT CAST(%(vector)s AS halfvec)) AS real)), '')
    FROM memory_vector WHERE {_SCOPES} AND embedding_model = %(model)s AND vector_dims(embedding) = %(length)s
    """
CORPUS = f"SELECT * FROM ({TERMS}) terms, ({_DISTANCES}) distances"
_CONTENTS = """
    SELECT m.id, m.content, halfvec_send(v.embedding) FROM memory m
    LEFT JOIN memory_vector v ON v.org_id = m.org_id AND v.user_id = m.user_id AND v.memory_id = m.id
        AND v.embedding_model = %(model)s
    WHERE m.org_id = %(org)s AND m.user_id = %(user)s AND m.id = ANY(%(ids)s)
    """
# Narrowed to no agent: it is answered from the key alone, without a look at the vectors.
_MODELS = """
    SELECT embedding_model, count(*) FROM memory_vector WHERE org_id = %(org)s AND user_id = %(user)s
    GROUP BY embedding_model
    """
