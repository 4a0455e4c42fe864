"""Asks the language model: one call per message, one per part of a long one, and at most one repair."""

from __future__ import annotations

import re
from collections.abc import Iterator

from webapp.graph import answer, gate, prompts
from webapp.graph.extraction import Context
from webapp.graph.types import Extraction, Message
from webapp.llm.chat import Chat
from webapp.llm.errors import ModelError

PART_CHARACTERS = 12_000
_BREAKS = (re.compile(r"\n\s*\n"), re.compile(r"\n"), re.compile(r"(?<=[.!?…])\s"), re.compile(r"\s"))


class ModelExtractor:
    """The extractor of installations with a language model. Safe to share between threads."""

    wants_context = True

    def __init__(self, chat: Chat) -> None:
        self._chat = chat

    def extract(self, message: Message, context: Context) -> Extraction:
        """The checked answer. Raises ModelError, `model_unreadable_answer` after one repair that did not help either."""
        found = [self._part(message, part, context) for part in parts(message.text)]
        return Extraction(
            tuple(entity for one in found for entity in one.entities),
            tuple(statement for one in found for statement in one.statements),
            tuple(ending for one in found for ending in one.endings),
            {name: sum(one.rejections.get(name, 0) for one in found) for one in found for name in one.rejections},
        )

    def _part(self, message: Message, part: str, context: Context) -> Extraction:
        asked = prompts.build(message, part, context)
        text = self._complete(asked, context)
        try:
            found = answer.parse(text)
        except answer.Unreadable:
            found = _parse_at_last(self._complete(prompts.repair(asked, text), context))
        return gate.check(found, message, context)

    def _complete(self, asked: list[dict[str, str]], context: Context) -> str:
        return self._chat.complete(asked, prompts.SCHEMA, deadline=context.deadline, meter=context.meter).text


def parts(text: str) -> Iterator[str]:
    """A text in pieces that one call can take, cut between paragraphs, lines, sentences or words; nothing is lost."""
    while len(text) > PART_CHARACTERS:
        cut = _cut(text)
        yield text[:cut]
        text = text[cut:]
    yield text


def _cut(text: str) -> int:
    for pattern in _BREAKS:
        ends = [match.end() for match in pattern.finditer(text, PART_CHARACTERS // 2, PART_CHARACTERS)]
        if ends:
            return ends[-1]
    return PART_CHARACTERS


def _parse_at_last(text: str) -> answer.Object:
    try:
        return answer.parse(text)
    except answer.Unreadable:
        raise ModelError("model_unreadable_answer", server_side=False) from None
