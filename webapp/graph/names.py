"""When two names are the same entity's. Pure functions of the names alone.

Equal keys are the same name; equal loose keys, an initialism or one slip of the hand are near names, which point to
an entity where no other one fits. A different figure or a different word is never near: "iPhone 14" is not "iPhone 15".
"""

from __future__ import annotations

import re
import unicodedata

from webapp.memory.content import normalise

# "C", "C++", "C#" and ".NET" are names of different things.
_EDGE = re.compile(r"^[^\w.#]+|[^\w+#]+$")
_POSSESSIVE = re.compile(r"(?<=\w)['’]s?$")
_ARTICLE = re.compile(r"^(?:the|a|an)\s+", re.IGNORECASE)
_LEGAL_FORMS = frozenset(
    {"inc", "incorporated", "corp", "corporation", "co", "company", "ltd", "limited", "llc", "llp", "lp", "plc", "pty"}
    | {"gmbh", "ag", "kg", "se", "sa", "sas", "sarl", "srl", "spa", "bv", "nv", "oy", "ab", "as"}
)
_HONORIFICS = frozenset(
    {
        "mr",
        "mrs",
        "ms",
        "miss",
        "mx",
        "dr",
        "prof",
        "professor",
        "sir",
        "dame",
        "rev",
        "herr",
        "frau",
        "madame",
        "señor",
    }
)
_WORD = re.compile(r"[^\W_]+(?:\+\+|#)?")
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]"
)
_IN_PARENTHESES = re.compile(r"^(?P<name>[^()]{1,160}?)\s*\((?P<other>[^()]{1,40})\)$")
_SHORTEST_SLIP = 6
_SHORTEST_INITIALISM = 3


def key(name: str) -> str:
    """Return the form in which two names are equal: case, white space, quotes, article and possessive folded.

    Empty for a name without a letter or figure.
    """
    folded = _POSSESSIVE.sub("", _EDGE.sub("", normalise(name)))
    return _ARTICLE.sub("", folded) if any(letter.isalnum() for letter in folded) else ""


def loose_key(name: str) -> str:
    """Return the form in which two names are near: letters and figures alone, without accents, titles and legal forms."""
    words = [word for word in _words(name) if word not in _HONORIFICS]
    while len(words) > 1 and words[-1] in _LEGAL_FORMS:
        words.pop()
    return "".join(words)


def initials(name: str) -> str | None:
    """Return the initialism of a name of three words or more; None for a shorter one or one with figures."""
    words = [word for word in _words(name) if word not in {"of", "the", "and", "for", "in"}]
    found = "".join(word[0] for word in words)
    return found if len(found) >= _SHORTEST_INITIALISM and found.isalpha() else None


def aliases(name: str) -> tuple[str, ...]:
    """Return the names that one name is made of: "Apple (AAPL)" is also "Apple" and "AAPL"."""
    match = _IN_PARENTHESES.match(name.strip())
    if not match or not all(word[0].isupper() or word[0].isdigit() for word in _WORD.findall(match["other"])):
        return ()
    return tuple(part for part in (match["name"].strip(), match["other"].strip()) if key(part))


def slipped(one: str, other: str) -> bool:
    """Whether two names differ by one letter too many, or by two letters that changed places, inside a long word.

    Not at a word's ends, where a letter changes gender or number (Mario, Maria), and never in a figure.
    """
    first, second = _words(one), _words(other)
    if len(first) != len(second):
        return sorted(first) == sorted(second)
    different = [(a, b) for a, b in zip(first, second, strict=True) if a != b]
    return len(different) == 1 and _one_slip(*different[0])


def occurs(name: str, text: str) -> bool:
    """Whether a name stands in a text as whole words, however it is capitalised or spaced.

    In a script that does not set words apart, anywhere in it.
    """
    if _UNSPACED.search(name):
        return normalise(name) in normalise(text)
    sought, words = _words(name), _words(text)
    if not sought:
        return False
    # A possessive ending is a word of its own here: "Apple's" is "apple", "s".
    return any(words[place : place + len(sought)] == sought for place in range(len(words) - len(sought) + 1))


def _words(text: str) -> list[str]:
    decomposed = unicodedata.normalize("NFKD", text).casefold()
    return _WORD.findall("".join(letter for letter in decomposed if not unicodedata.combining(letter)))


def _one_slip(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    if len(short) < _SHORTEST_SLIP or not (short.isalpha() and long.isalpha()) or short[0] != long[0]:
        return False
    if len(long) == len(short) + 1:
        return short[-1] == long[-1] and any(long[:at] + long[at + 1 :] == short for at in range(1, len(long) - 1))
    if len(long) != len(short):
        return False
    apart = [place for place in range(len(one)) if one[place] != other[place]]
    swapped = len(apart) == 2 and apart[1] == apart[0] + 1
    return swapped and one[apart[0]] == other[apart[1]] and one[apart[1]] == other[apart[0]]
