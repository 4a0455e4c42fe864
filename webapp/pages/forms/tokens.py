"""The form of an API token: fields and types only, the rules are the verbs'."""

from __future__ import annotations

from flask_wtf import FlaskForm
from wtforms import SelectMultipleField, StringField

from webapp.access.actor import SCOPES


class TokenForm(FlaskForm):  # type: ignore[misc]  # flask-wtf ships no types
    """Name, scopes of a service token, and the last day on which it works."""

    name = StringField(default="")
    scopes = SelectMultipleField(choices={scope: scope for scope in SCOPES}, default=())
    expires = StringField(default="")
