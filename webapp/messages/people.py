"""Texts of the people screens."""

from __future__ import annotations

MESSAGES: dict[str, str] = {}
