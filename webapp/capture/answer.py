"""From what a model answered to candidates, whatever it dressed them in, and never a candidate made of debris.

The answer that is asked for is ``{"has_memories": bool, "global_memories": [item], "mentor_memories": {slug: [item]}}``
with items ``{"text", "evidence": {"message", "quote"}, "relation": {"kind", "n"}}``; plain strings stand for items
without evidence. Around it there may be code fences, prose, thinking, a wrapper; inside it wrong types. Work is
bounded by the answer's length, which is bounded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from webapp.capture import answer_items, answer_json
from webapp.capture.types import Candidate

MAX_LENGTH = 1_000_000
MAX_ITEMS = 200


class AnswerProblem(StrEnum):
    """Why an answer gave nothing. Each is a different ``error`` value of the exchange."""

    EMPTY = "empty_answer"
    REFUSAL = "refused"
    TRUNCATED = "truncated_answer"
    UNREADABLE = "unreadable_answer"
    WRONG_SHAPE = "wrong_shape"
    OVERSIZED = "oversized_answer"


class AnswerError(Exception):
    """An answer could not be read. Its message is the problem's name: it never holds what was answered."""

    def __init__(self, problem: AnswerProblem) -> None:
        super().__init__(str(problem))
        self.problem = problem

    @property
    def repairable(self) -> bool:
        """Whether asking the model once more for the same in the right form may help."""
        return self.problem in {AnswerProblem.TRUNCATED, AnswerProblem.UNREADABLE, AnswerProblem.WRONG_SHAPE}


@dataclass(frozen=True, slots=True)
class Answer:
    """What was read: candidates in order, how many items were of a wrong type, how many were too many to look at."""

    candidates: tuple[Candidate, ...]
    malformed: int = 0
    overflow: int = 0


_THINK_OPEN = re.compile(r"<(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
_THINK_CLOSE = re.compile(r"</(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
_REFUSAL = re.compile(
    r"^\W*(?:i['’]?m (?:very |really )?sorry|sorry|i (?:can['’]?t|cannot|can not|am not able|"
    r"am unable|won['’]?t|must decline)|"
    r"i['’]m (?:not able|unable)|as an ai|i apologi[sz]e|unfortunately,? i (?:can|am)|lo siento|"
    r"no puedo|je suis désolé|je ne peux pas|"
    r"es tut mir leid|ich kann (?:das |dies |dabei )?nicht|desculpe|não posso|mi dispiace|non posso|извините|я не могу|"
    r"抱歉|对不起|很抱歉|我无法|我不能|申し訳|すみません|죄송|عذرا|لا أستطيع|क्षमा)",
    re.IGNORECASE,
)
_FENCE = re.compile(r"^\s*(?:```|~~~)\w*\s*|\s*(?:```|~~~)\s*$")


def parse(text: str) -> Answer:
    """Return the candidates in a model's answer; raise :class:`AnswerError` where there is none to be read.

    An answer that says in the right form that there is nothing to remember gives no candidates and no error. What is
    inside a thinking block is a draft and is not read. At most 200 items are looked at.
    """
    if len(text) > MAX_LENGTH:
        raise AnswerError(AnswerProblem.OVERSIZED)
    for view in _views(text):
        if (found := _find(view)) is not None:
            return _answer(found)
    raise AnswerError(_problem(text))


def _views(text: str) -> Iterator[str]:
    """The texts in which the answer may stand: all of it, or what comes after the thinking."""
    stripped = text.strip().lstrip("\ufeff")
    if _FENCE.sub("", stripped).startswith(("{", "[", '"')):
        yield stripped
    closings = [match.end() for match in _THINK_CLOSE.finditer(stripped)]
    for end in dict.fromkeys(closings[-1:] + closings[:1]):
        yield stripped[end:]
    if not closings:
        opening = _THINK_OPEN.search(stripped)
        yield _last_object(stripped) if opening else stripped


def _last_object(text: str) -> str:
    """Of thinking that never ended, the object that the text ends with: an answer, or nothing."""
    body = _FENCE.sub("", text).rstrip()
    start = max(body.rfind('{"has_memories"'), body.rfind('{\n  "has_memories"'), body.rfind('{ "has_memories"'))
    return body[start:] if start >= 0 and body.endswith("}") and answer_json.is_whole(body[start:]) else ""


def _find(view: str) -> answer_json.Object | None:
    """The last object in a text that is an answer; one of placeholders only where there is no other."""
    found = [one for value in answer_json.values(view) if (one := answer_items.as_answer(value)) is not None]
    if not found:
        return _bare_list(view)
    spoken = [one for one in found if not answer_items.is_placeholder(one)]
    return (spoken or found)[-1]


def _bare_list(view: str) -> answer_json.Object | None:
    body = _FENCE.sub("", _FENCE.sub("", view)).strip()
    return answer_items.from_list(answer_json.whole(body)) if body.startswith("[") else None


def _answer(found: answer_json.Object) -> Answer:
    candidates: list[Candidate] = []
    malformed = overflow = 0
    for place, raw in enumerate(answer_items.items(found)):
        if place >= MAX_ITEMS:
            overflow += 1
        elif (candidate := answer_items.candidate(raw)) is not None:
            candidates.append(candidate)
        else:
            malformed += 1
    return Answer(tuple(candidates), malformed, overflow)


def _problem(text: str) -> AnswerProblem:
    closings = [match.end() for match in _THINK_CLOSE.finditer(text)]
    opening = _THINK_OPEN.search(text)
    if opening and not closings:
        return AnswerProblem.TRUNCATED
    said = _FENCE.sub("", text[closings[-1] if closings else 0 :]).strip()
    if not said:
        return AnswerProblem.EMPTY
    if answer_json.is_cut_off(said):
        return AnswerProblem.TRUNCATED
    if _REFUSAL.match(said):
        return AnswerProblem.REFUSAL
    return AnswerProblem.WRONG_SHAPE if any(True for _ in answer_json.values(said)) else AnswerProblem.UNREADABLE
