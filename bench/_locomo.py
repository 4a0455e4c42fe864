"""Reads the LoCoMo conversations and scores what was retrieved from them. The file is read by path, never copied."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}


@dataclass(frozen=True, slots=True)
class Row:
    """One thing to be remembered. ``turns`` are the dialog turns that it stands for."""

    text: str
    session: int
    said_at: datetime
    turns: frozenset[str]


@dataclass(frozen=True, slots=True)
class Question:
    """A question with the ids of the turns that hold its answer, at least one."""

    text: str
    category: int
    evidence: frozenset[str]


@dataclass(frozen=True, slots=True)
class Conversation:
    """One long conversation: its turns and observations in the order of time, and its questions."""

    name: str
    speakers: tuple[str, str]
    turns: list[Row]
    observations: list[Row]
    questions: list[Question]


def load(path: Path) -> list[Conversation]:
    """Return the ten conversations. Questions without evidence that exists are left out: 1,981 remain."""
    return [_conversation(each) for each in json.loads(path.read_text(encoding="utf-8"))]


def recall(evidence: Collection[str], rows: Sequence[Row]) -> float:
    """The share of the evidence turns that the rows stand for, 0 … 1."""
    found = frozenset().union(*(row.turns for row in rows))
    return len(found.intersection(evidence)) / len(evidence)


def _conversation(raw: dict[str, Any]) -> Conversation:
    talk = raw["conversation"]
    dates = {number: _said_at(talk[f"session_{number}_date_time"]) for number in _sessions(talk)}
    turns = [
        Row(f"{turn['speaker']}: {turn['text']}", number, said_at, frozenset([turn["dia_id"]]))
        for number, said_at in dates.items()
        for turn in talk[f"session_{number}"]
    ]
    place = {turn_id: index for index, row in enumerate(turns) for turn_id in row.turns}
    return Conversation(
        name=raw["sample_id"],
        speakers=(talk["speaker_a"], talk["speaker_b"]),
        turns=turns,
        observations=_observations(raw["observation"], dates, place),
        questions=list(_questions(raw["qa"], place)),
    )


def _sessions(talk: dict[str, Any]) -> list[int]:
    return sorted(int(key.split("_")[1]) for key, value in talk.items() if isinstance(value, list))


def _said_at(text: str) -> datetime:
    return datetime.strptime(text, "%I:%M %p on %d %B, %Y")


def _observations(raw: dict[str, Any], dates: dict[int, datetime], place: dict[str, int]) -> list[Row]:
    """In the order of the first turn that each comes from, as they would have been captured."""
    rows = []
    for number, said_at in dates.items():
        for statements in raw.get(f"session_{number}_observation", {}).values():
            for text, turn_ids in statements:
                rows.append(Row(text, number, said_at, frozenset(_turn_ids(turn_ids, place))))
    return sorted(rows, key=lambda row: (row.session, min((place[turn] for turn in row.turns), default=len(place))))


def _questions(raw: list[dict[str, Any]], place: dict[str, int]) -> Iterator[Question]:
    for each in raw:
        if evidence := frozenset(_turn_ids(each["evidence"], place)):
            yield Question(each["question"], each["category"], evidence)


def _turn_ids(given: str | list[str], place: dict[str, int]) -> list[str]:
    """Some lists hold several ids in one text ("D8:6; D9:17"), and some ids do not exist."""
    listed = given if isinstance(given, list) else [given]
    return [turn for text in listed for turn in re.split(r"[;,\s]+", text) if turn in place]
