"""The effective state as sentences: what is on, or why not, since when and by whom, and who can change it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from webapp.memory.enablement import EffectiveState, Off
from webapp.memory.user_switches import UserSettings
from webapp.messages import text as msg
from webapp.pages.shapes.times import clock

Side = Literal["capture", "use"]
Reader = Literal["me", "person"]


@dataclass(frozen=True, slots=True)
class State:
    """See templates/components/status.html. `fix` says who can change it, None where the reader can, right here;
    with `url` it is the link to where the reader can.
    """

    on: bool
    reason: str
    fix: str | None = None
    url: str | None = None


@dataclass(frozen=True, slots=True)
class Switch:
    """One switch: what it is set to, where it is sent, and what follows from it."""

    on: bool
    url: str
    effective: State


def user_switch(
    side: Side, settings: UserSettings, state: EffectiveState, admins: Sequence[str], reader_id: int | None,
    reader: Reader = "me", master: str | None = None,
) -> State:  # fmt: skip
    """What one of a person's two switches comes to: for themselves, or for an admin who looks at their page."""
    on = settings.auto_capture_enabled if side == "capture" else settings.use_memory_in_responses
    off = state.capture_off if side == "capture" else state.use_off
    if off is None:
        return State(True, msg(f"state.{reader}.{side}_on"))
    if off.level == "user":
        return State(False, switched_off(f"state.{reader}.{side}_off", off, reader_id))
    above = _above(off)
    begin = msg(f"state.{reader}.{side}_{'but' if on else 'and'}", above=above)
    return _mended(begin, off, admins, master)


def switched_off(key: str, off: Off, reader_id: int | None) -> str:
    """That a person's own switch is off; with who and when, where both are known."""
    if off.by is None or off.since is None:
        return msg(key)
    if reader_id is not None and off.by_id == reader_id:
        return msg(f"{key}_by_me", when=clock(off.since))
    return msg(f"{key}_by", name=off.by, when=clock(off.since))


def _mended(reason: str, off: Off, admins: Sequence[str], master: str | None) -> State:
    """With the link to the master switch for who may use it, else with who may."""
    if off.level == "org" and master:
        return State(False, reason, msg("activity.cure_org_off"), master)
    return State(False, reason, fix(off, admins))


def agent_switch(
    on: bool, off: Off | None, admins: Sequence[str], *, can_edit: bool, master: str | None = None
) -> State:
    """What the agent's switch comes to."""
    if off is None:
        return State(True, msg("state.agent.on"))
    if off.level != "agent":
        return _mended(msg(f"state.agent.{'but' if on else 'and'}", above=_above(off)), off, admins, master)
    return State(False, _above(off), None if can_edit else msg("state.fix.editor", names=_names(admins)))


def org_switch(on: bool, off: Off | None) -> State:
    """What the master switch comes to."""
    if on and off is None:
        return State(True, msg("state.org.on"))
    if off is not None and off.level == "installation":
        return State(False, msg(f"state.org.{'but' if on else 'and'}", above=_above(off)), fix(off, ()))
    if off is None or off.since is None or off.by is None:
        return State(False, msg("state.org.never"))
    return State(False, msg("state.org.off", when=clock(off.since), name=off.by))


def fix(off: Off, admins: Sequence[str]) -> str | None:
    """Who can change it."""
    if off.level == "installation":
        return msg("state.fix.installation")
    if off.level == "org" or off.reason == "agent_archived":
        return msg("state.fix.admin", names=_names(admins))
    return msg("state.fix.editor", names=_names(admins)) if off.level == "agent" else None


def _above(off: Off) -> str:
    """The level above that is off, as a clause: "your organisation has had memory off since 14:02, by Ada"."""
    if off.since is not None and off.by is not None:
        return msg(f"state.above.{off.reason}_since", when=clock(off.since), name=off.by)
    return msg(f"state.above.{off.reason}")


def _names(admins: Sequence[str]) -> str:
    return ", ".join(admins) or msg("state.fix.nobody")
