"""Row-level security as migrations apply it: one org per transaction, for every role but the tables' owner."""

from __future__ import annotations

from alembic import op

# After a transaction-local setting the next transaction sees '' instead of NULL; without NULLIF the cast would raise
# where no row must be shown.
CURRENT_ORG = "NULLIF(current_setting('app.org_id', true), '')::bigint"


def protect(table: str) -> None:
    """Force the two policies on `table`: the transaction's org for everyone, everything for the owner.

    Under FORCE even the owner is subject to policies; without the second one a data migration would change nothing
    and say nothing.
    """
    op.execute(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY")
    op.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")
    op.execute(
        f"CREATE POLICY {table}_org ON {table} USING (org_id = {CURRENT_ORG}) WITH CHECK (org_id = {CURRENT_ORG})"
    )
    op.execute(f"CREATE POLICY {table}_owner ON {table} TO CURRENT_USER USING (true) WITH CHECK (true)")


def definer(signature: str, returns: str, body: str, *, language: str = "sql") -> None:
    """Create a SECURITY DEFINER function that looks across orgs. It returns ids and counts, never text."""
    op.execute(
        f"CREATE OR REPLACE FUNCTION {signature} RETURNS {returns} LANGUAGE {language} SECURITY DEFINER "
        f"SET search_path = pg_catalog, public, pg_temp AS $body$ {body} $body$"
    )
    op.execute(f"REVOKE ALL ON FUNCTION {signature_types(signature)} FROM PUBLIC")


def signature_types(signature: str) -> str:
    """`name(a bigint, b text)` → `name(bigint, text)`, the form that REVOKE and DROP take."""
    name, _, arguments = signature.rstrip(")").partition("(")
    types = ", ".join(argument.split(None, 1)[1] for argument in arguments.split(",") if argument.strip())
    return f"{name}({types})"
