"""What the user struggles with, aims at, has achieved and prefers: told to one agent, remembered by it."""

from __future__ import annotations

import re

from webapp.llm.rules import checks
from webapp.llm.rules.pattern import Pattern, pattern
from webapp.llm.rules.vocabulary import GOAL_VERBS

_HARD = (
    r"(?:hard|difficult|confusing|tricky|challenging|tough|impossible|overwhelming|intimidating|"
    r"exhausting|stressful|scary)"
)
_BETTER = (
    r"(?:easier|better|(?:more |most |very |really |much more |so )?(?:helpful|useful|motivating|"
    r"engaging|relaxing|intuitive|enjoyable|clear|natural|boring|annoying)|clearer|simpler|"
    r"nicer)"
)

LEANINGS: tuple[Pattern, ...] = (
    # struggle
    pattern(
        "struggle",
        r"^I (?:am |have been |have )?ADV (?:struggle|struggling|struggled) (?P<object>(?:with|"
        r"to|in|at)\s.*)",
        checks.is_ability,
    ),
    pattern(
        "struggle",
        r"^I (?:am |have been )?ADV (?:have|having|had) (?:a lot of |some |so much |a bit of |"
        r"serious |real )?(?:trouble|difficult(?:y|ies)|problems|a (?:really |very )?hard time|"
        r"a tough time)(?: with| in)? (?P<object>.*)",
        checks.is_ability,
    ),
    pattern(
        "struggle",
        r"^I (?:can't|cannot|could never|can never) (?:seem to )?wrap my head around (?P<object>.*)",
        checks.is_ability,
    ),
    pattern(
        "struggle",
        r"^I (?:don't|do not|can't|cannot|never) (?:seem to )?(?:fully |quite |yet )?(?:understand|"
        r"get|grasp|follow)(?: how| why)? (?P<object>.*)",
        checks.is_subject_matter,
    ),
    pattern(
        "struggle",
        r"^I (?:can't|cannot) (?P<object>(?:read (?!your|the|it|this)|speak|swim|spell|remember (?:how|"
        r"the difference|names|dates)|tell apart|concentrate|focus)\b.*)",
        checks.is_ability,
    ),
    pattern("struggle", r"^I ADV (?:mix|mixing) up (?P<object>.*)", checks.is_ability),
    pattern(
        "struggle",
        r"^I (?:ADV )?keep (?:on )?(?:forgetting|confusing|mixing up|messing up|failing|getting (?:confused|"
        r"lost|stuck)(?: by| with| on| in)?) (?P<object>.*)",
        checks.is_ability,
    ),
    pattern(
        "struggle",
        r"^I am (?:completely |totally |often |always |very |so )?(?:stuck on|stuck with|confused (?:by|"
        r"about)|lost (?:in|with)|overwhelmed by|intimidated by|afraid of) (?P<object>.*)",
        checks.is_ability,
    ),
    pattern(
        "struggle",
        r"^I (?:am|have (?:never|always) been) (?:not (?:very |so |really )?good at|(?:really |"
        r"very |pretty |so )?(?:bad|terrible|awful|weak|horrible|hopeless|poor|rubbish) (?:at|"
        r"in|with)|(?:never |any )?good (?:at|with)) (?P<object>.*)",
        checks.is_ability,
    ),
    pattern(
        "struggle",
        rf"^I (?:ADV )?find (?P<object>[^,;]{{2,70}}? (?:(?:really|very|quite|so|pretty|extremely|"
        rf"a bit|too|incredibly|rather|super|particularly|especially) )*{_HARD}\b(?: to \w+)?)",
        checks.is_ability,
    ),
    pattern("struggle", r"^I ADV suck at (?P<object>.*)", checks.is_ability),
    pattern("struggle", r"^my (?:\w[\w'’\-]* ){0,2}(?:weakness|weak (?:spot|point)) (?:is|are) (?P<object>.*)"),
    # goal
    pattern(
        "goal",
        r"^I (?:want|would like|would love|hope|plan|aim|intend|am hoping|am planning|am aiming|"
        r"am looking|am dreaming|dream|am determined)(?: of)?(?: one day| someday| eventually)? (?P<object>to "
        + GOAL_VERBS
        + r".*)",
        checks.is_aim,
    ),
    pattern(
        "goal",
        r"^I (?:have |had )?(?:always |long )(?:wanted|dreamed|dreamt|hoped)(?: of)? (?P<object>(?:to "
        + GOAL_VERBS
        + r"|"
        r"(?:becoming|being|having|owning|opening|living|working|writing|running)\s).*)",
        checks.is_aim,
    ),
    pattern("goal", r"^I (?:have )?(?:finally )?decided (?P<object>to " + GOAL_VERBS + r".*)", checks.is_aim),
    pattern(
        "goal",
        r"^I am (?:seriously )?(?:thinking (?:of|about)|considering) (?P<object>(?:becoming|studying|moving to (?-i:[A-Z])|"
        r"adopting|applying (?:to|for)|going (?:back )?to (?:college|med|grad|law|university|school)|retraining|"
        r"starting (?:my own|an? (?:business|family|company|degree|phd))|"
        r"a career in|changing (?:careers?|jobs?)|quitting my job)\b.*)",
        checks.is_aim,
    ),
    pattern(
        "goal",
        r"^I (?:have|need|have got) (?P<object>to (?:learn|pass|improve|get better|study for|"
        r"lose \d|prepare for)\b.*)",
        checks.is_aim,
    ),
    pattern(
        "goal",
        r"^I am trying (?P<object>to (?:learn|get better|get into|improve|lose|quit|become|"
        r"save|pass|master|read more|speak|build a habit)\b.*)",
        checks.is_aim,
    ),
    pattern(
        "goal",
        r"^I dream (?P<object>of (?:becoming|being|having|owning|opening|living|working|writing|"
        r"running)\s.*)",
    ),
    pattern(
        "goal",
        r"^I (?:am|have been) (?:now |currently |slowly |also |finally )*(?:learning|teaching myself|"
        r"self-studying) (?P<object>(?!from|that|a (?:lot|ton|bit|bunch)|lots|tons|so much|"
        r"more about|new things|how to use this).*)",
        checks.is_ability,
    ),
    pattern(
        "goal",
        r"^I am (?:now |currently )*(?:preparing|training|studying|practi[sc]ing|cramming|"
        r"revising) for (?P<object>.*)",
    ),
    pattern(
        "goal",
        r"^I am (?:now |currently )*(?P<object>(?:saving(?: up)?|aiming|working) (?:for|towards?|"
        r"at)\s.*)",
        lambda words: checks.is_aim(words) and not words.startswith(("working for", "working at")),
    ),
    pattern(
        "goal",
        r"^my (?:\w[\w'’\-]* ){0,2}(?:goal|aim|dream|target|ambition|objective|resolution)(?: (?:for|"
        r"this|in) (?:\w+ ){1,3}?)? ?(?:is|would be) (?P<object>.*)",
    ),
    pattern("goal", r"^my (?:\w[\w'’\-]* ){0,2}plan (?:is|would be) (?P<object>to " + GOAL_VERBS + r".*)"),
    # achievement
    pattern("achievement", r"^I (?:have )?(?:ADV )?passed (?P<object>.*)", checks.names_exam),
    pattern("achievement", r"^I (?:have )?(?:ADV )?(?:finished|completed) (?P<object>.*)", checks.names_course),
    pattern(
        "achievement",
        r"^I finally (?:understand|understood|get|got the hang of|grasp|grasped|mastered|nailed|figured out) "
        r"(?P<object>(?:how )?.*)",
        checks.is_subject_matter,
    ),
    pattern(
        "achievement", r"^I (?:have )?(?:ADV )?(?:been |got |gotten |was )(?:just |recently )?(?P<object>promoted\b.*)"
    ),
    pattern(
        "achievement",
        r"^I (?:have )?(?:ADV )?(?:got|earned|received|won|obtained|achieved|was awarded) (?P<object>.*)",
        checks.is_award,
    ),
    pattern(
        "achievement",
        r"^I (?:have )?(?:ADV )?got (?P<object>(?:into|accepted (?:to|into|by|at)|admitted to|hired (?:by|at|as))\s.*)",
        checks.is_admission,
    ),
    pattern("achievement", r"^I (?:have )?(?:ADV )?scored (?P<object>.*\d.*)"),
    pattern(
        "achievement",
        r"^I (?:have )?(?:ADV )?(?:built|launched|published|released|shipped|sold|ran|wrote|"
        r"finished|made|gave|opened|started) (?P<object>my (?:very )?(?:first|second|own|\d+\w+|"
        r"online|startup|start-up|debut)\b.*)",
    ),
    pattern(
        "achievement",
        r"^I (?:have )?(?:ADV )?(?:defended|submitted|handed in) (?P<object>(?:my|the) (?:\w+ )?(?:thesis|"
        r"dissertation|phd)\b.*)",
    ),
    pattern(
        "achievement",
        r"^I (?:have )?(?:ADV )?(?:solved|read|ran|completed|finished|memori[sz]ed|wrote|written|"
        r"lost|saved) (?P<object>(?:my |all |over |more than |about |almost )*\d[\w.,]* .*)",
        checks.is_feat,
    ),
    pattern(
        "achievement",
        r"^I (?:have )?(?:ADV )?managed (?P<object>to .*)",
        checks.is_accomplishment,
    ),
    pattern("achievement", r"^I (?:have )?(?:ADV )?mastered (?P<object>.*)"),
    pattern(
        "achievement",
        r"^I (?:have )?(?:ADV )?reached (?P<object>(?:level )?(?:(?-i:[A-C][12]|[A-Z]\w+ level)|"
        r"level \d|\d[\w,.]* (?:followers|subscribers|users|days|points|kg|km|words)|fluency).*)",
    ),
    # preference, last: "I love learning" says less than the others
    pattern("preference", r"^I ADV prefer (?P<object>.*)", checks.is_choice),
    pattern("preference", r"^I would (?:much )?rather (?P<object>.*\bthan\b.*)", checks.is_choice),
    pattern("preference", r"^I (?:ADV )?(?:like|love|enjoy|adore) (?P<object>.*)", checks.is_taste),
    pattern(
        "preference",
        r"^I (?:ADV )?(?:hate|dislike|don't (?:really |much )?(?:like|enjoy)|do not (?:like|"
        r"enjoy)|can't stand|cannot stand|despise|loathe) (?P<object>.*)",
        checks.is_taste,
    ),
    pattern(
        "preference",
        r"^I (?:ADV )?(?:learn|study|work|remember things|focus|concentrate|understand things) (?P<object>(?:best|"
        r"better|faster|most effectively)\b.*)",
    ),
    pattern(
        "preference",
        r"^I am (?P<object>an? (?:\w+[ \-]){1,2}(?:learner|thinker)|(?:an?|more of an?|not an?|"
        r"definitely an?) (?:morning|night|cat|dog|people|early|coffee|tea|outdoors?|city|"
        r"numbers|words) (?:person|owl|bird|lover)|more of an? [\w ]+|an early bird)\b",
    ),
    pattern(
        "preference", r"^I am (?P<object>(?:an? )?(?:strict |mostly )?(?:vegan|vegetarian|pescatarian|teetotal))\b"
    ),
    pattern(
        "preference",
        r"^I am (?P<object>(?:not )?(?:(?:really |exactly )?an? )(?:big |huge |great )?fan of .*)",
        lambda words: checks.is_taste(re.sub(r"^.*?fan of ", "", words)),
    ),
    pattern(
        "preference",
        rf"^I (?:ADV )?find (?P<object>[^,;]{{2,70}}? (?:(?:much|far|a lot|way|really|very|"
        rf"so) )?{_BETTER}\b(?: than [\w' \-]+)?)",
        checks.solid,
    ),
    pattern(
        "preference",
        r"^my (?:(?:all-time|absolute) )?(?:favou?rite|fav) (?P<object>(?:\w[\w'’\-]* ){1,4}(?:is|"
        r"are|was) .*)",
    ),
)
