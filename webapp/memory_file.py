"""Files of memories: JSON (a list, or an export of this product) and CSV with a header."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from webapp.errors import Invalid
from webapp.memory.write.imported import Line

COLUMNS = ("username", "content", "agent", "category_slug", "source_session_id", "created_at")


def read(path: Path) -> list[Line]:
    """The memories of a file, in its order; in an export, the live ones. Raises Invalid, naming the line or item."""
    rows = _from_csv(path) if path.suffix.lower() == ".csv" else _from_json(path)
    try:
        return [_line(number, row) for number, row in rows if not (row.get("deleted_at") or row.get("superseded_at"))]
    except (UnicodeDecodeError, csv.Error) as error:
        raise Invalid(f"{path} cannot be read: {error}.") from None


def _from_csv(path: Path) -> Iterable[tuple[int, Mapping[str, Any]]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.DictReader(file)
        missing = {"username", "content"} - set(reader.fieldnames or ())
        if missing:
            raise Invalid(f"The header lacks {', '.join(sorted(missing))}; it may have {', '.join(COLUMNS)}.")
        yield from ((reader.line_num, row) for row in reader)


def _from_json(path: Path) -> Iterable[tuple[int, Mapping[str, Any]]]:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise Invalid(f"{path} is not JSON: {error}.") from None
    rows = data.get("memories") if isinstance(data, dict) else data
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise Invalid('Expected a list of objects, or an object with such a list under "memories".')
    return enumerate(rows, 1)


def _line(number: int, row: Mapping[str, Any]) -> Line:
    values = {name: row.get(name) for name in COLUMNS}
    wrong = [name for name, value in values.items() if not isinstance(value, str | None)]
    wrong += [name for name in ("username", "content") if not values[name]]
    if wrong:
        raise Invalid(f"{number}: {wrong[0]} is missing or not a text.")
    texts: dict[str, str] = {name: str(value or "") for name, value in values.items()}
    return Line(
        number,
        texts["username"],
        texts["content"],
        texts["agent"] or None,
        texts["category_slug"] or None,
        texts["source_session_id"] or None,
        _moment(number, texts["created_at"]),
    )


def _moment(number: int, value: str) -> datetime | None:
    """A naive time is UTC."""
    if not value:
        return None
    try:
        found = datetime.fromisoformat(value)
        return found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        raise Invalid(f"{number}: created_at is not a date and time (ISO 8601).") from None
