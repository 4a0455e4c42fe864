"""Texts of the agent screens."""

from __future__ import annotations

MESSAGES: dict[str, str] = {}
