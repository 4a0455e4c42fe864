"""What opens as a dialog with a script and is a page of its own without one."""

from __future__ import annotations

from typing import Any

from flask import Response

from webapp.http.htmx import render, wants_partial


def dialog(template: str, *, status: int = 200, **context: Any) -> Response:
    """The block `dialog` alone where htmx asks for it, else the page around it.

    422 and 409 go back into the dialog that the form was sent from; see templates/components/buttons.html.
    """
    return render(f"dialogs/{template}.html", "dialog", status, in_dialog=wants_partial(), **context)
