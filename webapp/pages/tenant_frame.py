"""The head of every tenant page: the parts of an org's administration."""

from __future__ import annotations

from typing import Any

from webapp.http.scope import Scope
from webapp.messages import text as msg
from webapp.pages.shapes.tabs import Tab

SECTIONS = (
    ("memory", "/memory"), ("activity", "/memory/activity"), ("people", "/people"), ("tokens", "/tokens"),
    ("audit", "/memory/audit"),
)  # fmt: skip


def head(scope: Scope, current: str) -> dict[str, Any]:
    """The variables of templates/tenant/layout.html."""
    base = f"/orgs/{scope.org.key}"
    sections = [Tab(msg(f"tenant.{name}"), base + path, name == current) for name, path in SECTIONS]
    return {"sections": sections}
