"""What somebody typed into a search over a whole agent, as a query of its word index."""

from __future__ import annotations

import re

# What the index takes apart, see the migration that makes it: white space and ASCII punctuation.
_BETWEEN = re.compile(r"[\s!-/:-@\[-`{-~]+")
# Scripts that put no spaces between words: there only a substring finds anything.
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]"
)
LONGEST_WORD = 200


def word_query(typed: str) -> str | None:
    """A `to_tsquery` text that finds every word as typed or as the beginning of one; None where words do not help.

    That is the case for scripts without spaces and for what holds no letter or digit.
    """
    words = [word for word in _BETWEEN.split(typed.lower()) if any(map(str.isalnum, word))]
    if not words or _UNSPACED.search(typed) or any(len(word) > LONGEST_WORD for word in words):
        return None
    return " & ".join(f"'{word}':*" for word in words)
