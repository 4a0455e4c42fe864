"""Vectors in the length of their model: the zeros that padded the shorter ones were most of the table."""

from alembic import op

revision = "0005"
down_revision = "0004"

PADDED = 1536
# What they have for certain; another model's length is that of its longest row.
KNOWN = {"all-MiniLM-L6-v2": 384, "text-embedding-3-small": 1536}
TABLES = ("memory_vector", "graph_entity_vector", "graph_fact_vector")

# The binary form is two numbers of 16 bits, then one a place; what is left of it without the zeros at its end says
# where the last other value stands. It is read from every row: a sample may miss the one that reaches furthest.
PLACES = " UNION ALL ".join(
    "SELECT embedding_model AS model, (octet_length(rtrim(halfvec_send(embedding), decode('00', 'hex'))) - 3) / 2 "
    f"AS places FROM {table}"
    for table in TABLES
)
SHORTEN = f"""
DO $body$
DECLARE
    own text;
BEGIN
    SELECT 'CASE embedding_model ' || coalesce(string_agg(format('WHEN %L THEN %s', model, longest), ' '),
                                               'WHEN NULL THEN 0') || ' END'
    INTO own FROM (
        SELECT model, CASE model {" ".join(f"WHEN '{model}' THEN {known}" for model, known in KNOWN.items())}
                      ELSE greatest(max(places), 1) END AS longest
        FROM ({PLACES}) found GROUP BY model
    ) models;
    EXECUTE format('ALTER TABLE memory_vector ALTER COLUMN embedding TYPE halfvec USING subvector(embedding, 1, %s), '
                   'ALTER COLUMN embedding SET STORAGE PLAIN', own);
    EXECUTE format('UPDATE graph_entity_vector SET embedding = subvector(embedding, 1, %1$s) '
                   'WHERE vector_dims(embedding) > %1$s', own);
    EXECUTE format('UPDATE graph_fact_vector SET embedding = subvector(embedding, 1, %1$s) '
                   'WHERE vector_dims(embedding) > %1$s', own);
END $body$
"""
LENGTHENED = f"""
    CASE WHEN vector_dims(embedding) = {PADDED} THEN embedding
    ELSE embedding || CAST(array_fill(CAST(0 AS real), ARRAY[{PADDED} - vector_dims(embedding)]) AS halfvec) END
"""


def upgrade() -> None:
    op.execute(SHORTEN)


def downgrade() -> None:
    op.execute(
        f"ALTER TABLE memory_vector ALTER COLUMN embedding TYPE halfvec({PADDED}) "
        f"USING CAST({LENGTHENED} AS halfvec({PADDED})), ALTER COLUMN embedding SET STORAGE PLAIN"
    )
    # The graph had the models that it knew in their own length already.
    for table in ("graph_entity_vector", "graph_fact_vector"):
        known = ", ".join(f"'{model}'" for model in KNOWN)
        op.execute(f"UPDATE {table} SET embedding = {LENGTHENED} WHERE embedding_model NOT IN ({known})")
