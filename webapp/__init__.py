"""Agent Memory: a memory for AI agents that people can see and govern."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from flask import Flask

    from webapp.settings import Settings


def create_app(settings: Settings | None = None) -> Flask:
    """The application for these settings, by default those of the environment. Raises SettingsError, one line."""
    # Imported here, so that the embedding process and the migrations do not load the web application.
    from webapp.factory import build

    return build(settings)
