"""The JSON API: importing a resource's file registers its rows."""

from __future__ import annotations

from flask import Flask

from webapp.api import (
    agent_memories,
    agents,
    categories,
    context,
    exchanges,
    export,
    global_memories,
    graph_ingest,
    graph_retrieve,
    knowledge,
    people,
    settings,
)
from webapp.api.docs import schema
from webapp.api.graph_endpoint import graph_api
from webapp.http.endpoint import MOUNTS, api

RESOURCES = (
    global_memories, agent_memories, settings, categories, knowledge, exchanges, context, people, agents, export,
)  # fmt: skip

GRAPH = (graph_ingest, graph_retrieve)


def register(app: Flask) -> None:
    """Mount every row under `/api` and `/dm/api`, in both spellings; graph memory; and the schema with its page."""
    for number, prefix in enumerate(MOUNTS):
        app.register_blueprint(api, url_prefix=prefix, name=f"api{number or ''}")
    app.register_blueprint(graph_api)
    app.register_blueprint(schema)
