"""Reads a chat completion as it came over the wire. Everything in it is foreign: nothing is taken on trust."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from webapp.llm.errors import ModelError
from webapp.llm.usage import Meter, Usage

MAX_ANSWER_BYTES = 4_000_000
_MOST_TOKENS = 2**53


@dataclass(frozen=True, slots=True)
class Completion:
    """A model's answer. `tokens_in` and `tokens_out` are what the server counted, None where it did not say."""

    text: str
    tokens_in: int | None
    tokens_out: int | None
    model: str


def read_completion(body: bytes, model: str, meter: Meter) -> Completion:
    """The text of the first choice. The meter hears what the answer cost, also where there is no text in it.

    Raises ModelError: `model_unreadable_response` for what is no chat completion, `model_refused`,
    `model_truncated_answer`, `model_tool_calls` and `model_empty_answer` for one without a whole answer.
    """
    answer = _json_object(body)
    cost = _cost(answer, model)
    meter.add(cost)
    choice = _first_choice(answer)
    message = choice.get("message")
    if not isinstance(message, dict):
        raise _unreadable()
    text = _content(message.get("content"))
    _require_whole(choice.get("finish_reason"), message, text)
    return Completion(text, cost.tokens_in, cost.tokens_out, cost.model or model)


def _cost(answer: dict[str, Any], model: str) -> Usage:
    usage = answer.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    named = answer.get("model")
    return Usage(
        model=named[:200].replace("\x00", "") if isinstance(named, str) and named else model,
        tokens_in=_count(usage.get("prompt_tokens")),
        tokens_out=_count(usage.get("completion_tokens")),
    )


def _json_object(body: bytes) -> dict[str, Any]:
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        raise _unreadable() from None
    if not isinstance(found, dict):
        raise _unreadable()
    return found


def _first_choice(answer: dict[str, Any]) -> dict[str, Any]:
    choices = answer.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        raise _unreadable()
    return choices[0]


def _content(content: object) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        return "".join(part for part in parts if isinstance(part, str))
    return ""


def _require_whole(finish_reason: object, message: dict[str, Any], text: str) -> None:
    if message.get("refusal") or finish_reason == "content_filter":
        raise ModelError("model_refused", server_side=False)
    if finish_reason == "length":
        raise ModelError("model_truncated_answer", server_side=False)
    if not text.strip():
        code = "model_tool_calls" if message.get("tool_calls") else "model_empty_answer"
        raise ModelError(code, server_side=False)


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _MOST_TOKENS else None


def _unreadable() -> ModelError:
    # A gateway's HTML page or half an answer: the server is at fault, not the exchange.
    return ModelError("model_unreadable_response", server_side=True)
