"""The command that changes the embedding model while the product runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

import click

from webapp.cli_memories import progress
from webapp.command import command
from webapp.db.session import installation
from webapp.directory import orgs
from webapp.directory.types import OrgView
from webapp.embedded.stores import embedding_process
from webapp.graph import embedding as of_graph
from webapp.llm.embeddings import Embedder
from webapp.llm.local import MODEL_NAME
from webapp.memory import reembed as moving
from webapp.runtime import runtime

BUILT_IN = "builtin"
Move = Callable[[int, int, Embedder], Iterator[int]]
"""Embeds what is missing of one owner (org, owner, embedder); yields how many each commit took."""


@command("reembed")
@click.option("--to", "model", help="The model to move to; default: the one that is set up (MEMORY_EMBEDDING_MODEL).")
@click.option("--org", "keys", multiple=True, help="Only this organisation; may be given several times. Default: all.")
def reembed(model: str | None, keys: tuple[str, ...]) -> None:
    """Embed every memory and graph by another model, while everything goes on being answered.

    First `flask reembed --to MODEL`; then set MEMORY_EMBEDDING_MODEL=MODEL and restart; then `flask reembed` once more:
    it embeds what was written meanwhile and removes the vectors of the former model. A move that broke off is started
    again and goes on where it was.
    """
    run = runtime()
    name = MODEL_NAME if model == BUILT_IN else model or run.embedder.model
    with embedding_process(replace(run.settings, embedding_model=BUILT_IN if name == MODEL_NAME else name)):
        embedder = run.embedder_of(name)
        # Whether the model is there, and its vectors small enough, is known before anything is written.
        embedder.check()
        chosen = [orgs.get_org(key) for key in keys] if keys else _every_org()
        left = sum(_move(org, embedder) for org in chosen)
        if left:
            raise click.ClickException(f"{left} were being changed or written meanwhile: run this again to embed them.")
        if name == run.embedder.model:
            _finish(chosen, name)
        else:
            _say_what_comes_next(name, run.embedder.model)


def _every_org() -> list[OrgView]:
    with installation() as session:
        return orgs.all_orgs(session)


def _move(org: OrgView, embedder: Embedder) -> int:
    """Embed what is missing in one org; how many memories, entities and facts still are."""
    people = _run(org, "memories", embedder, moving.missing(org.id, embedder.model), moving.move)
    groups = _run(org, "graph", embedder, of_graph.missing(org.id, embedder.model), of_graph.move)
    click.echo(f"{org.key}: {people[0]} memories of {people[1]} people embedded by {embedder.model}.")
    if groups[1]:
        click.echo(
            f"{org.key}: {groups[0]} entities and facts of {groups[1]} graph groups embedded by {embedder.model}."
        )
    return _left(org.id, embedder.model)


def _run(org: OrgView, what: str, embedder: Embedder, missing: Mapping[int, int], move: Move) -> tuple[int, int]:
    """Move one owner of vectors after the other, with a bar; how many were embedded, of how many owners."""
    embedded = 0
    with progress() as bars:
        bar = bars.add_task(f"{org.key}, {what}: embedding by {embedder.model}", total=sum(missing.values()))
        for owner_id in missing:
            for count in move(org.id, owner_id, embedder):
                embedded += count
                bars.advance(bar, count)
    return embedded, len(missing)


def _left(org_id: int, model: str) -> int:
    return sum(moving.missing(org_id, model).values()) + sum(of_graph.missing(org_id, model).values())


def _finish(chosen: Sequence[OrgView], model: str) -> None:
    """The model is the one that is set up, so the vectors of others serve nobody any more."""
    for org in chosen:
        dropped = moving.drop_others(org.id, model) + of_graph.drop_others(org.id, model)
        click.echo(f"{org.key}: {dropped} vectors of other models removed.")


def _say_what_comes_next(model: str, former: str) -> None:
    setting = BUILT_IN if model == MODEL_NAME else model
    click.echo(
        f"Everything is embedded by {model} beside {former}. Now set MEMORY_EMBEDDING_MODEL={setting}, restart, and run"
        "  flask reembed  once more."
    )


COMMANDS = (reembed,)
