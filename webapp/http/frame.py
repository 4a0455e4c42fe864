"""What every page shows around its content: who is signed in, where, and where one can go."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from flask import Flask, flash, get_flashed_messages, render_template, request, session, url_for
from flask_login import current_user
from flask_wtf.csrf import generate_csrf

from webapp import messages
from webapp.access.actor import Actor
from webapp.assets import ROOT, Assets
from webapp.db.session import installation
from webapp.directory.orgs import all_orgs, orgs_of
from webapp.directory.types import OrgView
from webapp.http.actor import act_in
from webapp.runtime import built_in_parts, runtime
from webapp.trace import current_request_id

PRODUCT = "Agent Memory"


@dataclass(frozen=True, slots=True)
class Frame:
    """The view-model of `layouts/`; see the contracts at the top of those templates."""

    person: dict[str, str] | None = None
    org: OrgView | None = None
    orgs: list[dict[str, Any]] = field(default_factory=list)
    nav: list[dict[str, Any]] = field(default_factory=list)
    builtin_notice: str | None = None
    urls: dict[str, str | None] = field(default_factory=dict)
    product_name: str = PRODUCT
    toasts: list[dict[str, Any]] = field(default_factory=list)

    @property
    def request_id(self) -> str:
        """The id that error pages show and logs carry."""
        return current_request_id() or ""


def register(app: Flask, assets: Assets) -> None:
    """Make `msg`, `asset` and `frame` available to templates, and serve the assets."""
    app.jinja_env.globals.update(msg=messages.text, asset=assets.url, csrf_token=generate_csrf)
    app.context_processor(lambda: {"frame": current_frame()})
    app.add_url_rule("/static/<path:path>", "asset", _serve(assets))


def load_assets() -> Assets:
    """Every static file, hashed and compressed once per process."""
    return Assets.load(ROOT / "static")


def current_frame() -> Frame:
    """The frame of this request. Never raises: error pages have one too."""
    urls: dict[str, str | None] = {"home": "/", "account": "/account", "sign_out": "/logout", "tokens": None}
    if not _signed_in():
        return Frame(urls=urls, toasts=_toasts())
    who = current_user.who
    with installation() as database:
        orgs = all_orgs(database) if who.is_superuser else orgs_of(database, who.account_id)
        email = _email(database, who.account_id)
    org = _current_org(orgs)
    actor = _actor(org) if org else None
    if org is not None:
        urls["tokens"] = f"/orgs/{org.key}/me/tokens"
    return Frame(
        person={"label": who.username, "email": email},
        org=org,
        orgs=[
            {"key": each.key, "name": each.name, "url": f"/orgs/{each.key}/me/memory", "current": each == org}
            for each in orgs
        ],
        nav=_nav(org, actor) if org and actor else [],
        builtin_notice=_notice(),
        urls=urls,
        toasts=_toasts(),
    )


def error_page(status: int, detail: str | None) -> str:
    """The page of an error, with the frame's shell."""
    known = f"error.{status}" in messages.CATALOGUE
    urls = {"sign_in": url_for("auth.login") if status == 401 else None}
    return render_template("errors/error.html", status=status if known else 400, detail=detail, urls=urls)


def remember_org(org: OrgView) -> None:
    """Keep the org that was last used, for pages outside every org."""
    if session.get("org") != org.key:
        session["org"] = org.key


def toast(text: str, *, kind: str = "ok", undo: dict[str, Any] | None = None) -> None:
    """A message for the next page after a redirect."""
    flash({"text": text, "kind": kind, "undo": undo})  # type: ignore[arg-type]  # flask stores any JSON value


def _signed_in() -> bool:
    return bool(current_user and current_user.is_authenticated)


def _email(database: Any, account_id: int) -> str:
    from webapp.db.models import Account

    return database.get_one(Account, account_id).email  # type: ignore[no-any-return]


def _current_org(orgs: list[OrgView]) -> OrgView | None:
    key = (request.view_args or {}).get("org") or session.get("org")
    return next((each for each in orgs if each.key == key), orgs[0] if orgs else None)


def _actor(org: OrgView) -> Actor | None:
    try:
        return act_in(org.key)[0]
    except Exception:
        return None


def _nav(org: OrgView, actor: Actor) -> list[dict[str, Any]]:
    base = f"/orgs/{org.key}"
    items = [("frame.nav_me", f"{base}/me/memory", "memory")]
    items.insert(0, ("frame.nav_agents", f"{base}/agents", "agents"))
    if actor.is_admin:
        items.insert(0, ("frame.nav_tenant", f"{base}/memory", "tenant"))
    return [
        {"label": messages.text(key), "url": url, "icon": icon, "current": request.path.startswith(url)}
        for key, url, icon in items
    ]


def _notice() -> str | None:
    parts = built_in_parts(runtime().settings)
    if parts.chat and parts.embedding:
        return messages.text("frame.builtin_both")
    if parts.chat:
        return messages.text("frame.builtin_chat")
    return messages.text("frame.builtin_embedding") if parts.embedding else None


def _toasts() -> list[dict[str, Any]]:
    found: list[Any] = list(get_flashed_messages())
    return [each for each in found if isinstance(each, dict)]


def _serve(assets: Assets) -> Any:
    def serve(path: str) -> Any:
        found = assets.find(path)
        if found is None:
            return "", 404
        body, headers = found.answer(request.headers.get("Accept-Encoding", ""))
        return body, 200, headers

    return serve
