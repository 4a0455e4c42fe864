"""Importing this package fills the metadata with every table."""

from webapp.db.models.agents import Agent, AgentRole, Category, Knowledge
from webapp.db.models.graph import (
    GraphClaim,
    GraphEntity,
    GraphEntityName,
    GraphEntityVector,
    GraphEpisode,
    GraphFact,
    GraphFactVector,
    GraphGroup,
    GraphMention,
    GraphTerm,
)
from webapp.db.models.history import AuditEvent, Revision
from webapp.db.models.inbox import InboxItem
from webapp.db.models.memories import Memory, MemorySearch, MemoryTally, MemoryVector, Tombstone
from webapp.db.models.people import (
    Account,
    LoginSession,
    Membership,
    OneTimeLink,
    Org,
    SignInThrottle,
    Subject,
    Token,
)

__all__ = [
    "Account",
    "Agent",
    "AgentRole",
    "AuditEvent",
    "Category",
    "GraphClaim",
    "GraphEntity",
    "GraphEntityName",
    "GraphEntityVector",
    "GraphEpisode",
    "GraphFact",
    "GraphFactVector",
    "GraphGroup",
    "GraphMention",
    "GraphTerm",
    "InboxItem",
    "Knowledge",
    "LoginSession",
    "Membership",
    "Memory",
    "MemorySearch",
    "MemoryTally",
    "MemoryVector",
    "OneTimeLink",
    "Org",
    "Revision",
    "SignInThrottle",
    "Subject",
    "Token",
    "Tombstone",
]
