"""A group's facts in columns, as an index in memory holds them: all of them, or what a later change concerns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sqlalchemy.orm import Session

from webapp.db import binary
from webapp.graph.index import Columns
from webapp.ranking import Integers
from webapp.terms import unpacked

CHUNK = 20_000
"""Facts per statement: at most 60 MB of vectors."""


@dataclass(frozen=True, slots=True, eq=False)
class Loaded:
    """Facts with the number of the group's last change that they are after, and how many facts it then had."""

    revision: int
    fact_count: int
    facts: Columns


@dataclass(frozen=True, slots=True)
class Vectors:
    """Which vectors are wanted: this model's, of this length. What has none is found by its words."""

    model: str
    length: int


def whole(session: Session, org_id: int, group_id: int, wanted: Vectors) -> Loaded | None:
    """Every fact of a group, with its vector; None where there is no such group."""
    first = part = _part(session, org_id, group_id, wanted, since=-1, after=0)
    parts: list[Columns] = []
    while part is not None:
        parts.append(part.facts)
        full = len(part.facts) == CHUNK
        part = _part(session, org_id, group_id, wanted, since=-1, after=int(part.facts.ids[-1])) if full else None
    # What changes between two statements is newer than the number of the first, and is read again as a change.
    return Loaded(first.revision, first.fact_count, Columns.joined(parts)) if first else None


def changed(session: Session, org_id: int, group_id: int, wanted: Vectors, since: int) -> Loaded | None:
    """The facts that are new or different since change number ``since``; None where there is no such group, or too many."""
    part = _part(session, org_id, group_id, wanted, since=since, after=0)
    return None if part is None or len(part.facts) == CHUNK else part


def ids(session: Session, org_id: int, group_id: int) -> Integers:
    """The ids of all facts of a group."""
    ((sent,),) = binary.rows(session, _IDS, {"org": org_id, "group": group_id})
    return _integers(sent)


def _part(session: Session, org_id: int, group_id: int, wanted: Vectors, *, since: int, after: int) -> Loaded | None:
    given = {
        "org": org_id, "group": group_id, "model": wanted.model, "length": wanted.length, "since": since,
        "after": after, "limit": CHUNK,
    }  # fmt: skip
    found = [(row[0], row[1], row[2:]) for row in binary.rows(session, _PART, given)]
    return Loaded(*found[0][:2], _columns(found[0][2], wanted.length)) if found else None


def _columns(sent: tuple[bytes | None, ...], length: int) -> Columns:
    ids, sources, targets, starts, ends = (_integers(one) for one in sent[:5])
    lengths, terms, embedded, vectors = (one or b"" for one in sent[5:])
    flags = np.frombuffer(embedded, dtype=np.uint8).astype(np.bool_)
    rows = np.zeros((len(flags), length), dtype=np.float32)
    rows[flags] = np.frombuffer(vectors, dtype=">f2").reshape(-1, length)
    return Columns(
        ids=ids,
        sources=sources,
        targets=targets,
        starts=starts,
        ends=ends,
        lengths=np.frombuffer(lengths, dtype=">i4").astype(np.int64),
        terms=unpacked(terms),
        embedded=flags,
        vectors=rows,
    ).in_order()


def _integers(sent: bytes | None) -> Integers:
    return np.frombuffer(sent or b"", dtype=">i8").astype(np.int64)


# One statement: the number of the change and the facts are of one moment. Each column comes as one value that NumPy
# reads in place; the aggregates of one SELECT take the rows in the same order. A halfvec is sent with four bytes
# before its values; an infinite moment is the least or the greatest integer. As a condition the length of vectors would
# be taken for a rare one, and a sort of them all for cheap.
_PART = """
    SELECT g.revision, g.fact_count, packed.* FROM graph_group g CROSS JOIN LATERAL (
        SELECT string_agg(int8send(f.id), ''), string_agg(int8send(f.source_id), ''), string_agg(int8send(f.target_id), ''),
            string_agg(timestamptz_send(coalesce(f.valid_at, '-infinity')), ''),
            string_agg(timestamptz_send(coalesce(f.invalid_at, 'infinity')), ''),
            string_agg(int4send(octet_length(f.terms) / 4), ''), string_agg(f.terms, ''),
            string_agg(CASE WHEN vector_dims(v.embedding) = %(length)s THEN '\\x01'::bytea ELSE '\\x00'::bytea END, ''),
            string_agg(substr(halfvec_send(v.embedding), 5), '') FILTER (WHERE vector_dims(v.embedding) = %(length)s)
        FROM (
            SELECT * FROM graph_fact WHERE org_id = %(org)s AND group_id = %(group)s AND revision > %(since)s AND id > %(after)s
            ORDER BY id LIMIT %(limit)s
        ) f LEFT JOIN graph_fact_vector v
            ON v.org_id = f.org_id AND v.group_id = f.group_id AND v.fact_id = f.id AND v.embedding_model = %(model)s
    ) packed WHERE g.org_id = %(org)s AND g.id = %(group)s
    """
_IDS = """
    SELECT string_agg(int8send(id), '') FROM graph_fact WHERE org_id = %(org)s AND group_id = %(group)s
    """
