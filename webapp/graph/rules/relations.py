"""The relations that the rules know by their words, and of which of them one holds at a time."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Side = Literal["source", "target"]


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation and its words. ``what`` is the attribute of which one value holds at a time, of the source or target."""

    name: str
    words: re.Pattern[str]
    what: str | None = None
    of: Side = "source"


def _relation(name: str, words: str, what: str | None = None, of: Side = "source") -> Relation:
    return Relation(name, re.compile(rf"\b(?:{words})\b", re.IGNORECASE), what, of)


_TITLE = r"(?:the |our |its )?(?:new |current |acting |interim )?"
# In this order: the first whose words stand between the two names is meant.
BETWEEN = (
    _relation("ASSIGNED_TO", r"(?:is|was|are|been|now|got|get|gets|be)? ?(?:now )?(?:re)?assigned to|(?:is|was) handed (?:over )?to|is handled by", "assignee"),
    _relation("OWNED_BY", r"(?:is|are|was) owned by|belongs? to", "owner"),
    _relation("REPORTS_TO", r"reports? to", "manager"),
    *(
        _relation(f"{title}_OF", rf"(?:is|as|was|became|becomes|be|named|appointed|made) {_TITLE}{title}\b.{{0,12}}? (?:of|at|for)|{title} (?:of|at)", title.lower(), "target")
        for title in ("CEO", "CFO", "CTO", "COO")
    ),
    _relation("PRESIDENT_OF", rf"(?:is|as|was|became|be|elected|named) {_TITLE}president of", "president", "target"),
    _relation("MAYOR_OF", rf"(?:is|as|was|became|be|elected) {_TITLE}mayor of", "mayor", "target"),
    _relation("MARRIED_TO", r"(?:is|am|was|are|got|get)? ?married (?:to)?|(?:is|am) (?:the )?(?:wife|husband|spouse) of", "spouse"),
    _relation("LEFT", r"(?:left|quit|resigned from|lost|was fired from) (?:my|our|his|her|their|the|a) (?:[\w-]+ ){0,2}?(?:job|position|role|post) (?:at|with|in)"),
    _relation("LIVES_IN", r"lives?(?: (?:now|currently|alone|together))? (?:in|at|near)|living in|lived in|moved (?:back )?(?:to|into)|relocated to|moving to|(?:am|is|are|was) based in|resides? in|home is in", "home"),
    _relation("WORKS_FOR", r"works?(?: (?:now|currently|remotely|full[- ]time|part[- ]time))?(?: as an? [\w \-]{2,40}?)? (?:for|at)|working (?:for|at)|worked (?:for|at)|(?:am|is|are|was) employed (?:by|at)|(?:new )?job at|(?:was|got|been) hired by|started at", "employer"),
    _relation("JOINED", r"joined|joins"),
    _relation("STUDIES_AT", r"stud(?:y|ies|ied|ying)(?: [\w ]{2,40}?)? at|(?:is|am) a student at|enrolled (?:at|in)|goes to school at|attends?", "school"),
    _relation("LEFT", r"left|quit|resigned from|(?:was|got) fired (?:from|by)|(?:was|got) laid off (?:from|by)|retired from"),
    _relation("BORN_IN", r"(?:was|is|am) born in"),
    _relation("ACQUIRED", r"acquired|bought|took over|has acquired"),
    _relation("FOUNDED", r"(?:co-?)?founded|started the company"),
    _relation("VISITED", r"visited|went to|travel(?:l)?ed to|been to|flew to|trip to|visiting"),
    _relation("MET", r"met|meeting|had (?:lunch|dinner|coffee) with|saw"),
    _relation("LIKES", r"likes?|loves?|enjoys?|prefers?|(?:is|am) a fan of|favou?rite"),
    _relation("DISLIKES", r"dislikes?|hates?|can(?:no|['’])t stand"),
    _relation("USES", r"uses?|using|switched to|works with"),
    _relation("OWNS", r"owns?|has an? |have an? |got an? "),
    _relation("LOCATED_IN", r"(?:is|are) (?:located |headquartered |situated )?in|(?:is|are) headquartered in"),
    _relation("SPEAKS", r"speaks?|fluent in|learning"),
    _relation("MANAGES", r"manages?|leads?|runs?|heads?|administers?"),
)  # fmt: skip
_NUMBER = r"[$€£¥]?\s?\d[\d.,]*"
# About one entity alone, with a figure.
FIGURES = (
    Relation("TRADES_AT", re.compile(r"^[^:]{2,40}: ?[$€£¥] ?\d"), "price"),
    _relation("TRADES_AT", rf"(?:trad(?:es|ing|ed)|priced|quoted|(?:stock|share) price(?: is| was)?)\b.{{0,30}}?(?:at|of|is|was|:)?\s*{_NUMBER}", "price"),
    _relation("TRADES_AT", r"(?:closed|closing|opened|stands|standing|sits)\b.{0,20}?\bat\s+(?:[$€£¥]\s?\d[\d.,]*|\d[\d,]*\.\d+)", "price"),
    _relation("COSTS", rf"(?:costs?|priced at|sells for|is sold for)\s.{{0,20}}?{_NUMBER}", "price"),
    _relation("AGED", r"(?:turned|turns|turning)\s+\d{1,3}(?! ?(?:%|percent|degrees))|\d{1,3} years old|\d{1,3}-year-old", "age"),
    _relation("EMPLOYS", rf"(?:employs|headcount (?:is|of)|grew to|down to|up to)\s.{{0,20}}?{_NUMBER} (?:employees|people|staff|workers|engineers)|(?:has|have)\s.{{0,20}}?{_NUMBER} (?:employees|staff|workers|engineers)", "headcount"),
    _relation("HAS_REVENUE", rf"revenues?\b.{{0,30}}?{_NUMBER}", "revenue"),
    _relation("HAS_POPULATION", rf"population\b.{{0,20}}?{_NUMBER}", "population"),
)  # fmt: skip
# What is over when somebody left something: whichever of these it was.
LEFT = ("employer", "school", "home")


def between(words: str) -> Relation | None:
    """The relation that the words between two names say, if it is a known one."""
    return next((relation for relation in BETWEEN if relation.words.search(words)), None)


def figure(sentence: str) -> Relation | None:
    """The known attribute that a sentence with a figure gives."""
    return next((relation for relation in FIGURES if relation.words.search(sentence)), None)
