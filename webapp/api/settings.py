"""API rows 11–15 and 24: the switches of a user, the org and an agent."""

from __future__ import annotations

from webapp.access.policy import Action
from webapp.api.answers_setup import AgentSwitch, OrgSwitch, UserSettings
from webapp.api.schemas import AgentSwitchBody, OrgSwitchBody, SettingsBody
from webapp.http.endpoint import A, U, endpoint
from webapp.http.scope import Scope
from webapp.memory import enablement, user_switches

SETTINGS = f"{U}/memsearch-settings/"
CONFIG = f"{U}/memsearch-config/"
AGENT = f"{U}/{A}/settings/"


@endpoint("GET", SETTINGS, Action.READ_USER_SETTINGS, answers=UserSettings, others="own")
def get_user_settings(scope: Scope) -> UserSettings:
    """Read a user's capture and recall switches.

    For a member, somebody else's resolve to their own; `Content-Location` then names whose they are.
    """
    return UserSettings.of(user_switches.read_settings(scope.actor, scope.user_id))


@endpoint("PUT", SETTINGS, Action.WRITE_USER_SETTINGS, body=SettingsBody, answers=UserSettings, others="own")
def put_user_settings(scope: Scope, body: SettingsBody) -> UserSettings:
    """Set one or both switches; neither deletes anything.

    For a member, somebody else's resolve to their own; `Content-Location` then names whose they are.
    """
    changed = user_switches.change_settings(
        scope.actor,
        scope.user_id,
        auto_capture=body.auto_capture_enabled,
        use_in_responses=body.use_memory_in_responses,
    )
    return UserSettings.of(changed)


@endpoint("PATCH", SETTINGS, Action.WRITE_USER_SETTINGS, body=SettingsBody, answers=UserSettings, others="own")
def patch_user_settings(scope: Scope, body: SettingsBody) -> UserSettings:
    """Set one or both switches: the same as PUT."""
    return put_user_settings(scope, body)


@endpoint("GET", f"{U}/memsearch-status/", Action.READ_ORG_STATUS, answers=OrgSwitch, others="unasked")
def get_memory_status(scope: Scope) -> OrgSwitch:
    """Read whether memory is on for the org."""
    return OrgSwitch(enable_memsearch=enablement.org_enabled(scope.actor))


@endpoint("GET", CONFIG, Action.READ_ORG_SETTINGS, answers=OrgSwitch)
def get_org_config(scope: Scope) -> OrgSwitch:
    """Read the org's master switch."""
    return OrgSwitch(enable_memsearch=enablement.org_enabled(scope.actor, action=Action.READ_ORG_SETTINGS))


@endpoint("POST", CONFIG, Action.WRITE_ORG_SETTINGS, body=OrgSwitchBody, answers=OrgSwitch)
def post_org_config(scope: Scope, body: OrgSwitchBody) -> OrgSwitch:
    """Set the org's master switch. Off deletes nothing; what is said meanwhile is never learned."""
    return OrgSwitch(enable_memsearch=enablement.switch_org(scope.actor, body.enable_memsearch))


@endpoint("GET", AGENT, Action.READ_AGENT_SETTINGS, answers=AgentSwitch)
def get_agent_settings(scope: Scope) -> AgentSwitch:
    """Read whether memory is on for an agent."""
    on = enablement.agent_enabled(scope.actor, scope.agent_id, user_id=scope.user_id)
    return AgentSwitch(enable_memory_component=on)


@endpoint("PUT", AGENT, Action.WRITE_AGENT_SETTINGS, body=AgentSwitchBody, answers=AgentSwitch)
def put_agent_settings(scope: Scope, body: AgentSwitchBody) -> AgentSwitch:
    """Set whether memory is on for an agent. Off deletes nothing."""
    if body.enable_memory_component is None:
        return get_agent_settings(scope)
    on = enablement.switch_agent(scope.actor, scope.agent_id, body.enable_memory_component)
    return AgentSwitch(enable_memory_component=on)
