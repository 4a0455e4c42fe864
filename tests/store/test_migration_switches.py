"""What the audit log still knows about who set a person's switches is taken over; what it does not know stays open."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy import text

from tests.servers import Database
from webapp.db import migrate

PEOPLE = """
    INSERT INTO org (id, key, name) VALUES (1, 'one', 'One');
    INSERT INTO account (id, username, email) SELECT n, 'p' || n, 'p' || n || '@example.org' FROM generate_series(1, 4) n;
    INSERT INTO membership (org_id, user_id, auto_capture_enabled) SELECT 1, n, false FROM generate_series(1, 4) n;
    INSERT INTO audit_event (org_id, actor_id, actor_label, action, target_kind, target_user_id, detail) VALUES
        (1, 2, 'p2', 'settings.changed', 'user', 2, '{"auto_capture_enabled": [true, false]}'),
        (1, 1, 'p1', 'settings.changed', 'user', 2, '{"auto_capture_enabled": [true, false]}'),
        (1, 2, 'p2', 'settings.changed', 'user', 2, '{"use_memory_in_responses": [false, true]}'),
        (1, 1, 'p1', 'settings.changed', 'user', 3, '{"auto_capture_enabled": [false, true]}'),
        (1, 1, 'erased person', 'settings.changed', 'user', 4, '{"auto_capture_enabled": [true, false]}');
"""
READ = "SELECT user_id, capture_changed_by, capture_changed_by_id, use_changed_by_id FROM membership ORDER BY user_id"


def test_the_last_word_of_the_audit_log_is_taken_over(database: Database) -> None:
    migrate.downgrade(database.owner_url, app_role="memory_app", revision="0003")
    engine = sa.create_engine(database.owner_url)
    try:
        with engine.begin() as connection:
            connection.execute(text(PEOPLE.replace(":", r"\:")))
        migrate.upgrade(database.owner_url, app_role="memory_app")
        with engine.connect() as connection:
            found = [tuple(row) for row in connection.execute(text(READ))]
    finally:
        engine.dispose()
    assert found == [
        (1, None, None, None),
        (2, "p1", 1, 2),
        (3, None, None, None),
        (4, "erased person", None, None),
    ], "3 was turned off by something later than the log's last word"
