"""The commands: what they do, that they say what went wrong in one line, and that files come in once."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from tests.functional.api.world import World, word
from webapp import cli_memories, cli_setup
from webapp.access import sign_in, tokens
from webapp.db.session import installation
from webapp.privacy import export

DOCUMENTED_HERE = {command.name for command in (*cli_setup.COMMANDS, *cli_memories.COMMANDS)}
LOCOMO = {
    "sample_id": "conv-1",
    "conversation": {
        "speaker_a": "Ann",
        "speaker_b": "Bob",
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [
            {"speaker": "Ann", "dia_id": "D1:1", "text": "I own 3 boats."},
            {"speaker": "Bob", "dia_id": "D1:2", "text": "I drive 2 trucks."},
            {"speaker": "Ann", "dia_id": "D1:3", "text": "See you!"},
        ],
    },
}


def run(world: World, *command: str, fails: bool = False) -> Result:
    result = world.app.test_cli_runner().invoke(args=list(command))
    assert (result.exit_code != 0) is fails, result.output
    assert "Traceback" not in result.output
    return result


def refusal(world: World, *command: str) -> str:
    """The one line on standard error of a command that must fail."""
    lines = [line for line in run(world, *command, fails=True).stderr.splitlines() if line.startswith("Error: ")]
    assert len(lines) == 1
    return lines[0]


def file(folder: Path, data: Any) -> str:
    path = folder / "given.json"
    path.write_text(json.dumps(data))
    return str(path)


def test_every_command_explains_itself(world: World) -> None:
    for command in (*cli_setup.COMMANDS, *cli_memories.COMMANDS):
        assert command.help, command.name
        assert command.name is not None
        assert "Usage" in run(world, command.name, "--help").output


def test_an_org_is_made_with_an_admin_who_can_set_a_password(world: World) -> None:
    output = run(world, "create-org", "fresh", "--admin", "First.Admin@example.org", "--name", "Fresh").output
    secret = re.findall(r"/set-password/(\S+)", output)[0]
    with world.app.app_context(), installation() as session:
        link = sign_in.look_up_link(session, secret, "set_password")
        account = sign_in.find_account(session, "First.Admin@example.org")
    assert link is not None
    assert account is not None
    assert (link.account_id, account.username) == (account.id, "First.Admin")
    assert "already exists" in refusal(world, "create-org", "fresh", "--admin", "a@example.org")


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["create-org", "No Key", "--admin", "a@example.org"], "key: "),
        (["create-org", "nokey", "--admin", "nobody"], "email: "),
        (["create-user", "nowhere", "x", "--email", "x@example.org"], "There is no org nowhere."),
        (["create-user", "acme", "fresh-one"], "email: This field is required."),
        (["create-user", "acme", "12345", "--email", "x@example.org"], "username: "),
        (["create-agent", "acme", "x", "--editor", "stranger"], "Not a member: stranger"),
        (["set-role", "acme", "stranger", "admin"], "There is no member stranger"),
        (["set-role", "acme", "ada", "member"], "The last admin"),
        (["set-role", "acme", "mira", "editor"], "Say which agent"),
        (["reset-password", "stranger"], "There is no account stranger."),
        (["create-token", "x", "--org", "acme"], "Say whose token"),
        (["create-token", "x", "--user", "ada"], "Only a superuser's token"),
        (["revoke-token", "am_000000"], "There is no live token"),
        (["context", "acme", "olga", "no-agent", "hello"], "Not found."),
        (["erase-user", "acme", "stranger", "--yes"], "There is no member stranger"),
    ],
)
def test_what_cannot_be_done_is_one_line(world: World, command: list[str], said: str) -> None:
    assert said in refusal(world, *command)


def test_a_token_is_printed_once_works_and_can_be_revoked(world: World) -> None:
    secret = run(world, "create-token", "ci", "--org", "acme", "--scope", "memories:read", "--days", "3").output.strip()
    world.tokens["made"] = secret
    path = "/orgs/acme/users/olga/global-memories/"
    assert world.call("made", "GET", path).status_code == 200
    assert world.call("made", "POST", path, json={"content": "The user has a token"}).status_code == 403
    run(world, "revoke-token", secret[: tokens.PREFIX_LENGTH])
    assert world.call("made", "GET", path).status_code == 401


def test_roles_are_set(world: World) -> None:
    run(world, "create-agent", "acme", "roles", "--name", "Roles", "--memory")
    run(world, "set-role", "acme", "mira", "editor", "--agent", "roles")
    knowledge = "/orgs/acme/agents/roles/agent-memories/"
    assert world.call("mira", "GET", knowledge).status_code == 200
    run(world, "set-role", "acme", "mira", "none", "--agent", "roles")
    assert world.call("mira", "GET", knowledge).status_code == 403


def test_context_prints_the_block(world: World) -> None:
    output = run(world, "context", "acme", "olga", "python-tutor", f"What about {word('olga')}?", "--explain").output
    assert "## User Information" in output
    assert "distance" in output


def test_a_conversation_comes_in_once_as_two_users(world: World, tmp_path: Path) -> None:
    given = file(tmp_path, [LOCOMO])
    assert "Handed in 3 exchanges" in run(world, "import-conversation", given, "--org", "acme").output
    count = (
        "SELECT count(*) AS n, min(body->>'assistant_message') AS said FROM inbox WHERE session_id = 'conv-1/session-1'"
    )
    assert world.row("acme", count).n == 3
    # An import that broke off is started anew: nothing comes in twice.
    run(world, "import-conversation", given, "--org", "acme")
    assert world.row("acme", count).n == 3
    row = world.row(
        "acme",
        "SELECT i.body, i.occurred_at, a.username FROM inbox i JOIN account a ON a.id = i.user_id "
        "WHERE i.body->>'user_message' = 'I own 3 boats.'",
    )
    assert row.username == "ann.conv-1"
    assert (row.body["assistant_message"], row.body["assistant_name"]) == ("I drive 2 trucks.", "Bob")
    assert row.occurred_at.isoformat().startswith("2023-05-08T13:56:00")


def test_a_plain_list_of_exchanges_comes_in(world: World, tmp_path: Path) -> None:
    given = file(tmp_path, [{"user_message": "I play 4 flutes.", "session_id": "plain"}])
    assert "names no user" in refusal(world, "import-conversation", given, "--org", "acme")
    run(world, "import-conversation", given, "--org", "acme", "--user", "olga")
    assert world.row("acme", "SELECT count(*) AS n FROM inbox WHERE session_id = 'plain'").n == 1


def test_a_broken_conversation_file_is_one_line(world: World, tmp_path: Path) -> None:
    broken = {"sample_id": "x", "conversation": {"session_1": [{}], "session_1_date_time": "noon"}}
    assert "not in the expected form" in refusal(
        world, "import-conversation", file(tmp_path, [broken]), "--org", "acme"
    )
    (tmp_path / "given.json").write_text("{")
    assert "is not JSON" in refusal(world, "import-conversation", str(tmp_path / "given.json"), "--org", "acme")


def test_memories_are_imported_once_and_a_dry_run_changes_nothing(world: World, tmp_path: Path) -> None:
    path = tmp_path / "memories.csv"
    with path.open("w", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(["username", "content", "agent", "category_slug", "created_at"])
        writer.writerow(["mira", "The user imports boats\nand trucks", "", "", "2021-02-03"])
        writer.writerow(["mira@example.org", "The user prefers imports", "python-tutor", "preferences", ""])
        writer.writerow(["mira", "The user imports boats and trucks", "", "", ""])
    assert "2 would be written, 1 there already" in run(world, "import-memories", "acme", str(path), "--dry-run").output
    count = "SELECT count(*) AS n FROM memory WHERE origin = 'imported'"
    assert world.row("acme", count).n == 0
    assert "2 written, 1 there already" in run(world, "import-memories", "acme", str(path)).output
    assert "0 written, 3 there already" in run(world, "import-memories", "acme", str(path)).output
    found = world.call("mira", "GET", "/orgs/acme/users/mira/global-memories/?content=imports boats").json["results"]
    assert [memory["created_at"] for memory in found] == ["2021-02-03T00:00:00Z"]
    assert found[0]["is_auto_generated"] is False


def test_one_wrong_memory_and_none_is_written(world: World, tmp_path: Path) -> None:
    given = [
        {"username": "mira", "content": "The user is a good line"},
        {"username": "stranger", "content": "The user is nobody here"},
        {"username": "mira", "content": "short"},
        {
            "username": "mira",
            "content": "The user has no such category",
            "agent": "python-tutor",
            "category_slug": "no",
        },
    ]
    result = run(world, "import-memories", "acme", file(tmp_path, given), fails=True)
    assert [line.split(":")[1] for line in result.stderr.splitlines() if "given.json" in line] == ["2", "3", "4"]
    assert "3 of 4 memories are wrong" in result.stderr
    assert world.row("acme", "SELECT count(*) AS n FROM memory WHERE content LIKE '%good line%'").n == 0


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b"username,content\n\xff\xfe,x\n", "cannot be read"),
        (b"name,text\nmira,The user is here\n", "The header lacks content, username"),
        (b"username,content,created_at\nmira,The user is here,yesterday\n", "2: created_at is not a date"),
        (
            b"username,content,created_at\nmira,The user is here,0001-01-01T00:00:00+14:00\n",
            "2: created_at is not a date",
        ),
        (b"username,content\nmira,\n", "2: content is missing"),
    ],
)
def test_a_broken_file_of_memories_is_one_line(world: World, tmp_path: Path, raw: bytes, said: str) -> None:
    path = tmp_path / "memories.csv"
    path.write_bytes(raw)
    assert said in refusal(world, "import-memories", "acme", str(path))


def test_an_export_can_be_imported(world: World, tmp_path: Path) -> None:
    exported = world.call("olga", "GET", "/orgs/acme/users/olga/export/").json
    assert len(exported["memories"]) == 2
    output = run(world, "import-memories", "acme", file(tmp_path, exported)).output
    assert "0 written, 2 there already" in output


def test_an_export_is_whole_where_it_is_read_row_by_row(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    path = "/orgs/acme/agents/python-tutor/export/"
    whole = world.call("ada", "GET", path).json
    monkeypatch.setattr(export, "AT_ONCE", 1)
    again = world.call("ada", "GET", path).json
    assert len(whole["memories"]) > 1
    assert {**again, "exported_at": ""} == {**whole, "exported_at": ""}


def test_erasing_asks_first(world: World) -> None:
    path = "/orgs/acme/users/eddie/global-memories/"
    run(world, "erase-user", "acme", "eddie", fails=True)
    assert world.call("eddie", "GET", path).json["count"] == 1
    run(world, "erase-user", "acme", "eddie", "--yes")
    assert world.call("eddie", "GET", path).json["count"] == 0


def test_every_command_and_option_is_documented(world: World) -> None:
    document = (Path(__file__).resolve().parents[3] / "docs" / "commands.md").read_text()
    for name, command in world.app.cli.commands.items():
        if name in ("run", "shell", "routes"):
            continue
        assert f"`{name}" in document, name
        for option in command.params:
            if name in DOCUMENTED_HERE and option.param_type_name == "option":
                assert any(spelling in document for spelling in option.opts), (name, option.name)
