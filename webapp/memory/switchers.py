"""What people are called now who turned an organisation or an agent off: the switch itself notes a username."""

from __future__ import annotations

from dataclasses import replace

from sqlalchemy.orm import Session

from webapp.memory import audit
from webapp.memory.enablement import EffectiveState, Off


def named(session: Session, org_id: int, off: Off | None) -> Off | None:
    """The same, by their full name where an account did it and has one; nothing else is changed.

    A service may be called like somebody: the account is that of the event noted with the switch, not of the name.
    """
    if off is None or off.level not in ("org", "agent") or off.by is None or off.since is None:
        return off
    return replace(off, by=audit.full_name_of(session, org_id, off.by, off.since) or off.by)


def named_state(session: Session, org_id: int, state: EffectiveState) -> EffectiveState:
    """Both sides of an effective state, each as by `named`."""
    capture = named(session, org_id, state.capture_off)
    same = state.use_off == state.capture_off
    return EffectiveState(capture, capture if same else named(session, org_id, state.use_off))
