"""What goes wrong with an embedded server."""

from __future__ import annotations

from pathlib import Path


class EmbeddedError(Exception):
    """An embedded server cannot be used. The message is one line and says what to do."""


def unwritable(error: OSError, folder: Path) -> EmbeddedError:
    """The error for a folder or file of DATA_DIR that the system refuses."""
    return EmbeddedError(
        f"cannot use {error.filename or folder} ({error.strerror}): set DATA_DIR to a folder that you may write"
    )
