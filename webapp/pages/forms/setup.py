"""Forms of setting up people and agents: fields and types only, the rules are the verbs'."""

from __future__ import annotations

from flask_wtf import FlaskForm
from wtforms import StringField, TextAreaField


class PersonForm(FlaskForm):  # type: ignore[misc]  # flask-wtf ships no types
    """Who somebody is and their role in the org; roles for agents are fields `agent_<id>`."""

    email = StringField(default="")
    username = StringField(default="")
    full_name = StringField(default="")
    role = StringField(default="member")


class AgentForm(FlaskForm):  # type: ignore[misc]
    """What an agent is called, and who edits and views its memory: one name a line."""

    name = StringField(default="")
    slug = StringField(default="")
    description = TextAreaField(default="")
    editors = TextAreaField(default="")
    viewers = TextAreaField(default="")
