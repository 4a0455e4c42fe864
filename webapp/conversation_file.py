"""Files of conversations: the LoCoMo format (two people, dated sessions) and a plain list of exchanges."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from webapp.errors import Invalid
from webapp.inbox.accept import Exchange

SESSION = re.compile(r"session_(\d+)")
SESSION_TIME = "%I:%M %p on %d %B, %Y"
# The file dates sessions, not turns: one after the other keeps their order.
TURN = timedelta(seconds=30)


@dataclass(frozen=True, slots=True)
class Part:
    """One exchange of one user. `key` is the same whenever the same file is read."""

    username: str
    full_name: str
    key: str
    exchange: Exchange


@dataclass(frozen=True, slots=True)
class Conversation:
    """One conversation, in the order in which it took place."""

    name: str
    parts: list[Part]


def read(path: Path, *, user: str | None = None) -> list[Conversation]:
    """Every conversation of a file. `user` is whose the exchanges of a plain list are that name nobody.

    Raises Invalid, naming the place.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise Invalid(f"{path} is not JSON: {error}.") from None
    items = data if isinstance(data, list) else [data]
    if not items or not all(isinstance(item, dict) for item in items):
        raise Invalid("Expected a list of conversations or of exchanges.")
    if all("conversation" in item for item in items):
        return [_two_people(item) for item in items]
    return [Conversation(path.stem, [_plain(place, item, user) for place, item in enumerate(items, 1)])]


def _two_people(item: Mapping[str, Any]) -> Conversation:
    """Each of the two is a user to whom the other is the assistant."""
    name = str(item.get("sample_id") or "conversation")
    sessions = item["conversation"]
    numbers = sorted(int(found[1]) for key in sessions if (found := SESSION.fullmatch(key)))
    try:
        return Conversation(name, [part for number in numbers for part in _session(name, sessions, number)])
    except (KeyError, TypeError, ValueError) as error:
        raise Invalid(f"{name}: not in the expected form ({error}).") from None


def _session(name: str, sessions: Mapping[str, Any], number: int) -> Iterator[Part]:
    began = datetime.strptime(sessions[f"session_{number}_date_time"], SESSION_TIME).replace(tzinfo=UTC)
    turns = [(str(turn["speaker"]), str(turn["text"]), str(turn["dia_id"])) for turn in sessions[f"session_{number}"]]
    for place, (speaker, text, key) in enumerate(turns):
        answer = turns[place + 1] if place + 1 < len(turns) and turns[place + 1][0] != speaker else None
        other = answer[0] if answer else _other(sessions, speaker)
        yield Part(
            username=f"{_slug(speaker)}.{_slug(name)}",
            full_name=speaker,
            key=f"{name}:{key}",
            exchange=Exchange(
                user_message=text,
                assistant_message=answer[1] if answer else "",
                user_name=speaker,
                assistant_name=other,
                session_id=f"{name}/session-{number}",
                occurred_at=began + place * TURN,
            ),
        )


def _other(sessions: Mapping[str, Any], speaker: str) -> str:
    both = (str(sessions["speaker_a"]), str(sessions["speaker_b"]))
    return both[1] if speaker == both[0] else both[0]


def _plain(place: int, item: Mapping[str, Any], user: str | None) -> Part:
    texts = {name: _text(place, item, name) for name in ("user", *_FIELDS)}
    username = texts["user"] or user
    if not username:
        raise Invalid(f"{place}: names no user; say whose it is with --user.")
    if not texts["user_message"]:
        raise Invalid(f"{place}: user_message is missing.")
    fields = {name: texts[name] for name in _FIELDS if name not in ("occurred_at", "assistant_message")}
    exchange = Exchange(
        **fields,  # type: ignore[arg-type]  # user_message is there
        assistant_message=texts["assistant_message"] or "",
        occurred_at=_moment(place, texts["occurred_at"]),
    )
    return Part(username, texts["user_name"] or "", _key(place, item), exchange)


_FIELDS: Sequence[str] = (
    "user_message", "assistant_message", "user_name", "assistant_name", "session_id", "occurred_at",
)  # fmt: skip


def _text(place: int, item: Mapping[str, Any], name: str) -> str | None:
    value = item.get(name)
    if not isinstance(value, str | None):
        raise Invalid(f"{place}: {name} is not a text.")
    return value or None


def _key(place: int, item: Mapping[str, Any]) -> str:
    """By its own key where it has one, else by place and content: a list may grow at its end."""
    if item.get("idempotency_key"):
        return str(item["idempotency_key"])
    return f"{place}:{hashlib.sha256(json.dumps(item, sort_keys=True).encode()).hexdigest()[:16]}"


def _moment(place: int, value: str | None) -> datetime | None:
    try:
        return datetime.fromisoformat(value) if value else None
    except ValueError:
        raise Invalid(f"{place}: occurred_at is not a date and time (ISO 8601).") from None


def _slug(value: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", value.lower()).strip("-") or "someone"
