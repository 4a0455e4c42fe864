"""A large installation for the benchmark of the screens: a million memories, written by the superuser.

The bench org has 20 agents (the first holds 100,000 memories, the others 10,000 each), 5,000 members and 110,000 global
memories, 10,000 of them of one person; six other orgs hold 600,000 more. Beside them 50,000 conversations and 100,000
audit events. Screens read no vectors, so there are none.
"""

from __future__ import annotations

import psycopg

from tests.servers import TALLY

MEMBERS, AGENTS, LARGEST, OTHERS = 5_000, 20, 100_000, 10_000
STRANGERS, STRANGER_ORGS = 600_000, 6
PROLIFIC = 10_000

STATEMENTS = (
    "SET session_replication_role = replica",
    """
    INSERT INTO account (username, email, full_name)
    SELECT 'u' || i, 'u' || i || '@bench.invalid', 'Person Number ' || i FROM generate_series(1, {members}) i
    """,
    "INSERT INTO membership (org_id, user_id) SELECT {org}, id FROM account WHERE username ~ '^u[0-9]+$'",
    "INSERT INTO subject (org_id, user_id) SELECT {org}, id FROM account WHERE username ~ '^u[0-9]+$'",
    """
    INSERT INTO agent (org_id, slug, name, description, enable_memory_component)
    SELECT {org}, 'agent-' || i, 'Agent ' || i, 'Teaches subject number ' || i, true FROM generate_series(2, {agents}) i
    """,
    """
    INSERT INTO category (org_id, agent_id, slug, name, description)
    SELECT {org}, a.id, 'c' || i, 'Category ' || i, 'What is filed under ' || i
    FROM agent a, generate_series(1, 8) i WHERE a.org_id = {org}
    """,
    # The main agent's memories, spread over members and categories, a minute apart.
    """
    INSERT INTO memory (org_id, user_id, agent_id, category_id, content, content_hash, origin, occurred_at, created_at, updated_at)
    SELECT {org}, u.ids[1 + i * 7919 % {members}], a.id, a.categories[1 + i % 8],
           'The user said sentence number ' || i || ' about ' || (ARRAY['recursion','sourdough','Bach','tides'])[1 + i % 4],
           sha256(convert_to(a.id || ':' || i, 'UTF8')), (ARRAY['captured','captured','manual'])[1 + i % 3],
           now() - i * interval '1 minute', now() - i * interval '1 minute', now() - i * interval '1 minute'
    FROM (SELECT array_agg(id) AS ids FROM account WHERE username ~ '^u[0-9]+$') u,
         (SELECT a.id, array_agg(c.id) AS categories, row_number() OVER (ORDER BY a.id) AS place
          FROM agent a JOIN category c ON c.org_id = a.org_id AND c.agent_id = a.id AND c.slug ~ '^c[0-9]$'
          WHERE a.org_id = {org} GROUP BY a.id) a,
         LATERAL generate_series(1, CASE WHEN a.place = 1 THEN {largest} ELSE {others} END) i
    """,
    """
    INSERT INTO memory (org_id, user_id, content, content_hash, origin, occurred_at, created_at, updated_at)
    SELECT {org}, u.ids[1 + i % {members}], 'The user lives in town number ' || i, sha256(convert_to('g' || i, 'UTF8')),
           'captured', now(), now() - i * interval '1 minute', now()
    FROM (SELECT array_agg(id) AS ids FROM account WHERE username ~ '^u[0-9]+$') u, generate_series(1, 100000) i
    """,
    """
    INSERT INTO memory (org_id, user_id, content, content_hash, origin, occurred_at, created_at, updated_at)
    SELECT {org}, (SELECT id FROM account WHERE username = 'learner'), 'The user collects item number ' || i,
           sha256(convert_to('p' || i, 'UTF8')), 'captured', now(), now() - i * interval '1 minute', now()
    FROM generate_series(1, {prolific}) i
    """,
    "INSERT INTO org (key, name) SELECT 'strangers-' || i, 'Strangers ' || i FROM generate_series(1, {stranger_orgs}) i",
    """
    INSERT INTO memory (org_id, user_id, content, content_hash, origin)
    SELECT o.id, 1, 'Somebody else said ' || i, sha256(convert_to(i::text, 'UTF8')), 'captured'
    FROM org o, generate_series(1, {strangers} / {stranger_orgs}) i WHERE o.key LIKE 'strangers-%'
    """,
    """
    INSERT INTO inbox (org_id, kind, lane, user_id, agent_id, principal, path, body_hash, state, created, created_at, done_at)
    SELECT {org}, 'exchange', 'user:1', u.ids[1 + i % {members}], a.id, 'bench', 'bench', '\\x00',
           (ARRAY['done','done','done','skipped','failed'])[1 + i % 5], i % 2,
           now() - i * interval '20 seconds', now() - i * interval '20 seconds'
    FROM (SELECT array_agg(id) AS ids FROM account WHERE username ~ '^u[0-9]+$') u,
         (SELECT min(id) AS id FROM agent WHERE org_id = {org}) a, generate_series(1, 50000) i
    """,
    """
    INSERT INTO audit_event (org_id, at, actor_label, action, target_kind, target_id)
    SELECT {org}, now() - i * interval '1 minute', 'u' || i % 50, 'memory.edited', 'memory', i
    FROM generate_series(1, 100000) i
    """,
    """
    INSERT INTO knowledge (org_id, agent_id, content, content_hash, created_at)
    SELECT {org}, (SELECT min(id) FROM agent WHERE org_id = {org}), repeat('A shared sentence. ', 20) || i,
           sha256(convert_to(i::text, 'UTF8')), now() - i * interval '1 hour'
    FROM generate_series(1, 60) i
    """,
    "VACUUM ANALYZE",
)


def fill(connection: psycopg.Connection, org_id: int) -> int:
    """Write everything; the number of memories. `connection` is the superuser's, with autocommit."""
    sizes = {
        "org": org_id, "members": MEMBERS, "agents": AGENTS, "largest": LARGEST, "others": OTHERS,
        "prolific": PROLIFIC, "strangers": STRANGERS, "stranger_orgs": STRANGER_ORGS,
    }  # fmt: skip
    for statement in STATEMENTS:
        connection.execute(statement.format(**sizes))
    connection.execute(TALLY)
    row = connection.execute("SELECT count(*) FROM memory").fetchone()
    assert row is not None
    return int(row[0])
