"""What a view answers to an action: results, refusals, receipts."""

from __future__ import annotations

MESSAGES = {
    "result.memory_created": "Memory created successfully",
    "result.memory_updated": "Memory updated successfully",
    "result.memory_deleted": "Memory deleted successfully",
    "result.memories_deleted.one": "{n:,} memory deleted successfully",
    "result.memories_deleted.other": "{n:,} memories deleted successfully",
    "result.memories_restored.one": "{n:,} memory restored",
    "result.memories_restored.other": "{n:,} memories restored",
    "result.memory_forgotten": "Deleted, and the same statement will not be remembered again",
    "result.memory_purged": "Memory deleted for good",
    "result.memory_exists": "This memory already exists.",
    "result.restore_conflict": "The same has been saved anew meanwhile: delete one of the two first.",
    "result.undo_gone": "There is nothing left to bring back.",
    "result.user_needed": "Say whose memory this is.",
    "result.user_unknown": "No users found.",
    "result.history_removed": "Removed from history",
    "result.setting_saved": "Memory setting updated",
    "result.setting_failed": "Couldn't update memory setting",
    "confirm.purge": "It is taken out of the database for good, with its history. This cannot be undone.",
    "confirm.purge_button": "Delete 1 memory for good",
    "result.password_saved": "Password saved",
}
