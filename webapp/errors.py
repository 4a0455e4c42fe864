"""The errors a verb may raise. `webapp.http.errors` turns each into a page, a fragment or JSON: one table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

NON_FIELD = "non_field_errors"


class DomainError(Exception):
    """Base of everything a verb raises on purpose. The message is safe to show: it never holds memory text."""

    detail = "The request could not be carried out."

    def __init__(self, detail: str | None = None) -> None:
        super().__init__(detail or self.detail)
        self.detail = detail or self.detail


class NotVisible(DomainError):
    """The object does not exist, or the caller may not know that it does: both read the same (404)."""

    detail = "Not found."


class NotAllowed(DomainError):
    """The caller may know of the object but not do this to it (403)."""

    detail = "You do not have permission to perform this action."


class Invalid(DomainError):
    """The input breaks a rule (400). `errors` maps a field's name to its messages."""

    detail = "Invalid input."

    def __init__(self, errors: Mapping[str, Sequence[str]] | str) -> None:
        super().__init__()
        found = {NON_FIELD: [errors]} if isinstance(errors, str) else errors
        self.errors: dict[str, list[str]] = {field: list(messages) for field, messages in found.items()}


class Conflict(DomainError):
    """Something with the same identity exists already (409). `existing_id` names it where the caller may see it."""

    detail = "Memory already exists"

    def __init__(self, detail: str | None = None, *, existing_id: int | None = None) -> None:
        super().__init__(detail)
        self.existing_id = existing_id


class Overtaken(DomainError):
    """Somebody changed the object since the caller read it (412)."""

    detail = "The object has been changed since it was read."


class Unprocessable(DomainError):
    """Well-formed, but contradicts an earlier request, such as a reused idempotency key (422)."""

    detail = "This idempotency key was used with another body."


class TooMany(DomainError):
    """Over a limit (429). `retry_after` is in whole seconds."""

    detail = "Request was throttled."

    def __init__(self, detail: str | None = None, *, retry_after: int = 1) -> None:
        super().__init__(detail)
        self.retry_after = retry_after


class Unavailable(DomainError):
    """A service this depends on does not answer right now (503). `retry_after` is in whole seconds."""

    detail = "The service is temporarily unavailable."

    def __init__(self, detail: str | None = None, *, retry_after: int | None = None) -> None:
        super().__init__(detail)
        self.retry_after = retry_after
