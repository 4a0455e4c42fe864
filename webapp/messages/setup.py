"""Texts of the setup screens."""

from __future__ import annotations

MESSAGES: dict[str, str] = {}
