"""API rows 28 and 29: members of the org, and links that sign them in."""

from __future__ import annotations

from flask import request

from webapp.access.policy import Action
from webapp.api.answers_setup import SignInLink, User
from webapp.api.schemas import PersonBody
from webapp.directory import people
from webapp.http.endpoint import Answer, O, U, endpoint
from webapp.http.scope import Scope
from webapp.runtime import runtime


@endpoint("PUT", f"{O}/users/<username>/", Action.WRITE_PEOPLE, body=PersonBody, answers=User, statuses=(201,))
def put_user(scope: Scope, username: str, body: PersonBody) -> Answer:
    """Create a member (201) or change one (200).

    An account that is a member of another org joins with its own name, if `email` is its own; only people who belong
    to one org alone can be renamed by its admins.
    """
    user, created = people.put_person(scope.actor, username, people.PersonDraft(**body.model_dump()))
    return Answer(User.of(user), 201 if created else 200)


@endpoint("POST", f"{U}/sign-in-link/", Action.WRITE_PEOPLE, answers=SignInLink, status=201)
def create_sign_in_link(scope: Scope) -> Answer:
    """Make a link that signs a member in once, within five minutes, and opens *My memory*.

    Not for people who belong to several orgs: it would open those as well.
    """
    link = people.invite_link(scope.actor, scope.user_id, "sign_in")
    base = runtime().settings.base_url or request.host_url
    return Answer(SignInLink(url=f"{base.rstrip('/')}/sign-in/{link.secret}", expires_at=link.expires_at), 201)
