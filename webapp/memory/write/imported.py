"""Memories from a file: checked as a whole before any is written, and the same file twice changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice

from sqlalchemy.orm import Session

from webapp.access.actor import Actor
from webapp.db.session import transaction
from webapp.directory.agents import find_agent
from webapp.directory.people import find_user
from webapp.errors import Conflict, Invalid
from webapp.memory import content
from webapp.memory.write import manual

# One transaction each: long enough to be quick, short enough not to keep a user's other writes waiting.
CHUNK = 200


@dataclass(frozen=True, slots=True)
class Line:
    """One memory as a file names it. `user` is a username, id or e-mail, `agent` a slug or UUID, None for global."""

    number: int
    user: str
    content: str
    agent: str | None = None
    category_slug: str | None = None
    source_session_id: str | None = None
    created_at: datetime | None = None


@dataclass(slots=True)
class Report:
    """What an import did, or would do. `errors` are line numbers with what is wrong there."""

    created: int = 0
    duplicates: int = 0
    errors: list[tuple[int, str]] = field(default_factory=list)


class _Undo(Exception):
    """Ends the transaction of a rehearsal."""


def import_memories(
    actor: Actor, lines: Sequence[Line], *, dry_run: bool = False, on_written: Callable[[int], None] | None = None
) -> Report:
    """Write these memories, with origin `imported`; none when one of them is wrong.

    What a user has already is counted as a duplicate and left alone. The new ones are embedded by the worker; until
    then they are found by their words. `on_written` hears how many lines each commit took. Raises NotAllowed.
    """
    rehearsal = Importer(actor, rehearse=True)
    for chunk in _chunks(lines):
        rehearsal.take(chunk)
    if dry_run or rehearsal.report.errors:
        return rehearsal.report
    importer = Importer(actor, rehearse=False)
    for chunk in _chunks(lines):
        importer.take(chunk)
        if on_written is not None:
            on_written(len(chunk))
    return importer.report


class Importer:
    """Goes through a file in chunks; a rehearsal undoes each."""

    def __init__(self, actor: Actor, *, rehearse: bool) -> None:
        self.report = Report()
        self._actor = actor
        self._rehearse = rehearse
        self._users: dict[str, int | None] = {}
        self._agents: dict[str, int | None] = {}
        self._seen: set[tuple[int, int | None, bytes]] = set()

    def take(self, chunk: Sequence[Line]) -> None:
        """One transaction."""
        try:
            with transaction(self._actor.org_id) as session:
                # In one order everywhere, so that two imports that overlap wait for each other instead of deadlocking.
                drafts = [found for line in chunk if (found := self._draft(session, line)) is not None]
                for number, draft in sorted(drafts, key=lambda pair: (pair[1].user_id, pair[0])):
                    self._insert(session, number, draft)
                if self._rehearse:
                    raise _Undo
        except _Undo:
            return

    def _draft(self, session: Session, line: Line) -> tuple[int, manual.Draft] | None:
        user_id = self._user(session, line.user)
        agent_id = self._agent(session, line.agent) if line.agent else None
        if user_id is None or (line.agent and agent_id is None):
            missing = f"user {line.user}" if user_id is None else f"agent {line.agent}"
            self.report.errors.append((line.number, f"there is no {missing}"))
            return None
        return line.number, manual.Draft(
            user_id,
            line.content,
            agent_id,
            line.category_slug,
            origin="imported",
            source_session_id=line.source_session_id,
            occurred_at=line.created_at,
            created_at=line.created_at,
        )

    def _insert(self, session: Session, number: int, draft: manual.Draft) -> None:
        try:
            manual.insert(session, self._actor, draft)
        except Conflict:
            self.report.duplicates += 1
        except Invalid as error:
            said = [f"{name}: {message}" for name, messages in error.errors.items() for message in messages]
            self.report.errors.append((number, "; ".join(said)))
        else:
            self._count(draft)

    def _count(self, draft: manual.Draft) -> None:
        """A rehearsal forgets each chunk, so it has to remember by itself what it has seen before."""
        key = (draft.user_id, draft.agent_id, content.content_hash(draft.content))
        self.report.created += key not in self._seen
        self.report.duplicates += key in self._seen
        self._seen.add(key)

    def _user(self, session: Session, reference: str) -> int | None:
        if reference not in self._users:
            found = find_user(session, self._actor.org_id, reference)
            self._users[reference] = found.id if found else None
        return self._users[reference]

    def _agent(self, session: Session, reference: str) -> int | None:
        if reference not in self._agents:
            found = find_agent(session, self._actor.org_id, reference)
            self._agents[reference] = found.id if found else None
        return self._agents[reference]


def _chunks(lines: Sequence[Line]) -> Iterator[list[Line]]:
    rest = iter(lines)
    while chunk := list(islice(rest, CHUNK)):
        yield chunk
