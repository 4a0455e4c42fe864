"""From a message to entities and facts, sentence by sentence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from webapp.graph.dates import held
from webapp.graph.names import key
from webapp.graph.rules.mentions import Mention, mentions
from webapp.graph.rules.relations import LEFT, Relation, between, figure
from webapp.graph.types import MAX_FACT, Ending, Extraction, Message, Named, Single, Statement
from webapp.llm.rules import Kind
from webapp.llm.rules import extract as about_the_writer
from webapp.llm.rules.sentences import sentences
from webapp.terms import STOP_WORDS

MODEL = "built-in rules"
MAX_STATEMENTS = 50
MAX_OBJECTS = 6
MAX_MESSAGE = 100_000
_SHORTEST = 3
"""Words of a heading or a greeting; a statement about one entity has more."""

_FIRST_PERSON = re.compile(r"(?<![\w'’\-.])(?:i|we)(?=['’\s])", re.IGNORECASE)
_SPEAKERS_OWN = re.compile(r"\b(?:my|our)\b", re.IGNORECASE)
# Of what is "my …" only these are the speaker's: "my wife works for Siemens" says nothing of where I work.
_SPEAKERS_PLACE = re.compile(
    r"\b(?:my|our) (?:new |old |current |present )?(?:home|house|job|employer)\b", re.IGNORECASE
)
_ANOTHER_SUBJECT = re.compile(r"\b(?:my|our|his|her|their|he|she|they|who|which|that|it)\b", re.IGNORECASE)
_ANOTHERS = re.compile(r"\b(?:his|her|their|its) \w+\s*(?:\w+ )?$", re.IGNORECASE)
_GREETING = re.compile(
    r"^\W*(?:(?:hi|hello|hey|dear|thanks|thank you|good (?:morning|afternoon|evening|night))\b(?:[ ,]+[^\s,.!]+){0,3}?\s*[,!.:–-]+\s*)+",
    re.IGNORECASE,
)
# Asked of the one who answers, or said of them: nothing about the world that the speaker knows.
_REQUEST = re.compile(
    r"^\W*(?:(?:please|pls|now|then|ok|okay|so|and|also|just|instead|ok google|alexa|siri),? )*(?:tell|show|give|send|see|explain|"
    r"describe|compare|list|find|write|make|let|let['’]s|open|click|press|add|remove|use|try|check|read|look|play|set|put|take|call|ask|"
    r"remind|help|don['’]t|do not|never|stop|generate|create|draft|suggest|recommend|name|define|consider|note that you|you|your|it sounds|sounds)\b(?!['’]s\b)",
    re.IGNORECASE,
)
_UNKNOWN = re.compile(
    r"^\W*(?:i|we)(?:['’]\w+| am| are| do| was| were)?(?:n['’]t)?(?: not| just| really| also| still)* (?:wonder(?:ing|ed)?|know|sure|asked|"
    r"doubt|remember|care)\b.{0,20}?\b(?:if|whether|who|what|where|when|why|how)\b|^\W*(?:i|we) (?:guess|suppose|bet|assume)\b|^\W*(?:i|we)(?:['’]d| would) (?:rather|prefer)\b",
    re.IGNORECASE,
)
_LOG = re.compile(r"^\W*(?:ERROR|WARN(?:ING)?|INFO|DEBUG|FATAL|Traceback|\w*(?:Error|Exception))\b\W")
_HEDGED = re.compile(r"\b(?:should|could|might|may|would|maybe|perhaps|probably)\b", re.IGNORECASE)
_OF_THE_SPEAKER = re.compile(r"\b(?:my|our|me|us)\b", re.IGNORECASE)
_WITHOUT_SUBJECT = re.compile(
    r"^\W*(?:just |recently |finally )?(?:moved|met|started|joined|left|bought|sold|finished|went|visited|got|saw|had|quit|applied|"
    r"signed|booked|switched|read|watched|talked|spoke|called)\b",
    re.IGNORECASE,
)
_AFTER_PREPOSITION = re.compile(
    r"\b(?:in|at|to|from|for|with|by|of|on|near|about|like|than|as|via|into|after|before|between|against|without|under|over)\s+(?:the\s+|our\s+|my\s+)?$",
    re.IGNORECASE,
)
# Said of the conversation, or for politeness: nothing that is worth keeping.
_OF_THE_CONVERSATION = re.compile(
    r"\b(?:this|that|it|these|those|here|there|you|your|yours|help|question|answer|thanks?|sorry|please)\b|"
    r"\b(?:i|we)(?:['’]\w+| am| was| do(?:n['’]t)?| did(?:n['’]t)?| have(?:n['’]t)?| can(?:['’]t|not)?| could(?:n['’]t)?| will| would| should| might)*(?: not| just| really| also)* ?"
    r"(?:think|guess|see|know|mean|hope|wonder(?:ing)?|understand|agree|suppose|believe|appreciate|forgot|open|load|access|find|reach|feel like|looking)\b",
    re.IGNORECASE,
)
_NOT_SO = re.compile(
    r"\b(?:not|never|nor|neither|hardly|might|may|could|would|should|wants?|wanted|wish(?:es|ed)?|hop(?:es?|ed|ing)|dream\w*|"
    r"consider\w*|thinking of|tr(?:y|ies|ied|ying) to|applied|apply\w*|almost|refus\w+|declin\w+|interview\w*)\b|n['’]t\b",
    re.IGNORECASE,
)
_OF = re.compile(r"\bof\s+(?:the\s+)?$", re.IGNORECASE)
_MORE = re.compile(r"^\W*(?:and|or|&|as well as|plus)?\W*$", re.IGNORECASE)
_FROM, _TO = re.compile(r"\bfrom\s*$", re.IGNORECASE), re.compile(r"^\s*(?:over )?(?:in)?to\s*$", re.IGNORECASE)
_MARKUP = re.compile(r"^[\s>#*•\-–]+(?=\w|[\"'“(*_$€£])|\*\*|__|`")
_ANY = Relation("RELATES_TO", re.compile(""))
_ABOUT_ONE = Relation("DESCRIBED_AS", re.compile(""))
_KINDS: dict[Kind, str] = {
    "work": "WORKS_AS",
    "place": "LIVES_IN",
    "study": "STUDIES",
    "family": "HAS_FAMILY",
    "pastime": "ENJOYS",
    "preference": "PREFERS",
    "struggle": "STRUGGLES_WITH",
    "goal": "WANTS",
    "achievement": "ACHIEVED",
}


@dataclass(frozen=True, slots=True)
class _Sentence:
    """A sentence as typed, without markup, and the names in it. ``first_person``: the speaker is its subject."""

    text: str
    names: tuple[Mention, ...]
    first_person: bool
    asks: bool


def extract(message: Message, familiar: Iterable[str] = ()) -> Extraction:
    """Return the names of a message and what its statements say of them. Asks nobody and never fails.

    ``familiar`` are names known in the group. A statement in the first person begins with the speaker's name and a
    colon; any other is the sentence as it stands. At most 50 statements; a message is read up to 100,000 characters.
    """
    known = [message.speaker, *familiar]
    entities: dict[str, Named] = {}
    statements: dict[tuple[str, str, str, str], Statement] = {}
    endings: list[Ending] = []
    for sentence in _sentences(message.text[:MAX_MESSAGE], known):
        for mention in sentence.names:
            _remember(entities, mention)
        if sentence.asks:
            continue
        for statement in _statements(sentence, message):
            statements.setdefault((statement.source, statement.target, statement.relation, statement.text), statement)
            endings += _endings(statement)
    found = tuple(statements.values())[:MAX_STATEMENTS]
    if any(message.speaker in (one.source, one.target) for one in found):
        entities.setdefault(key(message.speaker), Named(message.speaker))
    return Extraction(tuple(entities.values()), found, tuple(endings))


def _sentences(text: str, known: Iterable[str]) -> Iterator[_Sentence]:
    for sentence in sentences(text):
        if not _is_english(sentence.text):
            continue
        typed = _plain(text[sentence.start :][: len(sentence.text)])
        names = mentions(_plain(sentence.text), known)
        asks = sentence.asks or _requests(typed)
        yield _Sentence(" ".join(typed.split())[:MAX_FACT], tuple(names), _speaks(typed), asks)


def _plain(sentence: str) -> str:
    """Without markup and without whom it greets."""
    return _GREETING.sub("", _MARKUP.sub("", sentence).strip())


def _requests(sentence: str) -> bool:
    """Whether the listener is asked or spoken of, or the speaker wonders; a program's message says nothing either."""
    return bool(_REQUEST.match(sentence) or _UNKNOWN.match(sentence) or _LOG.match(sentence))


def _is_english(sentence: str) -> bool:
    """Whether no other language's commonest words are more frequent in it; one without any passes."""
    words = [word.lower() for word in re.findall(r"\w+", sentence)]
    counts = {language: sum(word in common for word in words) for language, common in STOP_WORDS.items()}
    return counts["english"] >= max(counts.values())


def _speaks(sentence: str) -> bool:
    return bool(_FIRST_PERSON.search(sentence) or _WITHOUT_SUBJECT.match(sentence))


def _remember(entities: dict[str, Named], mention: Mention) -> None:
    name = key(mention.name)
    known = entities.get(name) or Named(mention.name)
    others = {*known.aliases, *([mention.other] if mention.other else [])}
    entities[name] = replace(known, aliases=tuple(sorted(others)))


def _statements(sentence: _Sentence, message: Message) -> Iterator[Statement]:
    subject = _subject(sentence, message.speaker)
    if subject is None:
        return
    objects = [name for name in sentence.names if key(name.name) != key(subject)][:MAX_OBJECTS]
    related = list(_related(sentence, subject, objects))
    if subject != message.speaker and _OF_THE_SPEAKER.search(sentence.text):
        related.append((message.speaker, _ANY))
    if alone := _figure(subject, sentence, message.speaker) or (
        None if related else _about_one(subject, sentence, message.speaker)
    ):
        yield _statement(subject, subject, alone, sentence, message)
    for target, relation in related:
        yield _statement(subject, target, relation, sentence, message)


def _subject(sentence: _Sentence, speaker: str) -> str | None:
    """Who a sentence is about: the speaker, the first name that no preposition governs, else the first name."""
    if sentence.first_person:
        return speaker
    free = next((name for name in sentence.names if not _AFTER_PREPOSITION.search(sentence.text[: name.start])), None)
    if free is not None:
        return free.name
    if _SPEAKERS_OWN.search(sentence.text):
        return speaker
    return sentence.names[0].name if sentence.names else None


def _figure(subject: str, sentence: _Sentence, speaker: str) -> Relation | None:
    """The attribute that a figure gives; of a speaker only the age: a price in the sentence is another's."""
    found = figure(sentence.text)
    return found if found is None or subject != speaker or found.name == "AGED" else None


def _about_one(subject: str, sentence: _Sentence, speaker: str) -> Relation | None:
    """What a sentence about one entity says; of the speaker what is about the world, not the conversation."""
    if subject == speaker and (told := about_the_writer(sentence.text)):
        return replace(_ABOUT_ONE, name=_KINDS[told[0].kind])
    if subject == speaker and (_OF_THE_CONVERSATION.search(sentence.text) or _HEDGED.search(sentence.text)):
        return None
    return _ABOUT_ONE if len(sentence.text.split()) > _SHORTEST else None


def _related(sentence: _Sentence, subject: str, objects: list[Mention]) -> Iterator[tuple[str, Relation]]:
    """Each object with its relation: by the words since the name before it; in a list, that of the one before."""
    start = next((name.end for name in sentence.names if name.name == subject), 0)
    relation, before = _ANY, ""
    for mention in objects:
        words = sentence.text[start : mention.start] if start <= mention.start else sentence.text[: mention.start]
        if _FROM.search(before) and _TO.match(words):
            relation = between(_FROM.sub("to ", before)) or _ANY
        elif not (relation is not _ANY and _MORE.match(words)):
            known = between(words)
            known = None if known and _FROM.search(words) and known.name != "LEFT" else known
            relation = known if known and _holds(known, words) and _says_of(subject, known, sentence, mention) else _ANY
        yield mention.name, relation
        start, before = mention.end, words


def _holds(relation: Relation, words: str) -> bool:
    """Whether the words say that it is so: not denied, wished or supposed."""
    match = relation.words.search(words)
    before = words[: match.start()] if match else ""
    return not _NOT_SO.search(before) and not _ANOTHERS.search(before)


def _says_of(subject: str, relation: Relation, sentence: _Sentence, target: Mention) -> bool:
    """Whether it is the subject of whom a sentence says this, not somebody who is only described beside them."""
    named = next((name for name in sentence.names if name.name == subject), None)
    if named is not None:
        return not _AFTER_PREPOSITION.search(sentence.text[: named.start]) or bool(
            _OF.search(sentence.text[: named.start])
        )
    if not sentence.first_person:
        return bool(_SPEAKERS_PLACE.search(sentence.text))
    before = sentence.text[: target.start]
    said = next((match.start() for match in reversed(list(relation.words.finditer(before)))), 0)
    spoken = [match.end() for match in _FIRST_PERSON.finditer(before[:said])]
    if not spoken:
        return True
    others = (name for name in sentence.names if spoken[-1] <= name.start and name.end <= said)
    return not _ANOTHER_SUBJECT.search(before[spoken[-1] : said]) and all(
        before[one.end : said].strip() for one in others
    )


def _statement(source: str, target: str, relation: Relation, sentence: _Sentence, message: Message) -> Statement:
    interval = held(sentence.text, message.said_at)
    spoken = sentence.first_person or bool(_OF_THE_SPEAKER.search(sentence.text))
    text = f"{message.speaker}: {sentence.text}" if spoken else sentence.text
    single = Single(source if relation.of == "source" else target, relation.what) if relation.what else None
    return Statement(source, target, relation.name, text[:MAX_FACT], interval.start, interval.end, single)


def _endings(statement: Statement) -> list[Ending]:
    if statement.relation != "LEFT" or statement.start is None:
        return []
    return [Ending(statement.start, Single(statement.source, what), statement.target) for what in LEFT]
