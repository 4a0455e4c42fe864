"""Whether the user said it: in earnest, of themselves, in a message of theirs, in these words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from webapp.capture import reading
from webapp.capture.clauses import Passage, is_only_asked
from webapp.capture.grounding import holding, is_grounded, likeliest, passages_of
from webapp.capture.language import is_translated, likely_language
from webapp.capture.likeness import means
from webapp.capture.types import Candidate, Evidence, Message, Reason
from webapp.capture.vocabulary import by_language

_SAMPLE = 4000
_REPORT = re.compile(
    r"^(?:the )?user (?:has |had |is |was |also |just )*(?:ask(?:ed|s|ing)? (?:about|how|what|whether|if|why|when|where|which|for (?:help|advice|an? |the |some )|the assistant|a question)|"
    r"wants? to know|would like to know|inquir\w+|wonder(?:s|ed|ing)|request(?:s|ed|ing)|seeking (?:help|information|advice))\b"
)
_SUPPOSED = re.compile(
    r"\bif (?:i|we) (?:were|was|had|lived|worked|could|moved|became|won|didn't|did not|weren't|wasn't|\w+ed)\b|\bif i\b.{1,80}?\b(?:i'd|i would|i'll|i will|i could|i might)\b|"
    r"^(?:(?:so|and|but|ok|well|now|please|let's|just),? )*(?:suppose|supposing|imagine|pretend|assume|assuming|let's say|lets say|say i|what if|hypothetically|in this (?:story|scenario)|"
    r"supongamos|imagina|imaginemos|supposons|imagine que|imaginons|angenommen|stell dir vor|nehmen wir an|suponha|imagine que|supponiamo|immagina|stel dat|"
    r"представь|предположим|допустим)\b|\bi wish (?:i|we)\b|\bojalá\b|^si (?:yo )?(?:fuera|tuviera|viviera|pudiera|\w{3,}(?:ara|iera|ase|iese))\b|\bsi j'(?:étais|avais|habitais)\b|\bsi je \w+ais\b|"
    r"\bwenn ich\b.{0,60}\b(?:wäre|hätte|würde|könnte)\b|\bse eu (?:fosse|tivesse|\w+sse)\b|\bse (?:fossi|avessi|\w{3,}ssi)\b|\bесли бы\b|"
    r"如果我是|如果我住|假如|假设|假設|要是我|もし.{0,30}(?:たら|なら|れば)|만약|라면 |^لو |لو كنت|\bकाश\b|अगर .{0,40}होता"
)
_SUPPOSES = re.compile(
    r"\b(?:if|would|wish\w*|could|might|hypothetical\w*|imagin\w*|suppos\w*|si|wenn|würde|wäre|hätte|se|если|бы|ojalá|quisiera|gustaría|voudrait|aimerait|gostaria|vorrebbe)\b|如果|假如|要是|想|もし|たら|たい|라면|면 |싶|لو|काश|अगर"
)
_REAL_IF = re.compile(
    r"\bif (?:i (?:remember|recall|had to (?:choose|pick)|may|understand|could choose)|i'm (?:honest|not (?:mistaken|wrong))|i am (?:honest|not mistaken))\b"
)
_I = re.compile(
    r"\b(?:i|i'm|im|i've|ive|i'd|i'll|me|my|mine|myself|we|we're|our|us|yo|me|mi|mis|je|j|moi|mon|ma|mes|ich|mich|mir|mein\w*|eu|meu|minha|io|mio|mia|ik|mij|mijn|я|меня|мне|мой|моя|мы|ja|mnie|mój|ben|benim|jag|mig|min)\b"
)
_OTHER = re.compile(
    r"^(?:(?:and|but|so|also|oh|btw|well|y|et|und|e|и)\s+)?(?:he|she|they|él|ella|il|elle|er|sie|ele|ela|lui|lei|hij|zij|он|она|they're|he's|she's)\b"
)
_KIN = re.compile(
    r"^(?:(?:and|but|so|also|oh|btw|well|y|et|und|e|и|hi|hello)\s+)?(?:my|our|mi|nuestro|nuestra|mon|ma|notre|mein|meine|unser|unsere|meu|minha|o meu|a minha|il mio|la mia|mio|mia|mijn|мой|моя|мои|min|mój|moja)\s+(?:\w+\s){0,1}?(?P<kin>\w+)\b"
)
_USER_SUBJECT = re.compile(r"^(?:the )?user (?P<predicate>(?P<verb>\w+) \w+)")


def find_evidence(candidate: Candidate, messages: Sequence[Message]) -> Evidence | Reason:
    """Return where in the user's messages a candidate is said, or why it is not.

    A quote must stand in a message of the user's; its index is put right where another message holds it. Without a
    quote, the sentence that shares most with the candidate is taken.
    """
    if candidate.evidence is None:
        return likeliest(candidate.text, messages) or Reason.NOT_SAID
    quote = candidate.evidence.quote
    found = holding(quote, messages)
    said = [message for message in found if message.role == "user"]
    if not said:
        return Reason.NOT_THE_USER if found else Reason.NOT_SAID
    meant = next((one for one in said if one.index == candidate.evidence.message_index), said[0])
    return Evidence(meant.index, quote)


def fault_of_speech(
    candidate: Candidate, evidence: Evidence, messages: Sequence[Message], known: str = ""
) -> Reason | None:
    """Why what is said at the evidence does not bear the candidate out; None where it does.

    ``known`` is the text of the existing memory that it replaces: names and numbers may come from there.
    """
    if _REPORT.match(reading.fold(candidate.text)) or _ends_as_question(candidate.text):
        return Reason.QUESTION
    if not is_grounded(candidate.text, evidence, messages, known):
        return Reason.NOT_SAID
    found = passages_of(evidence, messages)
    if found and all(is_only_asked(passage, candidate.text) for passage in found):
        return Reason.QUESTION
    if found and all(_is_only_supposed(passage, candidate.text) for passage in found):
        return Reason.HYPOTHETICAL
    if found and all(_is_another(passage, candidate.text) for passage in found):
        return Reason.THIRD_PERSON
    return Reason.TRANSLATED if is_translated(candidate.text, _spoken(evidence, found, messages)) else None


def _spoken(evidence: Evidence, found: Sequence[Passage], messages: Sequence[Message]) -> str:
    """What shows the user's language: the quote, its sentences, or the message, whichever is long enough first."""
    around = " ".join(passage.sentence for passage in found)
    message = next(one.text[:_SAMPLE] for one in messages if one.index == evidence.message_index)
    return next((text for text in (evidence.quote, around) if len(reading.tokens(text[:_SAMPLE])) >= 6), message)


def _ends_as_question(text: str) -> bool:
    return text.rstrip(" \"'”’").endswith(("?", "？", "؟")) and not text.rstrip().endswith(('"', "'", "”", "’"))


def _is_only_supposed(passage: Passage, text: str) -> bool:
    folded = reading.fold(passage.sentence)
    return bool(_SUPPOSED.search(folded)) and not _REAL_IF.search(folded) and not _SUPPOSES.search(reading.fold(text))


def _is_another(passage: Passage, text: str) -> bool:
    """Whether the quoted words are about somebody whom the candidate does not name."""
    quote, told = passage.quote, reading.fold(text)
    kin = _KIN.match(quote)
    if kin and kin["kin"] in _relatives(quote) and not _mentions(told, kin["kin"]) and not _has_other_clause(quote):
        return True
    if _OTHER.match(quote) and not _I.search(quote):
        return not any(_mentions(told, word) for word in _relatives(told) & set(told.split())) and bool(
            _USER_SUBJECT.match(told)
        )
    subject = _USER_SUBJECT.match(told)
    return subject is not None and _is_said_of_another(subject["verb"], subject["predicate"], quote)


def _is_said_of_another(verb: str, predicate: str, quote: str) -> bool:
    """The candidate's "lives in" stands as such in the quote: first-person speech would have it "live in"."""
    if not (verb in {"is", "has", "does"} or (verb.endswith("s") and verb not in {"was", "misses"})):
        return False
    match = re.search(rf"(?:^|(?P<before>\S+) ){re.escape(predicate)}\b", quote)
    if (
        not match
        or not match["before"]
        or match["before"]
        in {
            "who",
            "which",
            "that",
            "what",
            "it",
            "this",
            "user",
            "and",
            "job",
            "name",
            "goal",
            "dream",
            "life",
            "everything",
        }
    ):
        return False
    return not re.search(r"\b(?:i|my|me|we|our)\b", quote[: match.end("before")])


def _relatives(text: str) -> frozenset[str]:
    lists = by_language("relatives.txt")
    return lists["english"] | lists.get(likely_language(text), frozenset())


def _mentions(told: str, kin: str) -> bool:
    return any(means(word, kin) for word in reading.tokens(told))


def _has_other_clause(quote: str) -> bool:
    """Whether the user speaks of themselves too: "my wife and I", "my boss says I should"."""
    rest = quote.split(" ", 1)[-1]
    return re.search(r"\b(?:i|i'm|i've|im|we|me|us|yo|je|j|ich|eu|io|ik|я|мы|ja)\b", rest) is not None
