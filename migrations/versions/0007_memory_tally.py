"""How many live memories an agent holds of each person in each category: counted along, since millions take seconds."""

from alembic import op

from webapp.db.rls import protect

revision = "0007"
down_revision = "0006"

TABLE = """
CREATE TABLE memory_tally (
    org_id bigint NOT NULL,
    agent_id bigint NOT NULL,
    category_id bigint NOT NULL,
    user_id bigint NOT NULL,
    live bigint NOT NULL,
    CONSTRAINT pk_memory_tally PRIMARY KEY (org_id, agent_id, category_id, user_id) INCLUDE (live),
    CONSTRAINT fk_memory_tally_org_id_user_id FOREIGN KEY (org_id, user_id) REFERENCES subject ON DELETE CASCADE,
    CONSTRAINT fk_memory_tally_org_id_agent_id_category_id FOREIGN KEY (org_id, agent_id, category_id)
        REFERENCES category (org_id, agent_id, id) ON DELETE CASCADE
);
CREATE INDEX ix_memory_tally_user ON memory_tally (org_id, user_id);
"""


def upgrade() -> None:
    op.execute(TABLE)
    op.execute(
        "INSERT INTO memory_tally (org_id, agent_id, category_id, user_id, live) "
        "SELECT org_id, agent_id, category_id, user_id, count(*) FROM memory "
        "WHERE agent_id IS NOT NULL AND deleted_at IS NULL AND superseded_at IS NULL GROUP BY 1, 2, 3, 4"
    )
    protect("memory_tally")


def downgrade() -> None:
    op.execute("DROP TABLE memory_tally")
