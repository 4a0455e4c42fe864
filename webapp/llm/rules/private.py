"""Private life: where one is from, one's family and animals, and what one does for pleasure. All global memories."""

from __future__ import annotations

import re

from webapp.llm.rules import checks
from webapp.llm.rules.pattern import Kind, Pattern, pattern
from webapp.llm.rules.vocabulary import NATIONALITIES

_COUNT = r"(?:two|three|four|five|six|seven|\d{1,2})"
_CHILDREN = (
    r"(?:kids?|child(?:ren)?|sons?|daughters?|step(?:sons?|daughters?|children|kids)|toddlers?|twins|triplets|"
    r"grand(?:sons?|daughters?|children|kids))"
)
_KIN = rf"(?:{_CHILDREN}|wife|husband|partner|fianc[eé]e?|girlfriend|boyfriend|brothers?|sisters?)"
_ANIMALS = r"(?:dogs?|cats?|pets?|pupp(?:y|ies)|kittens?|horses?|parrots?|rabbits?|hamsters?|guinea pigs?|tortoises?)"
_PARENT = (
    r"(?:mother|father|mom|mum|mommy|dad|parent|step(?:mother|father|mom|dad)|grand(?:mother|father|ma|pa|parent))"
)
_OFTEN = (
    r"(?:every|each|on (?:weekends|week\w+|\w+days)|(?:once|twice|\w+ times) an? (?:week|month|year|day)|"
    r"in (?:my|the) (?:free|spare) time|(?:just )?for fun|as a hobby|most (?:days|weekends|\w+ings))\b"
)
_INSTRUMENTS = (
    r"(?:the (?:piano|guitar|bass|violin|viola|cello|double bass|flute|clarinet|oboe|bassoon|saxophone|sax|trumpet|"
    r"trombone|tuba|horn|french horn|harp|drums|accordion|banjo|ukulele|organ|recorder|sitar|harmonica|mandolin)|"
    r"(?:piano|guitar|bass|violin|cello|drums|chess|football|soccer|basketball|volleyball|tennis|badminton|squash|"
    r"hockey|rugby|cricket|golf|baseball|softball|handball|water polo|ping[- ]pong|table tennis|poker|bridge|"
    r"board games|video games|d&d))"
)
_PASTIMES = (
    r"(?:paint|draw|sketch|knit|crochet|sew|bake|garden|hike|climb|cycle|jog|swim|surf|ski|snowboard|sail|row|fish|"
    r"dance|sing|meditate|skate|camp|kayak|volunteer|juggle|embroider|quilt|whittle)"
)
_PASTIMES_ING = (
    r"(?:painting|drawing|sketching|knitting|crocheting|sewing|baking|gardening|hiking|climbing|bouldering|cycling|"
    r"jogging|running|swimming|surfing|skiing|snowboarding|sailing|rowing|fishing|dancing|singing|meditating|skating|"
    r"camping|kayaking|volunteering|juggling|embroidering|quilting|birdwatching|diving|horse riding|riding)"
)


def is_kin(words: str) -> bool:
    """People and animals, not parts of a tree of nodes."""
    return checks.solid(words) and not re.search(
        r"\b(?:process\w*|class(?:es)?|nodes?|elements?|components?|themes?|tables?|accounts?|photos?|pictures?|videos?|"
        r"questions?|commands?|rows?|records?|objects?|food|book|joke|idea|bugs?|fight)\b",
        words,
        re.IGNORECASE,
    )


def is_pastime(words: str) -> bool:
    """Something to do for pleasure in general, not the state of what is on the desk."""
    return checks.is_taste(words) and not re.match(
        r"(?:trouble|problems?|an? (?:problem|issue|error|bug|wall|lot)|getting\b|debt|details?|my (?:last|next)|"
        r"\w+ (?:trouble|mode)\b|(?:my \w+ )?(?:year|week|month|day)\b|(?:gone|dead|back|real|strong)$|version|it|what|tears|overtime|consideration)",
        words,
        re.IGNORECASE,
    )


def is_origin(words: str) -> bool:
    """A place that one can come from, not an errand, a background in something or somebody's house."""
    return (
        checks.is_place(words)
        and not re.search(r"['’]s\b|\b(?:background|meeting|team|office|company|website|perspective|school)\b", words)
        and not re.match(r"(?:\w+ ){0,2}\w*day\b|(?:an?|the) [A-Z]", words)
    )


PRIVATE: tuple[Pattern, ...] = (
    # place
    pattern("place", r"^I (?:ADV )?(?:came|hail|am coming)(?: here| over)? (?P<object>from .*)", is_origin),
    pattern("place", r"^I (?:have )?(?:ADV )?(?:moved|emigrated|immigrated)(?: here| over)? (?P<object>from .*)", is_origin),
    pattern("place", r"^my (?:home country|homeland|native country|home ?town|birthplace) is (?P<object>.*)", is_origin),
    pattern(
        "place",
        rf"^I am (?P<object>(?:originally |half[ -]|(?:an? )(?=\w+\W*$))?{NATIONALITIES}\b"
        r"(?= and\b| but\b| by\b|,|\W*$))",
    ),
    # family
    pattern(
        "family",
        rf"^I (?:ADV )?have (?:got )?(?P<object>(?:{_COUNT}|an?|some) (?:\w+[ \-]){{0,2}}(?:{_CHILDREN}|{_ANIMALS}|"
        r"brothers?|sisters?|siblings?)\b(?!['’]).*)",
        is_kin,
    ),
    pattern("family", rf"^I am (?P<object>(?:an? |the )(?:\w+ ){{0,2}}{_PARENT} (?:of|to) (?:{_COUNT}|twins|triplets|an? )\b.*)"),
    pattern("family", rf"^I am (?P<object>an? (?:single|new|proud|first-time|working|stay-at-home) {_PARENT})\b"),
    pattern(
        "family",
        r"^I am (?:ADV )?(?:happily |newly )?(?P<object>(?:married|engaged|divorced|widowed|pregnant)"
        rf"(?: (?:to (?:an?|my) (?!job|work|idea|opinion).*|with (?:{_COUNT}|an?|my) .*|since .*|for .* years.*))?)(?=\W*$|,| and\b| but\b)",
    ),
    pattern("family", rf"^my (?:\w+ )?(?:{_KIN}|{_ANIMALS}) (?:is|are) (?P<object>(?:called|named) (?-i:[A-Z]).*)"),
    # pastime
    pattern("pastime", r"^my (?:\w+ ){0,2}(?:hobby|hobbies|pastimes?) (?:is|are|include) (?P<object>.*)", is_pastime),
    pattern("pastime", r"^my (?:\w+ ){0,2}passion is (?P<object>.*)", is_pastime),
    pattern("pastime", r"^I am (?:ADV )?(?:very |so |super |big |huge |quite |heavily )*(?P<object>into .*)",
            lambda words: is_pastime(words.removeprefix("into "))),
    pattern("pastime", rf"^I (?:have been |am |used to )?(?:ADV )?(?:play|playing) (?P<object>{_INSTRUMENTS}\b.*)"),
    pattern("pastime", rf"^I (?:ADV )?go (?P<object>{_PASTIMES_ING} (?:.*\b)?{_OFTEN}.*)"),
    pattern("pastime", rf"^I have been (?P<object>{_PASTIMES_ING}\b.* (?:since|for \w+ (?:years|months))\b.*)",
            lambda words: not re.search(r"\b(?:this|the) (?:query|script|program|test|code)\b", words)),
    pattern("pastime", rf"^I (?:ADV )?(?:{_PASTIMES}) (?P<object>(?:\w+ ){{0,3}}{_OFTEN}.*)",
            lambda words: not re.match(r"(?:the|this|that|it|around|for(?! fun))\b", words)),
    # preference
    pattern("preference", r"^I am (?:ADV )?(?P<object>(?:very |so |quite )?(?:keen on|passionate about) .*)",
            lambda words: is_pastime(re.sub(r"^.*?(?:on|about) ", "", words))
        and not re.search(r"\b(?:that|this|these|those|it|in particular)\b", words)),
)  # fmt: skip

# A pupil is called a kid too, and some are still to come.
_NOT_OWN = re.compile(
    r"\b(?:born|unborn|future|class\w*|students?|pupils?|teach\w*|taught|grades?|kindergarten group|team|coach\w*|patients?)\b",
    re.IGNORECASE,
)
_OWN_CHILDREN = re.compile(
    rf"\bmy (?:(?P<count>{_COUNT}) )?(?:(?:own|little|older|younger|youngest|oldest|eldest|teenage|adult|baby|grown) )?"
    r"(?P<who>kids|children|sons?|daughters?|toddler|twins|grandchildren|grandkids|grandson|granddaughter)\b"
    r"(?! (?:process|class|node|element|component|theme)| in law|-in-law)",
    re.IGNORECASE,
)
_HOME_COUNTRY = re.compile(
    r"\bmy (?P<what>home country|homeland|native country|home ?town),? (?P<where>(?-i:[A-Z])[\w'’\-]+"
    r"(?: (?-i:[A-Z])[\w'’\-]+)?)\b(?!['’]s)",
    re.IGNORECASE,
)


def presupposed(words: str) -> tuple[Kind, str] | None:
    """What a clause takes for granted: "I took my kids to the park" is told by somebody who has kids."""
    if (home := _HOME_COUNTRY.search(words)) and checks.is_place(home["where"]):
        return "place", f"The user's {home['what']} is {home['where']}"
    children = _OWN_CHILDREN.search(words)
    if children and not _NOT_OWN.search(words):
        who = children["who"].lower()
        many = who.endswith(("s", "children"))
        return "family", f"The user has {(children['count'] + ' ') if children['count'] else '' if many else 'a '}{who}"
    return None
