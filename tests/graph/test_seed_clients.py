"""The calls of the two published clients, in their order, with their bodies, by a client of our own."""

from __future__ import annotations

from datetime import UTC, datetime

from tests.graph.world import GraphWorld


def test_the_python_clients_calls_find_the_figure(world: GraphWorld) -> None:
    messages = [
        {
            "content": "What's Apple's current stock price?",
            "role_type": "user",
            "role": "John",
            "timestamp": datetime.now().isoformat(),
        },
        {
            "content": "Apple (AAPL) is currently trading at $185.25, up 2.1% today.",
            "role_type": "assistant",
            "role": "Market Analyst",
            "timestamp": datetime.now().isoformat(),
        },
    ]
    added = world.call("olga", "POST", "/ingest/messages", {"group_id": "user_123", "messages": messages})
    assert (added.status_code, added.json()) == (
        202,
        {"message": "Messages added to processing queue", "success": True},
    )
    world.settle()
    found = world.search("olga", "Apple stock price today", ["user_123"], max_facts=10)
    assert "185.25" in found[0]["fact"]
    assert (found[0]["invalid_at"], found[0]["expired_at"]) == (None, None)
    context = world.post(
        "olga",
        "/retrieve/get-memory",
        group_id="user_123",
        max_facts=10,
        center_node_uuid=None,
        messages=[
            {
                "content": "How has Apple been performing recently?",
                "role_type": "user",
                "role": "John",
                "timestamp": datetime.now().isoformat(),
            }
        ],
    )
    assert "185.25" in context["facts"][0]["fact"]


def test_the_typescript_clients_calls_work_on_the_same_group(world: GraphWorld) -> None:
    message = {
        "content": "What's the latest on Tesla stock?",
        "role_type": "user",
        "role": "Investor",
        "timestamp": datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
    }
    world.post("olga", "/ingest/messages", group_id="user_123", messages=[message])
    world.settle()
    assert isinstance(world.search("olga", "Tesla stock price performance", ["user_123"], max_facts=10), list)
    deleted = world.call("olga", "DELETE", "/ingest/group/user_123")
    assert (deleted.status_code, deleted.json()) == (200, {"message": "Group deleted", "success": True})
