"""From a message to the sentences that its writer says in earnest about themselves and the world.

Code, quotations and quoted material are blanked out first; scenes ("imagine I am …"), texts given to be translated or
corrected, jokes and conditionals are left out whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

BLANK = "\x00"

# All repetition is bounded: a hostile message must not cost more than its length.
_OPAQUE = re.compile(
    r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|`[^`\n]{1,400}`|^[ \t]{0,20}>[^\n]*|https?://\S+", re.DOTALL | re.MULTILINE
)
_CODE_LINE = re.compile(
    r"\w{1,40}\([^)\n]{0,80}[\"'][^)\n]{0,200}\)|\w{1,40} ?= ?[\"'\[{(]|[;{]\s{0,9}$|^\s{0,40}(?:import |"
    r"from \S{1,80} import|def |class |return )"
)
# A quotation of four words or more, or with an "I" in it, is somebody's speech; a shorter one may be a name.
_SPEECH = re.compile(
    r"[\"“”„«](?=[^\"“”„«»\n]{0,600}\b(?:I|my|me|im)\b|(?:[^\s\"“”„«»]{1,60}\s){3})[^\"“”«»\n]{1,600}[\"“”»]",
    re.IGNORECASE,
)

_NOT_ABBREVIATED = (
    r"(?<!\b[A-Z])(?<!\b(?:St|Dr|Mr|Ms|vs|No|no|Jr|Sr|Mt|Ft))(?<!\b(?:Mrs|e\.g|i\.e|etc|Inc|"
    r"Ltd))(?<!\bProf)(?<!\bapprox)"
)
_SENTENCE_END = re.compile(
    rf"(?:(?<![.!?…]){_NOT_ABBREVIATED}[.!?…]+[\"'”’)\]]{{0,3}}(?=\s|$)|\n+)(?:\s?(?:[:;]-?[)(DP3](?=\s|"
    rf"$)|[\U0001f300-\U0001faff☺❤️])){{0,5}}"
    r"|\s[:;]-?[)(DP](?=\s|$)"
)

_SCENE = re.compile(
    r"^\W*(?:(?:please|now|ok|okay|so|let's|lets|can you|could you),? )*(?:imagine|pretend|"
    r"suppose|supposing|assume|assuming|"
    r"let's say|lets say|say i\b|say that i\b|role-? ?play|picture this|act as|play the role|"
    r"write (?:me )?(?:a|an|the|some|in|as)\b|"
    r"continue the story|in this (?:story|scenario|game)|scenario:|from the perspective)",
    re.IGNORECASE,
)
_MATERIAL = re.compile(
    r"^\W*(?:(?:hi|hey|hello|please|pls|now|ok|okay|so|can you|could you|would you|help me),? )*(?:translate|"
    r"proof-?read|correct|"
    r"rewrite|rephrase|paraphrase|summari[sz]e|conjugate|improve|polish|edit|shorten|check|fix|transcribe|parse|"
    r"classify|analy[sz]e|annotate|what tense|how do (?:you|i|we) say|what does|continue|complete) ?",
    re.IGNORECASE,
)
_MATERIAL_FOLLOWS = re.compile(
    r":\s*$|:\s|\b(?:following|below|this (?:text|sentence|paragraph|letter|email|essay|entry))\b", re.IGNORECASE
)
_JOKE = re.compile(r"\b(?:just kidding|only kidding|just joking|only joking|jk|j/k)\b", re.IGNORECASE)
_IRONY = re.compile(
    r"^\W*(?:oh,? (?:great|joy|sure|yeah|wonderful)|yeah,? right|yeah,? sure|sure,|as if|right, )|(?:^|\s)/s\b|"
    r"\bsaid no one\b|[:;]-?P\b|🙄|🙃|, not!|\bin my dreams\b|\bnot true that\b",
    re.IGNORECASE,
)
_CONDITIONAL = re.compile(
    r"^\W*(?:(?:and|but|so|well|even|also|then|what),? )*(?:if|unless|whether|when|once|whenever|"
    r"until)\b",
    re.IGNORECASE,
)
_POLITE_IF = re.compile(
    r"^\W*(?:if (?:it|that) (?:helps|matters)|in case|if you(?:'re| are)? (?:must|need|"
    r"want|wonder\w*|ask\w*|care)[^,]*|if i'm honest)[^,]*,",
    re.IGNORECASE,
)
_REPORTED = re.compile(
    r"\b(?:says?|said|told (?:me|him|her|us|them)|asks?|asked|wrote|writes|thinks?|believes?|"
    r"claims?|replied|answered)\b[^.]*:|"
    r"^\W*(?:the|my|our|his|her|their) (?:\w+ ){1,3}(?:says?|said|thinks?|claims?|believes?|told)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of the message: its place, its text with opaque parts blanked out (same length), and its kind."""

    start: int
    text: str
    asks: bool


def sentences(message: str) -> Iterator[Sentence]:
    """Yield the sentences that may be taken at their word, in order; questions are marked, not left out."""
    blanked = _blank(message)
    if _JOKE.search(blanked):
        return
    for start, end in _spans(blanked):
        text = blanked[start:end]
        if _SCENE.match(text):
            return
        if _MATERIAL.match(text):
            if _MATERIAL_FOLLOWS.search(text):
                return
            continue
        if not _hedged(text):
            yield Sentence(start, text, asks="?" in text[-4:])


def _hedged(text: str) -> bool:
    if _IRONY.search(text) or _REPORTED.search(text):
        return True
    return bool(_CONDITIONAL.match(text)) and not _POLITE_IF.match(text)


def _blank(message: str) -> str:
    lines = _OPAQUE.sub(_blanks, message).split("\n")
    prose = "\n".join(BLANK * len(line) if _CODE_LINE.search(line) else line for line in lines)
    return _SPEECH.sub(_blanks, prose)


def _blanks(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", BLANK, match.group())


def _spans(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for end in [*(match.end() for match in _SENTENCE_END.finditer(text)), len(text)]:
        if text[start:end].strip():
            yield start, end
        start = end
