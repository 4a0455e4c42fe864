"""Which script and language a text is in, and whether a candidate was translated from what the user said.

Certain or silent: a text whose language is not plain is of no language, and nothing is ever turned away for it.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from webapp.capture.vocabulary import by_language

# Three ideographs carry about as much as two words; one syllable of Hangul or kana as half a word.
_UNITS = {"han": 0.6, "kana": 0.5, "hangul": 0.5, "thai": 0.2}
_SCRIPTS = (
    ("kana", re.compile(r"[\u3041-\u30ff\u31f0-\u31ff\uff66-\uff9f]")),
    ("han", re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")),
    ("hangul", re.compile(r"[\uac00-\ud7af\u1100-\u11ff\u3131-\u318e]")),
    ("thai", re.compile(r"[\u0e01-\u0e5b]")),
    ("cyrillic", re.compile(r"[\u0400-\u052f]+")),
    ("arabic", re.compile(r"[\u0600-\u06ff\u0750-\u077f\ufb50-\ufdff\ufe70-\ufeff]+")),
    ("devanagari", re.compile(r"[\u0900-\u097f]+")),
    ("greek", re.compile(r"[\u0370-\u03ff\u1f00-\u1fff]+")),
    ("hebrew", re.compile(r"[\u0590-\u05ff]+")),
    ("latin", re.compile(r"[A-Za-z\u00c0-\u024f\u1e00-\u1eff]+(?:['’][A-Za-z\u00c0-\u024f]+)*")),
)
_OF_SCRIPT = {
    "cyrillic": "russian",
    "arabic": "arabic",
    "devanagari": "hindi",
    "greek": "greek",
    "hebrew": "hebrew",
    "thai": "thai",
    "hangul": "korean",
    "kana": "japanese",
    "han": "chinese",
}
# A word of one language's list alone says more than one that several share.
_OWN, _SHARED = 2.0, 0.7
_CERTAIN = 3.0
_MARGIN = 2.0


def scripts(text: str) -> dict[str, float]:
    """How many words, or what weighs as one, a text has in each script. Kana make a text's ideographs Japanese."""
    found = {name: len(pattern.findall(text)) * _UNITS.get(name, 1.0) for name, pattern in _SCRIPTS}
    if found["kana"]:
        found["kana"] += found.pop("han")
    return {name: units for name, units in found.items() if units}


def script(text: str) -> str | None:
    """The script that most of the text is in, None where there are no letters of a known one."""
    units = scripts(text)
    return max(units, key=lambda name: units[name]) if units else None


def language(text: str) -> str | None:
    """The text's language in English ("spanish") where it is plain, else None.

    Scripts stand for their commonest language: Cyrillic for Russian, Arabic for Arabic. That is enough to tell two
    texts apart and to pick lists of words.
    """
    main = script(text)
    if main is None:
        return None
    if main != "latin":
        return _OF_SCRIPT[main]
    scores = _scores(text)
    best = max(scores, key=lambda name: scores[name])
    second = max(score for name, score in scores.items() if name != best)
    return best if scores[best] >= _CERTAIN and scores[best] >= second * _MARGIN else None


def likely_language(text: str) -> str:
    """The language whose lists of words fit best; English where none is plainly better."""
    main = script(text)
    if main not in (None, "latin"):
        return _OF_SCRIPT[main]
    scores = _scores(text)
    best = max(scores, key=lambda name: scores[name])
    return best if scores[best] > scores["english"] else "english"


def is_translated(candidate: str, spoken: str) -> bool:
    """Whether a candidate is surely in another language than what the user said.

    By script: the candidate has no word of the user's main script, or is in one that the user did not use. By words
    of Latin script: both languages are plain and differ.
    """
    said, kept = scripts(spoken), scripts(candidate)
    if not said or not kept:
        return False
    main, told = script(spoken), script(candidate)
    if main != told and told is not None and main is not None:
        return _changed_script(said, kept, main, told)
    if main != "latin":
        return False
    spoken_language, told_language = language(spoken), language(candidate)
    if spoken_language and told_language:
        return spoken_language != told_language
    return bool(told_language) and _speaks_another(candidate, spoken, str(told_language))


def _changed_script(said: dict[str, float], kept: dict[str, float], main: str, told: str) -> bool:
    kept_main, said_told = kept.get(main, 0.0), said.get(told, 0.0)
    if {main, told} == {"han", "kana"}:
        # A Japanese line may be ideographs alone; a Chinese memory of a Japanese line has no kana at all.
        return main == "kana" and said["kana"] >= 3
    if not said_told:
        # "Python" in a memory of a Chinese line is a name; a whole memory in Latin letters is not.
        return kept[told] > 2 or not kept_main
    return said[main] > said_told and not kept_main and kept[told] > 2


def _speaks_another(candidate: str, spoken: str, told: str) -> bool:
    """A short line with no word of the candidate's language, two of another's, and nothing in common but names."""
    scores = _scores(spoken)
    if scores[told] or max(scores.values()) < 2 * _SHARED:
        return False
    common = by_language("function_words.txt")[told] | by_language("telltale_words.txt")[told]
    line = spoken.casefold()
    plain = (word for word in re.findall(r"\b[^\W\d_A-Z][^\W\d_]{3,}\b", candidate) if word not in common)
    return not any(word[: max(4, len(word) - 2)] in line for word in plain)


@lru_cache(maxsize=256)
def _scores(text: str) -> dict[str, float]:
    """How well each language's lists fit a text. Every language is in it, in the order of the lists."""
    folded = unicodedata.normalize("NFC", text.casefold()).replace("’", "'")
    lists, telltale = by_language("function_words.txt"), by_language("telltale_words.txt")
    scores = dict.fromkeys(lists, 0.0)
    for word in sorted(set(re.findall(r"[^\W\d_]+(?:'[^\W\d_]+)*", folded))):
        owners = [name for name in lists if word in lists[name] or word in telltale[name]]
        for name in owners:
            scores[name] += _OWN if len(owners) == 1 else _SHARED
    return scores
