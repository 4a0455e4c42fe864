"""The text of a memory: what is cleaned out of it, when two texts are equal, how long it is.

Pure functions of the text alone. They hold for memories and knowledge, captured or written by hand.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata

from webapp.errors import Invalid

MIN_LENGTH = 10
MAX_LENGTH = 10_000

NUL_MESSAGE = "Null characters are not allowed."
SURROGATE_MESSAGE = "Lone surrogates are not allowed."
TOO_SHORT_MESSAGE = f"Ensure this field has at least {MIN_LENGTH} characters."
TOO_LONG_MESSAGE = f"Ensure this field has no more than {MAX_LENGTH} characters."

_SURROGATE = re.compile("[\ud800-\udfff]")
_LINE_BREAK = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
# Controls but tab and line feed; soft hyphen; grapheme joiner; bidi marks, embeddings and
# isolates; zero-width space, word joiner and the invisible operators; Hangul fillers;
# interlinear annotation; noncharacters; the tag block, which can carry hidden sentences.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x9f\xad\u034f\u061c\u180e\u200b\u200e\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufdd0-\ufdef\ufeff\uffa0\ufff9-\ufffb\ufffe\uffff"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)
# Only the first variation selector after a character means anything; a run of them is a
# known way to hide text.
_SELECTOR_RUN = re.compile("([\ufe00-\ufe0f\U000e0100-\U000e01ef])[\ufe00-\ufe0f\U000e0100-\U000e01ef]+")
# More marks on one letter than any language has cost quadratic time to bring into order (Unicode's Stream-Safe Text
# Format, UAX 15, allows as many).
MAX_MARKS = 30
_MARKS = "".join(chr(code) for code in range(0x300, 0x1E950) if unicodedata.combining(chr(code)))
_MARK_RUN = re.compile(f"([{_MARKS}]{{{MAX_MARKS}}})[{_MARKS}]+")
_SELECTOR = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]")
_JOINER = re.compile("[\u200c\u200d]+")
# Scripts in which a joiner or non-joiner changes the word: Arabic to Mongolian, without the
# scripts between that have no use for one, and the Arabic supplements.
_JOINING_LETTER = re.compile("[\u0600-\u08ff\u0900-\u0dff\u1000-\u109f\u1780-\u18af\ua8e0-\ua8ff]")


def clean(text: str) -> str:
    """Return the text without what cannot be seen, trimmed; line breaks become ``\\n``.

    Removed: NUL, lone surrogates and other controls, bidi marks, zero-width and tag characters, noncharacters, all but
    the first of a run of variation selectors, all but 30 of a run of combining marks. The zero-width (non-)joiner stays
    where it spells something (Persian, Indic scripts, emoji sequences). Idempotent.
    """
    text = _LINE_BREAK.sub("\n", text)
    text = _INVISIBLE.sub("", text)
    text = _MARK_RUN.sub(r"\1", text)
    text = _JOINER.sub(_keep_spelling_joiner, text)
    return _SELECTOR_RUN.sub(r"\1", text).strip()


def _keep_spelling_joiner(match: re.Match[str]) -> str:
    before = match.string[: match.start()][-2:]
    after = match.string[match.end() : match.end() + 1]
    if not before or not after:
        return ""
    spells = _JOINING_LETTER.match(before[-1]) and _JOINING_LETTER.match(after)
    return match.group()[0] if spells or (_ends_in_symbol(before) and _is_symbol(after)) else ""


def _ends_in_symbol(text: str) -> bool:
    return _is_symbol(_SELECTOR.sub("", text)[-1:])


def _is_symbol(character: str) -> bool:
    return bool(character) and unicodedata.category(character) in {"So", "Sk"}


def normalise(text: str) -> str:
    """Return the form in which two texts are the same memory: equal forms, equal memory.

    Folded, because none of it changes what is said: invisible characters (:func:`clean`),
    canonical Unicode forms (NFC), the kind and amount of white space, letter case, variation
    selectors. Not folded: accents, width and superscripts (NFKC would make 2² into 22),
    punctuation, and ``ß``, which full case folding turns into ``ss`` and so German *Maße* into
    *Masse*. A dotted capital İ folds to i, as Turkish writes it; an undotted ı stays itself.
    """
    text = unicodedata.normalize("NFC", _SELECTOR.sub("", clean(text)))
    text = text.replace("\u1e9e", "ß").replace("\u0130", "i")
    folded = "ß".join(part.casefold() for part in text.split("ß"))
    return " ".join(unicodedata.normalize("NFC", folded).split())


def content_hash(text: str) -> bytes:
    """Return the SHA-256 (32 bytes) of the normalised text, the key of "exactly the same"."""
    return hashlib.sha256(normalise(text).encode()).digest()


def display_width(text: str) -> int:
    """Return the length in characters (NFC), wide East Asian ones counting two.

    Ten Latin letters say about as much as five Chinese ones; limits on captured memories are
    in this measure.
    """
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in unicodedata.normalize("NFC", text))


def check(text: str) -> str:
    """Return text written by hand, cleaned, or raise :class:`Invalid` for the field ``content``.

    Characters that no keyboard sends (NUL, lone surrogates) are refused rather than cleaned, so
    that a broken client hears of it. Length is counted in characters after cleaning.
    """
    if "\x00" in text:
        raise Invalid({"content": [NUL_MESSAGE]})
    if _SURROGATE.search(text):
        raise Invalid({"content": [SURROGATE_MESSAGE]})
    cleaned = clean(text)
    if len(cleaned) < MIN_LENGTH:
        raise Invalid({"content": [TOO_SHORT_MESSAGE]})
    if len(cleaned) > MAX_LENGTH:
        raise Invalid({"content": [TOO_LONG_MESSAGE]})
    return cleaned
