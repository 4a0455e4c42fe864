"""Forms of one's own account: fields and types only, the rules are the verbs'."""

from __future__ import annotations

from flask_wtf import FlaskForm
from wtforms import PasswordField, StringField


class DetailsForm(FlaskForm):  # type: ignore[misc]  # flask-wtf ships no types
    """Name, e-mail, time zone; the password where the e-mail changes."""

    full_name = StringField(default="")
    email = StringField(default="")
    current_password = PasswordField(default="")
    zone = StringField(default="")


class PasswordForm(FlaskForm):  # type: ignore[misc]
    """The current password and a new one, twice."""

    current = PasswordField(default="")
    new = PasswordField(default="")
    again = PasswordField(default="")
