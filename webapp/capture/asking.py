"""Asks the language model for candidates: one call for each part of an exchange, and at most one repair."""

from __future__ import annotations

from collections.abc import Sequence

from webapp.capture import answer, chunks, prompts
from webapp.capture.extraction import Context, Extraction
from webapp.capture.types import Message
from webapp.llm.chat import Chat
from webapp.llm.errors import ModelError

MALFORMED, TOO_MANY = "malformed", "too_many"
# Signs of JSON, mark-up and code: where nobody in the conversation used them, they are what is left of an answer.
_MARKUP = frozenset("{}[]<>`\\|")


class ModelExtractor:
    """The extractor of installations with a language model."""

    def __init__(self, chat: Chat) -> None:
        self._chat = chat

    def extract(self, parts: Sequence[Sequence[Message]], context: Context) -> list[Extraction]:
        """The candidates of each part. Raises ModelError; an answer that cannot be read is asked for once more."""
        conversation = _Conversation(self._chat, context)
        return [conversation.ask(part) for part in parts]


class _Conversation:
    """The calls of one exchange, which share their deadline and the one repair."""

    def __init__(self, chat: Chat, context: Context) -> None:
        self._chat = chat
        self._context = context
        self._schema = prompts.schema(context.categories)
        self._repaired = False

    def ask(self, part: Sequence[Message]) -> Extraction:
        """One part's candidates."""
        asked = prompts.build(
            part, self._context.categories, self._context.existing, self._context.said_at, self._context.zone
        )
        text = self._complete(asked)
        try:
            found = answer.parse(text)
        except answer.AnswerError as error:
            found = self._repair(asked, text, error)
        signs = _MARKUP - {sign for message in part for sign in message.text}
        whole = [one for one in found.candidates if not signs & set(one.text)]
        fresh = [one for one in whole if not chunks.is_repeat(one.evidence, part)]
        strange = {MALFORMED: found.malformed + len(found.candidates) - len(whole), TOO_MANY: found.overflow}
        return Extraction(fresh, {name: count for name, count in strange.items() if count})

    def _repair(self, asked: list[dict[str, str]], text: str, error: answer.AnswerError) -> answer.Answer:
        if self._repaired or not error.repairable:
            raise _model_error(error)
        self._repaired = True
        try:
            return answer.parse(self._complete(prompts.repair(asked, text)))
        except answer.AnswerError as again:
            raise _model_error(again) from None

    def _complete(self, messages: list[dict[str, str]]) -> str:
        context = self._context
        return self._chat.complete(messages, self._schema, deadline=context.deadline, meter=context.meter).text


def _model_error(error: answer.AnswerError) -> ModelError:
    return ModelError(f"model_{error.problem}", server_side=False)
