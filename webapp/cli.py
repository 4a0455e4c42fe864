"""The commands that need no jobs. Each is a thin caller of the verbs that the screens and the API call."""

from __future__ import annotations

from flask import Flask

from webapp import cli_backup, cli_memories, cli_reembed, cli_setup

COMMANDS = (*cli_setup.COMMANDS, *cli_memories.COMMANDS, *cli_backup.COMMANDS, *cli_reembed.COMMANDS)


def register(app: Flask) -> None:
    """Add every command to `flask`."""
    for each in COMMANDS:
        app.cli.add_command(each)
