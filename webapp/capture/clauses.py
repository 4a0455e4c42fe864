"""Where in a message a quote stands, and how that is said: stated, asked, supposed, or said of somebody else."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from webapp.capture import reading
from webapp.capture.language import likely_language
from webapp.capture.vocabulary import by_language, pattern

_SENTENCE = re.compile(
    r"[^.!?…。！？｡।॥؟۔\n]+(?:(?:\.(?=\S)|[.…](?=\s*[a-z]))[^.!?…。！？｡।॥؟۔\n]+)*[.!?…。！？｡।॥؟۔]*"
)
_CLAUSE = re.compile(r"[,;:，、；：،؛—–()]|\s-+\s")
_ASKS = re.compile(r"[?？؟][\"'”’»)\]\s]*$")
_ASKED_WITHOUT_MARK = re.compile(
    r"^(?:(?:hi|hey|hello|ok|okay|so|and|but|please|well|btw)[\s,]+)*(?:(?:do|does|did|am|"
    r"is|are|should|can|could|would|will|have|has|may|must) (?:i|we|you|he|she|they|it|my|"
    r"there)\b"
    r"|(?:how|what|why|where|when|which|who)\b.*?\b(?:do|does|did|should|can|could|would|"
    r"is|are|am|was|were) (?:i|we|you|it|they|my|the)\b)"
)
_LEAD = re.compile(
    r"^(?:(?:hi|hey|hello|ok|okay|so|and|but|please|well|btw|y|pero|et|mais|und|aber|e|mas|"
    r"ma|и|а|но|oye|hola|bonjour|hallo|olá|ciao|привет)\s+)+"
)
_REASON_WITHIN = re.compile(
    r"\b(?:normal|okay|ok|weird|bad|strange|common|healthy|rude|unusual|wrong|good) that (?:i|my|we)\b|"
    r"\b(?:because|cause|cuz|since) (?:i|i'm|im|my|we)\b|\bweil ich\b|\bparce que (?:je|j')|"
    r"\bporque (?:yo |eu )?\w+o\b|\bпотому что я\b"
)
_FIRST_PERSON = re.compile(r"^(?:i|i'm|im|i've|ive|i'd|i'll|my|we|we're|we've|our)\b")
_UNSPACED = frozenset({"chinese", "japanese", "korean", "thai"})


@dataclass(frozen=True, slots=True)
class Passage:
    """A sentence of a message in which a quote stands, whole or in part; all of it folded to its bare words."""

    sentence: str
    quote: str

    @property
    def asks(self) -> bool:
        """Whether the sentence is a question."""
        folded = reading.fold(self.sentence)
        return bool(_ASKS.search(folded)) or bool(_ASKED_WITHOUT_MARK.match(folded))


def squash(text: str) -> str:
    """A text as its folded words with single spaces: how quotes are looked for, whatever their dressing."""
    return " ".join(reading.tokens(text))


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence as it was typed, with the sign that ends it, and squashed."""

    text: str
    bare: str


def holds_quote(bare: str, quote: str) -> bool:
    """Whether a squashed text holds a quote: whole words of it, whatever its case, space, quotes and punctuation.

    An ellipsis in the quote may stand for words left out.
    """
    place = 0
    pieces = [squashed for piece in re.split(r"\.\.\.|…|\[\.*\]", quote) if (squashed := squash(piece))]
    for piece in pieces:
        match = _whole(piece).search(bare, place)
        if not match:
            return False
        place = match.end()
    return bool(pieces)


def passages(within: Sequence[Sentence], quote: str) -> list[Passage]:
    """The sentences that the sentences of a quote stand in, each with its part of the quote."""
    parts = [part for part in sentences(quote) if part.bare]
    whole = [Passage(one.text, part.bare) for part in parts for one in within if holds_quote(one.bare, part.text)]
    return whole or [Passage(one.text, squash(quote)) for one in within if _overlaps(one.bare, squash(quote))]


def sentences(text: str) -> Iterator[Sentence]:
    """The sentences of a text in order."""
    for match in _SENTENCE.finditer(text):
        if sentence := match.group().strip():
            yield Sentence(sentence, squash(sentence))


def is_only_asked(passage: Passage, told: str) -> bool:
    """Whether what is quoted is itself the question: "do I have to live in Berlin?", not "I live in Berlin, what now?".

    ``told`` is the candidate: it shows what is meant where statement and question are not set apart.
    """
    if not passage.asks:
        return False
    clauses = [clause for clause in _CLAUSE.split(passage.sentence) if squash(clause)]
    marked = bool(_ASKS.search(reading.fold(passage.sentence)))
    quoted = [place for place, clause in enumerate(clauses) if _overlaps(squash(clause), passage.quote)]
    if not quoted:
        return len(clauses) == 1
    return all(
        _is_question(clauses[place], passage.quote, told, is_last=marked and place == len(clauses) - 1)
        for place in quoted
    )


def _overlaps(clause: str, quote: str) -> bool:
    if not clause or not quote:
        return False
    return bool(_whole(clause).search(quote) or _whole(quote).search(clause))


def _is_question(clause: str, quote: str, told: str, *, is_last: bool) -> bool:
    bare = _LEAD.sub("", squash(clause))
    language = likely_language(clause)
    if language in _UNSPACED:
        return _is_unspaced_question(bare, quote, told, is_last=is_last)
    openers = by_language("interrogatives.txt")["english"] | by_language("interrogatives.txt").get(
        language, frozenset()
    )
    words = bare.split()
    before, _, after = bare.partition(quote)
    if pattern("reasons.txt").search(before) or _REASON_WITHIN.search(bare):
        return False
    if words and (words[0] in openers or clause.lstrip().startswith("¿")):
        return True
    if not is_last:
        return False
    follows = after.split()
    # "I'm new to python how do I print?": the quote is stated, the question comes after it.
    if quote in bare and follows and follows[0] in openers | {"and", "so"}:
        return False
    return not (_FIRST_PERSON.match(bare) and any(word in openers for word in words[3:]))


def _is_unspaced_question(bare: str, quote: str, told: str, *, is_last: bool) -> bool:
    lists = by_language("interrogatives.txt")
    said = bare if bare in quote else quote
    asking = [said.index(sign) for sign in lists["unspaced"] if sign in said]
    if asking:
        return not _is_told_before(said[: min(asking)], told)
    if not is_last:
        return False
    if any(bare.endswith(sign) for sign in lists["final"]):
        return not any(sign in bare.replace(said, "") for sign in lists["unspaced"])
    return bare.endswith(said)


def _is_told_before(stated: str, told: str) -> bool:
    """Whether most of what a candidate says stands before the question begins."""
    pairs = reading.content(told)
    return bool(pairs) and sum(pair in stated for pair in pairs) >= 0.6 * len(pairs)


def _whole(squashed: str) -> re.Pattern[str]:
    """A pattern for squashed words that does not begin or end inside a word of a spaced script."""
    before = "" if reading.is_unspaced(squashed[:1]) else r"(?<!\S)"
    after = "" if reading.is_unspaced(squashed[-1:]) else r"(?!\S)"
    return re.compile(before + re.escape(squashed) + after)
