"""API rows 11–13: a user's two switches, and whether memory is on for the org."""

from __future__ import annotations

from typing import Any

from webapp.access.policy import Action
from webapp.api.schemas import SettingsAnswer, SettingsBody, StatusAnswer, moment
from webapp.http.endpoint import U, endpoint
from webapp.http.scope import Scope
from webapp.memory import enablement


@endpoint("GET", f"{U}/memsearch-settings/", Action.READ_USER_SETTINGS, answers=SettingsAnswer, others="own")
def get_user_settings(scope: Scope) -> dict[str, Any]:
    """A user's capture and recall switches; somebody else's resolve to the caller's own."""
    return _shape(enablement.read_settings(scope.actor, scope.user_id))


def _put(scope: Scope, body: SettingsBody) -> dict[str, Any]:
    return _shape(
        enablement.change_settings(
            scope.actor,
            scope.user_id,
            auto_capture=body.auto_capture_enabled,
            use_in_responses=body.use_memory_in_responses,
        )
    )


@endpoint(
    "PUT", f"{U}/memsearch-settings/", Action.WRITE_USER_SETTINGS, body=SettingsBody, answers=SettingsAnswer, others="own"
)
def put_user_settings(scope: Scope, body: SettingsBody) -> dict[str, Any]:
    """Set one or both switches; neither deletes anything."""
    return _put(scope, body)


@endpoint(
    "PATCH", f"{U}/memsearch-settings/", Action.WRITE_USER_SETTINGS, body=SettingsBody, answers=SettingsAnswer, others="own"
)
def patch_user_settings(scope: Scope, body: SettingsBody) -> dict[str, Any]:
    """The same as PUT."""
    return _put(scope, body)


@endpoint("GET", f"{U}/memsearch-status/", Action.READ_ORG_STATUS, answers=StatusAnswer)
def get_memory_status(scope: Scope) -> dict[str, bool]:
    """Whether memory is on for the org."""
    return {"enable_memsearch": enablement.org_enabled(scope.actor)}


def _shape(settings: enablement.UserSettings) -> dict[str, Any]:
    return {
        "auto_capture_enabled": settings.auto_capture_enabled,
        "use_memory_in_responses": settings.use_memory_in_responses,
        "updated_at": moment(settings.updated_at),
    }
