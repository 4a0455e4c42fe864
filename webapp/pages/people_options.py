"""People by what is typed: suggestions, and what is said where there is nobody."""

from __future__ import annotations

from collections.abc import Sequence

from webapp.access.policy import Action, Target, can
from webapp.directory.people import is_anybody, list_people
from webapp.http.scope import Scope
from webapp.messages import text as msg
from webapp.pages import where
from webapp.pages.memories.editing import Choice
from webapp.pages.memories.lists import search_words

SHOWN = 10


def options(scope: Scope) -> list[Choice]:
    """Members who match what was typed; only oneself for who may not look people up."""
    if not can(scope.actor, Action.FIND_PEOPLE, Target(scope.org.id, agent_id=scope.agent_id)):
        me = where.own(scope.org.key, Action.READ_AGENTS).user
        return [Choice(me.username, me.full_name or me.username)] if me else []
    found = list_people(scope.actor, search=search_words("user"), size=SHOWN)
    return [Choice(each.email, each.full_name or each.username) for each in found.rows]


def nobody(scope: Scope, typed: str, rows: Sequence[object]) -> str | None:
    """What an empty list says where its filter for people means nobody; None where it has another reason."""
    if rows or not typed or is_anybody(scope.actor, typed):
        return None
    return msg("users.nobody", name=typed)
