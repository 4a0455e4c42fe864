"""One installation as `make run` starts it, with the built-in model and a worker, while it runs."""

from __future__ import annotations

import os
import signal
import socket
import stat
from collections.abc import Callable

import httpx2
import pytest

from tests.functional.installation import FLASK, Installation, wait_until

Make = Callable[..., Installation]


@pytest.fixture(scope="module")
def running(installation: Make) -> Installation:
    made = installation(environ={"METRICS_TOKEN": "for-the-test"})
    made.start()
    return made


def test_it_is_ready_and_has_said_how_to_sign_in(running: Installation) -> None:
    ready = httpx2.get(running.url + "/readyz", timeout=20)
    assert (ready.status_code, ready.json()) == (200, {"status": "ready", "database": "ok", "queue": "ok"})
    assert running.status("/healthz") == 200
    assert f"Agent Memory is ready: {running.url}" in running.said()
    assert all(password in running.said() for password in running.demo["passwords"].values())


def test_the_demo_is_written_for_its_owner_alone(running: Installation) -> None:
    assert (running.demo["base_url"], running.demo["org"], running.demo["agent"]) == (
        running.url,
        "demo",
        "python-tutor",
    )
    assert set(running.demo["tokens"]) == {"root", "admin", "curator", "reader", "learner", "outsider", "service"}
    for name in ("demo.json", "secret_key"):
        assert stat.S_IMODE((running.folder / name).stat().st_mode) == 0o600


def test_the_demos_graph_is_read_and_knows_what_has_ended(running: Installation) -> None:
    def facts() -> dict[str, bool]:
        answer = httpx2.post(
            running.url + "/api/v1/memory/retrieve/search",
            headers={"Authorization": f"Bearer {running.demo['tokens']['learner']}"},
            json={"group_ids": ["learner"], "query": "Where does Clara live and work?"},
            timeout=20,
        )
        return {fact["fact"]: fact["invalid_at"] is not None for fact in answer.json()["facts"]}

    wait_until(lambda: "Clara left Orbit Shipping yesterday." in facts(), "the last message of the demo")
    found = facts()
    assert found["Clara works for Orbit Shipping."]
    assert not found["Clara moved to Braga last week."]


def test_one_process_holds_the_model(running: Installation) -> None:
    commands = list(running.processes().values())
    masters = [command for command in commands if "embedding_server" in command]
    assert 1 <= len(masters) <= 2  # gunicorn's master and its one worker


def test_metrics_are_for_the_holder_of_the_token(running: Installation) -> None:
    assert running.status("/metrics") == 404
    answer = httpx2.get(running.url + "/metrics", headers={"Authorization": "Bearer for-the-test"}, timeout=20)
    assert 'memory_http_request_seconds_count{method="GET",route="/readyz",status="200"}' in answer.text


def test_a_request_id_is_kept_or_made(running: Installation) -> None:
    given = httpx2.get(running.url + "/healthz", headers={"X-Request-ID": "from-the-proxy-1"}, timeout=20)
    assert given.headers["X-Request-ID"] == "from-the-proxy-1"
    made = httpx2.get(running.url + "/healthz", headers={"X-Request-ID": "<script>"}, timeout=20)
    assert len(made.headers["X-Request-ID"]) == 16


def test_a_second_one_over_the_same_folder_or_port_says_so(running: Installation, installation: Make) -> None:
    other = installation()
    other.port = running.port
    assert "set HOST or PORT to another one" in other.refusal()
    assert "is used by another `flask serve`" in running.refusal(PORT="0")
    assert running.status("/readyz") == 200


def test_a_command_uses_the_servers_that_run(running: Installation) -> None:
    before = running.processes().keys()
    done = running.run(*FLASK, "routes")
    assert "/readyz" in done.stdout, done.stderr
    assert running.processes().keys() == before


@pytest.mark.parametrize("pattern", ["gunicorn.*wsgi:app", "bin/postgres -D", "valkey-server", r"jobs\.cli worker"])
def test_what_dies_is_started_again(running: Installation, pattern: str) -> None:
    before = set(running.pids_of(pattern))
    os.kill(min(before), signal.SIGKILL)
    wait_until(lambda: set(running.pids_of(pattern)) - before, f"a new {pattern}")
    wait_until(lambda: running.status("/readyz") == 200, "readiness")


def test_ctrl_c_lets_a_request_finish_and_leaves_no_process(running: Installation) -> None:
    body = b'{"message": "How do I learn recursion?"}'
    path = "/api/ai-agent/orgs/demo/users/learner/agents/python-tutor/context/"
    head = (
        f"POST {path} HTTP/1.1\r\nHost: test\r\nAuthorization: Token {running.demo['tokens']['service']}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\nExpect: 100-continue\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", running.port), timeout=60) as connection:
        connection.sendall(head.encode())
        assert connection.recv(1000).startswith(b"HTTP/1.1 100 ")
        assert running.serving is not None
        running.serving.send_signal(signal.SIGINT)
        wait_until(lambda: running.status("/healthz", timeout=0.5) == 0, "the end of accepting")
        connection.sendall(body)
        assert b"HTTP/1.1 200 " in connection.recv(1000)
    assert running.serving.wait(60) == 0
    assert running.processes() == {}
    assert list(running.folder.rglob("*.sock")) == []
