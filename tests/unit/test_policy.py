"""Who may do what: every action against every kind of actor, written down by hand."""

from __future__ import annotations

from types import MappingProxyType

import pytest

from webapp.access.actor import SCOPES, Actor, system
from webapp.access.policy import RULES, Action, Target, can, require
from webapp.errors import NotAllowed, NotVisible

ORG, ME, OTHER, AGENT, OTHER_AGENT = 1, 10, 11, 100, 101


def person(**given: object) -> Actor:
    fields = {
        "kind": "person",
        "org_id": ORG,
        "label": "me",
        "credential": "account:10",
        "account_id": ME,
        "org_role": "member",
    }
    return Actor(**(fields | given))  # type: ignore[arg-type]


def service(*scopes: str) -> Actor:
    return Actor(kind="service", org_id=ORG, label="service", credential="token:1", scopes=frozenset(scopes))


MEMBER = person()
EDITOR = person(agent_roles=MappingProxyType({AGENT: "editor"}))
VIEWER = person(agent_roles=MappingProxyType({AGENT: "viewer"}))
ADMIN = person(org_role="admin")
ROOT = person(org_role=None, is_superuser=True)
STRANGER = person(org_role=None)
MINE, THEIRS = Target(ORG, ME, AGENT), Target(ORG, OTHER, AGENT)
THEIRS_ELSEWHERE = Target(ORG, OTHER, OTHER_AGENT)

# What a member may do on their own, and on somebody else's with the agent's viewer and editor.
OWN = {
    Action.READ_GLOBAL, Action.WRITE_GLOBAL, Action.READ_AGENT_MEMORY, Action.WRITE_AGENT_MEMORY,
    Action.READ_ACTIVE_CATEGORIES, Action.READ_USER_SETTINGS, Action.WRITE_USER_SETTINGS, Action.READ_ORG_STATUS,
    Action.READ_AGENT_SETTINGS, Action.WRITE_EXCHANGE, Action.READ_EXCHANGE, Action.READ_CONTEXT, Action.READ_AGENTS,
    Action.EXPORT_USER, Action.ERASE_USER, Action.READ_GRAPH, Action.WRITE_GRAPH,
}  # fmt: skip
ANY_MEMBER = {Action.READ_ACTIVE_CATEGORIES, Action.READ_ORG_STATUS, Action.READ_AGENTS}
VIEWERS = ANY_MEMBER | {
    Action.READ_AGENT_MEMORY, Action.READ_KNOWLEDGE, Action.READ_CATEGORIES, Action.READ_AGENT_SETTINGS,
    Action.READ_CONTEXT, Action.FIND_PEOPLE,
}  # fmt: skip
EDITORS = VIEWERS | {
    Action.WRITE_AGENT_MEMORY, Action.WRITE_KNOWLEDGE, Action.WRITE_CATEGORIES, Action.WRITE_AGENT_SETTINGS,
}  # fmt: skip


def allowed(actor: Actor, target: Target) -> set[Action]:
    return {action for action in Action if can(actor, action, target)}


def test_every_action_has_a_rule_and_every_scope_is_used() -> None:
    assert set(RULES) == set(Action)
    assert {rule.scope for rule in RULES.values()} - {None} == set(SCOPES)


@pytest.mark.parametrize(
    ("actor", "target", "expected"),
    [
        (MEMBER, MINE, OWN),
        (MEMBER, THEIRS, ANY_MEMBER),
        (VIEWER, THEIRS, VIEWERS),
        (EDITOR, THEIRS, EDITORS),
        (EDITOR, THEIRS_ELSEWHERE, ANY_MEMBER),
        (EDITOR, MINE, OWN | EDITORS),
        (ADMIN, THEIRS, set(Action) - {Action.CLEAR_GRAPH}),
        (ROOT, THEIRS, set(Action)),
        (STRANGER, THEIRS, set()),
        (service(), THEIRS, set()),
        (system(ORG, "job"), THEIRS, set(Action)),
    ],
    ids=["own", "member", "viewer", "editor", "editor elsewhere", "own as editor", "admin", "superuser", "no member", "no scope", "system"],
)  # fmt: skip
def test_who_may_do_what(actor: Actor, target: Target, expected: set[Action]) -> None:
    assert allowed(actor, target) == expected


@pytest.mark.parametrize("actor", [MEMBER, EDITOR, ADMIN, ROOT, service(*SCOPES), system(ORG, "job")])
def test_nothing_crosses_an_org(actor: Actor) -> None:
    assert allowed(actor, Target(2, ME, AGENT)) == set()


@pytest.mark.parametrize("scope", SCOPES)
def test_a_scope_opens_what_it_says_and_nothing_else(scope: str) -> None:
    expected = {action for action, rule in RULES.items() if rule.scope == scope}
    assert allowed(service(scope), THEIRS) == expected
    kind = scope.partition(":")[2]
    if kind == "read":
        assert not [action for action in expected if action.value.endswith(":write")]


@pytest.mark.parametrize(
    "action",
    [Action.RETRY_EXCHANGE, Action.ERASE_USER, Action.READ_AUDIT, Action.READ_ACTIVITY, Action.MANAGE_TOKENS, Action.CLEAR_GRAPH],
)  # fmt: skip
def test_some_things_no_service_may(action: Action) -> None:
    assert not can(service(*SCOPES), action, THEIRS)


def test_refused_is_403_and_unknown_is_404() -> None:
    require(EDITOR, Action.WRITE_AGENT_MEMORY, THEIRS)
    with pytest.raises(NotAllowed):
        require(VIEWER, Action.WRITE_AGENT_MEMORY, THEIRS, visible_by=Action.READ_AGENT_MEMORY)
    with pytest.raises(NotVisible):
        require(MEMBER, Action.WRITE_AGENT_MEMORY, THEIRS, visible_by=Action.READ_AGENT_MEMORY)
    with pytest.raises(NotAllowed):
        require(MEMBER, Action.WRITE_KNOWLEDGE, THEIRS)
    with pytest.raises(NotVisible):
        require(ADMIN, Action.READ_GLOBAL, Target(2, ME))
