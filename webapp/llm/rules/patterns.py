"""The seven kinds of statement, as patterns over a clause in first-person spelling ("I am a nurse at …").

Each pattern names the part of the clause from which on it may be cut short (``object``); a test may look at it. What
points at the conversation itself ("this", "your answer", "line 5") is never a statement about the user.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from webapp.llm.rules.vocabulary import CITIES, COURSES, EXAMS, GOAL_VERBS, NOT_AN_OCCUPATION, NOT_PLACES, OCCUPATIONS, PLACE_NOUNS, STUDENTS

Kind = Literal["work", "place", "study", "preference", "struggle", "goal", "achievement"]


@dataclass(frozen=True, slots=True)
class Pattern:
    """``pattern`` has a group ``object``; ``accepts`` judges its trimmed text."""

    kind: Kind
    pattern: re.Pattern[str]
    accepts: Callable[[str], bool]


_DEICTIC = re.compile(
    r"^(?:(?:to|for|with|about|on|by|at|in|of|that|how|why|what|when|the way|doing|using|more|understand(?:ing)?) )*(?:it|it's|this|that|these|those|here|there|them|him|her|"
    r"you|your|yours|one|what you\w*|something|anything|everything|nothing|so|the (?:same|above|latter|former|idea|question|answer|error|code|"
    r"(?:first|second|third|fourth|last|next|other|previous|new|old|original|short(?:er)?|long(?:er)?) (?:one|option|version|answer|example|part|solution|suggestion|idea|draft|paragraph|point|step)s?))\b"
    r"|\b(?:you|your|yours)\b|\b(?:line|step|page|exercise|question|number|problem|item) #?\d",
    re.IGNORECASE,
)
_ADVERB = (
    r"(?:(?:now|currently|always|usually|mostly|mainly|often|sometimes|generally|finally|already|normally|originally|constantly|recently|typically|primarily|strongly|"
    r"much|eventually|never|rarely|presently) )*"
)


def _solid(words: str) -> bool:
    return bool(re.search(r"\w{2}", words)) and not _DEICTIC.search(words)


def _is_occupation(words: str) -> bool:
    role = re.split(r"\s(?:at|for|in|with|who|from|of|on|by|working|specializ\w+|specialis\w+|to|and|based|here|turned)\s|[,(]", words + " ", maxsplit=1)[0]
    head = role.lower().split()[-1:] or [""]
    professional = re.search(r"(?:ologist|ographer|ician|wright|smith)$", head[0])
    return _solid(words) and (head[0] in OCCUPATIONS or bool(professional)) and not NOT_AN_OCCUPATION.search(role)


def _is_place(words: str) -> bool:
    plain = re.sub(r"^(?:from|to|in|near|the|a|an|my|our|around|downtown|just|outside|north|south|east|west|northern|southern|central|of)\s+", "", words)
    while plain != words:
        words, plain = plain, re.sub(r"^(?:from|to|in|near|the|a|an|my|our|around|just|outside|north|south|east|west|northern|southern|central|of)\s+", "", plain)
    first = re.split(r"[\s,]", words, maxsplit=1)[0]
    if first.lower().strip("'’") in NOT_PLACES:
        return False
    return first[:1].isupper() or first.lower() in CITIES or bool(re.search(rf"\b{PLACE_NOUNS}\b", words, re.IGNORECASE))


def _both_places(words: str) -> bool:
    return all(_is_place(part) for part in re.split(r"\bto\b", words.removeprefix("from "), maxsplit=1))


def _is_home(words: str) -> bool:
    return _solid(words) and not re.match(
        r"(?:in )?(?:fear|hope|denial|the (?:past|moment|future|now|present|dark)|a (?:dream|bubble|world|society|time|palace|castle|simulation)|pain|peace|poverty|my (?:head|own world)|"
        r"constant|terror|sin|luxury|with (?:that|this|it|the))\b",
        words,
        re.IGNORECASE,
    )


def _is_job_place(words: str) -> bool:
    return _solid(words) and not re.match(
        r"(?:as (?:a team|if|though|\w+ as|intended|expected|well)|at (?:night|home|my own|a (?:slow|fast)|the moment|it|least|all)|in (?:batches|bursts|short|silence|pairs|parallel|the (?:morning|evening|afternoon|dark|library|same)|"
        r"groups|my|vim|theory|practice|order|progress)|for (?:free|hours|me|a (?:while|bit)|now|the (?:first|moment|time)|\d+ (?:hours|minutes)|\w+ (?:hours|minutes)))\b",
        words,
        re.IGNORECASE,
    )


def _is_field(words: str) -> bool:
    return _solid(words) and not re.match(
        r"(?:the|every|each|hard|alone|more|less|a lot|for|with|from|by|when|until|after|before|all|my|best|better|at night|at home|in the|in my|on|together|late|and)\b",
        words,
        re.IGNORECASE,
    )


def _is_taste(words: str) -> bool:
    return _solid(words) and not re.match(
        r"(?:the\b(?!\w*\w+ing)|to (?:see|know|hear|say|be|ask|try|have|go|think)\b|how|when|what|where|why|waiting|talking|if|hearing|who|a (?:lot|bit)\b|and|but|to$|all (?:the|of|this)|every\w*$|all$|both$)", words, re.IGNORECASE
    )


def _is_choice(words: str) -> bool:
    return _solid(words) and not re.match(r"(?:to (?:know|see|hear|leave|skip|wait)|not|if|the (?:former|latter|\w+ one)|option)\b", words, re.IGNORECASE)


def _is_ability(words: str) -> bool:
    return _solid(words) and not re.match(
        r"(?:the (?:question|error|output|problem|message|issue|code|result|answer|difference here)|my (?:code|output|error|bug)|why the|why my|opening|getting|line|why|what(?! is a)|an error|a (?:bug|problem|question))\b",
        words,
        re.IGNORECASE,
    )


def _names_course(words: str) -> bool:
    return _solid(words) and bool(re.search(rf"\b{COURSES}\b|\b[A-Z]{{2,}}\b", words)) and not re.search(r"\b(?:function|list|argument|method|form|server|null|None)\b", words)


def _names_exam(words: str) -> bool:
    return _solid(words) and bool(re.search(rf"\b{EXAMS}|\b[A-Z]{{2,}}\d?\b|\b[A-C][12]\b", words)) and not re.search(
        r"\b(?:function|list|argument|parameter|method|variable|null|None|NULL|JSON|ID)\b", words
    )


def _names_school(words: str) -> bool:
    return _solid(words) and bool(
        re.search(r"\b(?:university|college|school|high|academy|institute|polytechnic|uni|tech|conservatory|seminary|[A-Z]{3,}|State|program|lycée)\b", words, re.IGNORECASE)
        and re.match(r"(?:to )?(?:an?\s|the\s)?(?:[A-Z]|\w+ (?:school|college|university|program))|(?:the )?(?:university|college)", words)
    )


def _anything(words: str) -> bool:
    return _solid(words)


def _p(kind: Kind, pattern: str, accepts: Callable[[str], bool] = _anything) -> Pattern:
    return Pattern(kind, re.compile(pattern.replace("ADV ", _ADVERB), re.IGNORECASE), accepts)


_DEGREE = r"(?:phd|ph\.d|doctorate|master'?s?|mba|bachelor'?s?|degree|diploma|ba|bsc|b\.sc|msc|m\.sc|ma|associate'?s?|certificate|minor|major)"
_HARD = r"(?:hard|difficult|confusing|tricky|challenging|tough|impossible|overwhelming|intimidating|exhausting|stressful|scary)"
_BETTER = r"(?:easier|better|(?:more |most |very |really |much more |so )?(?:helpful|useful|motivating|engaging|relaxing|intuitive|enjoyable|clear|natural|boring|annoying)|clearer|simpler|nicer)"

PATTERNS: tuple[Pattern, ...] = (
    # study, before work: "a medical student" is no occupation
    _p("study", rf"^I am (?:currently )?(?P<object>(?:an?|the) (?:[\w'’\-]+ ){{0,4}}{STUDENTS}\b.*)"),
    _p("study", r"^I am (?:now |currently )?(?P<object>in (?:my|the|a) (?:\w+ ){0,2}(?:year|semester|grade)\b.*)"),
    _p("study", r"^I am (?:now |currently )?(?P<object>in (?:\d\w*|ninth|tenth|eleventh|twelfth|high school|grad school|med school|law school|college|university|uni|grade \d+)\b.*)"),
    _p("study", r"^I am (?:now |currently )?(?P<object>(?:majoring|minoring|enrolled) (?:in|at)\s.*)"),
    _p("study", rf"^I (?:am )?(?:now |currently )?(?P<object>(?:started |doing |pursuing |finishing |getting |working on |writing |starting )(?:an?|my) (?:\w+ ){{0,2}}(?:{_DEGREE}|thesis|dissertation)\b.*)"),
    _p("study", r"^I am (?:now |currently )?(?P<object>taking (?:(?:an?|the|some|my) )?(?:.*\b(?:course|class|bootcamp|classes|lessons|seminar|module)\b.*|[A-Z]+ ?\d+.*))"),
    _p("study", r"^I (?:currently )?(?:attend|am attending|go to) (?P<object>.*)", _names_school),
    _p("study", r"^I (?:have )?(?:recently )?graduated (?P<object>(?:from|in|with|as)\s.*)"),
    _p("study", rf"^I (?:already )?(?:have|hold|got) (?P<object>(?:an?|my) (?:\w+ )?{_DEGREE}\b.*)"),
    _p("study", r"^I (?:have )?dropped (?P<object>out of (?:\w+ ){0,2}(?:school|college|university|uni|\w+ program\w*)\b.*)"),
    _p("study", r"^I (?:have |am )?(?:now |recently )?(?:switched|changed|switching|changing) (?P<object>(?:my |majors? )(?:major)? ?(?:from|to)\s.*)"),
    _p("study", r"^I (?:have )?transferred (?P<object>(?:from|to) .*)", _names_school),
    _p("study", r"^I (?:no longer |used to |now |currently |have been |am )?(?:now |currently |also )?(?:study|studying|studied) (?!for |hard|best|better)(?P<object>.*)", _is_field),
    _p("study", r"^my (?:major|degree|minor) (?:is|was) (?P<object>.*)"),
    # work
    _p("work", r"^I (?:am|was) (?:now |currently |originally )?(?P<object>(?:an?|the) .*)", _is_occupation),
    _p("work", r"^I am (?:now |currently )?(?P<object>(?:the )?(?:head|director|vp|vice president|ceo|cto|cfo|coo|co-?founder|founder|owner|manager|chair|principal|dean|lead) (?:of|at)\s.*)"),
    _p("work", r"^I am (?:now |currently )?(?P<object>retired|unemployed|self-employed|between jobs|out of work|on parental leave|on maternity leave)\b"),
    _p("work", r"^I (?:no longer |ADV |used to |have been |am |have )?ADV (?:work|working|worked)(?: part[- ]time| full[- ]time| remotely| nights| shifts| weekends| freelance)* (?P<object>(?:at|for|in|as)\s.*)", _is_job_place),
    _p("work", r"^I am (?:now |currently )?(?P<object>employed (?:at|by|as|with)\s.*)"),
    _p("work", r"^I (?:am |have been |used to )?ADV (?:freelance|freelancing|moonlight) (?P<object>as\s.*)"),
    _p("work", r"^I (?:am |have been |used to )?ADV (?:teach|teaching|taught) (?P<object>(?!myself|him|her|them|others|people|everyone|my (?:kids?|son|daughter))\w.*)"),
    _p("work", r"^I (?:ADV |used to |have )?(?:run|own|ran|owned) (?P<object>(?:an?|my own|two|three|the) (?:\w+[ \-]){0,3}(?:bakery|company|business|shop|store|caf[eé]|restaurant|agency|studio|farm|clinic|startup|start-up|practice|gym|salon|school|ngo|non-?profit|firm|bookshop|hotel|hostel|bar|pub|workshop|food truck|channel|podcast)\b.*)"),
    _p("work", r"^I (?:ADV |used to )?(?:manage|lead|supervise|managed|led) (?P<object>(?:an?|the|two|three|\d+) (?:\w+ ){0,3}(?:team|department|group|people|engineers|staff|branch|store|project office|unit|ward|warehouse)\b.*)"),
    _p("work", r"^I (?:have )?(?:recently )?(?:started|joined|got|accepted|landed|took) (?P<object>(?:an?|my) (?:new )?(?:\w+ )?(?:job|position|role|internship|start-?up|company)\b.*)"),
    _p("work", r"^I (?:have )?(?:recently )?(?:started|joined|began)(?: working)? (?P<object>(?:at|with) .*)", lambda words: _is_place(re.sub(r"^(?:at|with) ", "", words))),
    _p("work", r"^I (?:have )?(?:recently )?(?P<object>(?:quit|lost|left) my (?:job|position|role)\b.*)"),
    _p("work", r"^I (?:have )?(?:recently )?(?:left|quit|joined) (?P<object>[^\W\d_].*)", lambda words: _is_job_name(words)),
    _p("work", r"^I am (?:now |currently )?(?:doing|starting) (?P<object>(?:an?|my) (?:\w+ )?(?:internship|apprenticeship|residency|traineeship)\b.*)"),
    _p("work", r"^my (?:day )?(?:job|profession) (?:is|was) (?P<object>.*)"),
    # place
    _p("place", r"^I (?:no longer |used to |ADV |am |have |have been )?ADV (?:live|living|lived|reside|residing) (?P<object>(?:in|near|on|at|with|outside|abroad|alone|by|between|close)\b.*)", _is_home),
    _p("place", r"^I am (?:now |currently )?(?P<object>based (?:in|out of|near)\s.*)"),
    _p("place", r"^I am (?:originally )?from (?P<object>.*)", _is_place),
    _p("place", r"^I (?:originally )?come from (?P<object>.*)", _is_place),
    _p("place", r"^I (?:have |am )?(?:recently |now |finally )?(?:moved|relocated|moving|relocating|emigrated)(?: back| out| away| here| over)? (?P<object>from\s.*\bto\s.*)", _both_places),
    _p("place", r"^I (?:have |am )?(?:recently |now |finally )?(?:moved|relocated|moving|relocating|emigrated)(?: back| over)? (?P<object>to\s.*)", _is_place),
    _p("place", r"^I (?:mostly )?(?:grew up|was born|was raised) (?P<object>(?:in|on|near)\s.*)"),
    # struggle
    _p("struggle", r"^I (?:am |have been |have )?ADV (?:struggle|struggling|struggled) (?P<object>(?:with|to|in|at)\s.*)", _is_ability),
    _p("struggle", r"^I (?:am |have been )?ADV (?:have|having|had) (?:a lot of |some |so much |a bit of |serious |real )?(?:trouble|difficult(?:y|ies)|problems|a (?:really |very )?hard time|a tough time)(?: with| in)? (?P<object>.*)", _is_ability),
    _p("struggle", r"^I (?:can't|cannot|could never|can never) (?:seem to )?wrap my head around (?P<object>.*)", _is_ability),
    _p("struggle", r"^I (?:don't|do not|can't|cannot|never) (?:seem to )?(?:fully |quite |yet )?(?:understand|get|grasp|follow)(?: how| why)? (?P<object>.*)", lambda words: _is_subject_matter(words)),
    _p("struggle", r"^I (?:can't|cannot) (?P<object>(?:read (?!your|the|it|this)|speak|swim|spell|remember (?:how|the difference|names|dates)|tell apart|concentrate|focus)\b.*)", _is_ability),
    _p("struggle", r"^I ADV (?:mix|mixing) up (?P<object>.*)", _is_ability),
    _p("struggle", r"^I (?:ADV )?keep (?:on )?(?:forgetting|confusing|mixing up|messing up|failing|getting (?:confused|lost|stuck)(?: by| with| on| in)?) (?P<object>.*)", _is_ability),
    _p("struggle", r"^I am (?:completely |totally |often |always |very |so )?(?:stuck on|stuck with|confused (?:by|about)|lost (?:in|with)|overwhelmed by|intimidated by|afraid of) (?P<object>.*)", _is_ability),
    _p("struggle", r"^I (?:am|have (?:never|always) been) (?:not (?:very |so |really )?good at|(?:really |very |pretty |so )?(?:bad|terrible|awful|weak|horrible|hopeless|poor|rubbish) (?:at|in|with)|(?:never |any )?good (?:at|with)) (?P<object>.*)", _is_ability),
    _p("struggle", rf"^I (?:ADV )?find (?P<object>[^,;]{{2,70}}? (?:(?:really|very|quite|so|pretty|extremely|a bit|too|incredibly|rather|super|particularly|especially) )*{_HARD}\b(?: to \w+)?)", _is_ability),
    _p("struggle", r"^I ADV suck at (?P<object>.*)", _is_ability),
    _p("struggle", r"^my (?:\w[\w'’\-]* ){0,2}(?:weakness|weak (?:spot|point)) (?:is|are) (?P<object>.*)"),
    # goal
    _p("goal", r"^I (?:want|would like|would love|hope|plan|aim|intend|am hoping|am planning|am aiming|am looking|am dreaming|dream|am determined)(?: of)?(?: one day| someday| eventually)? (?P<object>to " + GOAL_VERBS + r".*)", lambda words: _is_aim(words)),
    _p("goal", r"^I (?:have|need|have got) (?P<object>to (?:learn|pass|improve|get better|study for|lose \d|prepare for)\b.*)", lambda words: _is_aim(words)),
    _p("goal", r"^I am trying (?P<object>to (?:learn|get better|get into|improve|lose|quit|become|save|pass|master|read more|speak|build a habit)\b.*)", lambda words: _is_aim(words)),
    _p("goal", r"^I dream (?P<object>of (?:becoming|being|having|owning|opening|living|working|writing|running)\s.*)"),
    _p("goal", r"^I (?:am|have been) (?:now |currently |slowly |also |finally )*(?:learning|teaching myself|self-studying) (?P<object>(?!from|that|a (?:lot|ton|bit|bunch)|lots|tons|so much|more about|new things|how to use this).*)", _is_ability),
    _p("goal", r"^I am (?:now |currently )*(?:preparing|training|studying|practi[sc]ing|cramming|revising) for (?P<object>.*)"),
    _p("goal", r"^I am (?:now |currently )*(?P<object>(?:saving(?: up)?|aiming|working) (?:for|towards?|at)\s.*)", lambda words: _is_aim(words) and not words.startswith(("working for", "working at"))),
    _p("goal", r"^my (?:\w[\w'’\-]* ){0,2}(?:goal|aim|dream|target|ambition|objective|resolution)(?: (?:for|this|in) (?:\w+ ){1,3}?)? ?(?:is|would be) (?P<object>.*)"),
    _p("goal", r"^my (?:\w[\w'’\-]* ){0,2}plan (?:is|would be) (?P<object>to " + GOAL_VERBS + r".*)"),
    # achievement
    _p("achievement", r"^I (?:have )?(?:ADV )?passed (?P<object>.*)", _names_exam),
    _p("achievement", r"^I (?:have )?(?:ADV )?(?:finished|completed) (?P<object>.*)", _names_course),
    _p("achievement", r"^I finally (?:understand|understood|get|got|grasp|grasped|mastered|nailed|figured out) (?P<object>(?:how )?(?!it\b|my aws).*)", lambda words: _is_subject_matter(words)),
    _p("achievement", r"^I (?:have )?(?:ADV )?(?:been |got |gotten |was )(?:just |recently )?(?P<object>promoted\b.*)"),
    _p("achievement", r"^I (?:have )?(?:ADV )?(?:got|earned|received|won|obtained|achieved|was awarded) (?P<object>.*)", lambda words: _is_award(words)),
    _p("achievement", r"^I (?:have )?(?:ADV )?got (?P<object>(?:into|accepted (?:to|into|by|at)|admitted to|hired (?:by|at|as))\s.*)", lambda words: _solid(words) and bool(re.search(r"^(?:accepted|admitted|hired)|\b(?:program(?:me)?|university|college|school|team|course|band|league|academy|orchestra|residency|finals?)\b|into [A-Z]", words))),
    _p("achievement", r"^I (?:have )?(?:ADV )?scored (?P<object>.*\d.*)"),
    _p("achievement", r"^I (?:have )?(?:ADV )?(?:built|launched|published|released|shipped|sold|ran|wrote|finished|made|gave|opened|started) (?P<object>my (?:very )?(?:first|second|own|\d+\w+|online|startup|start-up|debut)\b.*)"),
    _p("achievement", r"^I (?:have )?(?:ADV )?(?:defended|submitted|handed in) (?P<object>(?:my|the) (?:\w+ )?(?:thesis|dissertation|phd)\b.*)"),
    _p("achievement", r"^I (?:have )?(?:ADV )?(?:solved|read|ran|completed|finished|memori[sz]ed|wrote|written|lost|saved) (?P<object>(?:my |all |over |more than |about |almost )*\d[\w.,]* .*)", lambda words: _is_feat(words)),
    _p("achievement", r"^I (?:have )?(?:ADV )?managed (?P<object>to .*)", lambda words: _solid(words) and not re.match(r"to (?:get|fix|run|install|open|make|find|log|reproduce|start|do (?:it|this|that))\b", words)),
    _p("achievement", r"^I (?:have )?(?:ADV )?mastered (?P<object>.*)"),
    _p("achievement", r"^I (?:have )?(?:ADV )?reached (?P<object>(?:level )?(?:[A-C][12]|[A-Z]\w+ level|level \d|\d[\w,.]* (?:followers|subscribers|users|days|points|kg|km|words)|fluency).*)"),
    # preference, last: "I love learning" says less than the others
    _p("preference", r"^I ADV prefer (?P<object>.*)", _is_choice),
    _p("preference", r"^I would (?:much )?rather (?P<object>.*\bthan\b.*)", _is_choice),
    _p("preference", r"^I (?:ADV )?(?:like|love|enjoy|adore) (?P<object>.*)", _is_taste),
    _p("preference", r"^I (?:ADV )?(?:hate|dislike|don't (?:really |much )?(?:like|enjoy)|do not (?:like|enjoy)|can't stand|cannot stand|despise|loathe) (?P<object>.*)", _is_taste),
    _p("preference", r"^I (?:ADV )?(?:learn|study|work|remember things|focus|concentrate|understand things) (?P<object>(?:best|better|faster|most effectively)\b.*)"),
    _p("preference", r"^I am (?P<object>an? (?:\w+[ \-]){1,2}(?:learner|thinker)|(?:an?|more of an?|not an?|definitely an?) (?:morning|night|cat|dog|people|early|coffee|tea|outdoors?|city|numbers|words) (?:person|owl|bird|lover)|more of an? [\w ]+|an early bird)\b"),
    _p("preference", r"^I am (?P<object>(?:an? )?(?:strict |mostly )?(?:vegan|vegetarian|pescatarian|teetotal))\b"),
    _p("preference", r"^I am (?P<object>(?:not )?(?:(?:really |exactly )?an? )(?:big |huge |great )?fan of .*)", lambda words: _is_taste(re.sub(r"^.*?fan of ", "", words))),
    _p("preference", rf"^I (?:ADV )?find (?P<object>[^,;]{{2,70}}? (?:(?:much|far|a lot|way|really|very|so) )?{_BETTER}\b(?: than [\w' \-]+)?)", lambda words: _solid(words)),
    _p("preference", r"^my (?:(?:all-time|absolute) )?(?:favou?rite|fav) (?P<object>(?:\w[\w'’\-]* ){1,4}(?:is|are|was) .*)"),
)


def _is_subject_matter(words: str) -> bool:
    return _is_ability(words) and not re.match(r"(?:to|into|rid|back|any|an?|the (?:job|chance)|it|\d|my|up|along|out)\b", words, re.IGNORECASE)


def _is_aim(words: str) -> bool:
    return not re.match(r"to \w+ (?:it|this|that|these|those|them|him|her)\b", words) and not re.search(r"\b(?:this|that|these|those|you|your|it)\s*$|\b(?:you|your)\b|\b(?:the|this) (?:function|loop|script|file|error|code)\b|\b(?:know|understand) (?:this|that|it|why|what)\b|\babout (?:this|that|it)\b|become root\b", words, re.IGNORECASE)


def _is_award(words: str) -> bool:
    return _solid(words) and bool(
        re.search(
            r"\b(?:degree|certificat\w+|diploma|licen[cs]e|belt|medal|prize|award|scholarship|grant|badge|first (?:paying )?\w+|place|promotion|fellowship|offer|phd|black belt|pilot)\b|^(?:an? )?(?:\d+\s?%|\d+ ?(?:/|out of) ?\d+|[AB][+\-]?\s|A on|perfect score)",
            words,
        )
    ) and not re.search(r"\b(?:error|message|warning|result|output|email|exception)\b", words)


def _is_feat(words: str) -> bool:
    return bool(re.search(r"\b(?:books?|problems?|km|kg|miles|marathons?|kilometers|kilometres|pages|words|pounds|exercises|challenges|days|puzzles|lessons|chapters)\b", words)) and _solid(words)


def _is_job_name(words: str) -> bool:
    return words[:1].isupper() and not re.match(r"(?:The|A|An|My|It|You|This|That|I)\b", words) and len(words.split()) <= 6
