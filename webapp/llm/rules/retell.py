"""From the first person to a sentence about the user: "I moved to my sister's" → "The user moved to their sister's."."""

from __future__ import annotations

import re

from webapp.llm.rules.sentences import BLANK

MAX_WORDS = 45

_AUXILIARIES = {
    "am": "is",
    "have": "has",
    "do": "does",
    "don't": "doesn't",
    "haven't": "hasn't",
    "go": "goes",
    "was": "was",
}
_UNCHANGED = frozenset(
    [
        "would",
        "will",
        "can",
        "can't",
        "cannot",
        "could",
        "should",
        "must",
        "may",
        "might",
        "had",
        "was",
        "did",
        "used",
        "never",
    ]
)
_ADVERBS = frozenset(
    [
        "always",
        "usually",
        "mostly",
        "mainly",
        "often",
        "sometimes",
        "generally",
        "finally",
        "now",
        "currently",
        "rarely",
        "normally",
        "typically",
        "primarily",
        "strongly",
        "much",
        "already",
        "originally",
        "constantly",
        "regularly",
        "eventually",
        "recently",
        "no",
        "longer",
        "any",
        "more",
        "anymore",
        "very",
        "far",
    ]
)
_PRONOUNS = {
    "my": "their",
    "mine": "theirs",
    "myself": "themselves",
    "me": "them",
    "i": "they",
    "i am": "they are",
    "i'm": "they're",
    "i've": "they've",
    "i'd": "they'd",
    "i'll": "they'll",
    "our": "their",
    "us": "them",
    "we": "they",
}
# Not "US" the country, nor "7 am".
_PRONOUN = re.compile(
    r"\b(?:[Ii] am|[Ii]['’](?:m|ve|d|ll)|[Mm]yself|[Mm]y|[Mm]ine|[Mm]e|I|i(?![.\-])|[Oo]ur|"
    r"[Ww]e|us)\b"
)
_CUT = re.compile(
    r"\s+(?:because|cause|cuz|bc|but|which|whereas|although|though|even though|while|so(?! far)|"
    r"if|unless|when(?:ever)?|where(?=\s+(?:i|we|it|the)\b)|lol|haha\w*|btw|please|tho|"
    r"and(?=\s+(?:i|i'm|i've|my|we|he|she|they|it|it's|its|this|that|that's|there|everything|"
    r"everyone|now|then|still|what|how|can|could|honestly|nothing|please|the \w+ (?:is|"
    r"was|are)|"
    r"our|mine|so|yet|only|\w+ (?:is|was|are|were|needs|lives|works|has|runs)|already have|"
    r"\w+ \w+ (?:is|was|are|were|needs|has))\b)|and$|or$|and not|not by)\b"
    r"|\s*(?:[;(…\n\x00]|\.{2,}|\s[-–—]+\s|—|\s[:;]-?[)(DP3]|:(?=\s))|[\s,]+(?:too|though|"
    r"right now|these days|nowadays|lately|at the moment|anyway|honestly|either|though|obviously|as well)(?=\W*$)",
    re.IGNORECASE,
)
_EDGE = " \t\n,.;:!?…-–—\"'”’“*_😀😅😂🙂😊🎉🙏😭😢❤️🥳👍"
_CONTINUES = re.compile(
    r"^\s*(?:[A-Z][\w'’.\-]*(?:\s+[A-Z][\w'’.\-]*){0,2}\s*$|(?:[\w'’\-]+\s){0,2}[\w'’\-]+,? (?:and|"
    r"or) [\w'’\-]+(?: [\w'’\-]+){0,3}\s*$)"
)
# "…, as well as modern jazz like Kamasi Washington".
_MORE_OF_IT = re.compile(r"^\s*(?:as well as|along with|together with|and also)\s(?:[\w'’\-]+\s?){1,9}$", re.IGNORECASE)
_BOTH = re.compile(r"\bboth\b", re.IGNORECASE)
_FIRST_OF_TWO = re.compile(r"\bboth\b(?!.*\band\b)", re.IGNORECASE)
_SECOND = re.compile(r"^[\s,]*(?:as well as|along with|together with|and)\b", re.IGNORECASE)
_CLAUSE_WORD = re.compile(
    r"\b(?:i|my|it|its|it's|is|are|was|were|you|your|they|he|she|we|that|this|so|but|please|"
    r"thanks|what|how)\b",
    re.IGNORECASE,
)


def trim(words: str) -> str:
    """Cut a run of words where its statement ends: before reasons, asides, questions and the next clause.

    Empty where that would leave the first of two things that are said together.
    """
    cut = _CUT.search(words)
    if cut and _FIRST_OF_TWO.search(words[: cut.start()]) and _SECOND.match(words[cut.start() :]):
        return ""
    words = (words[: cut.start()] if cut else words).rstrip(_EDGE)
    head, *more = words.split(",")
    for part in range(len(more)):
        rest = ",".join(more[part:])
        if (_CONTINUES.match(more[part]) or _MORE_OF_IT.match(more[part])) and not _CLAUSE_WORD.search(more[part]):
            head += "," + more[part]
        elif (
            _CONTINUES.match(rest.split(",", 1)[-1]) and len(more[part].split()) <= 3 and not _CLAUSE_WORD.search(rest)
        ):
            head += "," + rest
            break
        elif _BOTH.search(head) and _SECOND.match(more[part]):
            return ""
        else:
            break
    return head.strip(_EDGE)


def retell(words: str) -> str | None:
    """Return "The user …." for a clause that starts with "I ", or None where it would not be a sentence."""
    phrase = words.removeprefix("I ").strip()
    if not phrase or BLANK in phrase or len(phrase.split()) > MAX_WORDS:
        return None
    tokens = phrase.split(" ")
    verb = next((place for place, token in enumerate(tokens) if token.lower() not in _ADVERBS), 0)
    tokens[verb] = _third_person(tokens[verb])
    rest = _PRONOUN.sub(_about_them, " ".join(tokens[verb + 1 :]))
    return finish("The user " + " ".join([*tokens[: verb + 1], rest]))


def finish(sentence: str) -> str:
    """End a sentence with one full stop."""
    sentence = sentence.rstrip(_EDGE)
    return sentence + "."


def about_them(words: str) -> str:
    """Return the words with "my", "me" and the like as "their", "them"."""
    return _PRONOUN.sub(_about_them, words)


def _about_them(match: re.Match[str]) -> str:
    return _PRONOUNS.get(match.group().lower().replace("’", "'"), match.group())


def _third_person(verb: str) -> str:
    lower = verb.lower()
    if lower in _AUXILIARIES:
        return _AUXILIARIES[lower]
    if lower in _UNCHANGED or lower not in PRESENT:
        return lower if lower in _UNCHANGED else verb
    if lower.endswith(("s", "sh", "ch", "x", "z", "o")):
        return lower + "es"
    if lower.endswith("y") and lower[-2] not in "aeiou":
        return lower[:-1] + "ies"
    return lower + "s"


PRESENT = frozenset(
    [
        "work",
        "live",
        "study",
        "teach",
        "run",
        "own",
        "manage",
        "lead",
        "prefer",
        "love",
        "like",
        "hate",
        "enjoy",
        "dislike",
        "struggle",
        "want",
        "hope",
        "plan",
        "need",
        "aim",
        "intend",
        "find",
        "freelance",
        "learn",
        "mix",
        "keep",
        "get",
        "understand",
        "come",
        "attend",
        "major",
        "reside",
        "specialize",
        "specialise",
        "suck",
        "dream",
        "tend",
        "confuse",
        "feel",
        "wish",
        "hail",
        "play",
        "paint",
        "draw",
        "sketch",
        "knit",
        "crochet",
        "sew",
        "bake",
        "garden",
        "hike",
        "climb",
        "cycle",
        "jog",
        "swim",
        "surf",
        "ski",
        "snowboard",
        "sail",
        "row",
        "fish",
        "dance",
        "sing",
        "meditate",
        "skate",
        "camp",
        "kayak",
        "volunteer",
        "juggle",
        "embroider",
        "quilt",
        "whittle",
    ]
)
