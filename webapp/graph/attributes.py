"""What an attribute of an entity is called, however it was put: two names of one attribute would hide a change. Pure."""

from __future__ import annotations

import re

from webapp.graph.rules.relations import BETWEEN, FIGURES
from webapp.graph.types import Single

MAX_LENGTH = 40
_QUALIFIERS = re.compile(
    r"^(?:current|present|new|latest|primary|main|actual|official|exact)_|_(?:name|now|currently|today)$"
)
_SYNONYMS = {
    "company": "employer", "workplace": "employer", "works_for": "employer", "works_at": "employer", "employed_by": "employer",
    "residence": "home", "home_city": "home", "city": "home", "lives_in": "home", "address": "home", "home_town": "home",
    "city_of_residence": "home", "place_of_residence": "home", "assigned_to": "assignee", "assignment": "assignee",
    "owned_by": "owner", "reports_to": "manager", "boss": "manager", "supervisor": "manager", "married_to": "spouse",
    "partner": "spouse", "husband": "spouse", "wife": "spouse", "stock_price": "price", "share_price": "price", "cost": "price",
    "trading_price": "price", "chief_executive": "ceo", "chief_executive_officer": "ceo", "number_of_employees": "headcount",
}  # fmt: skip
_BY_RELATION = {relation.name: relation for relation in (*BETWEEN, *FIGURES) if relation.what}


def canonical(what: str) -> str:
    """The attribute's one name: lower case with underscores, without "current", a synonym replaced. "" for nothing."""
    name = re.sub(r"[^a-z0-9]+", "_", what.casefold()).strip("_")[:MAX_LENGTH]
    while (shorter := _QUALIFIERS.sub("", name)) != name:
        name = shorter
    return _SYNONYMS.get(name, name)


def of_relation(relation: str, source: str, target: str) -> Single | None:
    """The single-valued attribute that a relation gives by its name alone: a task has one assignee at a time."""
    known = _BY_RELATION.get(relation)
    if known is None or known.what is None:
        return None
    return Single(source if known.of == "source" else target, known.what)
