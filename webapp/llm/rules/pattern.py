"""What a pattern is: a clause in first-person spelling, and what its object must be."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from webapp.llm.rules.checks import anything

Kind = Literal["work", "place", "study", "family", "pastime", "preference", "struggle", "goal", "achievement"]

# Stands for "ADV " in a pattern.
_ADVERB = (
    r"(?:(?:now|currently|always|usually|mostly|mainly|often|sometimes|generally|finally|"
    r"already|normally|originally|constantly|recently|typically|primarily|strongly|"
    r"much|eventually|never|rarely|presently) )*"
)


@dataclass(frozen=True, slots=True)
class Pattern:
    """``words`` has a group ``object``, from which on the clause may be cut short; ``accepts`` judges it then."""

    kind: Kind
    words: re.Pattern[str]
    accepts: Callable[[str], bool]


def pattern(kind: Kind, words: str, accepts: Callable[[str], bool] = anything) -> Pattern:
    """Return the pattern for a kind. "ADV " in ``words`` stands for any number of adverbs."""
    return Pattern(kind, re.compile(words.replace("ADV ", _ADVERB), re.IGNORECASE), accepts)
