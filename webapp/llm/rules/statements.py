"""Statements in a message, by matching each clause against the patterns."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import date

from webapp.llm.rules.circumstances import CIRCUMSTANCES
from webapp.llm.rules.clauses import clauses
from webapp.llm.rules.dates import dated
from webapp.llm.rules.leanings import LEANINGS
from webapp.llm.rules.pattern import Kind
from webapp.llm.rules.private import PRIVATE, presupposed
from webapp.llm.rules.retell import about_them, finish, retell, trim

MAX_MESSAGE = 100_000
MAX_STATEMENTS = 50


@dataclass(frozen=True, slots=True)
class Statement:
    """One fact: ``text`` is "The user …." in the third person, ``quote`` the passage as the user typed it."""

    text: str
    kind: Kind
    quote: str


def extract(user_message: str, said_on: date | None = None) -> list[Statement]:
    """Return what the writer of a message states about themselves, in order, each once.

    Work, place, study, family and pastime are about the person (global memories); struggle, goal, preference and achievement belong to
    the agent they are told to. Nothing is given for questions, conditionals, other people's facts, quotations, code,
    irony or requests. Relative times get their date where `said_on` tells it. At most 50 statements; a message is read up to 100,000 characters.
    """
    found: dict[str, Statement] = {}
    for clause in clauses(user_message[:MAX_MESSAGE]):
        stated, known = _statement(clause.words, clause.quote), _taken_for_granted(clause.words, clause.quote)
        for statement in (stated, None if stated and known and stated.kind == known.kind else known):
            if statement:
                text = dated(statement.text, said_on) if said_on else statement.text
                found.setdefault(text.casefold(), replace(statement, text=text))
    return list(found.values())[:MAX_STATEMENTS]


def _statement(words: str, quote: str) -> Statement | None:
    for pattern in CIRCUMSTANCES + PRIVATE + LEANINGS:
        match = pattern.words.match(words)
        if match:
            said = trim(match["object"])
            if said and pattern.accepts(said):
                text = _say(words[: match.start("object")] + said)
                return Statement(text, pattern.kind, quote) if text else None
    return _hard_for_me(words, quote)


def _taken_for_granted(words: str, quote: str) -> Statement | None:
    known = presupposed(words)
    return Statement(finish(known[1]), known[0], quote) if known else None


def _say(words: str) -> str | None:
    if words.startswith("I "):
        return retell(words)
    return finish("The user's " + about_them(words).removeprefix("their ").removeprefix("Their "))


_HARD_FOR_ME = re.compile(
    r"^\s*(?P<what>[\w'’#+\-]+(?:\s[\w'’#+\-]+){0,4}?)\s+(?:is|are|feels?)\s+"
    r"(?P<how>(?:(?:really|very|quite|so|always|still|too|super|particularly) ){0,2}(?:hard|"
    r"difficult|confusing|tricky|challenging|tough|impossible)) for me\b",
    re.IGNORECASE,
)
_CONFUSES_ME = re.compile(
    r"^\s*(?P<what>[\w'’#+\-]+(?:\s[\w'’#+\-]+){0,4}?)\s+(?:(?:always|really|still|often) )?(?P<how>confuse|"
    r"overwhelm|intimidate)s? me\b",
    re.IGNORECASE,
)
_POINTS = re.compile(
    r"\b(?:it|this|that|these|those|you|your|which|what|he|she|they|the|everything|nothing|"
    r"not|who)\b",
    re.IGNORECASE,
)


def _hard_for_me(words: str, quote: str) -> Statement | None:
    """Where the thing is the subject: "recursion confuses me", "fractions are hard for me"."""
    if hard := _HARD_FOR_ME.search(words):
        said = f"The user finds {hard['what']} {hard['how']}."
    elif confuses := _CONFUSES_ME.search(words):
        hard = confuses
        said = f"The user is {confuses['how'].removesuffix('e')}ed by {confuses['what']}."
    if not hard or _POINTS.search(hard["what"]):
        return None
    return Statement(said, "struggle", quote)
