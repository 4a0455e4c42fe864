"""Forms of memories and shared memories: fields and types only, the rules are the verbs'."""

from __future__ import annotations

from flask_wtf import FlaskForm
from wtforms import HiddenField, IntegerField, StringField, TextAreaField


class MemoryForm(FlaskForm):  # type: ignore[misc]  # flask-wtf ships no types
    """A memory's text; for an agent's its category; where a list has several people's, whose it is."""

    content = TextAreaField(default="")
    category = StringField(default="")
    user = StringField(default="")
    version = IntegerField()


class UndoForm(FlaskForm):  # type: ignore[misc]
    """Which deletion to take back."""

    batch = HiddenField()
