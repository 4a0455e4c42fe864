"""Graph memory: groups, episodes, entities with their names, facts with what they rest on, vectors and terms."""

from alembic import op

from webapp.db.rls import protect

revision = "0002"
down_revision = "0001"

GROUPS = """
CREATE TABLE graph_group (
    org_id bigint NOT NULL CONSTRAINT fk_graph_group_org_id REFERENCES org ON DELETE CASCADE,
    id bigserial,
    key text NOT NULL,
    owner_id bigint,
    fact_count bigint NOT NULL DEFAULT 0,
    term_count bigint NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT pk_graph_group PRIMARY KEY (org_id, id),
    CONSTRAINT uq_graph_group_org_id_key UNIQUE (org_id, key),
    CONSTRAINT fk_graph_group_org_id_owner_id FOREIGN KEY (org_id, owner_id) REFERENCES subject ON DELETE CASCADE
);
CREATE INDEX ix_graph_group_owner ON graph_group (org_id, owner_id);
CREATE TABLE graph_episode (
    org_id bigint NOT NULL,
    group_id bigint NOT NULL,
    id bigserial,
    uuid text NOT NULL,
    name text NOT NULL DEFAULT '',
    content text NOT NULL,
    role_type text NOT NULL CONSTRAINT ck_graph_episode_role_type CHECK (role_type IN ('user', 'assistant', 'system')),
    role text NOT NULL DEFAULT '',
    source_description text NOT NULL DEFAULT '',
    occurred_at timestamptz NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    inbox_id bigint,
    CONSTRAINT pk_graph_episode PRIMARY KEY (org_id, group_id, id),
    CONSTRAINT uq_graph_episode_org_id_group_id_uuid UNIQUE (org_id, group_id, uuid),
    CONSTRAINT fk_graph_episode_org_id_group_id FOREIGN KEY (org_id, group_id) REFERENCES graph_group ON DELETE CASCADE
);
CREATE INDEX ix_graph_episode_occurred_at ON graph_episode (org_id, group_id, occurred_at, id);
CREATE INDEX ix_graph_episode_created_at ON graph_episode (org_id, created_at);
"""

# An entity's names hang on the messages that use them: a name that no message uses any more is gone.
ENTITIES = """
CREATE TABLE graph_entity (
    org_id bigint NOT NULL,
    group_id bigint NOT NULL,
    id bigserial,
    uuid text NOT NULL,
    name text NOT NULL,
    summary text NOT NULL DEFAULT '',
    by_hand boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT pk_graph_entity PRIMARY KEY (org_id, group_id, id),
    CONSTRAINT uq_graph_entity_org_id_group_id_uuid UNIQUE (org_id, group_id, uuid),
    CONSTRAINT fk_graph_entity_org_id_group_id FOREIGN KEY (org_id, group_id) REFERENCES graph_group ON DELETE CASCADE
);
CREATE TABLE graph_entity_name (
    org_id bigint NOT NULL,
    group_id bigint NOT NULL,
    name_key text NOT NULL,
    entity_id bigint NOT NULL,
    name text NOT NULL,
    loose_key text NOT NULL,
    initials text,
    by_hand boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT pk_graph_entity_name PRIMARY KEY (org_id, group_id, name_key),
    CONSTRAINT fk_graph_entity_name_org_id_group_id_entity_id FOREIGN KEY (org_id, group_id, entity_id)
        REFERENCES graph_entity ON DELETE CASCADE
);
CREATE INDEX ix_graph_entity_name_entity ON graph_entity_name (org_id, group_id, entity_id);
CREATE INDEX ix_graph_entity_name_loose_key ON graph_entity_name (org_id, group_id, loose_key);
CREATE INDEX ix_graph_entity_name_initials ON graph_entity_name (org_id, group_id, initials) WHERE initials IS NOT NULL;
CREATE TABLE graph_mention (
    org_id bigint NOT NULL,
    group_id bigint NOT NULL,
    episode_id bigint NOT NULL,
    name_key text NOT NULL,
    CONSTRAINT pk_graph_mention PRIMARY KEY (org_id, group_id, episode_id, name_key),
    CONSTRAINT fk_graph_mention_org_id_group_id_episode_id FOREIGN KEY (org_id, group_id, episode_id)
        REFERENCES graph_episode ON DELETE CASCADE,
    CONSTRAINT fk_graph_mention_org_id_group_id_name_key FOREIGN KEY (org_id, group_id, name_key)
        REFERENCES graph_entity_name ON DELETE CASCADE
);
CREATE INDEX ix_graph_mention_name_key ON graph_mention (org_id, group_id, name_key);
"""

# The times of a fact follow from its claims; the columns keep what `webapp.graph.temporal` worked out.
FACTS = """
CREATE TABLE graph_fact (
    org_id bigint NOT NULL,
    group_id bigint NOT NULL,
    id bigserial,
    uuid text NOT NULL,
    source_id bigint NOT NULL,
    target_id bigint NOT NULL,
    relation text NOT NULL,
    content text NOT NULL,
    statement text NOT NULL,
    slot text NOT NULL,
    valid_at timestamptz,
    invalid_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    expired_at timestamptz,
    terms bytea NOT NULL,
    CONSTRAINT pk_graph_fact PRIMARY KEY (org_id, group_id, id),
    CONSTRAINT uq_graph_fact_org_id_group_id_uuid UNIQUE (org_id, group_id, uuid),
    CONSTRAINT uq_graph_fact_org_id_group_id_statement_valid_at UNIQUE NULLS NOT DISTINCT
        (org_id, group_id, statement, valid_at),
    CONSTRAINT ck_graph_fact_interval CHECK (valid_at < invalid_at),
    CONSTRAINT fk_graph_fact_org_id_group_id_source_id FOREIGN KEY (org_id, group_id, source_id)
        REFERENCES graph_entity ON DELETE CASCADE,
    CONSTRAINT fk_graph_fact_org_id_group_id_target_id FOREIGN KEY (org_id, group_id, target_id)
        REFERENCES graph_entity ON DELETE CASCADE
);
CREATE INDEX ix_graph_fact_source ON graph_fact (org_id, group_id, source_id, target_id);
CREATE INDEX ix_graph_fact_target ON graph_fact (org_id, group_id, target_id, source_id);
CREATE INDEX ix_graph_fact_slot ON graph_fact (org_id, group_id, slot);
CREATE TABLE graph_claim (
    org_id bigint NOT NULL,
    group_id bigint NOT NULL,
    id bigserial,
    episode_id bigint NOT NULL,
    fact_id bigint,
    slot text NOT NULL,
    value text NOT NULL,
    statement text,
    starts_at timestamptz,
    ends_at timestamptz,
    CONSTRAINT pk_graph_claim PRIMARY KEY (org_id, group_id, id),
    CONSTRAINT ck_graph_claim_asserts_or_ends CHECK (statement IS NOT NULL OR (fact_id IS NULL AND ends_at IS NOT NULL)),
    CONSTRAINT fk_graph_claim_org_id_group_id_episode_id FOREIGN KEY (org_id, group_id, episode_id)
        REFERENCES graph_episode ON DELETE CASCADE,
    CONSTRAINT fk_graph_claim_org_id_group_id_fact_id FOREIGN KEY (org_id, group_id, fact_id)
        REFERENCES graph_fact ON DELETE CASCADE
);
CREATE INDEX ix_graph_claim_slot ON graph_claim (org_id, group_id, slot);
CREATE INDEX ix_graph_claim_episode ON graph_claim (org_id, group_id, episode_id);
CREATE INDEX ix_graph_claim_fact ON graph_claim (org_id, group_id, fact_id);
"""

# A vector has its model's own length here: an exact search over a group reads a quarter of the bytes where the model
# has a quarter of the dimensions. Only rows of one model are compared, so they have one length.
# Terms are the ranker's 32-bit hashes. Their key holds all there is, so that a search reads nothing but the index.
SEARCH = """
CREATE TABLE graph_entity_vector (
    org_id bigint NOT NULL,
    group_id bigint NOT NULL,
    entity_id bigint NOT NULL,
    embedding_model text NOT NULL,
    embedding halfvec STORAGE PLAIN NOT NULL,
    CONSTRAINT pk_graph_entity_vector PRIMARY KEY (org_id, group_id, entity_id, embedding_model),
    CONSTRAINT fk_graph_entity_vector_org_id_group_id_entity_id FOREIGN KEY (org_id, group_id, entity_id)
        REFERENCES graph_entity ON DELETE CASCADE
) WITH (toast_tuple_target = 8160);
CREATE TABLE graph_fact_vector (
    org_id bigint NOT NULL,
    group_id bigint NOT NULL,
    fact_id bigint NOT NULL,
    embedding_model text NOT NULL,
    embedding halfvec STORAGE PLAIN NOT NULL,
    CONSTRAINT pk_graph_fact_vector PRIMARY KEY (org_id, group_id, fact_id, embedding_model),
    CONSTRAINT fk_graph_fact_vector_org_id_group_id_fact_id FOREIGN KEY (org_id, group_id, fact_id)
        REFERENCES graph_fact ON DELETE CASCADE
) WITH (toast_tuple_target = 8160);
CREATE TABLE graph_term (
    org_id bigint NOT NULL,
    group_id bigint NOT NULL,
    term integer NOT NULL,
    fact_id bigint NOT NULL,
    CONSTRAINT pk_graph_term PRIMARY KEY (org_id, group_id, term, fact_id),
    CONSTRAINT fk_graph_term_org_id_group_id FOREIGN KEY (org_id, group_id) REFERENCES graph_group ON DELETE CASCADE
);
"""

TABLES = (
    "graph_term", "graph_fact_vector", "graph_entity_vector", "graph_claim", "graph_fact", "graph_mention",
    "graph_entity_name", "graph_entity", "graph_episode", "graph_group",
)  # fmt: skip


def upgrade() -> None:
    for part in (GROUPS, ENTITIES, FACTS, SEARCH):
        op.execute(part)
    for table in TABLES:
        protect(table)


def downgrade() -> None:
    op.execute("DELETE FROM inbox WHERE kind = 'episode'")
    for table in TABLES:
        op.execute(f"DROP TABLE {table}")
