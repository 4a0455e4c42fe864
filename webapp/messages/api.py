"""Texts of the API's documentation page; what it says about each row comes from the code."""

from __future__ import annotations

MESSAGES = {
    "api.title": "JSON API",
    "api.servers": "Every path works under each of these prefixes:",
    "api.schema": "The same as an OpenAPI 3.1 document",
    "api.contents": "Contents",
    "api.parameters": "Parameters",
    "api.body": "Body",
    "api.answers": "Answers",
    "api.name": "Name",
    "api.kind": "Type",
    "api.about": "About",
    "api.required": "required",
    "api.status": "Status",
}
