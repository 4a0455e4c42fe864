"""The block that is put before the model: one list item per memory, whatever its text contains."""

from __future__ import annotations

import re
from collections.abc import Sequence

from webapp.memory.types import KnowledgeView, MemoryView

KNOWLEDGE, ABOUT_USER, FROM_CONVERSATIONS = (
    "## Agent Knowledge",
    "## User Information",
    "## Relevant Context from Previous Conversations",
)
# What could end the item or start another thing in Markdown or in a tag-based prompt: code fences and closing tags.
_FENCE = re.compile(r"`{3,}|~{3,}")
_TAG = re.compile(r"<(?=[/!?a-zA-Z])")


def render(
    knowledge: Sequence[KnowledgeView], global_memories: Sequence[MemoryView], agent_memories: Sequence[MemoryView]
) -> str:
    """The three sections in this order, empty ones left out; nothing at all is the empty string."""
    sections = (
        (KNOWLEDGE, [item(entry.content) for entry in knowledge]),
        (ABOUT_USER, [item(memory.content) for memory in global_memories]),
        (FROM_CONVERSATIONS, [item(_filed(memory)) for memory in agent_memories]),
    )
    return "\n\n".join(f"{heading}\n" + "\n".join(items) for heading, items in sections if items)


def item(text: str) -> str:
    """One Markdown list item. Line breaks become spaces, so no heading or list can begin; fences and tags are defused."""
    line = " ".join(text.split())
    line = _FENCE.sub(lambda match: "'" * len(match.group()), line)
    return "- " + _TAG.sub("‹", line)


def _filed(memory: MemoryView) -> str:
    name = memory.category.name if memory.category else ""
    return f"[{name.replace('[', '(').replace(']', ')')}] {memory.content}" if name else memory.content
