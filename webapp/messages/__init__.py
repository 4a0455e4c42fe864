"""Every English text that a screen shows, by key. A translation is another set of these dicts.

A key with variants for number stands as `key.one` and `key.other`; `text` picks by the parameter `n`.
"""

from __future__ import annotations

from webapp.messages import (
    agent,
    api,
    audit,
    auth,
    forms,
    frame,
    graph,
    people,
    profile,
    results,
    setup,
    states,
    tenant,
)

_PARTS = (frame.MESSAGES, forms.MESSAGES, auth.MESSAGES, profile.MESSAGES, agent.MESSAGES, tenant.MESSAGES)
_SETUP_PARTS = (people.MESSAGES, setup.MESSAGES)
_VIEW_PARTS = (states.MESSAGES, results.MESSAGES, audit.MESSAGES, api.MESSAGES, graph.MESSAGES)


def _merge(*parts: dict[str, str]) -> dict[str, str]:
    merged: dict[str, str] = {}
    for part in parts:
        twice = merged.keys() & part.keys()
        if twice:
            raise ValueError(f"message keys defined twice: {sorted(twice)}")
        merged |= part
    return merged


CATALOGUE = _merge(*_PARTS, *_SETUP_PARTS, *_VIEW_PARTS)


def text(key: str, **params: object) -> str:
    """Return the message of `key` with its `{placeholders}` filled in.

    Raises KeyError for a key that is not in the catalogue and for a placeholder without a parameter, so that a
    wrong call fails in a test and never shows a hole on a screen.
    """
    if key not in CATALOGUE and "n" in params:
        key = f"{key}.one" if params["n"] == 1 else f"{key}.other"
    return CATALOGUE[key].format(**params)
