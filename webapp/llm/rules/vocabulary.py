"""The words that the patterns lean on: occupations, places, things one sets out to do, things one completes."""

from __future__ import annotations

import re
from pathlib import Path


def _listed(name: str) -> frozenset[str]:
    return frozenset((Path(__file__).parent / name).read_text(encoding="utf-8").split())


# Last word of an occupation: "a senior backend engineer", "an ICU nurse".
OCCUPATIONS = _listed("occupations.txt")
NOT_AN_OCCUPATION = re.compile(
    r"\b(?:good|bad|terrible|great|horrible|lousy|better|worse|decent|slow|former|wannabe|"
    r"aspiring|born|natural)\b",
    re.IGNORECASE,
)

STUDENTS = (
    r"(?:student|undergrad(?:uate)?|postgrad(?:uate)?|freshman|sophomore|pupil|phd candidate|"
    r"doctoral candidate|fresher|exchange student|"
    r"(?:junior|senior)(?= (?:at|in) ))"
)

# Where a lower-case object of "live in", "from" or "move to" is a place all the same.
PLACE_NOUNS = (
    r"(?:village|town|city|flat|apartment|house|suburbs?|countryside|island|farm|dorm|"
    r"district|neighbou?rhood|region|coast|mountains|ranch|cabin|"
    r"province|county|country|campus|studio|condo|trailer|van|boat|houseboat|hostel|abroad|"
    r"downtown|outskirts|hometown|desert|valley|"
    r"student housing|share[d]?[- ]house|homestay|capital|area|bungalow|cottage|side of the|"
    r"north of|south of|east of|west of)"
)
PLACES = _listed("places.txt")
# In lower case: read by patterns that ignore case.
NATIONALITIES = f"(?:{'|'.join(sorted(_listed('nationalities.txt')))})"
# One moves to these without moving house.
NOT_PLACES = _listed("not_places.txt")

GOAL_VERBS = (
    r"(?:learn|master|become|pass|improve|earn|win|speak|study|switch (?:careers?|jobs?|"
    r"to a career|into)|change (?:careers?|jobs?|my career)|"
    r"be (?:an?\s|able\b|fluent|certified|better|more|debt|fit|promoted|financially)|"
    r"get (?:better|good|fluent|certified|promoted|fit|in shape|in better shape|stronger|"
    r"healthier|accepted|hired|admitted|back into|out of|into|an? \w+|my (?:\w+ ){1,4}(?:cert|"
    r"degree|certificate|licen[cs]e|certification|diploma|black belt|pilot))|"
    r"run (?:an?|the|my)\b.*(?:marathon|\d ?k|race|business|company)|start (?:my own|an? (?:\w+ )?(?:company|"
    r"business|career|podcast|blog|family|startup|start-up|channel|ngo|degree|phd|master'?s))|"
    r"open (?:an?|my) (?:\w+ ){0,3}(?:shop|bookshop|caf[eé]|restaurant|bakery|studio|school|"
    r"gym|clinic|practice|salon|store)|"
    r"build (?:my own|an? (?:\w+ )?(?:career|startup|start-up|business|company|house|portfolio|habit))|"
    r"publish|launch|write (?:an?|my) (?:\w+ ){0,3}(?:book|novel|thesis|memoir|album|dissertation)|"
    r"read (?:\d|more|in the original|(?-i:[A-Z]))|save(?: up)?|lose \d|lose weight|gain \d|"
    r"quit (?:smoking|drinking|my job)|"
    r"understand|apply (?:to|for)|take (?:the|a|an|my)(?=.*(?:exam|test|(?-i:[A-Z]{3,})))|"
    r"sit (?:the|my) (?:\w+ ){0,3}exam|finish|graduate|teach|work (?:as|at|for|in|with)\b|travel|"
    r"retire|compete|qualify|"
    r"reach|achieve|score|speciali[sz]e|go (?:back )?to (?:college|med|grad|law|university|"
    r"school)|transition|break into|land an?|pursue|do (?:an?|my) (?:phd|master|mba|degree|"
    r"\w+ degree)|play (?:the|an?)|(?:adopt|foster|raise|have) (?:an? )?(?:child|baby|kids|children|son|daughter)|"
    r"help (?:others|people|children|kids|patients|animals)|volunteer|buy (?:an?|my) (?:\w+ )?(?:house|home|flat)|move to (?-i:[A-Z])|memori[sz]e)"
)
# "finished", "completed" and "passed" are achievements when said of these.
COURSES = (
    r"(?:course|chapters?|book|module|thesis|dissertation|degree|project|exams?|tests?|"
    r"marathon|bootcamp|training|certifications?|certificate|"
    r"tutorials?|lessons?|unit|semester|level|novel|manuscript|finals|midterms?|quiz|program(?:me)?|"
    r"tree|class|classes|school|university|college|"
    r"internship|residency|apprenticeship|phd|master'?s|bachelor'?s|triathlon|curriculum|"
    r"workbook|challenge|series|track|specialization|nanodegree|year|licen[cs]e|interview)"
)
EXAMS = (
    r"(?:exams?|tests?|certifications?|quiz|interview|bar\b|finals|midterms?|boards|viva|audition|"
    r"driving|theory|course|class|module|level|licen[cs]e)"
)
