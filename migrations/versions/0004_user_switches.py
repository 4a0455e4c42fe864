"""Who set a person's two switches, and when: an administrator may, so that "off" alone would accuse the person."""

from alembic import op

revision = "0004"
down_revision = "0003"

SWITCHES = (("capture", "auto_capture_enabled"), ("use", "use_memory_in_responses"))


def upgrade() -> None:
    for name, column in SWITCHES:
        op.execute(
            f"ALTER TABLE membership ADD COLUMN {name}_changed_at timestamptz, ADD COLUMN {name}_changed_by text, "
            f"ADD COLUMN {name}_changed_by_id bigint"
        )
        op.execute(_from_audit(name, column))


def _from_audit(name: str, column: str) -> str:
    """What the audit log still says, where its last word is what the switch is at: an erasure can set one too."""
    return f"""
        UPDATE membership m SET {name}_changed_at = e.at, {name}_changed_by = e.actor_label,
            {name}_changed_by_id = CASE WHEN e.actor_label <> 'erased person' OR e.actor_id = m.user_id THEN e.actor_id END
        FROM (
            SELECT DISTINCT ON (org_id, target_user_id) org_id, target_user_id, at, actor_id, actor_label,
                CAST(detail -> '{column}' ->> 1 AS boolean) AS value
            FROM audit_event WHERE action = 'settings.changed' AND detail -> '{column}' IS NOT NULL
            ORDER BY org_id, target_user_id, id DESC
        ) e
        WHERE e.org_id = m.org_id AND e.target_user_id = m.user_id AND e.value = m.{column}
    """


def downgrade() -> None:
    for name, _column in SWITCHES:
        op.execute(
            f"ALTER TABLE membership DROP COLUMN {name}_changed_at, DROP COLUMN {name}_changed_by, "
            f"DROP COLUMN {name}_changed_by_id"
        )
