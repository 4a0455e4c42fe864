"""Text to search terms, for the ranker's index: the same word in another form gives the same term. Pure.

English is the default; other languages are recognised by their script or their commonest words and stemmed
by their own rules (Snowball). Scripts without spaces give pairs of characters, which need no dictionary.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
import zlib
from collections.abc import Iterable
from datetime import date
from functools import cache, lru_cache
from threading import Lock

import numpy as np
import numpy.typing as npt
import snowballstemmer

from webapp.timewords import Period, Unit, period, periods_around, read_times

MAX_TEXT_CHARACTERS = 100_000
"""Terms beyond this much text are not read: it bounds the time that one text can take."""

TermHashes = npt.NDArray[np.uint32]


def terms(text: str) -> list[str]:
    """Return the terms of ``text`` in order, repeated ones repeated: case-folded, stemmed, without stop words.

    Numbers are kept ("1,000" is "1000", "7th" and "07" are "7"). A text of stop words alone gives none.
    """
    words = _TOKEN.findall(_normalised(text))
    language = _language(words)
    found: list[str] = []
    for word in words:
        if _UNSPACED.match(word):
            found.extend(_character_pairs(word))
        elif word not in STOP_WORDS.get(language, ()):
            found.append(_term(word, language))
    return found


def memory_terms(text: str, said_on: date) -> list[str]:
    """Return what a memory is found by: its words, the day, week, month and year it was said, the times it names."""
    named = read_times(_normalised(text), said_on).periods
    periods = [*periods_around(said_on), *(wider for one in named for wider in _at_least(one))]
    return terms(text) + [one.key for one in dict.fromkeys(periods)]


def message_terms(text: str, said_on: date) -> list[str]:
    """Return what a message looks for: its words, and in place of the times it names, those periods."""
    times = read_times(_normalised(text), said_on)
    periods = list(times.periods)
    periods += [period(Unit.MONTH, one.first) for one in times.periods if one.unit is Unit.DAY]
    return list(dict.fromkeys(terms(times.rest) + [one.key for one in periods]))


def term_hashes(found: Iterable[str]) -> TermHashes:
    """Return one 32-bit number per term, in order. The number of a term never changes: it is stored."""
    return np.fromiter((zlib.crc32(term.encode("utf-8", "replace")) for term in found), dtype=np.uint32)


def packed(found: Iterable[str]) -> bytes:
    """Return the terms as they are stored: four bytes each, least significant first. ``unpacked`` reads them."""
    return term_hashes(found).astype("<u4").tobytes()


def unpacked(stored: bytes) -> TermHashes:
    """Return the hashes of one or of several joined results of ``packed``."""
    return np.frombuffer(stored, dtype="<u4")


def _at_least(named: Period) -> Iterable[Period]:
    """A period and the longer ones around it: who says a day says its month, but not the other way round."""
    longer = list(Unit)[list(Unit).index(named.unit) + 1 :]
    # A week may lie in two months, so it is only itself.
    return [named] if named.unit is Unit.WEEK else [named, *(period(unit, named.first) for unit in longer)]


def _normalised(text: str) -> str:
    return unicodedata.normalize("NFKC", text[:MAX_TEXT_CHARACTERS]).casefold()


# Combining marks are no word characters to Python, but the vowel signs of South Asian scripts stand inside words.
_LETTER = r"(?:[^\W_]|[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670\u0900-\u0963\u0966-\u0dff])"
_UNSPACED_LETTER = (
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    r"\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]"
)
_UNSPACED = re.compile(_UNSPACED_LETTER)
_TOKEN = re.compile(rf"{_UNSPACED_LETTER}+|\d+(?:[.,]\d+)+|(?:(?!{_UNSPACED_LETTER}){_LETTER})+")
_GROUPED = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_COUNTED = re.compile(r"0*(\d+)(?:st|nd|rd|th)?")


def _character_pairs(run: str) -> list[str]:
    return [run] if len(run) == 1 else [first + second for first, second in itertools.pairwise(run)]


@lru_cache(maxsize=50_000)
def _term(word: str, language: str) -> str:
    if _GROUPED.fullmatch(word):
        return word.replace(",", "")
    if counted := _COUNTED.fullmatch(word):
        return counted[1]
    with _STEMMER_LOCK:
        stem: str = _stemmer(language).stemWord(word)
    decomposed = unicodedata.normalize("NFD", stem)
    return "".join(letter for letter in decomposed if not "\u0300" <= letter <= "\u036f") or word


# A stemmer keeps the word it works on in itself, so two threads must not use one at the same time.
_STEMMER_LOCK = Lock()


@cache
def _stemmer(language: str) -> snowballstemmer.stemmer:
    return snowballstemmer.stemmer(language)


def _language(words: list[str]) -> str:
    """The language that most of the stop words are of; English unless another has two and more than English."""
    for pattern, language in _SCRIPTS:
        if any(pattern.match(word) for word in words):
            return language
    counts = {language: sum(word in common for word in words) for language, common in STOP_WORDS.items()}
    language = max(counts, key=lambda language: counts[language])
    return language if counts[language] > 1 else "english"


_SCRIPTS = [
    (re.compile(r"[\u0400-\u04ff]"), "russian"),
    (re.compile(r"[\u0370-\u03ff\u1f00-\u1fff]"), "greek"),
    (re.compile(r"[\u0600-\u06ff]"), "arabic"),
    (re.compile(r"[\u0900-\u097f]"), "hindi"),
    (re.compile(r"[\u0b80-\u0bff]"), "tamil"),
]

# English stands first, since the first of equals is taken.
STOP_WORDS: dict[str, frozenset[str]] = {
    language: frozenset(words.split())
    for language, words in {
        "english": """
            a about above after again against ain all am an and any are aren as at be because been before being below
            between both but by can could couldn d did didn do does doesn doing don down during each few for from
            further had hadn has hasn have haven having he her here hers herself him himself his how i if in into is
            isn it its itself just ll m me more most my myself no nor not now of off on once only or other our ours
            ourselves out over own re s same shan she should shouldn so some such t than that the their theirs them
            themselves then there these they this those through to too under until up ve very was wasn we were weren
            what when where which while who whom why will with won would wouldn you your yours yourself yourselves""",
        "german": """
            aber als am an auch auf aus bei bin bis bist da damit das dass dein deine dem den der des dich die dir du
            ein eine einem einen einer eines er es euch für habe haben hat hatte ich ihm ihn ihr ihre im in ist ja kann
            kein keine man mein meine mich mir mit nach nicht noch nur oder sein seine sich sie sind so über um und uns
            unser von vom vor war waren was wer wie wir wird wo zu zum zur""",
        "french": """
            à au aux avec c ce ces cette d dans de des du elle elles en es est et eu il ils j je l la le les leur lui m
            ma mais me mes moi mon n ne nos notre nous on ont où ou par pas pour qu que quel quelle qui s sa se ses son
            sont suis sur t ta te tes toi ton tu un une vos votre vous y""",
        "spanish": """
            a al algo como con cual cuando de del donde dónde el él ella ellos en era es esta está este esto fue ha hay
            la las le les lo los me mi mis muy más ni no nos o para pero por porque que qué quien quién se ser si sí
            sin sobre son soy su sus te tiene tu tus un una uno y ya yo""",
        "italian": """
            a ai al alla anche che chi ci come con cosa da dal dalla dei del della delle di dove e è gli ha hai ho i il
            in io l la le lei lo loro lui ma mi mia mio nel nella non o per perché più quale quando quello questo sei
            si sono su sua suo sul sulla ti tra tu tuo un una uno vi""",
        "portuguese": """
            a à ao aos as às com como da das de dele dela do dos e é ela ele em era essa esse está eu foi há isso isto
            já lhe mais mas me mesmo meu minha muito na nas não nem no nos nós o onde os ou para pela pelo por quando
            que quem se sem ser seu sua são também te tem têm um uma você""",
        "dutch": """
            aan al als bij dan dat de der deze die dit door een en er had heb heeft het hij hoe hun ik in is je kan maar
            me meer met mij mijn na naar niet nog nu of om onder ons ook op over te tot u uit van voor waar was wat we
            wel werd wie wij zal ze zich zij zijn zo""",
        "russian": """
            а без был была были было быть в вам вас весь во вот все вы где да для до его ее если есть еще же за и из
            или им их к как ко когда кто ли мне мой моя мы на не нет ни но ну о об он она они от по при с со так там
            то тот ты у уже чем что это я""",
    }.items()
}
