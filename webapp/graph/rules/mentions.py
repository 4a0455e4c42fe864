"""The names in an English sentence, by their capitals."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from webapp.graph.names import key
from webapp.graph.types import MAX_NAME
from webapp.terms import STOP_WORDS

_CAPITAL = r"(?:[A-ZÀ-ÖØ-Þ][\w\-]*(?:\+\+|#)?|[a-z]{1,2}[A-Z][\w\-]*)"
_CONNECTOR = r"(?:of|de|del|della|der|den|van|von|la|le|du|da|di|al|el|bin|ibn|&)"
_CONNECTING = re.compile(rf"{_CONNECTOR}|the|and")
_NAME = re.compile(
    rf"(?<![\w@#/.\-])(?P<name>(?:(?:St|Mt|Ft)\.\s+)?{_CAPITAL}(?:(?:\s+{_CONNECTOR}(?:\s+(?:the|la|der|den))?)?\s+{_CAPITAL})*(?:\s+\d{{1,4}}\b(?![.,:]\d|%))?)"
    r"(?:\s*\((?P<other>[A-Z][A-Z0-9.]{0,9})\))?"
)
_POSSESSIVE = re.compile(r"['’]s\b")


def _words(*lines: str) -> frozenset[str]:
    return frozenset(word for line in lines for word in line.split())


# Capitalised by rule, or written in capitals without being anybody's name.
_NO_NAMES = _words(
    "monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun january february march april may june",
    "july august september october november december jan feb mar apr jun jul aug sep sept oct nov dec q1 q2 q3 q4 h1 h2 am pm i i'm",
    "ok okay yes no yeah yep nope hi hello hey dear thanks thank please sorry wow oh well sure great good nice cool congrats congratulations",
    "lol btw fyi asap imo imho tbh aka rsvp todo eta faq mr mrs ms dr prof sir madam mom dad mum grandma grandpa",
    "today tomorrow yesterday tonight now then later soon recently currently lately finally also however meanwhile still already",
    "just maybe perhaps actually honestly personally usually sometimes often always never once twice last next this first second",
    "news recent new update note ps re edit christmas easter",
    "user assistant system ai",
    "pdf csv json xml html css sql url urls api apis http https faq id pin usb wifi tv pc cpu gpu",
    "ceo cfo cto coo cio cmo cpo vp svp evp president vice chair chairman chairwoman director mayor manager head",
)
_DAYS = _words("monday tuesday wednesday thursday friday saturday sunday weekday weekend")
# Capitalised by rule as a word, and by right in these.
_NEW_PLACES = re.compile(
    r"(?:New (?:York|Zealand|Delhi|Jersey|Orleans|Mexico|Hampshire|Haven|England|Guinea|Caledonia|Brunswick|South|Balance)|"
    r"Great (?:Britain|Barrier|Lakes|Yarmouth|Falls)|Good Hope|First (?:Nation|National|Republic|Solar)|May Day|Sunday Times)\b"
)
_ALSO_PEOPLE = frozenset({"Will", "May", "April", "June"})
_DOES = re.compile(
    r"\s+(?:lives|works|is|was|has|likes|loves|said|says|moved|reports|owns|studies|speaks|leads|manages|joined|left)\b"
)
# What stands after a name that begins a sentence, and hardly after another word there.
_AFTER_SUBJECT = _words(
    "is was has had are were will would can could isn't wasn't hasn't won't does doesn't did didn't may might and or who which",
    "works worked lives lived moved joined left bought sold owns owned runs ran leads led manages managed says said told asked wants wanted",
    "announced reported closed opened rose fell gained lost acquired hired fired plans planned likes loves hates prefers trades traded",
    "costs cost got became started founded built makes made uses used studies studied speaks plays played reports needs visited",
    "turned turns quit resigned retired graduated enjoys enjoyed dislikes disliked attends attended teaches taught drives drove flies flew",
    "cooks cooked sings sang writes wrote reads belongs calls called asks thinks thought knows knew loved adopted donated applied travels traveled",
    "travelled stays stayed celebrated collects practices practises prefers preferred dates dated visits employs acquires operates serves sells",
    "launched raised released signed won beat expects expected paid pays hosts hosted met married administers handles takes took gave gives",
)
_MASS_NOUNS = _words(
    "coffee tea music work life school time money food water people weather traffic dinner lunch breakfast everything nothing something",
    "someone everyone somebody everybody nobody sleep health sports news data code software learning reading running writing rain snow",
)


@dataclass(frozen=True, slots=True)
class Mention:
    """A name as written, the short form in brackets behind it, and where it stands in the sentence."""

    name: str
    other: str | None
    start: int
    end: int


def mentions(sentence: str, familiar: Iterable[str] = ()) -> list[Mention]:
    """Return the names in a sentence in order, each once; ``familiar`` are names known from elsewhere.

    The first word of a sentence has a capital whatever it is: it counts as a name where it is familiar, where another
    capital, a short form in brackets or a possessive follows, or a verb that wants a subject.
    """
    if sentence.isupper():
        return []
    known = {key(name) for name in familiar}
    found: dict[str, Mention] = {}
    for mention in _candidates(sentence, known):
        found.setdefault(key(mention.name), mention)
    return list(found.values())


def _candidates(sentence: str, known: set[str]) -> Iterator[Mention]:
    opening = re.search(r"[^\W\d_]", sentence)
    for match in _NAME.finditer(sentence):
        start, name = match.start("name"), match["name"]
        first = opening is not None and start == opening.start()
        if first and not _begins_with_name(name, match, sentence, known):
            start, name = _without_first_word(start, name)
        start, name = _without_no_names(start, name)
        if key(name) and len(name) <= MAX_NAME:
            yield Mention(name, match["other"], start, start + len(name))


def _begins_with_name(name: str, match: re.Match[str], sentence: str, known: set[str]) -> bool:
    word, _, rest = name.partition(" ")
    if _NEW_PLACES.match(name) or (word in _ALSO_PEOPLE and _DOES.match(sentence, match.end("name"))):
        return True
    if _is_no_name(word) or word.lower() in STOP_WORDS["english"]:
        return False
    if match["other"] or key(name) in known or key(word) in known or _POSSESSIVE.match(sentence, match.end("name")):
        return True
    if rest and not rest[0].isdigit():
        return not word.lower().endswith(("ed", "ing")) or key(name) in known
    following = re.match(r"\s+([\w'’]+)", sentence[match.end() :])
    return bool(following) and following[1].lower() in _AFTER_SUBJECT and not _is_common(word)  # type: ignore[index]


def _is_common(word: str) -> bool:
    return word.lower() in _MASS_NOUNS or word.lower().endswith("ing")


def _without_first_word(start: int, name: str) -> tuple[int, str]:
    word, gap, rest = name.partition(" ")
    return (start + len(word) + len(gap), rest) if any(map(str.isupper, rest[:3])) else (start, "")


def _without_no_names(start: int, name: str) -> tuple[int, str]:
    """Cut words that are capitalised by rule off both ends: "May", "Hi Sarah", "Sarah Monday", "CFO of Orbit"."""
    while (
        name
        and not _NEW_PLACES.match(name)
        and (_is_no_name(word := name.partition(" ")[0]) or _CONNECTING.fullmatch(word))
    ):
        word, gap, rest = name.partition(" ")
        start, name = start + len(word) + len(gap), rest
    while name and _is_no_name(name.rpartition(" ")[2]):
        name = name.rpartition(" ")[0]
    return start, name if name[:1].isupper() or any(letter.isupper() for letter in name[:3]) else ""


def names_nothing(name: str) -> bool:
    """Whether a name is a pronoun, a date or a common word in disguise."""
    words = name.lower().split()
    return all(word in _NO_NAMES or word in STOP_WORDS["english"] for word in words)


def _is_no_name(word: str) -> bool:
    return word.lower() in _NO_NAMES or word.lower().removesuffix("s") in _DAYS
