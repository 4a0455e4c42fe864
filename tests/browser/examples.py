"""Example data for every template, in the shapes that each template's contract names."""

from __future__ import annotations

from types import SimpleNamespace as Shape
from typing import Any

Context = dict[str, Any]
LONG = (
    "The user is preparing for the entrance examination of the conservatoire in Ljubljana in March and practises the "
    "second movement of Shostakovich's cello sonata every morning before work, but finds the harmonics at the end hard."
)
ARABIC = "يفضل المستخدم الإجابات القصيرة باللغة العربية ويدرس الهندسة المعمارية في القاهرة"


def moment(relative: str = "3 hours ago") -> Shape:
    return Shape(
        iso="2026-11-30T11:02:00Z", relative=relative, local="30 Nov 2026, 12:02", utc="2026-11-30 11:02:00 UTC"
    )


def frame(current: str = "memory", **changes: Any) -> Shape:
    nav = [("Tenant", "tenant"), ("Agents", "agents"), ("My memory", "memory"), ("Graph", "graph")]
    base = {
        "product_name": "Agent Memory",
        "person": Shape(label="Ada Lindqvist", email="ada@example.org"),
        "org": Shape(key="acme", name="Acme Learning"),
        "orgs": [
            Shape(key="acme", name="Acme Learning", url="/act", current=True),
            Shape(key="b", name="Borealis University of Applied Sciences", url="/act", current=False),
        ],
        "nav": [Shape(label=label, url="/act", current=icon == current, icon=icon) for label, icon in nav],
        "builtin_notice": None,
        "place": None,
        "request_id": "4f1c9a2e7b",
        "toasts": [],
        "urls": Shape(home="/", account="/act", tokens="/act", sign_out="/act"),
    }
    return Shape(**(base | changes))


def row(id: int, text: str, origin: str = "captured", when: str = "3 hours ago", **changes: Any) -> Shape:
    base = {
        "id": id,
        "text": text,
        "moment": moment(when),
        "origin": origin,
        "owner": None,
        "category": None,
        "session": None,
        "edited_by": None,
        "is_new": False,
        "note": None,
        "urls": Shape(edit="/example/memory-form", delete="/act/delete", history="/example/history", forget="/act"),
    }
    return Shape(**(base | changes))


def page(number: int = 1, pages: int = 1, total: int = 3, size: int = 25) -> Shape:
    shown = sorted({1, pages, *(n for n in range(number - 1, number + 2) if 1 <= n <= pages)})
    links: list[Shape | None] = []
    for n in shown:
        if links and links[-1] and links[-1].number != n - 1:
            links.append(None)
        links.append(Shape(number=n, url=f"?page={n}", current=n == number))
    return Shape(
        number=number,
        pages=pages,
        first=(number - 1) * size + 1,
        last=min(number * size, total),
        total=total,
        links=links,
        previous=f"?page={number - 1}" if number > 1 else None,
        next=f"?page={number + 1}" if number < pages else None,
    )


def state(on: bool = True, reason: str | None = None, fix: str | None = None) -> Shape:
    return Shape(on=on, reason=reason, fix=fix)


def form(errors: dict[str | None, list[str]] | None = None, **data: Any) -> Shape:
    return Shape(data=data, errors=errors or {})


EFFECTIVE_ON = Shape(
    capture=state(reason="New conversations are learned from."), use=state(reason="Agents may use what is saved below.")
)
EFFECTIVE_OFF = Shape(
    capture=state(
        False, "Learning is on for you, but your organisation has memory off.", "An administrator can turn it on."
    ),
    use=state(False, "You have turned this off."),
)
