"""One-time links for people: to copy, and mailed where a mail server is configured."""

from __future__ import annotations

from dataclasses import dataclass

from flask import request

from webapp.access import mail
from webapp.access.sign_in import Link
from webapp.directory.types import UserView
from webapp.errors import Unavailable
from webapp.http.scope import Scope
from webapp.messages import text as msg
from webapp.observability import log_exception
from webapp.pages.shapes.times import shown
from webapp.runtime import runtime


@dataclass(frozen=True, slots=True)
class LinkShape:
    """See templates/tenant/people.html. `mailed_to` is None where it was not mailed."""

    name: str
    url: str
    until: str
    mailed_to: str | None


def invitation_link(scope: Scope, user: UserView, link: Link) -> LinkShape:
    """The link by which somebody chooses a password. That it cannot be mailed spoils nothing: it is shown."""
    base = runtime().settings.base_url or request.host_url
    url = f"{base.rstrip('/')}/set-password/{link.secret}"
    until = shown(link.expires_at).local
    return LinkShape(user.full_name or user.username, url, until, _mailed(scope, user, url, until))


def _mailed(scope: Scope, user: UserView, url: str, until: str) -> str | None:
    settings = runtime().settings
    if not settings.smtp_url:
        return None
    body = msg("mail.invitation", name=user.full_name or user.username, org=scope.org.name, url=url, until=until)
    subject = msg("mail.invitation_subject", org=scope.org.name)
    try:
        mail.send(settings.smtp_url, sender=settings.mail_from, to=user.email, subject=subject, body=body)
    except Unavailable as error:
        log_exception("mail_failed", error)
        return None
    return user.email
