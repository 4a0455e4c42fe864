"""Texts of My memory."""

from __future__ import annotations

MESSAGES = {
    "profile.title": "My memory",
    "profile.lede": "Manage what the AI remembers about you",
    "profile.settings": "Memory settings",
    "profile.capture": "Allow AI to learn from our conversations",
    "profile.capture_text": "When enabled, the AI will remember useful information from your chats to provide better assistance.",
    "profile.use": "Use my saved information in responses",
    "profile.use_text": "When enabled, the AI will use what it knows about you to personalize responses.",
    "profile.independent": "The two are independent, and neither deletes anything. What is said while learning is off is never learned later.",
    "profile.global": "Global Memories",
    "profile.global_text": "Every agent can use these when it talks to you.",
    "profile.add": "Add Memory",
    "profile.add_to": "Add Memory to {name}",
    "profile.search": "Search my memories",
    "profile.count.one": "{n:,} memory",
    "profile.count.other": "{n:,} memories",
    "profile.nothing": "No saved memories yet.",
    "profile.nothing_text": "What agents learn about you in conversations will show up here. You can also add something yourself.",
    "profile.agents": "What each agent remembers about me",
    "profile.agents_text": "Only that agent uses these.",
    "profile.agents_nothing": "No agent has saved anything about you yet.",
    "profile.agent_all": "Show all {n:,}",
    "profile.data": "Your data",
    "profile.download": "Download everything held about me",
    "profile.download_text": "One JSON file with your memories, their history and what is waiting to be learned from.",
    "profile.erase": "Erase everything held about me",
    "profile.erase_text": "Deletes every memory about you in {org} for good. This cannot be undone.",
    "profile.recently_deleted": "Recently deleted",
    "profile.recently_deleted_of": "Recently deleted: {name}",
}
