"""Examples: the graph screens."""

from __future__ import annotations

from types import SimpleNamespace as Shape
from typing import Any

from tests.browser.examples import ARABIC, LONG, Context, form, frame, moment, page

URLS = {"all": "/act", "delete": "/act", "owner": "/act", "failed": "/act"}


def held(state: str = "current", words: str = "since 3 Mar 2024") -> Shape:
    end = moment("3 Mar 2025") if state == "ended" else None
    return Shape(state=state, words=words, start=moment("3 Mar 2024"), end=end)


def fact(id: int, text: str, *names: str, relation: str = "WORKS_FOR", **changes: Any) -> Shape:
    base = {
        "id": id,
        "text": text,
        "relation": relation,
        "ends": [Shape(name=name, url="/act") for name in names],
        "held": held(),
        "sources": 1,
        "urls": {"sources": "/act", "delete": "/act"},
        "bar": (200.0, 800.0),
    }
    return Shape(**(base | changes))


FACTS = [
    fact(1, "Lena: I work for Orbit Software in Vienna.", "Lena", "Orbit Software"),
    fact(2, "Orbit Software has 120 employees.", "Orbit Software", relation="EMPLOYS", sources=12,
         held=held("ended", "3 Mar 2024 – 3 Mar 2025"), bar=(100.0, 300.0)),
    fact(3, LONG, "The conservatoire in Ljubljana with a very long name", "Shostakovich", relation="RELATES_TO",
         held=held("coming", "from 1 Jan 2030 on"), urls={"sources": "/act", "delete": None}),
    fact(4, ARABIC, "القاهرة", held=Shape(state="current", words="since an unknown time", start=None, end=None)),
]  # fmt: skip


def message(id: int, text: str, state: str = "done", said: str = "read", **changes: Any) -> Shape:
    base = {
        "id": id,
        "speaker": "Lena",
        "role": "user",
        "text": text,
        "said": moment("3 Mar 2024"),
        "taken_in": moment(),
        "state": state,
        "state_text": said,
        "urls": {"delete": "/act", "retry": None},
    }
    return Shape(**(base | changes))


MESSAGES = [
    message(1, "I work for Orbit Software in Vienna.\nIt has 120 employees."),
    message(
        2, LONG, "failed", "not read: the model's answer could not be read", urls={"delete": "/act", "retry": "/act"}
    ),
    message(
        3, ARABIC, "pending", "waiting", speaker="assistant", role="assistant", urls={"delete": None, "retry": None}
    ),
]


def head(current: str = "Facts", **changes: Any) -> Context:
    counts = {"Facts": 2_041, "Entities": 312, "Picture": None, "Messages": 1_200}
    views = [
        Shape(label=name, url="/act", current=name == current, count=count, inert=False)
        for name, count in counts.items()
    ]
    base: Context = {
        "frame": frame("graph"),
        "group": Shape(key="user_123", owner="ada", waiting=0, failed=0),
        "views": views,
        "group_urls": URLS,
    }
    return base | changes


def facts(rows: list[Shape], **changes: Any) -> Context:
    listed = Shape(
        rows=rows, page=page(total=len(rows)), total=len(rows), found=False, urls=Shape(list="/act", clear="/act")
    )
    base = head() | {"facts": listed, "filters": Shape(q="", state="all", active=False), "off": False}
    return base | changes


def picture(count: int = 9) -> Shape:
    places = [(120.0 + 90 * number, 60.0 + 170 * (number % 3)) for number in range(count)]
    nodes = [
        Shape(
            name=f"Entity {n}",
            label=f"Entity {n}",
            title=f"Entity {n}: {n + 1} facts",
            url="/act",
            x=x,
            y=y,
            r=12 + n,
            here=n == 2,
        )
        for n, (x, y) in enumerate(places)
    ]
    lines = [
        Shape(
            one=Shape(x=places[n][0], y=places[n][1]), other=Shape(x=places[n + 1][0], y=places[n + 1][1]), current=n % 2 == 0,
            facts=n + 1, now=n % 2, source=Shape(name=f"Entity {n}", url="/act"), target=Shape(name=f"Entity {n + 1}", url="/act"),
        )
        for n in range(count - 1)
    ]  # fmt: skip
    return Shape(nodes=nodes, lines=lines, width=1000, height=500)


def groups(rows: list[Shape], **changes: Any) -> Context:
    listed = Shape(rows=rows, page=page(total=len(rows)), total=len(rows), urls=Shape(list="/act", clear="/act"))
    return {"frame": frame("graph"), "groups": listed, "q": ""} | changes


GROUPS = [
    Shape(key="user_123", owner="ada", episodes=1_200, entities=312, facts=2_041, failed=0, url="/act"),
    Shape(key="helpdesk-" + "x" * 60, owner=None, episodes=3, entities=2, facts=1, failed=2, url="/act"),
]
ENTITIES = [
    Shape(
        id=1, name="Orbit Software (ORBT)", summary="A software company in Vienna.", by_hand=True, facts=41, url="/act"
    ),
    Shape(id=2, name="القاهرة", summary="", by_hand=False, facts=1, url="/act"),
]
ENTITY_LIST = Shape(rows=ENTITIES, page=page(total=2), total=2, urls=Shape(list="/act", clear="/act"))
ENTITY = {
    "frame": frame("graph"),
    "entity": Shape(
        name="Orbit Software (ORBT)", summary="A software company in Vienna.", known_as="Orbit, ORBT", by_hand=True
    ),
    "timeline": Shape(rows=FACTS, first="3 Mar 2024", last="now", total=41),
    "picture": picture(),
    "group": Shape(key="user_123", url="/act"),
}
PICTURE = head("Picture") | {
    "picture": picture(),
    "title": "The 9 best connected entities",
    "middle": None,
    "choices": [("1", "Orbit Software"), ("2", "Lena")],
    "urls": Shape(list="/act"),
}
SAID = Shape(rows=MESSAGES, page=page(total=3), total=3, failed=False, urls=Shape(all="/act", failed="/act"))
NOTHING_SAID = Shape(rows=[], page=page(total=0), total=0, failed=True, urls=Shape(all="/act", failed="/act"))
ONE = {
    "frame": frame("graph"),
    "fact": FACTS[1],
    "learned": moment(),
    "end_learned": moment("yesterday"),
    "messages": MESSAGES[:1],
    "urls": Shape(close="/act"),
}
OWNER = {
    "frame": frame("graph"),
    "name": "user_123",
    "form": form(username="ada"),
    "urls": Shape(save="/act", cancel="/act"),
}
NO_MATCH = {"filters": Shape(q="zebra", state="ended", active=True)}
TROUBLE = {"group": Shape(key="user_123", owner=None, waiting=3, failed=2), "off": True}
GRAPH: dict[str, tuple[str, Context]] = {
    "graph-groups": ("graph/groups.html", groups(GROUPS)),
    "graph-groups-empty": ("graph/groups.html", groups([])),
    "graph-groups-no-match": ("graph/groups.html", groups([], q="zebra")),
    "graph-facts": ("graph/facts.html", facts(FACTS)),
    "graph-facts-empty": ("graph/facts.html", facts([])),
    "graph-facts-no-match": ("graph/facts.html", facts([], **NO_MATCH)),
    "graph-facts-trouble": ("graph/facts.html", facts(FACTS[:1], **TROUBLE)),
    "graph-entities": ("graph/entities.html", head("Entities") | {"entities": ENTITY_LIST, "q": ""}),
    "graph-entity": ("graph/entity.html", ENTITY),
    "graph-entity-alone": (
        "graph/entity.html",
        ENTITY | {"picture": None, "timeline": Shape(rows=[], first="", last="", total=0)},
    ),
    "graph-picture": ("graph/picture.html", PICTURE),
    "graph-picture-empty": ("graph/picture.html", PICTURE | {"picture": None, "choices": []}),
    "graph-messages": ("graph/messages.html", head("Messages") | {"messages": SAID}),
    "graph-messages-empty": ("graph/messages.html", head("Messages") | {"messages": NOTHING_SAID}),
    "graph-fact": ("graph/fact.html", ONE),
    "graph-owner": ("graph/owner.html", OWNER),
    "graph-owner-unknown": (
        "graph/owner.html",
        OWNER | {"form": form({"username": ["There is no member of this name."]}, username="zoe")},
    ),
}
