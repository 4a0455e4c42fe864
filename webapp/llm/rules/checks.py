"""What a statement's object must be to be taken: solid, and of the sort that its verb asks for.

A check takes the trimmed object ("in a small flat near Porto") and says whether it may stand in a memory.
"""

from __future__ import annotations

import re

from webapp.llm.rules.vocabulary import (
    COURSES,
    EXAMS,
    NOT_AN_OCCUPATION,
    NOT_PLACES,
    OCCUPATIONS,
    PLACE_NOUNS,
    PLACES,
)

_DEICTIC = re.compile(
    r"^(?:(?:to|for|with|about|on|by|at|in|of|that|how|why|what|when|the way|doing|using|"
    r"more|understand(?:ing)?) )*(?:it|it's|this|that|these|those|here|there|them|him|"
    r"her|"
    r"you|your|yours|one|what you\w*|something|anything|everything|nothing|so|the (?:same|"
    r"above|latter|former|idea|question|answer|error|code|"
    r"(?:first|second|third|fourth|last|next|other|previous|new|old|original|short(?:er)?|"
    r"long(?:er)?) (?:one|option|version|answer|example|part|solution|suggestion|idea|"
    r"draft|paragraph|point|step)s?))\b"
    r"|\b(?:you|your|yours)\b|\b(?:line|step|page|exercise|question|number|problem|item) #?\d",
    re.IGNORECASE,
)
# A pronoun whose noun stays behind in the conversation, or an end that lost its rest.
_DANGLING = re.compile(
    r"\b(?:it|them|him|his|hers?|he|she|they|their|these|those|there|this(?! (?:year|week|"
    r"month|semester|term|summer|spring|fall|autumn|winter|morning|evening|afternoon|"
    r"quarter|season|\w+day|January|February|March|April|May|June|July|August|September|"
    r"October|November|December)\b))\b"
    r"|\b(?:what|how|to|with|of|the|an?|and|or|for|in|at|on|that|who|is|are|was|like|as|my|some)$",
    re.IGNORECASE,
)


def solid(words: str) -> bool:
    """Something is named, and nothing in it points at the conversation or lost its rest."""
    return bool(re.search(r"\w{2}", words)) and not _DEICTIC.search(words) and not _DANGLING.search(words)


def is_occupation(words: str) -> bool:
    """A known occupation, not a judgement of one ("a good programmer")."""
    role = re.split(
        r"\s(?:at|for|in|with|who|from|of|on|by|working|specializ\w+|specialis\w+|to|and|based|"
        r"here|turned)\s|[,(]",
        words + " ",
        maxsplit=1,
    )[0]
    head = role.lower().split()[-1:] or [""]
    professional = re.search(r"(?:ologist|ographer|ician|wright|smith)$", head[0])
    return solid(words) and (head[0] in OCCUPATIONS or bool(professional)) and not NOT_AN_OCCUPATION.search(role)


_BEFORE_PLACE = re.compile(
    r"^(?:(?:from|to|in|near|the|a|an|my|our|around|downtown|just|outside|north|south|east|west|northern|southern|"
    r"central|of)\s+)+"
)


def is_place(words: str) -> bool:
    """Whether one can live there: a capitalised or well-known name, or a noun for a dwelling or a settlement."""
    name = re.split(r"[\s,]", _BEFORE_PLACE.sub("", words.strip()), maxsplit=1)[0]
    if name.lower().strip("'’") in NOT_PLACES:
        return False
    return name[:1].isupper() or name.lower() in PLACES or bool(re.search(rf"\b{PLACE_NOUNS}\b", words, re.IGNORECASE))


def both_places(words: str) -> bool:
    """ "from" one place "to" another."""
    return all(is_place(part) for part in re.split(r"\bto\b", words.removeprefix("from "), maxsplit=1))


def is_home(words: str) -> bool:
    """Somewhere one lives, not "in fear" or "in the moment"."""
    return solid(words) and not re.match(
        r"(?:in )?(?:fear|hope|denial|the (?:past|moment|future|now|present|dark)|a (?:dream|"
        r"bubble|world|society|time|palace|castle|simulation)|pain|peace|poverty|my (?:head|"
        r"own world)|"
        r"constant|terror|sin|luxury|with (?:that|this|it|the))\b",
        words,
        re.IGNORECASE,
    )


def is_job_place(words: str) -> bool:
    """Where, for whom or as what one works, not when or how."""
    return solid(words) and not re.match(
        r"(?:as (?:a team|if|though|\w+ as|intended|expected|well)|at (?:night|home|my own|"
        r"a (?:slow|fast)|the moment|it|least|all)|in (?:batches|bursts|short|silence|"
        r"pairs|parallel|the (?:morning|evening|afternoon|dark|library|same)|"
        r"groups|my|vim|theory|practice|order|progress)|for (?:free|hours|me|a (?:while|"
        r"bit)|now|the (?:first|moment|time)|\d+ (?:hours|minutes)|\w+ (?:hours|minutes)))\b",
        words,
        re.IGNORECASE,
    )


def is_field(words: str) -> bool:
    """A field of study, not a time, a manner or the thing on the desk."""
    return solid(words) and not re.match(
        r"(?:the|every|each|hard|real hard|alone|more|less|a lot|for|with|from|by|when|"
        r"until|after|before|all|my|best|better|at night|at home|in the|in my|on|together|"
        r"late|and)\b",
        words,
        re.IGNORECASE,
    )


def is_taste(words: str) -> bool:
    """A thing one can like in general, not the answer just given."""
    return solid(words) and not re.match(
        r"(?:the\b(?!\w*\w+ing)|to (?:see|know|hear|say|be|ask|try|have|go|think)\b|how|"
        r"when|what|where|why|waiting|talking|if|hearing|who|a (?:lot|bit)\b|and|but|to$|"
        r"all (?:the|of|this)|every\w*$|all$|both$)",
        words,
        re.IGNORECASE,
    )


def is_choice(words: str) -> bool:
    """Something one prefers in general, not an option just offered."""
    return solid(words) and not re.match(
        r"(?:to (?:know|see|hear|leave|skip|wait)|not|if|the (?:former|latter|\w+ one)|option)\b", words, re.IGNORECASE
    )


def is_ability(words: str) -> bool:
    """Something to know or to be able to do, not the bug at hand."""
    return solid(words) and not re.match(
        r"(?:the (?:question|error|output|problem|message|issue|code|result|answer|difference here)|"
        r"my (?:code|output|error|bug)|why the|why my|opening|getting|line|why|what(?! is a)|"
        r"an error|a (?:bug|problem|question))\b",
        words,
        re.IGNORECASE,
    )


def names_course(words: str) -> bool:
    """A course, book, exam or the like."""
    return (
        solid(words)
        and bool(re.search(rf"\b{COURSES}\b|\b[A-Z]{{2,}}\b", words))
        and not re.search(r"\b(?:function|list|argument|method|form|server|null|None)\b", words)
    )


def names_exam(words: str) -> bool:
    """An exam, not an argument to a function."""
    return (
        solid(words)
        and bool(re.search(rf"\b{EXAMS}|\b[A-Z]{{2,}}\d?\b|\b[A-C][12]\b", words))
        and not re.search(r"\b(?:function|list|argument|parameter|method|variable|null|None|NULL|JSON|ID)\b", words)
    )


def names_school(words: str) -> bool:
    """A school or university."""
    return solid(words) and bool(
        re.search(
            r"\b(?:university|college|school|high|academy|institute|polytechnic|uni|tech|conservatory|"
            r"seminary|[A-Z]{3,}|State|program|lycée)\b",
            words,
            re.IGNORECASE,
        )
        and re.match(
            r"(?:to )?(?:an?\s|the\s)?(?:[A-Z]|\w+ (?:school|college|university|program))|"
            r"(?:the )?(?:university|college)",
            words,
        )
    )


def anything(words: str) -> bool:
    """No more than :func:`solid`."""
    return solid(words)


def is_subject_matter(words: str) -> bool:
    """Something to understand, after verbs that also mean to obtain."""
    return is_ability(words) and not re.match(
        r"(?:to|into|rid|back|any|an?|the (?:job|chance)|it|\d|my|up|along|out|some|people|"
        r"enough|paid|many|much)\b",
        words,
        re.IGNORECASE,
    )


def is_aim(words: str) -> bool:
    """An aim of one's own, not a step of the work at hand."""
    return not re.match(r"to \w+ (?:it|this|that|these|those|them|him|her)\b", words) and not re.search(
        r"\b(?:this|that|these|those|you|your|it)\s*$|\b(?:you|your)\b|\b(?:the|this) (?:function|"
        r"loop|script|file|error|code)\b|\b(?:know|understand) (?:this|that|it|why|what)\b|"
        r"\babout (?:this|that|it)\b|become root\b|work in the future|\bthere\b",
        words,
        re.IGNORECASE,
    )


def is_award(words: str) -> bool:
    """A degree, a mark, a prize or the like."""
    return (
        solid(words)
        and bool(
            re.search(
                r"\b(?:degree|certificat\w+|diploma|licen[cs]e|belt|medal|prize|award|scholarship|"
                r"grant|badge|my first (?:paying )?\w+|(?:first|second|third|\d+\w\w) place|"
                r"promotion|fellowship|job offer|phd|black belt|pilot)\b|^(?:an? )?(?:\d+\s?%|"
                r"\d+ ?(?:/|out of) ?\d+|[AB][+\-]?\s|A on|perfect score)",
                words,
            )
        )
        and not re.search(r"\b(?:error|message|warning|result|output|email|exception)\b", words)
    )


def is_feat(words: str) -> bool:
    """A number of things done."""
    return bool(
        re.search(
            r"\b(?:books?|problems?|km|kg|miles|marathons?|kilometers|kilometres|pages|words|pounds|"
            r"exercises|challenges|days|puzzles|lessons|chapters)\b",
            words,
        )
    ) and solid(words)


def is_job_name(words: str) -> bool:
    """The name of an employer."""
    return (
        words[:1].isupper() and not re.match(r"(?:The|A|An|My|It|You|This|That|I)\b", words) and len(words.split()) <= 6
    )


def is_admission(words: str) -> bool:
    """Accepted, hired, or got into a programme, a school, a team."""
    return solid(words) and bool(
        re.search(
            r"^(?:accepted|admitted|hired)|\b(?:program(?:me)?|university|college|school|team|course|band|league|"
            r"academy|orchestra|residency|finals?)\b|into [A-Z]",
            words,
        )
    )


def is_accomplishment(words: str) -> bool:
    """Managed to do something of its own worth, not a step of the work at hand."""
    return solid(words) and not re.match(
        r"to (?:get|fix|run|install|open|make|find|log|reproduce|start|do (?:it|this|that))\b", words
    )
