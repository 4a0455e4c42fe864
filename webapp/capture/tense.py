"""When and how a statement holds: now, no longer, wished for, possible. And one wording for what says the same."""

from __future__ import annotations

import re
from enum import StrEnum

from webapp.capture import reading
from webapp.capture.language import likely_language
from webapp.capture.vocabulary import by_language, words


class Time(StrEnum):
    """The way in which a statement holds."""

    PRESENT = "present"
    PAST = "past"
    AIM = "aim"
    LEARNING = "learning"
    ABILITY = "ability"
    NEED = "need"


# Wordings that turn a verb round or say it otherwise, so that negation and opposites can be compared.
_CANONICAL = tuple(
    (re.compile(pattern, re.IGNORECASE), replacement)
    for pattern, replacement in (
        (r"’", "'"),
        (
            r"\b(?:does not|doesn't|do not|don't|did not|didn't)(?: really| particularly)? (?:like|"
            r"enjoy|love|care for)\b",
            "dislikes",
        ),
        (r"\b(?:is not|isn't)(?: really)? (?:(?:a )?(?:big |huge |great )?fan of|fond of|keen on|into)\b", "dislikes"),
        (r"\b(?:can't|cannot|can not) (?:stand|bear)\b", "hates"),
        (r"\bis (?:a )?(?:big |huge |great )?(?:fan of|fond of|keen on)\b", "likes"),
        (r"\b(?:is not|isn't)(?: very| really| so)? good (?:at|with)\b", "is bad at"),
        (r"\b(?:no longer|not any ?more)\b", "formerly"),
        (r"\b(?:does not|doesn't) (\w+) (.*?)\s*any ?more\b", r"formerly \1s \2"),
        (r"\b(?:used to|formerly|previously|once used to)\b", "formerly"),
        (r"\b(?:cannot|can not)\b", "can't"),
        (r"\bwithout\b", "not with"),
        (r"\bwould (?:like|love) to\b", "wants to"),
        (r"\b(?:works|is employed|is working) as (?=an?\b)", "is "),
        (r"\bcomes from\b", "is from"),
        (r"\bsci-?fi\b", "science fiction"),
    )
)
_SUBJECT = r"(?:the user|they|user|he|she)(?:'s (?:\w+ ){1,3})?"
_VERB = re.compile(
    rf"^(?:{_SUBJECT})\s+(?:(?:now|currently|also|already|often|usually|always|finally|recently|"
    rf"still|really|mostly|sometimes|just|never|not)\s+)*(?P<verb>[\w']+)(?P<rest>.*)$"
)
_AIM = re.compile(
    r"\b(?:wants?|would like|would love|hopes?|hoping|plans?|planning|aims?|aiming|intends?|dreams?|wishes|goal|aim|"
    r"is going to|will|considering|thinking (?:about|of)|looking to|preparing (?:for|to)|"
    r"interested in learning|moving to)\b"
)
_NEED = re.compile(r"^(?:needs?|has to|have to|must|should)\b")
_LEARNING = re.compile(
    r"\b(?:is|are|has been) (?:learning|studying|training|trying|practi[sc]ing|working on|"
    r"working towards?|getting)\b|\b(?:learns|studies)\b"
)
_ENDED = re.compile(r"\b(?:formerly|former|ex|stopped|quit|gave up|left|dropped out|retired from)\b")
_IRREGULAR_PAST = words(
    """was were had did went got made took came saw knew thought gave found told became left felt kept began ran wrote read
    sat stood lost paid met led grew lived won built bought brought taught caught spoke broke chose drove ate fell flew
    forgot slept sold sent spent swam threw wore drew held heard hurt beat bit blew"""
)
_PRESENT_PERFECT = re.compile(
    r"^(?:has|have|'ve)\s+(?:been\b|(?:lived|worked|studied|taught|known|played|used|had|"
    r"owned|run)\b.*\b(?:for|since|all)\b|got\b)"
)


def canonical(text: str) -> str:
    """The text with wordings of one meaning made one: "isn't a fan of" is "dislikes", "no longer" is "formerly"."""
    for pattern, replacement in _CANONICAL:
        text = pattern.sub(replacement, text)
    return text


def time_class(text: str) -> Time:
    """How the statement of a text (:func:`canonical`) holds; present where nothing says otherwise."""
    language = likely_language(text)
    if language != "english":
        return Time.PAST if _is_past(text, language) else Time.PRESENT
    folded = reading.fold(text)
    if _ENDED.search(folded):
        return Time.PAST
    match = _VERB.match(folded)
    said = match["verb"] + match["rest"] if match else folded
    if _AIM.search(said) or _AIM.search(folded[:40]):
        return Time.AIM
    if _NEED.match(said):
        return Time.NEED
    if _LEARNING.search(said):
        return Time.LEARNING
    if re.match(r"(?:can|could|is able to|are able to|knows how to)\b", said):
        return Time.ABILITY
    return Time.PAST if match and _is_past_verb(match["verb"], said) else Time.PRESENT


def _is_past_verb(verb: str, said: str) -> bool:
    if verb in {"has", "have"}:
        return not _PRESENT_PERFECT.match(said) and bool(
            re.match(r"(?:has|have) (?:\w+ly |just |already |recently )*\w+(?:ed|en|un|wn|ne)\b", said)
        )
    return verb in _IRREGULAR_PAST or (
        verb.endswith("ed") and verb not in {"need", "speed", "feed", "exceed", "succeed", "proceed"}
    )


def _is_past(text: str, language: str) -> bool:
    lists = by_language("past.txt")
    if language in {"chinese", "japanese", "korean", "thai"}:
        folded = reading.fold(text)
        return any(sign in folded for sign in lists["unspaced"])
    return any(token in lists.get(language, frozenset()) for token in reading.tokens(text))
