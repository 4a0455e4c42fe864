"""Whether a text names a member of the org: shared memory is delivered to everyone, so it should not."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sqlalchemy import ARRAY, Text, any_, cast, func, or_, select

from webapp.access.actor import Actor
from webapp.db.models import Account, Membership
from webapp.db.session import transaction

EMAIL = re.compile(r"[^\s@<>(),;:\"']+@[^\s@<>(),;:\"']+\.[^\s@<>(),;:\"'.!?]+")
WORD = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*")
# A full name has two to four words here; a single word is too often an ordinary one.
NAME_WORDS = (2, 3, 4)


def naming_members(actor: Actor, texts: Sequence[str]) -> list[bool]:
    """For each text, whether it holds a member's e-mail address or full name, whatever the case."""
    candidates = [_candidates(text) for text in texts]
    everything = sorted(set().union(*candidates)) if candidates else []
    if not everything:
        return [False] * len(texts)
    asked = any_(cast(everything, ARRAY(Text)))
    email, name = func.lower(Account.email), func.lower(Account.full_name)
    with transaction(actor.org_id) as session:
        found = session.execute(
            select(email, name)
            .join(Membership, Membership.user_id == Account.id)
            .where(
                Membership.org_id == actor.org_id, Membership.removed_at.is_(None), or_(email == asked, name == asked)
            )
        )
        known = {value for row in found for value in row}
    return [bool(each & known) for each in candidates]


def _candidates(text: str) -> set[str]:
    lower = text.lower()
    words = WORD.findall(lower)
    names = {" ".join(words[at : at + size]) for size in NAME_WORDS for at in range(len(words) - size + 1)}
    return names | set(EMAIL.findall(lower))
