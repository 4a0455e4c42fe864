"""What goes wrong with an embedded server."""

from __future__ import annotations


class EmbeddedError(Exception):
    """An embedded server cannot be used. The message is one line and says what to do."""
