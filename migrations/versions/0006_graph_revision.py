"""Which facts of a group have changed since when: an index held in memory reads those alone."""

from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    op.execute("ALTER TABLE graph_group ADD COLUMN revision bigint NOT NULL DEFAULT 0")
    op.execute("ALTER TABLE graph_fact ADD COLUMN revision bigint NOT NULL DEFAULT 0")
    op.execute("CREATE INDEX ix_graph_fact_revision ON graph_fact (org_id, group_id, revision)")


def downgrade() -> None:
    op.execute("ALTER TABLE graph_fact DROP COLUMN revision")
    op.execute("ALTER TABLE graph_group DROP COLUMN revision")
