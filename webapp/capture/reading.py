"""How capture reads a text: its words, numbers, names and what it is about. Pure, and for all scripts."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from functools import lru_cache, wraps
from typing import TypeVar

from webapp.capture.language import likely_language
from webapp.capture.vocabulary import by_language, lines
from webapp.memory.content import clean

_QUOTES = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛`´ʼ′", "'"),
        **dict.fromkeys("“”„‟«»″「」『』《》〈〉", '"'),
        **dict.fromkeys("‐‑‒–—―−﹣－", "-"),
        "…": "...",
    }
)
# Scripts whose words are not set apart, or carry their particles with them (Hangul): read in pairs of characters.
_UNSPACED = (
    r"\u0e00-\u0e7f\u1000-\u109f\u1780-\u17ff\u3005\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
    r"\U00020000-\U0003ffff"
)
# Combining marks are no word characters to Python, but vowel signs stand inside words.
_MARKS = (
    r"\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670\u0900-\u0903\u093a-\u094f\u0955-\u0957\u0962\u0963\u0980-\u0983"
)
_LETTER = rf"(?:[^\W_{_UNSPACED}]|[{_MARKS}])"
_TOKEN = re.compile(
    rf"[{_UNSPACED}]+|\d{{4}}-\d{{2}}-\d{{2}}|\d+(?:[.,:]\d+)+{_LETTER}{{0,4}}%?"
    rf"|{_LETTER}+(?:['.&/+\-]{_LETTER}+)*(?:[+#]+)?%?"
)
_STARTS_UNSPACED = re.compile(rf"[{_UNSPACED}]")
_KATAKANA = re.compile(r"[ァ-ヺー]{2,}")
_FIGURE = re.compile(r"(?P<number>\d+(?:[.,:]\d+)*)(?P<unit>[^\W\d]*%?)")
_THOUSANDS = re.compile(r"\d{1,3}(?:[.,]\d{3})+")
_ORDINAL = frozenset({"", "st", "nd", "rd", "th", "e", "er", "ème", "º", "ª"})
_HALF_DAY = re.compile(r"(?<=\d) ?([ap])\.?m\b\.?")
HAN_NUMERALS = "二两兩三四五六七八九"
_SUFFIX = re.compile(r"(?:ing|ed|ers?|es|s|ly|e)$")
_CAPITAL = re.compile(r"[^\W\d_][\w'’.\-&+#]*")
_SENTENCE_START = re.compile(r"(?:^|[.!?:;…\n]\s*|[\"“«(]\s*)$")


_CACHED_LENGTH = 600
_Result = TypeVar("_Result")


def _cached(function: Callable[[str], _Result]) -> Callable[[str], _Result]:
    """Keep the results for some short texts: a candidate is read by many rules. Long ones are not worth the memory."""
    kept = lru_cache(maxsize=1024)(function)

    @wraps(function)
    def read(text: str) -> _Result:
        return kept(text) if len(text) <= _CACHED_LENGTH else function(text)

    return read


@_cached
def fold(text: str) -> str:
    """The text as it is compared: cleaned, compatible forms, plain quotes and dashes, single spaces, folded case."""
    text = unicodedata.normalize("NFKC", clean(text).translate(_QUOTES)).translate(_QUOTES)
    return " ".join(unicodedata.normalize("NFC", text.casefold()).split())


@_cached
def tokens(text: str) -> tuple[str, ...]:
    """The folded words of a text in order; a run of an unspaced script is one token, possessive 's is left off."""
    folded = _HALF_DAY.sub(r"\1m", fold(text))
    return tuple(token.removesuffix("'s").removesuffix("'") for token in _TOKEN.findall(folded))


def is_unspaced(token: str) -> bool:
    """Whether a token is of a script that is read in pairs of characters."""
    return bool(_STARTS_UNSPACED.match(token))


@_cached
def content(text: str) -> tuple[str, ...]:
    """What a text is about, in order: its words without function words, numbers and "the user"; pairs if unspaced."""
    lists = by_language("function_words.txt")
    told = likely_language(text)
    idle = lists["english"] | lists.get(told, frozenset()) | _user_words()
    named = _number_words(told)
    found: list[str] = []
    for token in tokens(text):
        if is_unspaced(token):
            found.extend(_pairs(token))
        elif token not in idle and not token[0].isdigit() and _number_word(token, named) is None:
            found.append(token)
    return tuple(found)


@_cached
def figures(text: str) -> tuple[tuple[str, str], ...]:
    """The numbers in a text in order, each as written and as a figure: ("two", "2"), ("2nd", "2"), ("7pm", "7pm")."""
    named = _number_words(likely_language(text))
    found: list[tuple[str, str]] = []
    multiplied: float | None = None
    for token in tokens(text):
        value = _number_word(token, named)
        if value is not None and multiplied is not None and value in (100, 1000, 1_000_000) and found:
            value *= multiplied
            found.pop()
        multiplied = value
        found.extend([(token, f"{value:g}")] if value is not None else ((token, one) for one in _figures(token)))
    return tuple(found)


def numbers(text: str) -> tuple[str, ...]:
    """The numbers in a text as figures, sorted, words as figures: "two", "2" and "2nd" are all "2"."""
    return tuple(sorted(figure for _, figure in figures(text)))


@_cached
def names(text: str) -> frozenset[str]:
    """The names in a text, folded: words capitalised within a sentence, acronyms, foreign runs in unspaced text.

    German writes every noun so, and scripts without capitals hide theirs: there this finds too much or too little.
    """
    cleaned = unicodedata.normalize("NFC", clean(text))
    found = {fold(match.group()) for match in _KATAKANA.finditer(_without_user(cleaned))}
    within_unspaced = _STARTS_UNSPACED.search(cleaned) is not None
    for match in _CAPITAL.finditer(cleaned):
        word = re.sub(r"['’]s?$", "", match.group().rstrip(".'’-&"))
        if not within_unspaced and not _is_capitalised(word, cleaned[max(0, match.start() - 3) : match.start()]):
            continue
        for part in _latin_parts(word) if within_unspaced else [word]:
            found.add(fold(part))
    return frozenset(found - _user_words() - by_language("function_words.txt")["english"] - {""})


def akin(one: str, other: str) -> bool:
    """Whether two words are forms of one: equal, or equal but for an ending."""
    if one[:3] != other[:3]:
        return False
    if one == other:
        return True
    one, other = stem(one), stem(other)
    if one == other:
        return len(one) >= 3
    short, long = sorted((one, other), key=len)
    shared = next(
        (place for place, letters in enumerate(zip(short, long, strict=False)) if letters[0] != letters[1]), len(short)
    )
    return shared >= max(4, len(short) - 2) and len(long) <= len(short) + 3


def holds(words: Iterator[str] | tuple[str, ...] | list[str], word: str) -> bool:
    """Whether one of the words is a form of ``word``."""
    return any(akin(one, word) for one in words)


def _is_capitalised(word: str, before: str) -> bool:
    if any(letter.isupper() for letter in word[1:]):
        return True
    return word[:1].isupper() and len(word) > 1 and not _SENTENCE_START.search(before)


def _latin_parts(word: str) -> list[str]:
    return [part for part in re.findall(r"[A-Za-z\u00c0-\u024f][A-Za-z\u00c0-\u024f0-9+#.\-]+", word) if len(part) > 1]


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """The word without an English ending, at least three letters long."""
    if len(word) <= 3:
        return word
    bare = _SUFFIX.sub("", word)
    if len(bare) > 3 and bare[-1] == bare[-2] and bare[-1] not in "lsaeiou":
        bare = bare[:-1]
    return bare if len(bare) >= 3 else word


def _pairs(run: str) -> list[str]:
    run = _without_user(run)
    return [run[place : place + 2] for place in range(len(run) - 1)] or ([run] if run else [])


def _without_user(text: str) -> str:
    for word in " ".join(lines("user_words_unspaced.txt")).split():
        text = text.replace(word, "")
    return text


def _user_words() -> frozenset[str]:
    return frozenset(" ".join(lines("user_words.txt")).split())


@lru_cache(maxsize=32)
def _number_words(language: str) -> dict[str, float]:
    """The number words of a language. English ones count in English alone: "once" and "six" are others' too."""
    unspaced = {"chinese", "japanese", "korean", "thai"}
    listed = by_language("numbers.txt").get("unspaced" if language in unspaced else language, frozenset())
    return {word: float(value) for word, value in (entry.split("=") for entry in listed)}


def _number_word(token: str, named: dict[str, float]) -> float | None:
    if token in named:
        return named[token]
    parts = token.split("-")
    if len(parts) == 2 and parts[0] in named and (parts[1] in named or parts[1] == "one"):
        return named[parts[0]] + named.get(parts[1], 1.0)
    return None


def _figures(token: str) -> list[str]:
    if is_unspaced(token):
        return [str("一二三四五六七八九".index(_plain_numeral(sign)) + 1) for sign in token if sign in HAN_NUMERALS]
    if re.fullmatch(r"\d{4}-\d{2}-\d{2}", token):
        return [token]
    if not any(sign.isdigit() for sign in token):
        return []
    figure = _FIGURE.fullmatch(re.sub(r"^(\d+)-[a-z].*", r"\1", token))
    if not figure:
        return [token]
    number, unit = figure["number"], figure["unit"]
    number = re.sub(r"[.,]", "", number) if _THOUSANDS.fullmatch(number) else number.replace(",", ".")
    if ":" not in number:
        number = f"{float(number) * (1000 if unit == 'k' else 1):g}" if len(number) < 15 else number
    return [number + (unit if unit in {"am", "pm", "%"} else "")]


def _plain_numeral(sign: str) -> str:
    return "二" if sign in "两兩" else sign
