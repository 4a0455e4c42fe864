"""What the screens read over large agents: counts per category, words in texts, and how conversations ended."""

from alembic import op

from webapp.db.rls import CURRENT_ORG, definer

revision = "0003"
down_revision = "0002"

# Punctuation becomes space, so that the parser sees words only: "list.sort()" is two words, not a host name.
WORDS = r"to_tsvector('simple', regexp_replace(content, '[[:space:][:punct:]]+', ' ', 'g'))"
LIVE = "deleted_at IS NULL AND superseded_at IS NULL AND agent_id IS NOT NULL"

INDEXES = f"""
DROP INDEX ix_memory_category;
CREATE INDEX ix_memory_filed ON memory (org_id, agent_id, category_id, created_at DESC, id DESC) WHERE {LIVE};
CREATE INDEX ix_memory_words ON memory USING gin (({WORDS})) WHERE {LIVE};
DROP INDEX ix_inbox_finished;
CREATE INDEX ix_inbox_finished ON inbox (org_id, done_at) INCLUDE (state) WHERE done_at IS NOT NULL;
CREATE INDEX ix_inbox_failed ON inbox (org_id, id) WHERE state = 'failed';
"""

BEFORE = """
DROP INDEX ix_inbox_failed;
DROP INDEX ix_inbox_finished;
CREATE INDEX ix_inbox_finished ON inbox (org_id, done_at) WHERE done_at IS NOT NULL;
DROP INDEX ix_memory_words;
DROP INDEX ix_memory_filed;
CREATE INDEX ix_memory_category ON memory (org_id, agent_id, category_id);
"""


def upgrade() -> None:
    op.execute(INDEXES)
    # Text search is not leakproof: under the policy alone it could not use its index. The function keeps to the
    # transaction's org itself, and gives ids, which the policy then filters again.
    definer(
        "agent_memories_with(agent bigint, words text)",
        "SETOF bigint",
        f"SELECT id FROM memory WHERE org_id = {CURRENT_ORG} AND agent_id = agent AND {LIVE} "
        f"AND {WORDS} @@ to_tsquery('simple', words)",
    )


def downgrade() -> None:
    op.execute("DROP FUNCTION agent_memories_with(bigint, text)")
    op.execute(BEFORE)
