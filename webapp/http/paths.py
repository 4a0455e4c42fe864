"""The path converter of row ids."""

from __future__ import annotations

from flask import Flask
from werkzeug.routing import BaseConverter, ValidationError

# PostgreSQL's bigint.
LARGEST_ID = 2**63 - 1


class RowId(BaseConverter):
    """A row's id: ASCII digits within 64 bits. Anything else names no row, so the path is not found (404)."""

    regex = "[0-9]{1,19}"

    def to_python(self, value: str) -> int:
        """The id; raises ValidationError where it cannot be one."""
        found = int(value)
        if found > LARGEST_ID:
            raise ValidationError
        return found

    def to_url(self, value: int) -> str:
        """The id's digits."""
        return str(int(value))


def register(app: Flask) -> None:
    """Make `<int:…>` mean a row's id in every rule: the framework's own fails on numbers of any length."""
    app.url_map.converters["int"] = RowId
