"""The screens: one file each."""

from __future__ import annotations

from flask import Flask

from webapp.pages import auth, profile_memory

SCREENS = (auth, profile_memory)


def register(app: Flask) -> None:
    """Register every screen's blueprint."""
    for screen in SCREENS:
        app.register_blueprint(screen.pages)
