"""Circumstances: work, place and study. They hold wherever the user goes, so they become global memories."""

from __future__ import annotations

import re

from webapp.llm.rules import checks
from webapp.llm.rules.pattern import Pattern, pattern
from webapp.llm.rules.vocabulary import STUDENTS

_DEGREE = (
    r"(?:phd|ph\.d|doctorate|master'?s?|mba|bachelor'?s?|degree|diploma|ba|bsc|b\.sc|msc|m\.sc|"
    r"ma|associate'?s?|certificate|minor|major)"
)

CIRCUMSTANCES: tuple[Pattern, ...] = (
    # study, before work: "a medical student" is no occupation
    pattern("study", rf"^I am (?:currently )?(?P<object>(?:an?|the) (?:[\w'’\-]+ ){{0,4}}{STUDENTS}\b.*)"),
    pattern("study", r"^I am (?:now |currently )?(?P<object>in (?:my|the|a) (?:\w+ ){0,2}(?:year|semester|grade)\b.*)"),
    pattern(
        "study",
        r"^I am (?:now |currently )?(?P<object>in (?:\d\w*|ninth|tenth|eleventh|twelfth|high school|"
        r"grad school|med school|law school|college|university|uni|grade \d+)\b.*)",
    ),
    pattern("study", r"^I am (?:now |currently )?(?P<object>(?:majoring|minoring|enrolled) (?:in|at)\s.*)"),
    pattern(
        "study",
        rf"^I (?:am )?(?:now |currently )?(?P<object>(?:started |doing |pursuing |finishing |"
        rf"getting |working on |writing |starting )(?:an?|my) (?:\w+ ){{0,2}}(?:{_DEGREE}|thesis|"
        rf"dissertation)\b.*)",
    ),
    pattern(
        "study",
        r"^I am (?:now |currently )?(?P<object>taking (?:(?:an?|the|some|my) )?(?:.*\b(?:course|"
        r"class|bootcamp|classes|lessons|seminar|module)\b.*|(?-i:[A-Z]{2,}) ?\d+.*))",
    ),
    pattern("study", r"^I (?:currently )?(?:attend|am attending|go to) (?P<object>.*)", checks.names_school),
    pattern("study", r"^I (?:have )?(?:recently )?graduated (?P<object>(?:from|in|with|as)\s.*)"),
    pattern("study", rf"^I (?:already )?(?:have|hold|got) (?P<object>(?:an?|my) (?:\w+ )?{_DEGREE}\b.*)"),
    pattern(
        "study",
        r"^I (?:have )?dropped (?P<object>out of (?:\w+ ){0,2}(?:school|college|university|"
        r"uni|\w+ program\w*)\b.*)",
    ),
    pattern(
        "study",
        r"^I (?:have |am )?(?:now |recently )?(?:switched|changed|switching|changing) (?P<object>(?:my |"
        r"majors? )(?:major)? ?(?:from|to)\s.*)",
    ),
    pattern("study", r"^I (?:have )?transferred (?P<object>(?:from|to) .*)", checks.names_school),
    pattern(
        "study",
        r"^I (?:no longer |used to |now |currently |have been |am )?(?:now |currently |also )?(?:study|"
        r"studying|studied) (?!for |hard|best|better)(?P<object>.*)",
        checks.is_field,
    ),
    pattern("study", r"^my (?:major|degree|minor) (?:is|was) (?P<object>.*)"),
    # work
    pattern("work", r"^I (?:am|was) (?:now |currently |originally )?(?P<object>(?:an?|the) .*)", checks.is_occupation),
    pattern(
        "work",
        r"^I am (?:now |currently )?(?P<object>(?:the )?(?:head|director|vp|vice president|"
        r"ceo|cto|cfo|coo|co-?founder|founder|owner|manager|chair|principal|dean|lead) (?:of|"
        r"at)\s.*)",
    ),
    pattern(
        "work",
        r"^I am (?:now |currently )?(?P<object>retired|unemployed|self-employed|between jobs|"
        r"out of work|on parental leave|on maternity leave)\b",
    ),
    pattern(
        "work",
        r"^I (?:no longer |ADV |used to |have been |am |have )?ADV (?:work|working|worked)(?: part[- ]time|"
        r" full[- ]time| remotely| nights| shifts| weekends| freelance)* (?P<object>(?:at|"
        r"for|in|as)\s.*)",
        checks.is_job_place,
    ),
    pattern("work", r"^I am (?:now |currently )?(?P<object>employed (?:at|by|as|with)\s.*)"),
    pattern("work", r"^I (?:am |have been |used to )?ADV (?:freelance|freelancing|moonlight) (?P<object>as\s.*)"),
    pattern(
        "work",
        r"^I (?:am |have been |used to )?ADV (?:teach|teaching|taught) (?P<object>(?!myself|"
        r"him|her|them|others|people|everyone|my |a friend)\w.*)",
    ),
    pattern(
        "work",
        r"^I (?:ADV |used to |have )?(?:run|own|ran|owned) (?P<object>(?:an?|my own|two|three|"
        r"the) (?:\w+[ \-]){0,3}(?:bakery|company|business|shop|store|caf[eé]|restaurant|agency|"
        r"studio|farm|clinic|startup|start-up|practice|gym|salon|school|ngo|non-?profit|firm|"
        r"bookshop|hotel|hostel|bar|pub|workshop|food truck|channel|podcast)\b.*)",
    ),
    pattern(
        "work",
        r"^I (?:ADV |used to )?(?:manage|lead|supervise|managed|led) (?P<object>(?:an?|the|"
        r"two|three|\d+) (?:\w+ ){0,3}(?:team|department|group|people|engineers|staff|branch|"
        r"store|project office|unit|ward|warehouse)\b.*)",
    ),
    pattern(
        "work",
        r"^I (?:have )?(?:recently )?(?:started|joined|got|accepted|landed|took) (?P<object>(?:an?|"
        r"my) (?:new )?(?:\w+ )?(?:job|position|role|internship|start-?up|company)\b.*)",
    ),
    pattern(
        "work",
        r"^I (?:have )?(?:recently )?(?:started|joined|began)(?: working)? (?P<object>(?:at|"
        r"with) .*)",
        lambda words: checks.is_place(re.sub(r"^(?:at|with) ", "", words)),
    ),
    pattern("work", r"^I (?:have )?(?:recently )?(?P<object>(?:quit|lost|left) my (?:job|position|role)\b.*)"),
    pattern(
        "work",
        r"^I (?:have )?(?:recently )?(?:left|quit|joined) (?P<object>[^\W\d_].*)",
        checks.is_job_name,
    ),
    pattern(
        "work",
        r"^I am (?:now |currently )?(?:doing|starting) (?P<object>(?:an?|my) (?:\w+ )?(?:internship|"
        r"apprenticeship|residency|traineeship)\b.*)",
    ),
    pattern("work", r"^my (?:day )?(?:job|profession) (?:is|was) (?P<object>.*)"),
    # place
    pattern(
        "place",
        r"^I (?:no longer |used to |ADV |am |have |have been )?ADV (?:live|living|lived|reside|"
        r"residing) (?P<object>(?:in|near|on|at|with|outside|abroad|alone|by|between|close)\b.*)",
        checks.is_home,
    ),
    pattern("place", r"^I am (?:now |currently )?(?P<object>based (?:in|out of|near)\s.*)"),
    pattern("place", r"^I am (?:originally )?from (?P<object>.*)", checks.is_place),
    pattern("place", r"^I (?:originally )?come from (?P<object>.*)", checks.is_place),
    pattern(
        "place",
        r"^I (?:have |am )?(?:recently |now |finally )?(?:moved|relocated|moving|relocating|"
        r"emigrated)(?: back| out| away| here| over)? (?P<object>from\s.*\bto\s.*)",
        checks.both_places,
    ),
    pattern(
        "place",
        r"^I (?:have |am )?(?:recently |now |finally )?(?:moved|relocated|moving|relocating|"
        r"emigrated)(?: back| over)? (?P<object>to\s.*)",
        checks.is_place,
    ),
    pattern("place", r"^I (?:mostly )?(?:grew up|was born|was raised) (?P<object>(?:in|on|near)\s.*)"),
)
