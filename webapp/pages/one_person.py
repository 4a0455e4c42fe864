"""The one person that a form needs, by what was typed."""

from __future__ import annotations

from webapp.db.session import transaction
from webapp.directory.people import look_up
from webapp.directory.types import UserView
from webapp.errors import Invalid
from webapp.messages import text as msg

NAMED = 5


def one_person(org_id: int, typed: str) -> UserView:
    """The one member that is meant. Raises Invalid, for the field `user`, for nobody and for several."""
    with transaction(org_id) as session:
        found = look_up(session, org_id, typed, limit=NAMED + 1) if typed.isprintable() else []
    if not found:
        raise Invalid({"user": [msg("users.nobody", name=typed)]})
    if len(found) > 1:
        names = ", ".join(each.username for each in found[:NAMED])
        key = "users.several_more" if len(found) > NAMED else "users.several"
        raise Invalid({"user": [msg(key, name=typed, names=names)]})
    return found[0]
