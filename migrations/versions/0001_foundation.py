"""Foundation: people and orgs, memories and their vectors, the inbox, history and audit."""

from alembic import op

from webapp.db.rls import definer, protect

revision = "0001"
down_revision = None

PROTECTED = (
    "membership", "subject", "agent", "agent_role", "category", "inbox", "memory", "memory_vector", "memory_search", "tombstone",
    "knowledge", "revision", "audit_event",
)

PEOPLE = """
CREATE TABLE org (
    id bigserial CONSTRAINT pk_org PRIMARY KEY,
    key text NOT NULL CONSTRAINT uq_org_key UNIQUE,
    name text NOT NULL,
    time_zone text NOT NULL DEFAULT 'UTC',
    enable_memsearch boolean NOT NULL DEFAULT false,
    memsearch_changed_at timestamptz,
    memsearch_changed_by text,
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE account (
    id bigserial CONSTRAINT pk_account PRIMARY KEY,
    username text NOT NULL,
    email text NOT NULL,
    full_name text NOT NULL DEFAULT '',
    time_zone text,
    password_hash text,
    is_superuser boolean NOT NULL DEFAULT false,
    disabled_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT ck_account_username CHECK (username !~ '^[0-9]*$' AND position('@' in username) = 0)
);
CREATE UNIQUE INDEX uq_account_username ON account (lower(username));
CREATE UNIQUE INDEX uq_account_email ON account (lower(email));
CREATE TABLE login_session (
    id_hash bytea CONSTRAINT pk_login_session PRIMARY KEY,
    account_id bigint NOT NULL CONSTRAINT fk_login_session_account_id REFERENCES account ON DELETE CASCADE,
    browser text NOT NULL DEFAULT '',
    created_at timestamptz NOT NULL DEFAULT now(),
    last_seen_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL
);
CREATE INDEX ix_login_session_account_id ON login_session (account_id);
CREATE TABLE token (
    id bigserial CONSTRAINT pk_token PRIMARY KEY,
    prefix text NOT NULL,
    secret_hash bytea NOT NULL CONSTRAINT uq_token_secret_hash UNIQUE,
    org_id bigint CONSTRAINT fk_token_org_id REFERENCES org ON DELETE CASCADE,
    account_id bigint CONSTRAINT fk_token_account_id REFERENCES account ON DELETE CASCADE,
    name text NOT NULL,
    scopes text[] NOT NULL DEFAULT '{}',
    created_at timestamptz NOT NULL DEFAULT now(),
    created_by text NOT NULL,
    expires_at timestamptz,
    last_used_at timestamptz,
    revoked_at timestamptz
);
CREATE INDEX ix_token_org_id ON token (org_id);
CREATE INDEX ix_token_account_id ON token (account_id);
CREATE TABLE one_time_link (
    secret_hash bytea CONSTRAINT pk_one_time_link PRIMARY KEY,
    account_id bigint NOT NULL CONSTRAINT fk_one_time_link_account_id REFERENCES account ON DELETE CASCADE,
    org_id bigint CONSTRAINT fk_one_time_link_org_id REFERENCES org ON DELETE CASCADE,
    purpose text NOT NULL CONSTRAINT ck_one_time_link_purpose CHECK (purpose IN ('set_password', 'sign_in')),
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL,
    used_at timestamptz
);
CREATE INDEX ix_one_time_link_account_id ON one_time_link (account_id);
CREATE TABLE sign_in_throttle (
    key_hash bytea CONSTRAINT pk_sign_in_throttle PRIMARY KEY,
    failures bigint NOT NULL,
    window_started_at timestamptz NOT NULL DEFAULT now(),
    blocked_until timestamptz
);
CREATE TABLE membership (
    org_id bigint NOT NULL CONSTRAINT fk_membership_org_id REFERENCES org ON DELETE CASCADE,
    user_id bigint NOT NULL CONSTRAINT fk_membership_user_id REFERENCES account ON DELETE CASCADE,
    role text NOT NULL DEFAULT 'member' CONSTRAINT ck_membership_role CHECK (role IN ('admin', 'member')),
    auto_capture_enabled boolean NOT NULL DEFAULT true,
    use_memory_in_responses boolean NOT NULL DEFAULT true,
    settings_updated_at timestamptz,
    epoch bigint NOT NULL DEFAULT 0,
    erased_at timestamptz,
    removed_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT pk_membership PRIMARY KEY (org_id, user_id)
);
CREATE INDEX ix_membership_user_id ON membership (user_id);
CREATE TABLE subject (
    org_id bigint NOT NULL,
    user_id bigint NOT NULL,
    CONSTRAINT pk_subject PRIMARY KEY (org_id, user_id),
    CONSTRAINT fk_subject_org_id_user_id FOREIGN KEY (org_id, user_id) REFERENCES membership ON DELETE CASCADE
);
"""

AGENTS = """
CREATE TABLE agent (
    org_id bigint NOT NULL CONSTRAINT fk_agent_org_id REFERENCES org ON DELETE CASCADE,
    id bigserial,
    unique_id uuid NOT NULL DEFAULT gen_random_uuid(),
    slug text NOT NULL,
    name text NOT NULL,
    description text NOT NULL DEFAULT '',
    enable_memory_component boolean NOT NULL DEFAULT false,
    memory_changed_at timestamptz,
    memory_changed_by text,
    archived_at timestamptz,
    categories_seeded_at timestamptz,
    version bigint NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT pk_agent PRIMARY KEY (org_id, id),
    CONSTRAINT uq_agent_org_id_slug UNIQUE (org_id, slug),
    CONSTRAINT uq_agent_org_id_unique_id UNIQUE (org_id, unique_id)
);
CREATE TABLE agent_role (
    org_id bigint NOT NULL,
    agent_id bigint NOT NULL,
    user_id bigint NOT NULL,
    role text NOT NULL CONSTRAINT ck_agent_role_role CHECK (role IN ('editor', 'viewer')),
    CONSTRAINT pk_agent_role PRIMARY KEY (org_id, agent_id, user_id),
    CONSTRAINT fk_agent_role_org_id_agent_id FOREIGN KEY (org_id, agent_id) REFERENCES agent ON DELETE CASCADE,
    CONSTRAINT fk_agent_role_org_id_user_id FOREIGN KEY (org_id, user_id) REFERENCES membership ON DELETE CASCADE
);
CREATE INDEX ix_agent_role_org_id_user_id ON agent_role (org_id, user_id);
CREATE TABLE category (
    org_id bigint NOT NULL,
    id bigserial,
    agent_id bigint NOT NULL,
    name text NOT NULL,
    slug text NOT NULL,
    description text NOT NULL DEFAULT '',
    extraction_prompt text NOT NULL DEFAULT '',
    is_active boolean NOT NULL DEFAULT true,
    version bigint NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT pk_category PRIMARY KEY (org_id, id),
    CONSTRAINT uq_category_org_id_agent_id_slug UNIQUE (org_id, agent_id, slug),
    CONSTRAINT uq_category_org_id_agent_id_id UNIQUE (org_id, agent_id, id),
    CONSTRAINT fk_category_org_id_agent_id FOREIGN KEY (org_id, agent_id) REFERENCES agent ON DELETE CASCADE
);
CREATE TABLE knowledge (
    org_id bigint NOT NULL,
    id bigserial,
    agent_id bigint NOT NULL,
    content text NOT NULL,
    content_hash bytea NOT NULL,
    created_by_id bigint,
    version bigint NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    deleted_at timestamptz,
    deleted_by text,
    CONSTRAINT pk_knowledge PRIMARY KEY (org_id, id),
    CONSTRAINT fk_knowledge_org_id_agent_id FOREIGN KEY (org_id, agent_id) REFERENCES agent ON DELETE CASCADE
);
CREATE UNIQUE INDEX uq_knowledge_live_content ON knowledge (org_id, agent_id, content_hash) WHERE deleted_at IS NULL;
CREATE INDEX ix_knowledge_org_id_agent_id_created_at ON knowledge (org_id, agent_id, created_at, id);
"""

INBOX = """
CREATE TABLE inbox (
    org_id bigint NOT NULL CONSTRAINT fk_inbox_org_id REFERENCES org ON DELETE CASCADE,
    id bigserial,
    kind text NOT NULL CONSTRAINT ck_inbox_kind CHECK (kind IN ('exchange', 'episode')),
    lane text NOT NULL,
    user_id bigint,
    agent_id bigint,
    session_id text,
    principal text NOT NULL,
    path text NOT NULL,
    idempotency_key text,
    body_hash bytea NOT NULL,
    body jsonb,
    epoch bigint NOT NULL DEFAULT 0,
    occurred_at timestamptz NOT NULL DEFAULT now(),
    state text NOT NULL DEFAULT 'pending'
        CONSTRAINT ck_inbox_state CHECK (state IN ('pending', 'claimed', 'done', 'skipped', 'failed')),
    attempts bigint NOT NULL DEFAULT 0,
    claim uuid,
    lease_until timestamptz,
    next_at timestamptz NOT NULL DEFAULT now(),
    reason text,
    error text,
    created bigint NOT NULL DEFAULT 0,
    superseded bigint NOT NULL DEFAULT 0,
    duplicates bigint NOT NULL DEFAULT 0,
    rejected bigint NOT NULL DEFAULT 0,
    rejections jsonb NOT NULL DEFAULT '{}',
    model text,
    tokens_in bigint,
    tokens_out bigint,
    created_at timestamptz NOT NULL DEFAULT now(),
    done_at timestamptz,
    CONSTRAINT pk_inbox PRIMARY KEY (org_id, id),
    CONSTRAINT uq_inbox_org_id_principal_path_idempotency_key UNIQUE (org_id, principal, path, idempotency_key),
    CONSTRAINT fk_inbox_org_id_user_id FOREIGN KEY (org_id, user_id) REFERENCES subject ON DELETE CASCADE,
    CONSTRAINT fk_inbox_org_id_agent_id FOREIGN KEY (org_id, agent_id) REFERENCES agent ON DELETE CASCADE
);
CREATE INDEX ix_inbox_pending ON inbox (org_id, next_at) WHERE state = 'pending';
CREATE INDEX ix_inbox_claimed ON inbox (org_id, lease_until) WHERE state = 'claimed';
CREATE UNIQUE INDEX uq_inbox_running_lane ON inbox (org_id, lane) WHERE state = 'claimed';
CREATE INDEX ix_inbox_unfinished_lane ON inbox (org_id, lane, id) WHERE state IN ('pending', 'claimed');
CREATE INDEX ix_inbox_finished ON inbox (org_id, done_at) WHERE done_at IS NOT NULL;
CREATE INDEX ix_inbox_user ON inbox (org_id, user_id, id);
CREATE INDEX ix_inbox_agent ON inbox (org_id, agent_id);
"""

# toast_tuple_target keeps the 3 kB halfvec in the row itself: exact search then reads no second table.
MEMORY = """
CREATE TABLE memory (
    org_id bigint NOT NULL,
    id bigserial,
    user_id bigint NOT NULL,
    agent_id bigint,
    category_id bigint,
    content text NOT NULL,
    content_hash bytea NOT NULL,
    origin text NOT NULL CONSTRAINT ck_memory_origin CHECK (origin IN ('captured', 'manual', 'imported')),
    source_session_id text,
    source_exchange_id bigint,
    evidence text,
    occurred_at timestamptz NOT NULL DEFAULT now(),
    version bigint NOT NULL DEFAULT 1,
    edited_by text,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    deleted_at timestamptz,
    deleted_by text,
    delete_batch uuid,
    superseded_at timestamptz,
    superseded_by_id bigint,
    embed_due_at timestamptz,
    CONSTRAINT pk_memory PRIMARY KEY (org_id, id),
    CONSTRAINT ck_memory_scope CHECK ((agent_id IS NULL) = (category_id IS NULL)),
    CONSTRAINT fk_memory_org_id_user_id FOREIGN KEY (org_id, user_id) REFERENCES subject ON DELETE CASCADE,
    CONSTRAINT fk_memory_org_id_agent_id_category_id FOREIGN KEY (org_id, agent_id, category_id)
        REFERENCES category (org_id, agent_id, id)
);
CREATE UNIQUE INDEX uq_memory_live_content ON memory (org_id, user_id, agent_id, content_hash) NULLS NOT DISTINCT
    WHERE deleted_at IS NULL AND superseded_at IS NULL;
CREATE INDEX ix_memory_user ON memory (org_id, user_id, agent_id, created_at DESC, id DESC)
    WHERE deleted_at IS NULL AND superseded_at IS NULL;
CREATE INDEX ix_memory_agent ON memory (org_id, agent_id, created_at DESC, id DESC)
    WHERE deleted_at IS NULL AND superseded_at IS NULL AND agent_id IS NOT NULL;
CREATE INDEX ix_memory_category ON memory (org_id, agent_id, category_id);
CREATE INDEX ix_memory_deleted ON memory (org_id, deleted_at) WHERE deleted_at IS NOT NULL;
CREATE INDEX ix_memory_superseded_by ON memory (org_id, superseded_by_id) WHERE superseded_by_id IS NOT NULL;
CREATE INDEX ix_memory_embed_due ON memory (org_id, embed_due_at) WHERE embed_due_at IS NOT NULL;
CREATE INDEX ix_memory_source ON memory (org_id, source_exchange_id) WHERE source_exchange_id IS NOT NULL;
CREATE TABLE memory_vector (
    org_id bigint NOT NULL,
    user_id bigint NOT NULL,
    memory_id bigint NOT NULL,
    embedding_model text NOT NULL,
    agent_id bigint,
    embedding halfvec(1536) STORAGE PLAIN NOT NULL,
    CONSTRAINT pk_memory_vector PRIMARY KEY (org_id, user_id, memory_id, embedding_model),
    CONSTRAINT fk_memory_vector_org_id_memory_id FOREIGN KEY (org_id, memory_id) REFERENCES memory ON DELETE CASCADE
) WITH (toast_tuple_target = 8160);
CREATE INDEX ix_memory_vector_memory ON memory_vector (org_id, memory_id);
-- The key holds the whole row, so a user's rows lie together in it and a search reads nothing else (docs/recall.md).
CREATE TABLE memory_search (
    org_id bigint NOT NULL,
    user_id bigint NOT NULL,
    memory_id bigint NOT NULL,
    agent_id bigint,
    session_key bigint NOT NULL,
    said_at timestamptz NOT NULL,
    terms bytea STORAGE PLAIN NOT NULL,
    CONSTRAINT pk_memory_search PRIMARY KEY (org_id, user_id, memory_id) INCLUDE (agent_id, session_key, said_at, terms),
    CONSTRAINT fk_memory_search_org_id_memory_id FOREIGN KEY (org_id, memory_id) REFERENCES memory ON DELETE CASCADE
);
CREATE INDEX ix_memory_search_memory ON memory_search (org_id, memory_id);
CREATE TABLE tombstone (
    org_id bigint NOT NULL,
    id bigserial,
    user_id bigint NOT NULL,
    agent_id bigint,
    keyed_hash bytea NOT NULL,
    source_exchange_id bigint,
    deleted_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT pk_tombstone PRIMARY KEY (org_id, id),
    CONSTRAINT fk_tombstone_org_id_user_id FOREIGN KEY (org_id, user_id) REFERENCES subject ON DELETE CASCADE
);
CREATE INDEX ix_tombstone_hash ON tombstone (org_id, user_id, keyed_hash);
CREATE INDEX ix_tombstone_source ON tombstone (org_id, user_id, source_exchange_id);
"""

# A loose index scan: one probe per org that has unfinished work, however long its backlog is.
DUE_ORGS = """
WITH RECURSIVE waiting(org_id) AS (
    SELECT min(org_id) FROM inbox WHERE state = 'pending'
    UNION ALL
    SELECT (SELECT min(i.org_id) FROM inbox i WHERE i.state = 'pending' AND i.org_id > w.org_id)
    FROM waiting w WHERE w.org_id IS NOT NULL
)
SELECT w.org_id FROM waiting w
WHERE EXISTS (
    SELECT FROM inbox i WHERE i.org_id = w.org_id AND i.state = 'pending' AND i.next_at <= clock_timestamp()
)
UNION
SELECT org_id FROM inbox WHERE state = 'claimed' AND lease_until < clock_timestamp()
"""

HISTORY = """
CREATE TABLE revision (
    org_id bigint NOT NULL CONSTRAINT fk_revision_org_id REFERENCES org ON DELETE CASCADE,
    id bigserial,
    object_kind text NOT NULL CONSTRAINT ck_revision_object_kind CHECK (object_kind IN ('memory', 'knowledge', 'category')),
    object_id bigint NOT NULL,
    user_id bigint,
    agent_id bigint,
    action text NOT NULL,
    version bigint NOT NULL,
    before jsonb,
    after jsonb,
    actor_id bigint,
    actor_label text NOT NULL,
    how text NOT NULL,
    at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT pk_revision PRIMARY KEY (org_id, id),
    CONSTRAINT fk_revision_org_id_user_id FOREIGN KEY (org_id, user_id) REFERENCES subject ON DELETE CASCADE
);
CREATE INDEX ix_revision_object ON revision (org_id, object_kind, object_id, id);
CREATE INDEX ix_revision_user ON revision (org_id, user_id) WHERE user_id IS NOT NULL;
CREATE INDEX ix_revision_actor ON revision (org_id, actor_id);
CREATE TABLE audit_event (
    org_id bigint NOT NULL CONSTRAINT fk_audit_event_org_id REFERENCES org ON DELETE CASCADE,
    id bigserial,
    at timestamptz NOT NULL DEFAULT now(),
    actor_id bigint,
    actor_label text NOT NULL,
    action text NOT NULL,
    target_kind text NOT NULL,
    target_id bigint,
    target_user_id bigint,
    target_label text NOT NULL DEFAULT '',
    detail jsonb NOT NULL DEFAULT '{}',
    request_id text,
    CONSTRAINT pk_audit_event PRIMARY KEY (org_id, id)
);
CREATE INDEX ix_audit_event_at ON audit_event (org_id, at DESC, id DESC);
CREATE INDEX ix_audit_event_actor ON audit_event (org_id, actor_id);
CREATE INDEX ix_audit_event_target_user ON audit_event (org_id, target_user_id);
"""

TABLES = (
    "audit_event", "revision", "tombstone", "memory_search", "memory_vector", "memory", "inbox", "knowledge", "category", "agent_role",
    "agent", "subject", "membership", "sign_in_throttle", "one_time_link", "token", "login_session", "account", "org",
)


def upgrade() -> None:
    for part in (PEOPLE, AGENTS, INBOX, MEMORY, HISTORY):
        op.execute(part)
    for table in PROTECTED:
        protect(table)
    definer(
        "orgs_of_account(account bigint)",
        "SETOF bigint",
        "SELECT org_id FROM membership WHERE user_id = account AND removed_at IS NULL ORDER BY org_id",
    )
    definer(
        "orgs_with_due_work()",
        "SETOF bigint",
        DUE_ORGS,
    )
    definer(
        "orgs_with_unembedded()",
        "SETOF bigint",
        "SELECT DISTINCT org_id FROM memory WHERE embed_due_at <= clock_timestamp()",
    )


def downgrade() -> None:
    op.execute("DROP FUNCTION orgs_of_account(bigint), orgs_with_due_work(), orgs_with_unembedded()")
    for table in TABLES:
        op.execute(f"DROP TABLE {table}")
