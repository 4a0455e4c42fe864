"""From a sentence to its clauses whose subject is the writer, in one spelling that the patterns can be written for.

"hey, im a nurse and live in Porto, what now?" → ``I am a nurse`` and ``I live in Porto``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from webapp.llm.rules.sentences import Sentence, sentences

# Longer than anybody's clause: what runs on without a stop is read this far.
MAX_CLAUSE = 500
# So many clauses are in no sentence that anybody speaks.
MAX_SUBJECTS = 200


@dataclass(frozen=True, slots=True)
class Clause:
    """``words`` start with "I " or, where something of the writer's is the subject, as they were typed.

    ``quote`` is the passage of the message, as typed, that says it.
    """

    words: str
    quote: str


_SUBJECT = re.compile(r"(?<![\w'’.\-/])(?P<i>I['’](?:m|ve|d|ll)|im|ive|I)(?![\w'’\-])", re.IGNORECASE)
_BREAK = re.compile(r"[,;:(—–\x00]|\s-\s")
# What may stand between the start of a clause and its "I" without changing who speaks or whether it is meant.
_LEAD_IN = (
    r"(?:(?:well|hi|hello|hey|hiya|ok|okay|so|yes|yeah|yep|nope|no|btw|by the way|actually|"
    r"honestly|tbh|fyi|also|plus|now|currently|today|"
    r"these days|nowadays|right now|lately|recently|personally|as a matter of fact|in fact|"
    r"in general|generally|usually|sadly|luckily|"
    r"unfortunately|fortunately|anyway|quick background|background|for context|context|"
    r"just so you know|(?:please )?(?:note|remember|keep in mind)|"
    r"you should know|since you asked|after all|at the moment|at work|at school|then|thanks|"
    r"thank you|sorry|there|all|everyone|guys|ah|oh|um|hmm|"
    r"please|last \w{1,12}|(?:two|three|\d{1,3}|a few) \w{1,12} ago|i (?:think|guess|feel|"
    r"must say|must admit|have to say|have to admit|should mention|"
    r"should say)|i['’]?d say|that|like i said|as i said|finally|eventually|yesterday|"
    r"this \w{1,12}|to be (?:honest|fair|clear))\b\s*)*"
)
_CONJUNCTION = r"(?:.*\b(?:and|but|because|cause|cuz|since|although|though|while|even though|so|as|plus)\s+)?"
_OPENING = re.compile(rf"^\s*[\"'*\-]?\s*{_CONJUNCTION}{_LEAD_IN}$", re.IGNORECASE)
_PREPOSITIONAL = re.compile(
    r"^\s*(?:after|for|in|during|over|since|until|as)\s(?:[\w'’\-]{1,30}\s){1,7}$", re.IGNORECASE
)
_PRONOUN = re.compile(
    r"\b(?:i|you|he|she|it|we|they|who|which|that|is|are|was|were|dreams?|soon|long|far|well|"
    r"much)\b",
    re.IGNORECASE,
)
_NOT_MEANT = re.compile(
    r"\b(?:if|when|whenever|unless|until|where|what|which|whether|how|why|who|whom|than|"
    r"wish|hope|says?|said|(?:soon|long|far|well|much) as|"
    r"did|do|does|am|should|can|could|would|will|had|was|were|before|after|once|till|pretend|"
    r"imagine|suppose|maybe|perhaps|might|"
    r"thinks|believes?|told|claims?|bet|doubt)\s+(?:that\s+)?$",
    re.IGNORECASE,
)
_I_SAY = re.compile(
    r"\bi(?:['’]?d| would| must| have to| should) say\s+(?:that\s+)?$|\bi (?:think|guess)\s+(?:that\s+)?$",
    re.IGNORECASE,
)
_REASON = re.compile(r"\b(?:because|cause|cuz|since|as)\s+$", re.IGNORECASE)
_QUESTION = re.compile(
    r"(?:[,;:.(—–]|\s-|\band|\bso|\bbut)\s*(?:(?:and|so|but|then|ok|please)[\s,]+){0,3}(?:what|"
    r"how|can|could|is|are|do|does|did|should|where|when|why|which|"
    r"who|any|would|will|may|has|have|am i|shall|whats|hows|isn't|aren't|don't|doesn't)\b",
    re.IGNORECASE,
)
# Of the words that are nouns too, only before what makes them verbs.
_BASE = (
    r"live in|work (?:as|at|for|in)|study|teach|prefer|enjoy|struggle|freelance|have (?:trouble|"
    r"difficulty)|don't like|always|mostly|"
    r"(?:love|hate|run|own|manage|want|hope|plan|need|find|lead) (?:a|an|my|to|the|it|\w+ing)"
)
_PAST = (
    "worked|moved|lived|studied|started|joined|left|quit|finished|passed|graduated|completed|"
    "became|got|grew up|won|earned|dropped out|switched|changed"
)
_ING = (
    "working|living|studying|teaching|learning|training|preparing|doing|trying|hoping|planning|"
    "saving|running|struggling|looking"
)
_SHARED_SUBJECT = re.compile(
    rf"(?:,?\s+and(?: also| now| then| currently)?|,?\s+but(?: now)?|,)\s+(?=(?P<base>(?:{_BASE})\b)|"
    rf"(?P<past>(?:{_PAST})\b)|(?P<ing>(?:{_ING})\b))",
    re.IGNORECASE,
)
# Inside a relative or dependent clause, or another person's, the verb has another subject.
_WITHIN = re.compile(r"\b(?:who|that|which|you|they|we|he|she|by|people|how|what|when)\b", re.IGNORECASE)
_INFINITIVE = re.compile(r"\bto [a-z]+\b")
_PROGRESSIVE = re.compile(r"I (?:am|have been) (?:\w+ ){0,2}\w+ing\b")
_ELIDED = re.compile(
    rf"^\W*(?:(?:well|ok|so|hi|hey|yes|yeah|thanks|hello|ok so)[,!]? )?(?P<adverb>(?:just|"
    rf"finally|recently|currently|now|already|still) )?"
    rf"(?P<rest>(?P<been>been )?(?P<ing>(?:{_ING})\b)|(?P<plain>(?:{_PAST}|published|launched|"
    rf"solved|ran|scored|struggle|prefer|love|hate)\b))",
    re.IGNORECASE,
)
# "Learning German is fun" has its subject after all.
_IS_SUBJECT = re.compile(
    r"^\W*(?:\w+ing|love|hate)\b[^,;.]{0,80}?\b(?:is|are|was|were|isn't|wasn't|has|have been|"
    r"can|could|helps?|takes?|makes?|seems?|feels?|gives?|fascinates?|will|would|'s)\b",
    re.IGNORECASE,
)
_OF_MINE = re.compile(
    r"(?:^|[.,;:(—–\x00]|\b(?:and|but|because|so)\s)\s*(?=my\s)(?P<clause>my\s+(?:\w[\w'’\-]*\s+){0,2}"
    r"(?:goal|aim|dream|plan|target|ambition|objective|resolution|weakness|weak (?:spot|"
    r"point)|favou?rite|fav|major|degree|job|profession|hobby|hobbies|pastimes?|passion|home country|homeland|"
    r"native country|home ?town|birthplace|wife|husband|partner|fianc[eé]e?|girlfriend|boyfriend|kids|child(?:ren)?|"
    r"sons?|daughters?|toddler|twins|grand(?:sons?|daughters?|children|kids)|brothers?|sisters?|dogs?|cats?|pupp(?:y|ies)|"
    r"kittens?|horses?)\b.*)",
    re.IGNORECASE,
)
_TO_ME = re.compile(r"\b(?:for me|(?:confuses?|overwhelms?|intimidates?|trips?) me)\b", re.IGNORECASE)
_ASIDE = re.compile(r"[,;:()—–\x00]|\s-\s|\b(?:and|but|because|since|so)\b", re.IGNORECASE)
_SPELLING = (
    (re.compile(r"^(?:I['’]?m|im)\b", re.IGNORECASE), "I am"),
    (re.compile(r"^(?:I['’]ve|ive)\b", re.IGNORECASE), "I have"),
    (re.compile(r"^I['’]d\b", re.IGNORECASE), "I would"),
    (re.compile(r"^I['’]ll\b", re.IGNORECASE), "I will"),
    (re.compile(r"^i\b"), "I"),
    (re.compile(r"(?<=\w)’(?=(?:m|ve|d|ll|t|re|s)\b)"), "'"),
    (re.compile(r"\bwanna\b", re.IGNORECASE), "want to"),
    (re.compile(r"\bgonna\b", re.IGNORECASE), "going to"),
    (re.compile(r"\b(do|ca|wo|did)nt\b", re.IGNORECASE), r"\1n't"),
    (re.compile(r"\s+"), " "),
    (re.compile(r"^I (?:don't|do not) (\w+)\b(.{1,120}?) any ?more\b", re.IGNORECASE), r"I no longer \1\2"),
    # "Here" is wherever the writer was.
    (re.compile(r"^(I (?:have )?(?:\w+ )?(?:moved|came|come))(?: over| back)? here (?=from\b)", re.IGNORECASE), r"\1 "),
    # Said for emphasis, not for content.
    (
        re.compile(
            r"^(I (?:am |have |would |do |don't )?)(?:(?:just|really|actually|honestly|also|basically|"
            r"totally|definitely|absolutely|still|truly|very much|"
            r"personally|kinda|kind of|sort of|only|simply|even|at least|obviously) )+",
            re.IGNORECASE,
        ),
        r"\1",
    ),
)


def clauses(message: str) -> Iterator[Clause]:
    """Yield the clauses of a message in which its writer states something about themselves, in order."""
    for sentence in sentences(message):
        for start, words in _of_sentence(sentence):
            quote = message[sentence.start + start :][: len(words)].strip()
            for spoken in _each_verb(_spell(words)):
                yield Clause(spoken, quote)


def _of_sentence(sentence: Sentence) -> Iterator[tuple[int, str]]:
    """Each clause's offset in the sentence and its words as typed."""
    text = sentence.text
    subjects = [match.start("i") for match in islice(_SUBJECT.finditer(text), MAX_SUBJECTS)]
    for position, start in enumerate(subjects):
        if _is_meant(text[max(0, start - 300) : start]):
            following = subjects[position + 1] if position + 1 < len(subjects) else len(text)
            if (end := _statement_end(sentence, start, following)) is not None:
                yield start, text[start : min(end, start + MAX_CLAUSE)]
    yield from _without_subject(sentence)


def _is_meant(before: str) -> bool:
    opening = _BREAK.split(before)[-1]
    if _NOT_MEANT.search(opening[-40:]) and not _I_SAY.search(opening[-40:]):
        return False
    if _OPENING.match(opening):
        return True
    return bool(_PREPOSITIONAL.match(opening)) and not _PRONOUN.search(opening)


def _statement_end(sentence: Sentence, start: int, following: int) -> int | None:
    """Where the clause ends, or None when it is (part of) a question."""
    if not sentence.asks:
        return following
    question = _QUESTION.search(sentence.text, start)
    if question and question.start() > start:
        return min(following, question.start())
    if _REASON.search(sentence.text[max(0, start - 20) : start]) or following < len(sentence.text):
        return following
    return None


def _without_subject(sentence: Sentence) -> Iterator[tuple[int, str]]:
    text = sentence.text
    if (to_me := _TO_ME.search(text)) and not sentence.asks:
        start = max((match.end() for match in _ASIDE.finditer(text, 0, to_me.start())), default=0)
        yield start, text[start:][:MAX_CLAUSE]
    if (mine := _OF_MINE.search(text)) and not sentence.asks:
        yield mine.start("clause"), mine.group("clause")[:MAX_CLAUSE]
    elided = None if sentence.asks or _IS_SUBJECT.search(text) else _ELIDED.match(text)
    if elided and not (elided["ing"] and not elided["been"] and not elided["adverb"]):
        yield elided.start("rest"), text[elided.start("rest") :][:MAX_CLAUSE]


def _spell(words: str) -> str:
    for pattern, replacement in _SPELLING:
        words = pattern.sub(replacement, words.strip())
    elided = _ELIDED.match(words)
    if not elided or elided.start("rest"):
        return words
    auxiliary = "have " if elided["been"] else "am " if elided["ing"] else ""
    return f"I {auxiliary}{words[:1].lower()}{words[1:]}"


def _each_verb(words: str) -> Iterator[str]:
    """Split "I live in Porto and work as a nurse" into a clause for each verb."""
    if not words.startswith("I "):
        yield words
        return
    start, subject = 0, ""
    for shared in _SHARED_SUBJECT.finditer(words):
        if _subject_goes_on(words[: shared.start()], shared):
            yield subject + words[start : shared.start()]
            start, subject = shared.end(), "I am " if shared["ing"] else "I "
    yield subject + words[start:]


def _subject_goes_on(before: str, shared: re.Match[str]) -> bool:
    """Whether the verb after "and" or a comma has the same "I" as the verbs before it."""
    if _WITHIN.search(before):
        return False
    if shared["ing"]:
        return bool(_PROGRESSIVE.match(before)) and "and" in shared.group()
    return bool(shared["past"]) or not _INFINITIVE.search(before)
