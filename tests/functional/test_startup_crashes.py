"""What is killed, interrupted or left behind does not keep the next start from working."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx2
import psycopg
import pytest

from jobs.serve import UNFINISHED_DEMO, migrate
from tests import servers
from tests.functional.installation import PROJECT, Installation, wait_until
from webapp.embedded.account import account_for
from webapp.embedded.postgres import EmbeddedPostgres
from webapp.embedded.stores import open_stores
from webapp.settings import Settings

Make = Callable[..., Installation]


@pytest.fixture
def folder() -> Iterator[Path]:
    with servers.scratch_folder() as made:
        yield made


def answers(server: EmbeddedPostgres) -> bool:
    with psycopg.connect(server.owner_url.replace("+psycopg", "")) as connection:
        return connection.execute("SELECT '[1]'::vector").fetchone() is not None


def test_the_data_survives_kill_9_of_the_supervisor_and_of_everything(installation: Make) -> None:
    made = installation()
    made.start()
    first = made.demo
    assert made.serving is not None
    made.serving.kill()
    made.serving.wait()
    wait_until(lambda: not made.processes(), "the end of all that the supervisor had started")
    made.start()
    made.kill_everything()
    made.start()
    assert made.demo == first
    settings = f"{made.url}/api/ai-agent/orgs/demo/users/learner/memsearch-settings/"
    token = {"Authorization": f"Token {first['tokens']['learner']}"}
    assert httpx2.get(settings, headers=token, timeout=20).status_code == 200
    assert made.stop(signal.SIGTERM) == 0
    assert made.processes() == {}


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to become somebody else")
def test_an_ordinary_user_can_run_it(installation: Make) -> None:
    made = installation(prefix=["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"])
    made.folder.mkdir()
    os.chown(made.folder, 65534, 65534)
    if made.run("setpriv", "--pdeathsig=TERM", "--", sys.executable, "-c", "import jobs.cli").returncode:
        pytest.skip("another user cannot enter this clone")
    made.start()
    assert {path.stat().st_uid for path in made.folder.rglob("*")} == {65534}
    assert made.stop() == 0
    assert made.processes() == {}


@pytest.mark.skipif(os.geteuid() != 0, reason="as an ordinary user every folder on the way is the user's own")
def test_root_can_run_it_in_a_folder_that_is_closed_to_others(folder: Path) -> None:
    folder.chmod(0o700)
    with EmbeddedPostgres(folder / "postgres", fast=True) as server:
        assert answers(server)
    assert folder.stat().st_mode & 0o777 == 0o700


def test_the_server_never_runs_as_root(folder: Path) -> None:
    with EmbeddedPostgres(folder / "postgres", fast=True) as server:
        assert server.data.stat().st_uid != 0


def test_a_path_too_long_for_a_socket_works(folder: Path) -> None:
    deep = folder / ("d" * 60) / "ein Ordner, mit Ö"
    with EmbeddedPostgres(deep / "postgres", fast=True) as server:
        assert answers(server)
        short = server.sockets
        assert short.stat().st_mode & 0o777 == 0o700
    assert not short.exists()


def test_a_first_start_that_was_cut_short_is_completed(folder: Path) -> None:
    program = "import sys, pathlib; from webapp.embedded.postgres import EmbeddedPostgres as E; E(pathlib.Path(sys.argv[1])).__enter__()"
    place = folder / "postgres"
    child = subprocess.Popen([sys.executable, "-c", program, place], cwd=PROJECT)
    wait_until((place / "data.unfinished" / "base").exists, "the first files")
    child.kill()
    child.wait()
    with EmbeddedPostgres(place, fast=True) as server:
        assert answers(server)
        assert not (place / "data.unfinished").exists()


def test_a_lock_file_with_a_reused_process_id_is_not_believed(folder: Path) -> None:
    place = folder / "postgres"
    with EmbeddedPostgres(place, fast=True):
        pass
    account = account_for(place / "data")
    other = subprocess.Popen(["sleep", "60"], user=account.uid if os.geteuid() == 0 else None)
    try:
        (place / "data" / "postmaster.pid").write_text(f"{other.pid}\n{place / 'data'}\n1\n5432\n\n\n\n")
        with EmbeddedPostgres(place, fast=True) as server:
            assert answers(server)
    finally:
        other.kill()
        other.wait()


def test_the_next_owner_waits_for_a_server_that_is_still_shutting_down(folder: Path) -> None:
    place = folder / "postgres"
    program = (
        "import sys, pathlib, time; from webapp.embedded.postgres import EmbeddedPostgres as E\n"
        "server = E(pathlib.Path(sys.argv[1])).__enter__(); print('up', flush=True); time.sleep(60)"
    )
    child = subprocess.Popen([sys.executable, "-c", program, place], cwd=PROJECT, stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    assert child.stdout.readline() == "up\n"
    child.kill()
    child.stdout.close()
    with EmbeddedPostgres(place, exclusive=True) as server:
        assert answers(server)
    child.wait()


def test_two_processes_share_one_server_and_the_owner_ends_it(folder: Path) -> None:
    with EmbeddedPostgres(folder / "postgres", fast=True) as owner:
        with EmbeddedPostgres(folder / "postgres", fast=True) as guest:
            assert (owner.owned, guest.owned) == (True, False)
            assert answers(guest)
        assert answers(owner)


def test_a_demo_that_was_cut_short_is_made_anew(folder: Path) -> None:
    settings = Settings.from_env({"DATA_DIR": str(folder / "var"), "REDIS_URL": "unix:///nowhere"}, dotenv=None)
    with open_stores(settings) as stores:
        migrate(stores)
        address = stores.settings.database_owner_url.replace("+psycopg", "")
        with psycopg.connect(address) as connection:
            connection.execute("INSERT INTO account (username, email) VALUES ('half', 'half@example.org')")
        marker = folder / "var" / UNFINISHED_DEMO
        marker.touch()
        migrate(stores)
        with psycopg.connect(address) as connection:
            assert connection.execute("SELECT count(*) FROM account").fetchone() == (0,)
        assert not marker.exists()
