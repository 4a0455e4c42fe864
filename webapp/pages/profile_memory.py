"""My memory."""

from __future__ import annotations

from flask import Blueprint

pages = Blueprint("profile_memory", __name__)
