"""The demo's graph: what a learner told over some weeks, handed in as any client hands in messages."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from webapp.access.actor import system
from webapp.graph.accept import NewMessage, add_messages
from webapp.settings import Settings

GROUP = "learner"
# Days ago, and what was said.
TOLD = (
    (41, "I work for Harbour Hospital in Porto."),
    (40, "My sister Clara lives in Lisbon."),
    (36, "I play the cello in the Ribeira Orchestra."),
    (33, "Clara works for Orbit Shipping."),
    (30, "I paid $185.25 for a course at Demo Academy."),
    (19, "I meet Priya at Café Luso on Thursdays."),
    (9, "Clara moved to Braga last week."),
    (3, "Clara left Orbit Shipping yesterday."),
)


def tell(org_id: int, settings: Settings) -> None:
    """Hand the messages in; the workers read them. Not while memory is switched off for the installation."""
    if settings.disable_memory:
        return
    now = datetime.now(UTC)
    messages = [
        NewMessage(text, "user", "Lena", f"demo-{number}", timestamp=now - timedelta(days=ago))
        for number, (ago, text) in enumerate(TOLD, 1)
    ]
    add_messages(system(org_id, "demo", how="command"), GROUP, messages, settings)
