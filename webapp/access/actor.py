"""Who is asking: one immutable value that every verb takes and every permission is decided from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

Kind = Literal["person", "service", "system"]
OrgRole = Literal["admin", "member"]
AgentRoleName = Literal["editor", "viewer"]

SCOPES = (
    "exchanges:write",
    "context:read",
    "memories:read",
    "memories:write",
    "knowledge:read",
    "knowledge:write",
    "categories:read",
    "categories:write",
    "settings:read",
    "settings:write",
    "people:write",
    "graph:read",
    "graph:write",
)


@dataclass(frozen=True, slots=True)
class Actor:
    """A person, a service token or the system itself, acting inside one org.

    `account_id` is None for services and the system. `label` is what history shows. `credential` names what a
    request was made with (`token:12`, `account:5`): idempotency keys and rate limits belong to it. `how` says by which
    way a change came: `page`, `api`, `job` or `command`.
    """

    kind: Kind
    org_id: int
    label: str
    credential: str
    how: str = "api"
    account_id: int | None = None
    org_role: OrgRole | None = None
    is_superuser: bool = False
    agent_roles: Mapping[int, AgentRoleName] = field(default_factory=lambda: MappingProxyType({}))
    scopes: frozenset[str] = frozenset()

    @property
    def is_admin(self) -> bool:
        """Whether everything in this org is open to the actor."""
        return self.is_superuser or self.org_role == "admin"


def system(org_id: int, label: str, *, how: str = "job") -> Actor:
    """The actor of a job or a command. It may do everything in the org; what it does carries its label."""
    return Actor(kind="system", org_id=org_id, label=label, credential=f"system:{label}", how=how, is_superuser=True)
