"""Commands about memories: conversations and memories from files, what a message recalls, erasing."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from webapp import conversation_file, memory_file
from webapp.access.actor import Actor
from webapp.cli_setup import boss, member
from webapp.command import command
from webapp.conversation_file import Conversation, Part
from webapp.db.session import transaction
from webapp.directory import agents, people
from webapp.directory.types import UserView
from webapp.embedded.stores import embedding_process
from webapp.errors import Invalid, TooMany
from webapp.inbox import activity
from webapp.inbox.accept import accept_exchange
from webapp.memory import enablement
from webapp.memory.write.imported import import_memories as write_memories
from webapp.privacy import erase
from webapp.recall.recall import Recalled, recall
from webapp.runtime import runtime

FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
POLL_SECONDS = 0.5


@command("import-conversation")
@click.argument("file", type=FILE)
@click.option("--org", default="demo", show_default=True)
@click.option("--agent", default="conversations", show_default=True, help="Made, with memory on, where it is missing.")
@click.option("--user", help="Whose the exchanges of a plain list are that name nobody.")
@click.option("--only", multiple=True, help="Name of a conversation in the file; may be given several times.")
@click.option("--wait", is_flag=True, help="Stay until every exchange is worked off, and say what came of them.")
def import_conversation(file: Path, org: str, agent: str, user: str | None, only: tuple[str, ...], wait: bool) -> None:
    """Hand in long conversations: a LoCoMo file, or a JSON list of exchanges.

    Each speaker becomes a user to whom the other one is the assistant. What has been handed in before is not handed
    in again, so an import that broke off is simply started anew.
    """
    actor = boss(org)
    if not enablement.org_enabled(actor):
        raise Invalid(f"Memory is off in {org}: nothing would be learned. Switch it on first.")
    chosen = [one for one in conversation_file.read(file, user=user) if not only or one.name in only]
    if not chosen:
        raise Invalid(f"{file} has no conversation of that name.")
    began = time.monotonic()
    handed_in = HandIn(actor, _agent(actor, agent)).run(chosen)
    click.echo(f"Handed in {len(handed_in)} exchanges in {time.monotonic() - began:.1f} s.")
    if wait:
        _await(actor, handed_in)
        click.echo(f"Worked off after {time.monotonic() - began:.1f} s.")


class HandIn:
    """Hands conversations in, in order, as the users they are about."""

    def __init__(self, actor: Actor, agent_id: int) -> None:
        self._actor = actor
        self._agent_id = agent_id
        self._users: dict[str, int] = {}

    def run(self, conversations: Sequence[Conversation]) -> list[int]:
        """The exchanges' ids; those handed in before are among them."""
        with progress() as bars:
            bar = bars.add_task("Handing in", total=sum(len(one.parts) for one in conversations))
            ids = []
            for part in (part for one in conversations for part in one.parts):
                ids.append(self._accept(part))
                bars.advance(bar)
        return ids

    def _accept(self, part: Part) -> int:
        while True:
            try:
                accepted = accept_exchange(
                    self._actor,
                    user_id=self._user(part),
                    agent_id=self._agent_id,
                    exchange=part.exchange,
                    path=f"import/{self._agent_id}",
                    idempotency_key=part.key,
                    settings=runtime().settings,
                )
            except TooMany as error:
                time.sleep(error.retry_after)
            else:
                assert accepted.id is not None
                return accepted.id

    def _user(self, part: Part) -> int:
        if part.username not in self._users:
            with transaction(self._actor.org_id) as session:
                found = people.find_user(session, self._actor.org_id, part.username)
            self._users[part.username] = (found or self._make(part)).id
        return self._users[part.username]

    def _make(self, part: Part) -> UserView:
        # The reserved domain: nobody can own these addresses.
        draft = people.PersonDraft(email=f"{part.username}@import.invalid", full_name=part.full_name)
        return people.put_person(self._actor, part.username, draft)[0]


def _agent(actor: Actor, slug: str) -> int:
    with transaction(actor.org_id) as session:
        found = agents.find_agent(session, actor.org_id, slug)
    if found is None:
        draft = agents.AgentDraft(name=slug.replace("-", " ").capitalize(), enable_memory_component=True)
        return agents.put_agent(actor, slug, draft)[0].id
    if not found.enable_memory_component or found.is_archived:
        raise Invalid(f"Memory is off for the agent {slug}: nothing would be learned. Switch it on first.")
    return found.id


def _await(actor: Actor, item_ids: Sequence[int]) -> None:
    with progress() as bars:
        bar = bars.add_task("Working off", total=len(item_ids))
        while (outcome := activity.outcome(actor, item_ids)).unfinished:
            bars.update(bar, completed=len(item_ids) - outcome.unfinished)
            time.sleep(POLL_SECONDS)
        bars.update(bar, completed=len(item_ids))
    states = ", ".join(f"{count} {state}" for state, count in sorted(outcome.states.items()))
    click.echo(
        f"{states}: {outcome.created} memories made, {outcome.superseded} superseded, "
        f"{outcome.duplicates} known already, {outcome.rejected} rejected."
    )


@command("import-memories")
@click.argument("org")
@click.argument("file", type=FILE)
@click.option("--dry-run", is_flag=True, help="Say what would happen, and change nothing.")
def import_memories(org: str, file: Path, dry_run: bool) -> None:
    """Write memories from a CSV or JSON file, or from an export: all of them, or none where one is wrong.

    Columns: username and content; agent and category_slug for an agent's memory; source_session_id; created_at.
    """
    lines = memory_file.read(file)
    with progress() as bars:
        bar = bars.add_task("Writing", total=len(lines))
        report = write_memories(boss(org), lines, dry_run=dry_run, on_written=lambda count: bars.advance(bar, count))
    for number, message in report.errors:
        click.echo(f"{file}:{number}: {message}", err=True)
    if report.errors:
        raise click.ClickException(f"{len(report.errors)} of {len(lines)} memories are wrong; none was written.")
    would = "would be " if dry_run else ""
    click.echo(f"{report.created} {would}written, {report.duplicates} there already.")


@command("context")
@click.argument("org")
@click.argument("user")
@click.argument("agent")
@click.argument("message")
@click.option("--explain", is_flag=True, help="Show each memory's distance and score, and what stayed out and why.")
def context(org: str, user: str, agent: str, message: str, explain: bool) -> None:
    """Print the block that would be put before the model for a message."""
    actor = boss(org)
    with embedding_process(runtime().settings):
        found = recall(
            actor,
            user_id=member(actor, user).id,
            agent_id=agents.get_agent(actor, agent).id,
            message=message,
            explain=explain,
        )
    if found.state.use_off is not None:
        click.echo(f"Nothing: {found.state.use_off.sentence}.", err=True)
    click.echo(found.context)
    if explain:
        _explain(found)


def _explain(found: Recalled) -> None:
    for each in (*found.global_memories, *found.agent_memories, *found.left_out):
        distance = "no vector" if each.distance is None else f"{each.distance:.3f}"
        click.echo(f"{each.outcome.value:<12} distance {distance:<9} score {each.score:.3f}  {each.memory.content}")


@command("erase-user")
@click.argument("org")
@click.argument("user")
@click.option("--stop-learning", is_flag=True, help="Also switch off that conversations are learned from.")
@click.option("--yes", is_flag=True, help="Do not ask.")
def erase_user(org: str, user: str, stop_learning: bool, yes: bool) -> None:
    """Erase for good everything that is remembered about a member in one organisation; the account stays."""
    actor = boss(org)
    found = member(actor, user)
    if not yes:
        click.confirm(f"Erase everything about {found.username} ({found.email}) in {org}, for good?", abort=True)
    receipt = erase.erase(actor, found.id, stop_learning=stop_learning)
    taken = Counter(receipt.counts)
    click.echo(
        f"Erased {taken.total()} rows about {found.username}: "
        + ", ".join(f"{count} {name}" for name, count in taken.items())
    )


def progress() -> Progress:
    """A bar on a terminal; nothing where the output is no terminal."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    console = Console(stderr=True)
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)


COMMANDS = (import_conversation, import_memories, context, erase_user)
