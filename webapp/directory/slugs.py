"""Slugs of new agents, made from their names."""

from __future__ import annotations

import re
import unicodedata

from sqlalchemy import select

from webapp.access.actor import Actor
from webapp.access.policy import Action, Target, require
from webapp.db.models import Agent
from webapp.db.session import transaction
from webapp.directory.agents import AgentDraft, put_agent
from webapp.directory.rules import is_uuid
from webapp.directory.types import AgentView
from webapp.errors import Conflict

LENGTH = 100
# For a name without a letter or digit of the Latin alphabet.
FALLBACK = "agent"
# How often another agent may take the slug between looking and adding.
ATTEMPTS = 5


def add_agent(actor: Actor, draft: AgentDraft, slug: str = "") -> AgentView:
    """A new agent under this slug, or where it is empty under one made from the name.

    Raises Invalid, or Conflict where the given slug is taken.
    """
    for _ in range(ATTEMPTS):
        try:
            return put_agent(actor, slug or propose_slug(actor, draft.name or ""), draft, must_be_new=True)[0]
        except Conflict:
            if slug:
                raise
    raise Conflict


def propose_slug(actor: Actor, name: str) -> str:
    """A slug for an agent of this name that no agent of the org has now, with a number where others are called so."""
    require(actor, Action.WRITE_AGENTS, Target(actor.org_id))
    base = slug_of(name)
    # Room for the number.
    alike = Agent.slug.startswith(base[: LENGTH - 10], autoescape=True)
    with transaction(actor.org_id) as session:
        taken = set(session.scalars(select(Agent.slug).where(Agent.org_id == actor.org_id, alike)))
    number, slug = 1, base
    while slug in taken or is_uuid(slug):
        number += 1
        slug = f"{base[: LENGTH - 10]}-{number}"
    return slug


def slug_of(name: str) -> str:
    """Small letters and digits of the name, without accents, joined by dashes; never of the form of a UUID."""
    plain = unicodedata.normalize("NFKD", name.casefold())
    ascii_only = "".join(char for char in plain if not unicodedata.combining(char))
    slug = re.sub(r"[^a-z0-9]+", "-", ascii_only).strip("-")[:LENGTH].rstrip("-")
    return f"{FALLBACK}-{slug}" if is_uuid(slug) else slug or FALLBACK
