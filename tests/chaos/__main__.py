"""`python -m tests.chaos --exchanges 1500 --faults 60 --seed 1`: the run that must end with nothing lost, false or twice.

Exit status 0 means that all promises were kept. `--mutate NAME` removes one of the things that keep them, and the run
must then fail; `--mutate every` removes each in turn and exits with 0 when every run has failed.
"""

from __future__ import annotations

import argparse
import itertools
import random
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from flask import Flask
from sqlalchemy import text

from tests.chaos import check
from tests.chaos.faults import Faults
from tests.chaos.load import REFUSED, Client, Ledger, Load, Member, conversation
from tests.chaos.scenes import Scenes
from tests.chaos.stack import Stack, scratch
from tests.chaos.steps import MUTATIONS
from tests.model_server import Call, Reply, repeat_facts, running
from webapp import create_app
from webapp.access import tokens
from webapp.db.session import db, installation, transaction

DRAIN_SECONDS = 120
READY_SECONDS = 60
SCENES = 6
EVERY = "every"


@dataclass(frozen=True, slots=True)
class Plan:
    """How large a run is. `seconds` is how long the load takes if nothing goes wrong."""

    exchanges: int
    faults: int
    seed: int
    seconds: float
    mutation: str = ""

    @property
    def scenes(self) -> int:
        """How many scenes are played among the faults."""
        return max(SCENES, self.faults // 6)

    @property
    def people(self) -> int:
        """How many people talk."""
        return max(4, min(60, self.exchanges // 20))


def main() -> int:
    """Run and report; the exit status."""
    plan = _plan()
    if plan.mutation == EVERY:
        return every_mutation(plan)
    return 1 if broken(plan) else 0


def every_mutation(plan: Plan) -> int:
    """Remove each of the things that keep the promise in turn; the exit status is 0 when each is found out."""
    found = {name: broken(replace(plan, mutation=name)) for name in MUTATIONS}
    print(f"\n{'removed':<18}{'the run':<9}first broken promise")
    for name, lines in found.items():
        print(f"{name:<18}{'fails' if lines else 'PASSES':<9}{lines[0] if lines else ''}")
    return 0 if all(found.values()) else 1


def broken(plan: Plan) -> list[str]:
    """Run once and print how it went; every broken promise."""
    removed = f", without the {plan.mutation.replace('_', ' ')}" if plan.mutation else ""
    print(f"chaos: {plan.exchanges} exchanges, {plan.faults} faults, seed {plan.seed}{removed}", flush=True)
    with scratch() as folder, running() as model:
        model.rule(lambda call: _play(call, random.Random(f"{plan.seed}{call.at}")))
        with Stack(folder, model, plan.mutation) as stack, _application(stack) as app:
            found = run(plan, stack, app)
            if found and not plan.mutation:
                _show_logs(stack)
    for line in found[:40]:
        print(f"BROKEN: {line}")
    print(f"{'kept' if not found else f'{len(found)} broken'} (seed {plan.seed})", flush=True)
    return found


def run(plan: Plan, stack: Stack, app: Flask) -> list[str]:
    """Play the whole run; every broken promise."""
    chance = random.Random(plan.seed)
    if plan.mutation == "unique_index":
        with stack.superuser() as connection:
            connection.execute("DROP INDEX uq_memory_live_content")
    with app.app_context():
        org_id, token, members = _people(plan.people + 2 * plan.scenes)
    talking, waiting = members[: plan.people], members[plan.people :]
    client = Client(stack.port, token, "chaos", "tutor")
    _await_ready(stack, client)
    ledger, faults = Ledger(), Faults(stack, chance)
    scenes = Scenes(stack, app, org_id, client, faults, ledger, waiting)
    conversations = _share(plan, talking)
    load = Load(conversations, (client.another() for _ in itertools.count()), ledger, plan.seconds)
    began = time.monotonic()
    load.start()
    _strike(plan, faults, scenes, load)
    faults.settle()
    drained = _drain(stack, load)
    with app.app_context():
        found = check.broken(stack, ledger, scenes.erased, scenes.switched_off)
    found += scenes.broken
    if drained is None:
        # First of all: most of the rest is what follows from it.
        found.insert(
            0, f"{check.unfinished(stack)} exchanges unfinished {DRAIN_SECONDS} s after the last fault and message"
        )
    found += [f"{said.key} was never accepted" for said in load.refused]
    _report(plan, ledger, faults, stack, began, drained)
    return found


def _strike(plan: Plan, faults: Faults, scenes: Scenes, load: Load) -> None:
    """Spread the faults over the load; every sixth is a scene, and each scene is played."""
    round_ = 0
    while sum(faults.done.values()) < plan.faults or round_ < SCENES:
        if sum(faults.done.values()) >= plan.faults * (round_ + 1) / plan.scenes:
            scenes.play(round_)
            round_ += 1
        else:
            faults.strike()
        pause = plan.seconds / plan.faults * 0.4 if load.is_running else 0.1
        end = time.monotonic() + pause
        while time.monotonic() < end:
            faults.stack.look()
            faults.look()
            time.sleep(0.02)


def _drain(stack: Stack, load: Load) -> float | None:
    """Wait until all is handed in, then until it is worked off; the seconds of that, None when it took too long."""
    while load.is_running:
        stack.look()
        time.sleep(0.1)
    since = time.monotonic()
    while time.monotonic() < since + DRAIN_SECONDS:
        stack.look()
        if check.unfinished(stack) == 0:
            return time.monotonic() - since
        time.sleep(0.1)
    return None


def _play(call: Call, chance: random.Random) -> Reply | None:
    if call.endpoint != "chat":
        return None
    if REFUSED in call.prompt:
        return Reply("", message={"refusal": "No."})
    return Reply(repeat_facts(call.prompt), delay=chance.uniform(0.02, 0.4))


def _share(plan: Plan, members: list[Member]) -> list[list]:
    each, rest = divmod(plan.exchanges, len(members))
    return [conversation(member, each + (place < rest), plan.seed) for place, member in enumerate(members)]


@contextmanager
def _application(stack: Stack) -> Iterator[Flask]:
    """The product in this process, for setting up and for the scenes; `flask serve` migrates the database."""
    app = create_app(stack.settings())
    with app.app_context():
        end = time.monotonic() + READY_SECONDS
        while not _migrated():
            assert time.monotonic() < end, "the database was not migrated"
            stack.look()
            time.sleep(0.1)
    yield app
    with app.app_context():
        db.engine.dispose()


def _migrated() -> bool:
    with installation() as session:
        return session.scalar(text("SELECT to_regclass('inbox')")) is not None


def _people(count: int) -> tuple[int, str, list[Member]]:
    """One org with memory on, an agent, people, and a service token."""
    with installation() as session:
        org_id = session.scalar(
            text("INSERT INTO org (key, name, enable_memsearch) VALUES ('chaos', 'Chaos', true) RETURNING id")
        )
        members = []
        for number in range(count):
            name = f"person{number}x"
            insert = text("INSERT INTO account (username, email) VALUES (:name, :email) RETURNING id")
            found = session.scalar(insert, {"name": name, "email": f"{name}@example.org"})
            members.append(Member(found, name))
        scopes = ["exchanges:write", "memories:write", "settings:write"]
        made = tokens.create(session, name="chat", created_by="chaos", org_id=org_id, scopes=scopes)
    with transaction(org_id) as session:
        session.execute(
            text("INSERT INTO agent (org_id, slug, name, enable_memory_component) VALUES (:org, 'tutor', 'T', true)"),
            {"org": org_id},
        )
        for member in members:
            key = {"org": org_id, "user": member.id}
            session.execute(text("INSERT INTO membership (org_id, user_id) VALUES (:org, :user)"), key)
            session.execute(text("INSERT INTO subject (org_id, user_id) VALUES (:org, :user)"), key)
    return org_id, made.secret, members


def _await_ready(stack: Stack, client: Client) -> None:
    end = time.monotonic() + READY_SECONDS
    while client.post("/readyz", {}, method="GET")[0] != 200:
        assert time.monotonic() < end, "the web server did not become ready"
        stack.look()
        time.sleep(0.1)


def _report(plan: Plan, ledger: Ledger, faults: Faults, stack: Stack, began: float, drained: float | None) -> None:
    print(f"{'fault':<44}{'times':>6}{'seconds':>9}")
    for name, seconds in sorted(faults.took.items()):
        print(f"{name:<44}{faults.done[name] or '':>6}{seconds:>9.1f}")
    print(f"{'all':<44}{sum(faults.done.values()):>6}{sum(faults.took.values()):>9.1f}")
    starts = {command.log.stem: command.starts for command in stack.commands}
    print(f"accepted {len(ledger.accepted)} of {plan.exchanges} and the scenes' own, process starts {starts}")
    within = f"{drained:.1f} s after the last fault and message" if drained is not None else "not in time"
    print(f"took {time.monotonic() - began:.0f} s; worked off {within}", flush=True)


def _show_logs(stack: Stack) -> None:
    for log in sorted((stack.folder / "logs").glob("*")):
        print(f"--- {log.name}")
        lines = [line for line in log.read_text(errors="replace").splitlines() if '"event": "request"' not in line]
        print("\n".join(lines[-25:]))


def _plan() -> Plan:
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description=__doc__)
    parser.add_argument("--exchanges", type=int, default=1500)
    parser.add_argument("--faults", type=int, default=60)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1_000_000))
    parser.add_argument("--seconds", type=float, help="how long the load takes; default: 20 exchanges a second")
    parser.add_argument("--mutate", choices=[*MUTATIONS, EVERY], default="")
    given = parser.parse_args()
    seconds = given.seconds or max(10.0, given.exchanges / 20)
    return Plan(given.exchanges, given.faults, given.seed, seconds, given.mutate)


if __name__ == "__main__":
    sys.exit(main())
