"""Forms of signing in: fields and types only, the rules are the verbs'."""

from __future__ import annotations

from flask_wtf import FlaskForm
from wtforms import HiddenField, PasswordField, StringField


class LoginForm(FlaskForm):  # type: ignore[misc]  # flask-wtf ships no types
    """Who, and where to go afterwards."""

    login = StringField()
    password = PasswordField()
    next = HiddenField()


class SetPasswordForm(FlaskForm):  # type: ignore[misc]
    """A new password, twice."""

    password = PasswordField()
    again = PasswordField()
