"""The form of a category: fields and types only, the rules are the verbs'."""

from __future__ import annotations

from flask_wtf import FlaskForm
from wtforms import IntegerField, StringField, TextAreaField


class CategoryForm(FlaskForm):  # type: ignore[misc]  # flask-wtf ships no types
    """What a category is called and what belongs there."""

    name = StringField(default="")
    description = TextAreaField(default="")
    extraction_prompt = TextAreaField(default="")
    version = IntegerField()
