"""API tokens: the org's service tokens, and one's own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from flask import Blueprint, request
from werkzeug.wrappers import Response

from webapp.access.actor import SCOPES
from webapp.access.policy import Action
from webapp.access.tokens import NewToken, TokenInfo
from webapp.directory import credentials
from webapp.errors import Invalid, NotVisible
from webapp.http.frame import Toast, reader_zone, toast
from webapp.http.htmx import navigate, render, wants_partial
from webapp.http.scope import Scope
from webapp.memory.types import Page
from webapp.messages import text as msg
from webapp.messages.moments import Moment
from webapp.pages import tenant_frame, where
from webapp.pages.dialogs import dialog
from webapp.pages.forms.tokens import TokenForm
from webapp.pages.memories.place import ID
from webapp.pages.shapes import pager
from webapp.pages.shapes.form import FormShape, refused
from webapp.pages.shapes.times import shown

pages = Blueprint("tokens", __name__)
PAGE_SIZE = 25


@dataclass(frozen=True, slots=True)
class TokenRow:
    """See templates/components/_tokens.html."""

    id: int
    name: str
    prefix: str
    scopes: Sequence[str]
    created: Moment
    last_used: Moment | None
    expires: Moment | None
    state: str
    urls: dict[str, str | None]


@dataclass(frozen=True, slots=True)
class Kind:
    """Service tokens and personal ones: the same screen over other verbs."""

    rule: str
    template: str
    scopes: Sequence[str] | None
    enter: Callable[[str], Scope]
    listed: Callable[[Any], list[TokenInfo]]
    revoke: Callable[[Any, int], None]

    def path(self, scope: Scope) -> str:
        """The screen's address."""
        return self.rule.replace("<org>", scope.org.key)


OWN = Kind(
    "/orgs/<org>/me/tokens", "profile/tokens.html", None, lambda org: where.own(org, Action.READ_GLOBAL),
    credentials.own_tokens, credentials.revoke_own,
)  # fmt: skip
SERVICE = Kind(
    "/orgs/<org>/tokens", "tenant/tokens.html", SCOPES, lambda org: where.here(org, Action.MANAGE_TOKENS),
    credentials.service_tokens, credentials.revoke_service,
)  # fmt: skip


def _attach(kind: Kind, name: str) -> None:
    token = f"{kind.rule}/<{ID}:token_id>/revoke"
    pages.add_url_rule(kind.rule, name, lambda org: _show(kind, kind.enter(org)))
    pages.add_url_rule(f"{kind.rule}/new", f"{name}_new", lambda org: _new(kind, kind.enter(org)), methods=FORM)
    pages.add_url_rule(
        token, f"{name}_revoke", lambda org, token_id: _revoke(kind, kind.enter(org), token_id), methods=FORM
    )


FORM = ["GET", "POST"]
_attach(OWN, "own")
_attach(SERVICE, "service")


def _show(kind: Kind, scope: Scope, *, made: NewToken | None = None, toasts: Sequence[Toast] = ()) -> Response:
    found = kind.listed(scope.actor)
    page = pager.load(lambda number: _slice(found, number))
    shown_tokens = {
        "rows": [_row(kind, scope, each) for each in page.rows],
        "created": {"name": made.info.name, "secret": made.secret} if made else None,
        "page": pager.shape(page, kind.path(scope)),
        "total": page.count,
    }
    context = tenant_frame.head(scope, "tokens") if kind is SERVICE else {}
    urls = {"add": f"{kind.path(scope)}/new"}
    return render(
        kind.template, "tokens", toasts=toasts, tokens=shown_tokens, org_name=scope.org.name, **context, urls=urls
    )


def _new(kind: Kind, scope: Scope) -> Response:
    form = TokenForm()
    data = {"name": form.name.data, "scopes": form.scopes.data or [], "expires": form.expires.data}
    if request.method == "GET":
        return _form(kind, scope, FormShape(data))
    try:
        made = _create(kind, scope, form)
    except Invalid as error:
        return _form(kind, scope, refused(data, error), 422)
    return _show(kind, scope, made=made)


def _create(kind: Kind, scope: Scope, form: TokenForm) -> NewToken:
    lifetime, name = _lifetime(form.expires.data or ""), form.name.data or ""
    if kind.scopes is None:
        return credentials.create_own(scope.actor, name, lifetime=lifetime)
    return credentials.create_service(scope.actor, name, form.scopes.data or [], lifetime=lifetime)


def _lifetime(raw: str) -> timedelta | None:
    """Until the end of that day in the reader's zone; None where no day is given."""
    if not raw:
        return None
    try:
        end = datetime.combine(date.fromisoformat(raw) + timedelta(days=1), time.min, reader_zone())
    except (ValueError, OverflowError):
        raise Invalid({"expires": [msg("result.token_date")]}) from None
    left = end - datetime.now(UTC)
    if left <= timedelta(0):
        raise Invalid({"expires": [msg("result.token_expired")]})
    return left


def _form(kind: Kind, scope: Scope, form: FormShape, status: int = 200) -> Response:
    urls = {"save": f"{kind.path(scope)}/new", "cancel": kind.path(scope)}
    return dialog("token_form", status=status, form=form, scopes=kind.scopes, region="#tokens", urls=urls)


def _revoke(kind: Kind, scope: Scope, token_id: int) -> Response:
    token = next((each for each in kind.listed(scope.actor) if each.id == token_id and not each.revoked_at), None)
    if token is None:
        raise NotVisible
    if request.method == "GET":
        return _ask(kind, scope, token)
    kind.revoke(scope.actor, token_id)
    message: Toast = {"text": msg("result.token_revoked"), "kind": "ok", "undo": None}
    if wants_partial():
        return _show(kind, scope, toasts=[message])
    toast(message)
    return navigate(kind.path(scope))


def _ask(kind: Kind, scope: Scope, token: TokenInfo) -> Response:
    return dialog(
        "confirm", title=msg("confirm.revoke_title", name=token.name), text=msg("confirm.revoke"), points=[],
        button=msg("confirm.revoke_button"), kind="danger", typed=None, choices=None, ticks=[], fields={}, form=None,
        region="#tokens",
        urls={"confirm": f"{kind.path(scope)}/{token.id}/revoke", "cancel": kind.path(scope)},
    )  # fmt: skip


def _slice(found: Sequence[TokenInfo], number: int) -> Page[TokenInfo]:
    start = (number - 1) * PAGE_SIZE
    return Page(list(found[start : start + PAGE_SIZE]), len(found), number, PAGE_SIZE)


def _row(kind: Kind, scope: Scope, token: TokenInfo) -> TokenRow:
    over = token.expires_at is not None and token.expires_at <= datetime.now(UTC)
    state = "revoked" if token.revoked_at else "expired" if over else "active"
    return TokenRow(
        id=token.id,
        name=token.name,
        prefix=token.prefix,
        scopes=token.scopes,
        created=shown(token.created_at),
        last_used=shown(token.last_used_at) if token.last_used_at else None,
        expires=shown(token.expires_at) if token.expires_at else None,
        state=state,
        urls={"revoke": f"{kind.path(scope)}/{token.id}/revoke" if state == "active" else None},
    )
