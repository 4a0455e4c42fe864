"""The path converter of row ids."""

from __future__ import annotations

from flask import Flask
from werkzeug.routing import BaseConverter


class RowId(BaseConverter):
    """A row's id: up to 18 ASCII digits, which PostgreSQL's bigint holds. Anything else names no row (404)."""

    regex = "[0-9]{1,18}"

    def to_python(self, value: str) -> int:
        """The id."""
        return int(value)

    def to_url(self, value: int) -> str:
        """The id's digits."""
        return str(int(value))


def register(app: Flask) -> None:
    """Make `<int:…>` mean a row's id in every rule: the framework's own fails on numbers of any length."""
    app.url_map.converters["int"] = RowId
