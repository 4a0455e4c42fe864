"""The rules of every table, now and later, read from PostgreSQL's own catalogue."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest
import sqlalchemy as sa

import webapp.db.models  # noqa: F401  fills the metadata
from tests.servers import Database
from webapp.db.base import Base

# Tables that hold nobody's memories: how people sign in, and the orgs themselves (spec, *People and things*).
WITHOUT_ORG = {"org", "account", "login_session", "token", "one_time_link", "sign_in_throttle", "alembic_version"}
# Foreign keys out of an org's tables may only point at these without `org_id` in front.
REFERENCE_TABLES = {"org", "account"}


@pytest.fixture(scope="module")
def catalogue(database: Database) -> Iterator[psycopg.Connection]:
    with psycopg.connect(database.superuser_url.replace("+psycopg", ""), autocommit=True) as connection:
        yield connection


def rows(catalogue: psycopg.Connection, query: str) -> list[tuple]:
    return catalogue.execute(query).fetchall()


def org_tables(catalogue: psycopg.Connection) -> list[str]:
    every = rows(
        catalogue,
        "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') "
        "AND NOT relispartition ORDER BY 1",
    )
    return [name for (name,) in every if name not in WITHOUT_ORG]


def test_there_are_tables_to_check(catalogue: psycopg.Connection) -> None:
    assert {"memory", "memory_vector", "inbox", "revision", "audit_event"} <= set(org_tables(catalogue))


def test_row_level_security_is_forced_with_both_policies(catalogue: psycopg.Connection) -> None:
    for table in org_tables(catalogue):
        ((enabled, forced),) = rows(
            catalogue, f"SELECT relrowsecurity, relforcerowsecurity FROM pg_class WHERE oid = '{table}'::regclass"
        )
        assert (enabled, forced) == (True, True), table
        policies = {
            name: (using, check, list(roles))
            for name, using, check, roles in rows(
                catalogue, f"SELECT policyname, qual, with_check, roles FROM pg_policies WHERE tablename = '{table}'"
            )
        }
        assert set(policies) == {f"{table}_org", f"{table}_owner"}, table
        using, check, roles = policies[f"{table}_org"]
        assert using == check, table
        assert "NULLIF(current_setting('app.org_id'" in using, table
        assert roles == ["public"], table
        assert policies[f"{table}_owner"] == ("true", "true", ["memory_owner"]), table


def test_every_key_starts_with_the_org(catalogue: psycopg.Connection) -> None:
    for table in org_tables(catalogue):
        keys = rows(
            catalogue,
            f"""
            SELECT i.relname, a.attname FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid
            JOIN pg_attribute a ON a.attrelid = x.indrelid AND a.attnum = x.indkey[0]
            WHERE x.indrelid = '{table}'::regclass AND x.indisunique
            """,
        )
        assert keys, f"{table} has no key"
        for index, first in keys:
            # A membership is also found by account, across orgs, through a definer function; that index is not unique.
            assert first == "org_id", f"{table}.{index} starts with {first}"


def test_foreign_keys_cannot_cross_orgs(catalogue: psycopg.Connection) -> None:
    keys = rows(
        catalogue,
        """
        SELECT c.conname, c.conrelid::regclass::text, c.confrelid::regclass::text,
               (SELECT attname FROM pg_attribute WHERE attrelid = c.conrelid AND attnum = c.conkey[1]),
               (SELECT attname FROM pg_attribute WHERE attrelid = c.confrelid AND attnum = c.confkey[1])
        FROM pg_constraint c WHERE c.contype = 'f' AND c.connamespace = 'public'::regnamespace
        """,
    )
    for name, table, target, first, target_first in keys:
        if table in WITHOUT_ORG or target in REFERENCE_TABLES:
            continue
        assert (first, target_first) == ("org_id", "org_id"), name


def test_no_composite_key_nulls_the_org(catalogue: psycopg.Connection) -> None:
    assert not rows(
        catalogue,
        "SELECT conname FROM pg_constraint WHERE contype = 'f' AND confdeltype = 'n' AND cardinality(conkey) > 1 "
        "AND confdelsetcols IS NULL",
    )


def test_types_can_be_distributed(catalogue: psycopg.Connection) -> None:
    assert not rows(
        catalogue,
        "SELECT table_name, column_name FROM information_schema.columns "
        "WHERE table_schema = 'public' AND is_identity = 'YES'",
    )
    assert not rows(
        catalogue,
        "SELECT attrelid::regclass::text, attname FROM pg_attribute WHERE atttypid = 'timestamp'::regtype AND attnum > 0 "
        "AND attrelid IN (SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace)",
    ), "times without zone"
    vectors = rows(
        catalogue,
        "SELECT attrelid::regclass::text, attname, attstorage::text FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid "
        "JOIN pg_class c ON c.oid = a.attrelid WHERE t.typname IN ('vector', 'halfvec') AND attnum > 0 AND c.relkind IN ('r', 'p')",
    )
    assert vectors
    assert {storage for _table, _name, storage in vectors} == {"p"}, vectors


def test_whoever_looks_across_orgs_is_pinned(catalogue: psycopg.Connection) -> None:
    functions = rows(
        catalogue,
        """
        SELECT p.proname, p.prosecdef, p.proconfig, pg_get_userbyid(p.proowner), p.proacl::text,
               pg_get_function_result(p.oid)
        FROM pg_proc p WHERE p.pronamespace = 'public'::regnamespace
          AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')
        """,
    )
    assert {"orgs_of_account", "orgs_with_due_work"} <= {row[0] for row in functions}
    for name, definer, config, owner, acl, result in functions:
        assert definer, name
        assert owner == "memory_owner", name
        assert any(entry.startswith("search_path=") for entry in config or []), name
        assert acl is not None, f"{name}: EXECUTE is still granted to PUBLIC"
        assert not any(entry.startswith("=") for entry in acl.strip("{}").split(",")), name
        assert "text" not in result, f"{name} returns text: {result}"


def test_the_app_owns_nothing_and_bypasses_nothing(catalogue: psycopg.Connection) -> None:
    for role in ("memory_app", "memory_owner"):
        ((superuser, bypass),) = rows(
            catalogue, f"SELECT rolsuper, rolbypassrls FROM pg_roles WHERE rolname = '{role}'"
        )
        assert (superuser, bypass) == (False, False), role
    assert not rows(catalogue, "SELECT relname FROM pg_class WHERE relowner = 'memory_app'::regrole")
    assert not rows(
        catalogue,
        "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') "
        "AND relowner <> 'memory_owner'::regrole",
    )
    assert not rows(
        catalogue, "SELECT 1 WHERE has_table_privilege('memory_app', 'alembic_version', 'INSERT, UPDATE, DELETE')"
    )


def test_models_and_tables_have_the_same_columns(database: Database) -> None:
    engine = sa.create_engine(database.owner_url)
    inspector = sa.inspect(engine)
    tables = set(inspector.get_table_names()) - {"alembic_version"}
    assert tables == set(Base.metadata.tables)
    for name, table in Base.metadata.tables.items():
        found = {column["name"]: column for column in inspector.get_columns(name)}
        assert set(found) == set(table.columns.keys()), name
        for column in table.columns:
            real = found[column.name]
            assert real["nullable"] == column.nullable, f"{name}.{column.name}"
            wanted = column.type.compile(engine.dialect).lower()
            assert str(real["type"].compile(engine.dialect)).lower() == wanted, f"{name}.{column.name}"
    engine.dispose()
