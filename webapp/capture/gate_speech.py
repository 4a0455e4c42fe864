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
from webapp.capture.vocabulary import by_language, pattern

_SAMPLE = 4000
_REPORT = re.compile(
    r"^(?:the )?user (?:has |had |is |was |also |just )*(?:ask(?:ed|s|ing)? (?:about|how|"
    r"what|whether|if|why|when|where|which|for (?:help|advice|an? |the |some )|the assistant|"
    r"a question)|"
    r"wants? to know|would like to know|inquir\w+|wonder(?:s|ed|ing)|request(?:s|ed|ing)|"
    r"seeking (?:help|information|advice))\b"
)
_REAL_IF = re.compile(
    r"\bif (?:i (?:remember|recall|had to (?:choose|pick)|may|understand|could choose)|i'm (?:honest|"
    r"not (?:mistaken|wrong))|i am (?:honest|not mistaken))\b"
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
    return (
        bool(pattern("suppositions.txt").search(folded))
        and not _REAL_IF.search(folded)
        and not pattern("supposing.txt").search(reading.fold(text))
    )


def _is_another(passage: Passage, text: str) -> bool:
    """Whether the quoted words are about somebody whom the candidate does not name."""
    told = reading.fold(text)
    spoken = passage.quote.split()
    while spoken and spoken[0] in by_language("others.txt")["openers"]:
        spoken.pop(0)
    if kin := _relative(spoken):
        return not any(means(word, kin) for word in reading.tokens(told)) and not _is_first_person(spoken[2:])
    subject = _USER_SUBJECT.match(told)
    if subject is None:
        return False
    if spoken and spoken[0] in by_language("others.txt")["subjects"] and not _is_first_person(spoken):
        return not _relatives(told).intersection(told.split())
    return _is_said_of_another(subject["verb"], subject["predicate"], passage.quote)


def _relative(spoken: list[str]) -> str | None:
    """The relative with whom a clause begins: "my (little) brother works …"."""
    if len(spoken) < 3 or spoken[0] not in by_language("others.txt")["owners"]:
        return None
    relatives = _relatives(" ".join(spoken))
    return next((word for word in spoken[1:3] if word in relatives), None)


def _is_first_person(spoken: list[str]) -> bool:
    """Whether the user speaks of themselves too: "my wife and I", "my boss says I should"."""
    lists = by_language("first_person.txt")
    own = lists["english"] | lists.get(likely_language(" ".join(spoken)), frozenset())
    return not own.isdisjoint(spoken)


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
