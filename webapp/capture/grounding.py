"""What the user wrote, read once for an exchange, and whether a candidate's names, numbers and subject are in it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from webapp.capture import reading
from webapp.capture.clauses import Passage, Sentence, holds_quote, passages, sentences, squash
from webapp.capture.language import likely_language
from webapp.capture.likeness import means
from webapp.capture.types import Evidence, Message
from webapp.capture.vocabulary import words

# "(2023-05-01)": where a relative time is reckoned out, as the prompt asks for.
_BRACKETED_DATE = re.compile(r"[(（\[][^()（）\[\]]{0,30}\d{4}[^()（）\[\]]{0,30}[)）\]]")
_YES = words(
    """yes yeah yep yup right correct exactly true sure indeed absolutely sí si claro exacto oui ouais exactement ja
    genau stimmt sim isso certo sì esatto да верно точно tak evet 是 是的 对 對 没错 はい そうです うん 네 응 맞아요 نعم صحيح
    हाँ हां जी"""
)
# Verbs that stand in memories about anything: that a user likes something does not show that they like this.
_ANY_VERB = words(
    """likes like loves love enjoys prefers prefer wants want hopes uses use has have works work lives live knows know
    speaks needs need learning learn learns studies study struggles hates dislikes goal plans plan interested believes
    feels thinks said says new currently often"""
)
_NAME_PARTS = re.compile(r"[\-/&.']")


@dataclass(frozen=True, slots=True)
class Said:
    """Words that a candidate may be made of: tokens, words of content, numbers, and the folded text itself."""

    tokens: frozenset[str]
    content: frozenset[str]
    numbers: frozenset[str]
    run: str

    @classmethod
    def of(cls, texts: Iterable[str]) -> Said:
        """What is said in some texts. Numbers are read line by line, since lines may be in different languages."""
        lines = [line for text in texts for line in text.split("\n")]
        return cls(
            frozenset(token for line in lines for token in reading.tokens(line)),
            frozenset(word for line in lines for word in reading.content(line)),
            frozenset(figure for line in lines for figure in reading.numbers(line)),
            "\n".join(reading.fold(line) for line in lines),
        )

    def __or__(self, other: Said) -> Said:
        return Said(
            self.tokens | other.tokens,
            self.content | other.content,
            self.numbers | other.numbers,
            f"{self.run}\n{other.run}",
        )


@dataclass(frozen=True, slots=True)
class Heard:
    """An exchange as the gate reads it: each message squashed, the user's sentences by message, and all they said."""

    bare: tuple[tuple[Message, str], ...]
    sentences: dict[int, tuple[tuple[Sentence, Said], ...]]
    said: Said


@lru_cache(maxsize=8)
def hear(messages: tuple[Message, ...]) -> Heard:
    """Read an exchange. Kept for a moment, since all its candidates are judged one after the other."""
    own = [message for message in messages if message.role == "user"]
    found = {one.index: tuple((part, Said.of([part.text])) for part in sentences(one.text)) for one in own}
    said = Said.of([*(one.text for one in own), *(one.speaker for one in messages)])
    return Heard(tuple((one, squash(one.text)) for one in messages), found, said)


def holding(quote: str, messages: Sequence[Message]) -> list[Message]:
    """The messages that hold a quote."""
    return [message for message, bare in hear(tuple(messages)).bare if holds_quote(bare, quote)]


def passages_of(evidence: Evidence, messages: Sequence[Message]) -> list[Passage]:
    """Where in the user's message the evidence stands."""
    return passages(
        [sentence for sentence, _ in hear(tuple(messages)).sentences[evidence.message_index]], evidence.quote
    )


def is_grounded(text: str, evidence: Evidence, messages: Sequence[Message], known: str = "") -> bool:
    """Whether a text's names and numbers and some word of its content are the user's.

    They may also come from ``known`` (a memory that the text replaces), from what the user says yes to, and names from
    the speakers' own.
    """
    said = hear(tuple(messages)).said
    more = [known] if known else []
    if _YES.intersection(reading.tokens(evidence.quote)[:2]):
        more += [one.text for one in messages if one.index == evidence.message_index - 1 and one.role == "assistant"]
    said = said | Said.of(more) if more else said
    text = _BRACKETED_DATE.sub("", text)
    return _names_are_said(text, said) and _numbers_are_said(text, said) and _shares_content(text, said)


def likeliest(text: str, messages: Sequence[Message]) -> Evidence | None:
    """The sentence of the user's that shares most with a text; a statement before a question; None if none does."""
    told = {*reading.content(text), *reading.numbers(text)}
    best: tuple[tuple[bool, int], Evidence] | None = None
    for index, found in hear(tuple(messages)).sentences.items():
        for sentence, said in found:
            shared = sum(_is_shared(word, said) for word in told)
            if shared and (best is None or shared >= best[0][1] or not best[0][0]):
                rank = (not Passage(sentence.text, "").asks, shared)
                if best is None or rank > best[0]:
                    best = (rank, Evidence(index, sentence.text))
    return best[1] if best else None


def _names_are_said(text: str, said: Said) -> bool:
    told = reading.names(text)
    missing = [name for name in told if not _is_name_said(name, said)]
    if likely_language(text) == "german":
        # Every noun has a capital there: a paraphrase may bring a new one, a made-up fact brings more.
        return len(missing) * 2 <= len(told)
    return not missing


def _is_name_said(name: str, said: Said) -> bool:
    if name in said.tokens or (reading.is_unspaced(name) and name in said.run):
        return True
    parts = [part for part in _NAME_PARTS.split(name) if part]
    if len(parts) > 1 and all(part in said.tokens for part in parts):
        return True
    if name.isascii():
        return any(
            name in _NAME_PARTS.split(word) or (len(name) >= 5 and reading.akin(word, name)) for word in said.tokens
        )
    # Names bend in many languages: в Москве, из Москвы.
    kept = name[: max(2, len(name) - 2)]
    return any(word.startswith(kept) for word in said.tokens)


def _numbers_are_said(text: str, said: Said) -> bool:
    return all(
        figure in said.numbers or token in said.tokens or _is_in_run(token, figure, said.run)
        for token, figure in reading.figures(text)
    )


def _is_in_run(token: str, figure: str, run: str) -> bool:
    """Numbers between ideographs: 三 in 三个孩子 is 三 in 有三个, and 5 in 3月5日 is 5."""
    if reading.is_unspaced(token):
        return any(sign in run for sign in token if sign in reading.HAN_NUMERALS)
    return figure.isdigit() and figure in re.findall(r"\d+", run)


def _shares_content(text: str, said: Said) -> bool:
    told = [word for word in reading.content(text) if word not in _ANY_VERB] or reading.content(text)
    return any(_is_shared(word, said) for word in told) if told else bool(reading.numbers(text))


def _is_shared(word: str, said: Said) -> bool:
    if (
        word in said.content
        or word in said.tokens
        or word in said.numbers
        or (reading.is_unspaced(word) and word in said.run)
    ):
        return True
    if word.isascii():
        return any(means(word, one) for one in said.content)
    # Beginnings and endings bend: يعيش is said of أعيش; four letters in a row, three of Arabic or Hindi, are the word.
    size = 3 if re.match(r"[\u0590-\u08ff\u0900-\u097f]", word) else 4
    return len(word) >= size and any(word[place : place + size] in said.run for place in range(len(word) - size + 1))
