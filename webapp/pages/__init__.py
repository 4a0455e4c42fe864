"""The screens: one file each."""

from __future__ import annotations

from flask import Flask

from webapp.pages import account, auth, profile_data, profile_memory, tokens

SCREENS = (auth, account, profile_memory, profile_data, tokens)


def register(app: Flask) -> None:
    """Register every screen's blueprint."""
    for screen in SCREENS:
        app.register_blueprint(screen.pages)
