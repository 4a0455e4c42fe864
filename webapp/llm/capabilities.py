"""What a chat server understands, learned from its refusals once per process and not asked again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

AnswerFormat = Literal["json_schema", "json_object", "text"]
TokenLimit = Literal["max_tokens", "max_completion_tokens"]

_NEXT_FORMAT: dict[AnswerFormat, AnswerFormat] = {"json_schema": "json_object", "json_object": "text"}
_FORMAT_WORDS = ("response_format", "json_schema", "json_object", "json mode", "structured output", "text.format")
_ITEM_CODES = {"context_length_exceeded", "content_filter", "content_policy_violation", "string_above_max_length"}


@dataclass(frozen=True, slots=True)
class Capabilities:
    """The parameters that a server is sent: how the answer's form, its length and the temperature are asked for."""

    answer_format: AnswerFormat = "json_schema"
    token_limit: TokenLimit | None = "max_tokens"
    temperature: bool = True

    def parameters(self, schema: Mapping[str, Any] | None, max_tokens: int) -> dict[str, Any]:
        """The optional parameters of a call. Without a schema the answer is plain text."""
        found: dict[str, Any] = {}
        if schema is not None and self.answer_format == "json_schema":
            found["response_format"] = {"type": "json_schema", "json_schema": dict(schema)}
        if schema is not None and self.answer_format == "json_object":
            found["response_format"] = {"type": "json_object"}
        if self.token_limit is not None:
            found[self.token_limit] = max_tokens
        if self.temperature:
            found["temperature"] = 0
        return found

    def without(self, refused: str) -> Capabilities | None:
        """What to ask for instead, by the words of a refusal; None when they name nothing that can be left out."""
        words = refused.lower()
        if "max_tokens" in words or "max_completion_tokens" in words:
            return self._next_limit()
        if "temperature" in words:
            return replace(self, temperature=False) if self.temperature else None
        if any(word in words for word in _FORMAT_WORDS) or ("messages" in words and "json" in words):
            return self._next_format()
        return None

    def simpler(self) -> Capabilities | None:
        """The next thing to leave out where a refusal names none; None when nothing is left."""
        if (lower := self._next_format()) is not None:
            return lower
        if self.temperature:
            return replace(self, temperature=False)
        return replace(self, token_limit=None) if self.token_limit else None

    def _next_format(self) -> Capabilities | None:
        lower = _NEXT_FORMAT.get(self.answer_format)
        return replace(self, answer_format=lower) if lower else None

    def _next_limit(self) -> Capabilities | None:
        if self.token_limit == "max_tokens":
            return replace(self, token_limit="max_completion_tokens")
        return replace(self, token_limit=None) if self.token_limit else None


def refusal_words(body: object) -> str | None:
    """What a 400 says about itself (`message`, `param`); None when it is about the text, which no parameter changes."""
    detail = body.get("error", body) if isinstance(body, dict) else body
    if not isinstance(detail, dict):
        return str(detail or "")
    if detail.get("code") in _ITEM_CODES:
        return None
    return f"{detail.get('param') or ''} {detail.get('message') or detail.get('detail') or ''}"
