"""The switches of a person, as *My memory* and a person's page show them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from flask import request
from werkzeug.wrappers import Response

from webapp.db.session import transaction
from webapp.directory.admins import admin_names
from webapp.http.frame import Toast, toast
from webapp.http.htmx import navigate, wants_partial
from webapp.http.scope import Scope
from webapp.memory import enablement, switchers, user_switches
from webapp.messages import text as msg
from webapp.pages import where
from webapp.pages.shapes.states import Reader, user_switch
from webapp.runtime import runtime

Redraw = Callable[[Sequence[Toast]], Response]


def switches(scope: Scope, url: str, reader: Reader) -> dict[str, Any]:
    """The variable `settings`: both switches, where they are sent, and what each comes to."""
    settings = user_switches.read_settings(scope.actor, scope.user_id)
    with transaction(scope.org.id) as session:
        off = runtime().settings.disable_memory
        state = enablement.effective(session, scope.org.id, scope.user_id, installation_off=off)
        state = switchers.named_state(session, scope.org.id, state)
        admins = admin_names(session, scope.org.id)
    master = where.master_switch(scope)
    return {
        "capture": {"on": settings.auto_capture_enabled, "url": f"{url}/capture"},
        "use": {"on": settings.use_memory_in_responses, "url": f"{url}/use"},
        "effective": {
            "capture": user_switch("capture", settings, state, admins, scope.actor.account_id, reader, master),
            "use": user_switch("use", settings, state, admins, scope.actor.account_id, reader, master),
        },
    }


def save(scope: Scope, side: str) -> None:
    """Set one switch to the value that its form sends."""
    on = sent()
    changes = {"auto_capture": on} if side == "capture" else {"use_in_responses": on}
    user_switches.change_settings(scope.actor, scope.user_id, **changes)


def sent() -> bool:
    """What a switch's form wants it to be."""
    return request.form.get("value") == "true"


def toast_switched(name: str, url: str) -> None:
    """Say what the switch of an org or an agent came to; turned off, with an Undo. `url` is where it is sent."""
    off = not sent()
    undo = {"url": url, "fields": {"value": "true"}, "target": "#main"} if off else None
    toast({"text": msg("result.memory_off" if off else "result.memory_on", name=name), "kind": "ok", "undo": undo})


def saved(home: str, redraw: Redraw) -> Response:
    """After a switch: its region again; without htmx the screen."""
    message: Toast = {"text": msg("result.setting_saved"), "kind": "ok", "undo": None}
    if wants_partial():
        return redraw([message])
    toast(message)
    return navigate(home)
