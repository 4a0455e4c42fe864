"""The gate: what a model found may become a memory only if it passes here. Deterministic, and for all languages.

Each candidate passes or is turned away for one :class:`~webapp.capture.types.Reason`, which is counted and shown. One
that is turned away never stops the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from webapp.capture.gate_form import MAX_WIDTH, MIN_WIDTH, fault_of_form, overrides
from webapp.capture.gate_secrets import holds_secret, redact
from webapp.capture.gate_speech import fault_of_speech, find_evidence
from webapp.capture.injected import strip_injected
from webapp.capture.types import Candidate, Category, Evidence, Existing, Message, Reason, Rejected
from webapp.memory.content import clean

__all__ = ["MAX_WIDTH", "MIN_WIDTH", "judge", "strip_injected"]

MAX_QUOTE = 500


def judge(
    candidate: Candidate, messages: Sequence[Message], categories: Iterable[Category], named: Existing | None = None
) -> Candidate | Rejected:
    """Return the candidate as it may be stored, cleaned and with its evidence, or why it may not be.

    ``messages`` is the whole exchange, without our own injected block (:func:`strip_injected`). ``named`` is the
    existing memory that the candidate's relation names: names and numbers may come from there.
    """
    candidate = replace(candidate, text=clean(candidate.text))
    reason = _fault_of_place(candidate, categories) or fault_of_form(candidate.text)
    if reason is None and holds_secret(candidate.text):
        reason = Reason.SECRET
    if reason is not None:
        return Rejected(candidate, reason)
    evidence = find_evidence(candidate, messages)
    if isinstance(evidence, Reason):
        return Rejected(candidate, evidence)
    reason = fault_of_speech(candidate, evidence, messages, named.text if named else "")
    if reason is None and overrides(evidence.quote):
        reason = Reason.INSTRUCTION
    if reason is not None:
        return Rejected(candidate, reason)
    return replace(candidate, evidence=_kept(evidence))


def _fault_of_place(candidate: Candidate, categories: Iterable[Category]) -> Reason | None:
    if candidate.scope == "global":
        return None
    category = next((one for one in categories if one.slug == candidate.category_slug), None)
    if category is None:
        return Reason.UNKNOWN_CATEGORY
    return None if category.is_active else Reason.INACTIVE_CATEGORY


def _kept(evidence: Evidence) -> Evidence:
    """The evidence as it is stored: no secret in it, no longer than a memory may be."""
    return replace(evidence, quote=redact(clean(evidence.quote))[:MAX_QUOTE])
