"""*Try it*: what would be injected for a message, and why the rest stayed out."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC
from typing import Any

from flask import Blueprint, request
from werkzeug.wrappers import Response

from webapp.access.policy import Action, Target, require
from webapp.db.session import transaction
from webapp.directory.admins import admin_names
from webapp.directory.people import find_user
from webapp.directory.types import UserView
from webapp.errors import Invalid
from webapp.http.htmx import render
from webapp.http.scope import Scope
from webapp.memory import content, switchers
from webapp.messages import text as msg
from webapp.pages import agent_frame
from webapp.pages.one_person import one_person
from webapp.pages.shapes.form import FormShape, refused
from webapp.pages.shapes.states import State, fix
from webapp.pages.shapes.times import shown
from webapp.ranking import Outcome
from webapp.recall.recall import Recalled, RecalledMemory, recall

pages = Blueprint("try_it", __name__)
PATH = "/orgs/<org>/agents/<agent>/memory"
LONGEST = 10_000


@dataclass(frozen=True, slots=True)
class TriedRow:
    """One memory that was considered; see templates/components/_try_it.html."""

    text: str
    scope: str
    distance: str
    words: str
    said_on: str
    score: str
    age: str
    included: bool
    why: str


@pages.post(f"{PATH}/try")
def run(org: str, agent: str) -> Response:
    """Recall for the message, as the user would bring it up. Nothing is saved."""
    scope = agent_frame.enter(org, agent)
    data = {"user": request.form.get("user", "").strip(), "message": content.clean(request.form.get("message", ""))}
    try:
        result = _result(scope, _recall(scope, data["user"], data["message"]))
    except Invalid as error:
        return _answer(scope, refused(data, error), None, 422)
    return _answer(scope, FormShape(data), result)


def closed(scope: Scope, base: str) -> dict[str, Any]:
    """The variable `try_it` before anything is tried; who has no role can try it for themselves."""
    mine = "" if agent_frame.allowed(scope, Action.READ_CONTEXT) else scope.actor.label
    return _shape(base, FormShape({"user": mine, "message": ""}), None, is_open=False)


def _recall(scope: Scope, reference: str, message: str) -> Recalled:
    if not message:
        raise Invalid({"message": [msg("try.message_needed")]})
    if len(message) > LONGEST:
        raise Invalid({"message": [content.TOO_LONG_MESSAGE]})
    user = _user(scope, reference)
    return recall(scope.actor, user_id=user.id, agent_id=scope.agent_id, message=message, explain=True)


def _user(scope: Scope, typed: str) -> UserView:
    """Who is meant; only who may try it for anybody may look people up by parts of their names."""
    if not typed:
        raise Invalid({"user": [msg("try.user_needed")]})
    with transaction(scope.org.id) as session:
        user = find_user(session, scope.org.id, typed) if typed.isprintable() else None
    require(scope.actor, Action.READ_CONTEXT, Target(scope.org.id, user.id if user else -1, scope.agent_id))
    return user or one_person(scope.org.id, typed)


def _result(scope: Scope, found: Recalled) -> dict[str, Any]:
    included = [*found.global_memories, *found.agent_memories]
    return {
        "state": _state(scope, found),
        "block": found.context,
        "globals_hidden": found.hidden_global,
        "rows": [_row(each) for each in (*included, *found.left_out)] + _undelivered(found),
    }


def _state(scope: Scope, found: Recalled) -> State:
    off = found.state.use_off
    if off is None:
        return State(True, msg("state.agent.on"))
    with transaction(scope.org.id) as session:
        off = switchers.named(session, scope.org.id, off) or off
        admins = admin_names(session, scope.org.id)
    return State(False, f"{off.sentence[:1].upper()}{off.sentence[1:]}.", fix(off, admins))


def _row(each: RecalledMemory) -> TriedRow:
    memory = each.memory
    return TriedRow(
        text=memory.content,
        scope=msg("try.scope_global") if memory.scope == "global" else memory.category.name if memory.category else "",
        distance="–" if each.distance is None else figure(each.distance),
        words=figure(each.text),
        said_on=f"{memory.occurred_at.astimezone(UTC):%Y-%m-%d}",
        score=figure(each.score),
        age=shown(memory.created_at).relative,
        included=each.outcome is Outcome.CHOSEN,
        why=msg(f"try.out_{each.outcome.name.lower()}"),
    )


def figure(value: float) -> str:
    """To three places; what rounds to nothing has no sign."""
    return f"{round(value, 3) + 0.0:.3f}"


def _undelivered(found: Recalled) -> list[TriedRow]:
    over = len(found.knowledge.left_out)
    if not over:
        return []
    text = msg("try.knowledge_out", n=over)
    return [TriedRow(text, msg("try.scope_shared"), "–", "–", "–", "–", "–", False, msg("shared.over"))]


def _answer(scope: Scope, form: FormShape, result: dict[str, Any] | None, status: int = 200) -> Response:
    shape = _shape(agent_frame.path(scope), form, result, is_open=True)
    return render("agent/try.html", "try_it", status, try_it=shape, **_page(scope))


def _page(scope: Scope) -> dict[str, Any]:
    return agent_frame.head(scope, "users") | {"urls": {"agents": agent_frame.agents_url(scope)}}


def _shape(base: str, form: FormShape, result: dict[str, Any] | None, *, is_open: bool) -> dict[str, Any]:
    return {"url": f"{base}/try", "users_url": f"{base}/users", "form": form, "open": is_open, "result": result}
