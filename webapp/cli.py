"""The commands that need no jobs. Each is a thin caller of the verbs that the screens and the API call."""

from __future__ import annotations

from flask import Flask


def register(app: Flask) -> None:
    """Add every command to `flask`."""
