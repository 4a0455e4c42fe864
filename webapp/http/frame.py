"""What every page shows around its content: who is signed in, where, and where one can go."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from flask import Flask, flash, g, get_flashed_messages, render_template, request, session, url_for
from flask_login import current_user
from flask_wtf.csrf import generate_csrf
from sqlalchemy.exc import SQLAlchemyError
from werkzeug.local import LocalProxy

from webapp import messages
from webapp.access.actor import Actor
from webapp.assets import ROOT, Assets
from webapp.db.session import installation
from webapp.directory.orgs import all_orgs, orgs_of
from webapp.directory.types import OrgView
from webapp.errors import NotVisible
from webapp.http.actor import Unauthenticated, act_in
from webapp.runtime import built_in_parts, runtime
from webapp.trace import current_request_id

PRODUCT = "Agent Memory"
# Addresses below `/orgs/<org>` that the tenant's screens have, for what the navigation marks as current.
TENANT_PATHS = ("/memory", "/people", "/tokens")


# One passing message: see templates/components/_toast.html.
Toast = dict[str, Any]


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

    @property
    def toasts(self) -> list[dict[str, Any]]:
        """The messages that waited for this page; reading them uses them up."""
        found: list[Any] = list(get_flashed_messages())
        return [each for each in found if isinstance(each, dict)]

    @property
    def place(self) -> str | None:
        """The agent that the address names, for pages whose own title does not."""
        found: str | None = g.get("frame_place")
        return found

    @property
    def request_id(self) -> str:
        """The id that error pages show and logs carry."""
        return current_request_id() or ""


def register(app: Flask, assets: Assets) -> None:
    """Make `msg`, `asset` and `frame` available to templates, and serve the assets.

    The frame is looked up when a template first asks for it: fragments have none, and must not use up the messages
    that wait for the next page.
    """
    app.jinja_env.globals.update(msg=messages.text, asset=assets.url, csrf_token=generate_csrf)
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    app.context_processor(lambda: {"frame": LocalProxy(current_frame)})
    app.add_url_rule("/static/<path:path>", "asset", _serve(assets))


def load_assets() -> Assets:
    """Every static file, hashed and compressed once per process."""
    return Assets.load(ROOT / "static")


def current_frame() -> Frame:
    """The frame of this request, made once. Never raises: error pages have one too."""
    if "frame" not in g:
        try:
            g.frame = _signed_in_frame() if _signed_in() else _bare_frame()
        except SQLAlchemyError:
            g.frame = _bare_frame()
    found: Frame = g.frame
    return found


def reader_zone() -> ZoneInfo:
    """The signed-in person's time zone: their own, else that of the org they are in."""
    org = current_frame().org
    name = (current_user.who.time_zone if _signed_in() else None) or (org.time_zone if org else "UTC")
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError):
        return ZoneInfo("UTC")


def home_path(org: OrgView, actor: Actor) -> str:
    """Where a person's work in an org begins: the tenant's memory for admins, else their own."""
    return f"/orgs/{org.key}/memory" if actor.is_admin else f"/orgs/{org.key}/me/memory"


def _bare_frame() -> Frame:
    return Frame(urls=_urls(None))


def _signed_in_frame() -> Frame:
    who = current_user.who
    with installation() as database:
        orgs = all_orgs(database) if who.is_superuser else orgs_of(database, who.account_id)
    org = _current_org(orgs)
    actor = _actor(org) if org else None
    return Frame(
        person={"label": who.username, "email": who.email},
        org=org,
        orgs=[
            {"key": each.key, "name": each.name, "url": f"/orgs/{each.key}", "current": each == org} for each in orgs
        ],
        nav=_nav(org, actor) if org and actor else [],
        builtin_notice=_notice(),
        urls=_urls(org if actor and actor.org_role else None),
    )


def _urls(org: OrgView | None) -> dict[str, str | None]:
    tokens = f"/orgs/{org.key}/me/tokens" if org else None
    return {"home": "/", "account": "/account", "sign_out": "/logout", "tokens": tokens}


def error_page(status: int, detail: str | None) -> str:
    """The page of an error, with the frame's shell."""
    known = f"error.{status}" in messages.CATALOGUE
    urls = {"sign_in": url_for("auth.login") if status == 401 else None}
    return render_template("errors/error.html", status=status if known else 400, detail=detail, urls=urls)


def enter(actor: Actor, org: OrgView, place: str | None = None) -> None:
    """Tell the frame where this request is, and keep the org for pages that are outside every org."""
    g.frame_actor, g.frame_place = actor, place
    if session.get("org") != org.key:
        session["org"] = org.key


def toast(message: Toast) -> None:
    """Keep a message for the next page, after a redirect. It stands in the cookie: no memory text goes into it."""
    flash(message)  # type: ignore[arg-type]  # flask stores any JSON value


def _signed_in() -> bool:
    return bool(current_user and current_user.is_authenticated)


def _current_org(orgs: list[OrgView]) -> OrgView | None:
    key = (request.view_args or {}).get("org") or session.get("org")
    return next((each for each in orgs if each.key == key), orgs[0] if orgs else None)


def _actor(org: OrgView) -> Actor | None:
    known: Actor | None = g.get("frame_actor")
    if known is not None and known.org_id == org.id:
        return known
    try:
        return act_in(org.key)[0]
    except (NotVisible, Unauthenticated):
        return None


def _nav(org: OrgView, actor: Actor) -> list[dict[str, Any]]:
    base = f"/orgs/{org.key}"
    items: list[tuple[str, str, str, tuple[str, ...]]] = [("frame.nav_agents", "/agents", "agents", ("/agents",))]
    if actor.is_admin:
        items.insert(0, ("frame.nav_tenant", "/memory", "tenant", TENANT_PATHS))
    if actor.org_role:
        items.append(("frame.nav_me", "/me/memory", "memory", ("/me/",)))
    items.append(("frame.nav_graph", "/graph", "graph", ("/graph",)))
    here = request.path.removeprefix(base)
    return [
        {"label": messages.text(key), "url": base + path, "icon": icon, "current": here.startswith(marked)}
        for key, path, icon, marked in items
    ]


def _notice() -> str | None:
    parts = built_in_parts(runtime().settings)
    if parts.chat and parts.embedding:
        return messages.text("frame.builtin_both")
    if parts.chat:
        return messages.text("frame.builtin_chat")
    return messages.text("frame.builtin_embedding") if parts.embedding else None


def _serve(assets: Assets) -> Any:
    def serve(path: str) -> Any:
        found = assets.find(path)
        if found is None:
            return "", 404
        body, headers = found.answer(request.headers.get("Accept-Encoding", ""))
        return body, 200, headers

    return serve
