"""Texts of the tenant screens."""

from __future__ import annotations

MESSAGES: dict[str, str] = {}
