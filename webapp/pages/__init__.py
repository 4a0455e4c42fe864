"""The screens: one file each."""

from __future__ import annotations

from flask import Flask

from webapp.pages import (
    account,
    activity,
    agent_memory,
    agents,
    audit,
    auth,
    categories,
    graph,
    graph_actions,
    people,
    people_access,
    person,
    profile_data,
    profile_memory,
    shared_memory,
    shared_removal,
    tenant_memory,
    tokens,
    try_it,
)

SCREENS = (
    auth, account, profile_memory, profile_data, tokens, agent_memory, categories, shared_memory, shared_removal, try_it,
    tenant_memory, person, activity, audit, people, people_access, agents,
    graph, graph_actions,
)  # fmt: skip


def register(app: Flask) -> None:
    """Register every screen's blueprint."""
    for screen in SCREENS:
        app.register_blueprint(screen.pages)
