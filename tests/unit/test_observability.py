from __future__ import annotations

import json
import logging

import pytest
import structlog

from webapp.observability import configure_logging, describe, log_exception

SECRET = "I moved to Lisbon"


@pytest.fixture(autouse=True)
def _restore_logging() -> object:
    handlers, level = logging.root.handlers[:], logging.root.level
    yield
    logging.root.handlers[:] = handlers
    logging.root.setLevel(level)
    structlog.reset_defaults()


def lines(capsys: pytest.CaptureFixture[str]) -> list[dict[str, object]]:
    return [json.loads(line) for line in capsys.readouterr().err.splitlines()]


def fail() -> None:
    try:
        raise ValueError(f"Failing row contains ({SECRET})")
    except ValueError as cause:
        raise RuntimeError(SECRET) from cause


def test_an_exception_is_logged_by_type_and_place_without_its_message(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging("info", as_json=True)
    with pytest.raises(RuntimeError) as caught:
        fail()
    log_exception("unexpected_error", caught.value, job="drain")
    written = capsys.readouterr().err
    assert SECRET not in written
    record = json.loads(written)
    assert [item["type"] for item in record["exception"]] == ["RuntimeError", "ValueError"]
    assert record["exception"][0]["frames"][-1].endswith(" fail")
    assert (record["event"], record["level"], record["job"]) == ("unexpected_error", "error", "drain")


def test_another_librarys_exception_is_logged_the_same_way(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging("info", as_json=True)
    try:
        fail()
    except RuntimeError:
        logging.getLogger("rq.worker").exception("job failed")
    (record,) = lines(capsys)
    assert record["event"] == "job failed"
    assert SECRET not in json.dumps(record)


def test_a_text_logged_by_mistake_is_only_counted(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging("info", as_json=True)
    structlog.get_logger().info("stored", content=SECRET)
    (record,) = lines(capsys)
    assert record["content"] == f"({len(SECRET)} characters)"


def test_other_libraries_are_heard_from_warnings_on(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging("debug", as_json=True)
    logging.getLogger("httpx").info("POST with a body")
    logging.getLogger("httpx").warning("retrying")
    structlog.get_logger().debug("own")
    assert [record["event"] for record in lines(capsys)] == ["retrying", "own"]


def test_what_lies_below_the_level_is_not_logged(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging("error", as_json=True)
    structlog.get_logger().warning("quiet")
    logging.getLogger("other").warning("quiet")
    assert lines(capsys) == []


def test_an_endless_chain_of_causes_is_cut() -> None:
    first = RuntimeError()
    first.__context__ = ValueError()
    first.__context__.__context__ = first
    assert len(describe(first)) == 5
