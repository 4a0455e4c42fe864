"""Requests to forget, made in the conversation: "please forget that I live in Berlin". English, by rule.

A request is only read where somebody asks for it in so many words at the head of a clause, and only takes memories
that hold every word of what is to be forgotten; what it takes can be restored. "Forget everything" is not one: erasing
is confirmed on a screen of its own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from webapp.terms import terms

_POLITE = r"(?:(?:please|pls|and|also|so|then|now|ok(?:ay)?|hey|actually|oh|well)[ ,]+)*"
_ASKING = r"(?:(?:can|could|would|will) you (?:please )?|(?:i(?:'d| would) like|i want|i need) you to (?:please )?|you (?:can|should|must) )?"
_VERB = r"(?:forget|(?:stop|quit) remembering|(?:don't|do not|dont|no longer) remember|unlearn)"
# "Remove my name" may be about the text at hand; only what is to go from memory is meant for us.
_FROM_MEMORY = re.compile(
    rf"^{_POLITE}{_ASKING}(?:delete|erase|remove|wipe|clear) (?P<what>.+?) from (?:your|the|my) (?:memory|memories)\b(?P<rest>.*)$",
    re.IGNORECASE | re.DOTALL,
)
_LINK = (
    r"(?: (?:the fact|about the fact|what i (?:said|told you|mentioned)(?: earlier| before)?|everything|anything|all))?"
    r"(?: (?:that|about|on|regarding))?"
)
_REQUEST = re.compile(
    rf"^{_POLITE}{_ASKING}{_VERB}{_LINK} "
    r"(?P<what>(?:(?:that|where|what|how|who|when|why) )?(?:i|i'm|i've|i'd|my|me|mine)\b.*?)"
    r"(?P<rest>(?:[,;:]| because | since | but | and i ).*)?$",
    re.IGNORECASE | re.DOTALL,
)
_SENTENCE = re.compile(r"[^.!?\n]+[.!?]*\s*")
_TAIL = re.compile(r"(?:(?:^|,? )(?:please|thanks|thank you|from (?:your|the) memory|ok(?:ay)?))+\s*$", re.IGNORECASE)
_OPEN = re.compile(r"(?:where|what|how|who|when|why) ", re.IGNORECASE)
# What a sentence has beside its subject matter; "told" and "said" stand between the request and its object.
_IDLE = frozenset(terms("tell told say said mention remember memory know fact user thing please"))


def requests(message: str) -> tuple[str, list[str]]:
    """The message without its requests to forget, and what each wants forgotten, in the person's own words."""
    kept: list[str] = []
    wanted: list[str] = []
    for sentence in _SENTENCE.findall(message):
        request = _request(sentence)
        if request is None:
            kept.append(sentence)
            continue
        if rest := _TAIL.sub("", (request["rest"] or "").lstrip(",;: ")):
            kept.append(f"{rest}. ")
        wanted.append(_TAIL.sub("", request["what"]).strip())
    return "".join(kept) if wanted else message, wanted


def matches(wanted: str, memories: Sequence[str]) -> list[int]:
    """The places of the memories that hold every term of what is to be forgotten; none where it has no term."""
    asked = [term for term in terms(wanted) if term not in _IDLE]
    if not asked:
        return []
    told = [[term for term in terms(memory) if term not in _IDLE] for memory in memories]
    if _OPEN.match(wanted):
        # "Where I work" names no thing, only what the memory must begin with: "The user works …".
        return [place for place, found in enumerate(told) if found[: len(asked)] == asked]
    return [place for place, found in enumerate(told) if set(asked) <= set(found)]


def _request(sentence: str) -> re.Match[str] | None:
    plain = " ".join(sentence.strip(" .!?\n").split()).replace("’", "'")
    return _FROM_MEMORY.match(plain) or _REQUEST.match(plain)
