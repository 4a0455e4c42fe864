"""What the demo org remembers: invented people of an invented academy."""

from __future__ import annotations

# username, full name; beside the cast of `demo.py`, so that lists have something to show.
MORE_PEOPLE = (
    ("mina", "Mina Okafor"),
    ("jonas", "Jonas Lindqvist"),
    ("priya", "Priya Raman"),
    ("tomasz", "Tomasz Wiśniewski"),
    ("layla", "ليلى الحداد"),
    ("maximiliane", "Maximiliane von Hohenberg-Schwarzenau"),
)

# slug, name, description, memory on, archived
MORE_AGENTS = (
    ("writing-coach", "Writing Coach", "Gives feedback on essays and applications", False, False),
    ("spring-intake", "Spring Intake 2025", "Answered questions before the spring term", True, True),
)

# agent (None: global), username, category, text, days ago, origin
MEMORIES: tuple[tuple[str | None, str, str | None, str, float, str], ...] = (
    (None, "learner", None, "The user prefers answers with a short example before the explanation.", 0.2, "captured"),
    (None, "learner", None, "The user reads on the train and likes replies that fit on a phone screen.", 2.1, "captured"),
    (None, "learner", None, "The user plays the cello in an amateur orchestra on Thursdays.", 6.4, "captured"),
    (None, "learner", None, "Please write dates as 30 November, not 11/30.", 12.0, "manual"),
    ("python-tutor", "learner", "knowledge_gaps", "The user mixes up list.sort() and sorted().", 0.2, "captured"),
    ("python-tutor", "learner", "knowledge_gaps", "The user is unsure when a function should return None.", 3.3, "captured"),
    ("python-tutor", "learner", "learning_goals", "The user wants to automate the orchestra's rehearsal plan by spring.", 2.1, "captured"),
    ("python-tutor", "learner", "progress_milestones", "The user wrote a first test with pytest and made it pass.", 1.2, "captured"),
    ("python-tutor", "learner", "preferences", "The user wants hints before solutions.", 8.0, "manual"),
    ("help-desk", "learner", "personal_context", "The user attends the evening course on Tuesdays, room 204.", 9.5, "captured"),
    (None, "mina", None, "The user lives in Lisbon with a six-hour time difference to the team.", 1.0, "captured"),
    (None, "mina", None, "The user is vegetarian and organises the course lunches.", 10.2, "captured"),
    (None, "mina", None, "The user speaks Portuguese, English and some Igbo.", 21.0, "captured"),
    ("python-tutor", "mina", "knowledge_gaps", "The user struggles with decorators that take arguments.", 0.6, "captured"),
    ("python-tutor", "mina", "learning_goals", "The user is preparing for a junior data engineer interview in January.", 4.0, "captured"),
    ("python-tutor", "mina", "progress_milestones", "The user finished the chapter on generators.", 5.5, "captured"),
    ("python-tutor", "mina", "project_ideas", "The user is building a bot that posts the tide table of Cascais.", 6.1, "captured"),
    ("help-desk", "mina", "preferences", "The user wants booking confirmations by e-mail, not by text message.", 14.0, "captured"),
    (None, "jonas", None, "The user teaches mathematics at a secondary school in Uppsala.", 0.9, "captured"),
    (None, "jonas", None, "The user has two children, Elsa and Nils, and studies after eight in the evening.", 7.7, "captured"),
    ("python-tutor", "jonas", "learning_goals", "The user wants to draw functions with matplotlib for his pupils.", 0.9, "captured"),
    ("python-tutor", "jonas", "knowledge_gaps", "The user does not yet know how to read a traceback from the bottom up.", 2.8, "captured"),
    ("python-tutor", "jonas", "preferences", "The user likes mathematical notation next to the code.", 11.0, "captured"),
    ("python-tutor", "jonas", "progress_milestones", "The user solved the eight queens exercise without help.", 13.3, "captured"),
    ("help-desk", "jonas", "personal_context", "The user pays for the course through his school's training budget.", 16.0, "captured"),
    (None, "priya", None, "The user is a civil engineer who changed to software last year.", 1.8, "captured"),
    (None, "priya", None, "The user prefers dark backgrounds in screenshots.", 18.0, "imported"),
    ("python-tutor", "priya", "knowledge_gaps", "The user confuses class attributes with instance attributes.", 1.8, "captured"),
    ("python-tutor", "priya", "learning_goals", "The user wants to contribute a first patch to an open-source library.", 3.9, "captured"),
    ("python-tutor", "priya", "project_ideas", "The user is sketching a calculator for bridge loads with a small web page.", 9.2, "captured"),
    ("python-tutor", "priya", "progress_milestones", "The user refactored the inventory exercise into three modules.", 10.0, "captured"),
    (None, "tomasz", None, "The user uses a screen reader and asks for descriptions of diagrams.", 2.6, "captured"),
    ("python-tutor", "tomasz", "preferences", "The user wants code read out line by line, with the indentation said aloud.", 2.6, "captured"),
    ("python-tutor", "tomasz", "learning_goals", "The user wants to write scripts that tidy his music archive.", 5.0, "captured"),
    ("help-desk", "tomasz", "personal_context", "The user needs the accessible entrance on Mill Street.", 15.1, "captured"),
    (None, "layla", None, "يفضل المستخدم الإجابات القصيرة باللغة العربية", 3.0, "captured"),
    ("python-tutor", "layla", "learning_goals", "تريد المستخدمة تعلم بايثون لتحليل بيانات الهندسة المعمارية", 3.0, "captured"),
    (None, "maximiliane", None, (
        "The user is preparing for the entrance examination of the conservatoire in Ljubljana in March and practises the "
        "second movement of Shostakovich's cello sonata every morning before work, but finds the harmonics at the end hard."
    ), 4.4, "captured"),
    ("writing-coach", "mina", "preferences", "The user wants feedback on structure first and on commas last.", 40.0, "captured"),
    ("spring-intake", "jonas", "personal_context", "The user asked for a place in the evening group of the spring term.", 260.0, "captured"),
)  # fmt: skip

# Newer facts that replaced older ones: agent, username, category, the old text, the text that replaced it.
REPLACED = (
    (None, "mina", None, "The user lives in Porto.", "The user lives in Lisbon with a six-hour time difference to the team."),
    (
        "python-tutor", "jonas", "progress_milestones", "The user is working on the eight queens exercise.",
        "The user solved the eight queens exercise without help.",
    ),
)  # fmt: skip

# Edited by a curator: agent, username, the text before, the text as it stands in MEMORIES.
EDITED = (
    (
        "python-tutor", "learner", "The user mixes up sort and sorted.", "The user mixes up list.sort() and sorted().",
    ),
    ("python-tutor", "priya", "The user confuses attributes.", "The user confuses class attributes with instance attributes."),
)  # fmt: skip

# Deleted lately, and restorable: agent, username, category, text, days ago that it was deleted.
DELETED = (
    ("python-tutor", "mina", "preferences", "The user likes very long explanations.", 3.0),
    (None, "learner", None, "The user is looking for a second-hand bicycle.", 1.5),
)

CATEGORY = ("project_ideas", "Project Ideas", "What the user is building or wants to build outside the exercises")

KNOWLEDGE = (
    ("python-tutor", "The course uses Python 3.12. Examples with older syntax confuse beginners: avoid them.", 30.0),
    ("python-tutor", "Exercises are handed in on the course page by Sunday, 18:00. Late ones are read, but not graded.", 24.0),
    ("python-tutor", "Never write a graded exercise for somebody. Ask what they tried, then give one hint.", 20.0),
    ("python-tutor", "The reading list: chapter 4 for functions, chapter 7 for classes, chapter 9 for testing.", 6.0),
    ("help-desk", "The office is open Monday to Friday, 9:00 to 17:00, and closed from 23 December to 2 January.", 18.0),
    ("help-desk", "Course fees are refunded in full up to 14 days before the first evening.", 11.0),
)  # fmt: skip
