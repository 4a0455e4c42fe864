"""There is no code path from a conversation to agent knowledge (spec, *Three scopes of memory*)."""

from __future__ import annotations

import re
from pathlib import Path

import grimp
import pytest

ROOT = Path(__file__).resolve().parents[2]
KNOWLEDGE = "webapp.memory.knowledge"
FROM_CONVERSATIONS = (
    "webapp.capture",
    "webapp.inbox",
    "webapp.memory.write",
    "webapp.graph",
    "webapp.llm",
    "jobs.drain",
)


@pytest.mark.parametrize("source", FROM_CONVERSATIONS)
def test_what_handles_conversations_never_reaches_knowledge(source: str) -> None:
    graph = grimp.build_graph("webapp", "jobs", cache_dir=None)
    if source not in graph.modules:
        pytest.fail(f"{source} is gone: name its successor here")
    chain = graph.find_shortest_chain(source, KNOWLEDGE, as_packages=source.count(".") == 1 and "drain" not in source)
    assert chain is None, " → ".join(chain or ())


# Beside the verbs themselves: purging, taking an erased author's name out, and the invented demo. None of these is
# reached by a conversation, which the test above holds for the first and the layers for the others.
WRITERS = (
    "webapp/directory/demo_story.py",
    "webapp/memory/knowledge.py",
    "webapp/memory/knowledge_archive.py",
    "webapp/privacy/store.py",
)


def test_only_its_own_modules_write_the_knowledge_table() -> None:
    writes = re.compile(r"(insert|update|delete)\(Knowledge\)|(INSERT INTO|UPDATE|DELETE FROM)\s+knowledge\b")
    makes = re.compile(r"from webapp\.db\.models import [^\n]*\bKnowledge\b(.|\n)*\bKnowledge\(")
    found = {
        str(path.relative_to(ROOT)): path.read_text()
        for folder in ("webapp", "jobs")
        for path in (ROOT / folder).rglob("*.py")
        if "db/models" not in str(path)
    }
    writers = [name for name, text in found.items() if writes.search(text) or makes.search(text)]
    assert sorted(writers) == list(WRITERS)
