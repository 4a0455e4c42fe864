from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from webapp.settings import Settings, SettingsError, documentation_row

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "settings.md"


def settings(**environ: str) -> Settings:
    return Settings.from_env(environ, dotenv=None)


def test_defaults_are_read_without_any_variable() -> None:
    assert settings().port == 8000
    assert settings().data_dir == Path("var")
    assert settings().built_in_chat
    assert settings().built_in_embedding


def test_an_empty_variable_counts_as_not_set() -> None:
    assert settings(PORT="  ").port == 8000


def test_the_environment_wins_over_the_file(tmp_path: Path) -> None:
    file = tmp_path / ".env"
    file.write_text("PORT=1111\nMEMORY_LANES=7\n")
    read = Settings.from_env({"PORT": "2222"}, dotenv=file)
    assert (read.port, read.lanes) == (2222, 7)


def test_a_missing_file_is_no_error(tmp_path: Path) -> None:
    assert Settings.from_env({}, dotenv=tmp_path / "none").port == 8000


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("PORT", "http", "PORT: 'http': expected a whole number from 0 to 65535"),
        ("PORT", "70000", "PORT: '70000': expected a whole number from 0 to 65535"),
        ("DEMO", "maybe", "DEMO: 'maybe': expected true or false"),
        ("MEMORY_RANKING", "best", "MEMORY_RANKING: 'best': expected one of hybrid, cosine"),
        ("MEMORY_DEDUP_THRESHOLD", "nan", "MEMORY_DEDUP_THRESHOLD: 'nan': expected a number from 0 to 2"),
        ("BASE_URL", "example.org", "BASE_URL: 'example.org': expected a URL starting with http:// or https://"),
        ("RATE_LIMIT", "many", "RATE_LIMIT: 'many': expected a rate such as 600/minute, or none"),
        ("MEMORY_ISOLATION_STRICT", "false", "MEMORY_ISOLATION_STRICT: 'false': row-level security is always on and"),
        ("MEMORY_ENABLE_ENCRYPTION", "1", "MEMORY_ENABLE_ENCRYPTION: '1': encryption at rest is not built yet"),
    ],
)
def test_a_wrong_value_is_named_in_one_line(name: str, value: str, said: str) -> None:
    with pytest.raises(SettingsError) as caught:
        settings(**{name: value})
    assert str(caught.value).startswith(said)
    assert "\n" not in str(caught.value)


def test_an_unknown_memory_name_is_refused_with_a_suggestion() -> None:
    with pytest.raises(SettingsError, match=r"MEMORY_WORKER: unknown setting; did you mean MEMORY_WORKERS\?"):
        settings(MEMORY_WORKER="2")


def test_an_unknown_memory_name_that_is_like_none_points_at_the_document() -> None:
    with pytest.raises(SettingsError, match=r"MEMORY_XYZZY_PLUGH: unknown setting; see docs/settings.md"):
        settings(MEMORY_XYZZY_PLUGH="2")


@pytest.mark.parametrize("name", [item.name for item in Settings.variables().values() if item.secret])
def test_a_secret_is_in_no_message_and_in_no_representation(name: str) -> None:
    value = {"REDIS_URL": "redis://:hush-hush@host/0", "SMTP_URL": "smtp://u:hush-hush@host"}.get(
        name, "postgresql://u:hush-hush@host/db" if name.startswith("DATABASE") else "hush-hush-hush-hush"
    )
    read = settings(**{name: value})
    assert "hush" not in repr(read)
    assert "hush" not in str(read.public())
    assert read.public()[name] == "(set)"


def test_a_wrong_secret_is_not_shown() -> None:
    with pytest.raises(SettingsError) as caught:
        settings(DATABASE_URL="mysql://u:hush@host/db")
    assert "hush" not in str(caught.value)


def test_a_short_secret_key_is_refused() -> None:
    with pytest.raises(SettingsError, match="SECRET_KEY: expected at least 16 characters"):
        settings(SECRET_KEY="short")


@pytest.mark.parametrize("spelling", ["postgres", "postgresql", "postgresql+psycopg", "postgresql+psycopg2"])
def test_every_spelling_of_a_database_url_gets_the_installed_driver(spelling: str) -> None:
    assert settings(DATABASE_URL=f"{spelling}://u@h/d").database_url == "postgresql+psycopg://u@h/d"


def test_a_rate_can_be_switched_off() -> None:
    assert settings(RATE_LIMIT="none").rate_limit == ""


def test_a_child_process_is_told_the_same_settings() -> None:
    given = settings(
        DATA_DIR="/tmp/x", RATE_LIMIT="none", MEMORY_RECALL_FLOOR="0.5", DEMO="no", MEMORY_MODEL_TIMEOUT_SECONDS="1.5"
    )
    assert Settings.from_env(given.environment(), dotenv=None) == given
    assert Settings.from_env(replace(given, recall_floor=None).environment(), dotenv=None).recall_floor is None


@pytest.mark.parametrize(
    ("environ", "chat", "embedding"),
    [
        ({"OPENAI_API_KEY": "k"}, False, False),
        ({"OPENAI_BASE_URL": "http://localhost:1"}, False, False),
        ({"OPENAI_API_KEY": "k", "MEMORY_EMBEDDING_MODEL": "builtin"}, False, True),
        ({"MEMORY_EMBEDDING_MODEL": "some-model"}, True, False),
    ],
)
def test_built_in_parts_stand_in_where_nothing_is_set(environ: dict[str, str], chat: bool, embedding: bool) -> None:
    read = settings(**environ)
    assert (read.built_in_chat, read.built_in_embedding) == (chat, embedding)


def test_the_document_has_the_row_of_each_setting_and_of_nothing_else() -> None:
    rows = re.findall(r"^\| `.*$", DOCUMENT.read_text(), re.MULTILINE)
    assert sorted(rows) == sorted(documentation_row(item) for item in Settings.variables().values())
