"""Every template keeps its contract: it renders, alone and block by block, and holds nothing that the policy forbids."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from jinja2_fragments import render_block

from tests.browser.gallery import EXAMPLES, create_gallery
from webapp import messages
from webapp.assets import ROOT

TEMPLATES = ROOT / "templates"
FILES = sorted(TEMPLATES.rglob("*.html"))
NAMES = [str(file.relative_to(TEMPLATES)) for file in FILES]
PAGES = [
    n
    for n in NAMES
    if not n.startswith(("layouts/", "components/"))
    and not Path(n).name.startswith("_")
    and n != "agent/layout.html"
    and n != "tenant/layout.html"
]
FORBIDDEN = {
    "inline script": r"<script(?![^>]*\bsrc=)",
    "event attribute": r"\son[a-z]+\s*=",
    "hx-on": r"hx-on[:=]",
    "inline style": r"\sstyle\s*=|<style",
    "unescaped text": r"\|\s*safe\b|autoescape false|Markup\(",
    "code in an attribute": r"=\"(?:js|javascript):",
    "hx-delete, whose fields land in the address": r"hx-delete",
    "trigger filter, which needs eval": r"hx-trigger=\"[^\"]*\[",
    "inheritance that reaches nothing": r"hx-headers=",
}


def source(name: str) -> str:
    return (TEMPLATES / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_a_template_is_short_and_begins_with_its_contract(name: str) -> None:
    text = source(name)
    assert text.startswith("{#"), "the first thing is a comment that names what the template expects"
    assert len(text.splitlines()) <= 200


@pytest.mark.parametrize("kind", FORBIDDEN)
def test_no_template_holds(kind: str) -> None:
    markup = {name: re.sub(r"\{#.*?#\}", "", source(name), flags=re.S) for name in NAMES}
    assert [name for name, text in markup.items() if re.search(FORBIDDEN[kind], text)] == []


def test_every_page_has_an_example() -> None:
    assert sorted(set(PAGES) - {template for template, _ in EXAMPLES.values()}) == []


@pytest.mark.parametrize("example", EXAMPLES)
def test_every_example_and_each_block_of_it_renders_with_nothing_undefined(example: str) -> None:
    app = create_gallery()
    template, context = EXAMPLES[example]
    context = {"in_dialog": True} | context
    with app.test_request_context():
        page = app.jinja_env.get_template(template).render(**context)
        assert "<main" in page or "<option" in page
        for block in app.jinja_env.get_template(template).blocks:
            render_block(app.jinja_env, template, block, **context)


@pytest.mark.parametrize("example", EXAMPLES)
def test_ids_are_unique_and_every_form_that_writes_carries_the_token(example: str) -> None:
    page = create_gallery().test_client().get(f"/example/{example}").get_data(as_text=True)
    ids = re.findall(r'\sid="([^"]+)"', page)
    assert sorted(i for i in ids if ids.count(i) > 1) == []
    for form in re.findall(r'<form[^>]*method="post".*?</form>', page, flags=re.S):
        assert 'name="csrf_token" value="example-token"' in form


def test_text_of_people_is_escaped() -> None:
    template, context = EXAMPLES["profile"]
    attack = "<img src=x onerror=alert(1)>\"'"
    context["memories"].rows[0].text, before = attack, context["memories"].rows[0].text
    try:
        page = create_gallery().test_client().get("/example/profile").get_data(as_text=True)
    finally:
        context["memories"].rows[0].text = before
    assert template == "profile/memory.html"
    assert "<img" not in page
    assert "&lt;img src=x onerror=alert(1)&gt;&#34;&#39;" in page


def spoken_keys() -> tuple[set[str], set[str]]:
    """Every string that names a message, in templates and code, and every beginning that code completes."""
    code = [p for p in (ROOT / "webapp").rglob("*.py") if "messages" not in p.parts or p.name == "moments.py"]
    text = "\n".join([source(name) for name in NAMES] + [p.read_text(encoding="utf-8") for p in code])
    whole = set(re.findall(r"""["']([a-z_]+\.[a-z_0-9.]+)["']""", text))
    begun = set(re.findall(r"""["']([a-z_]+\.[a-z_.]*)(?:["']\s*~|\{)""", text))
    # `_words("reason", code)` completes `reason.`, and says a code it does not know as it is.
    begun |= {f"{family}." for family in re.findall(r'_words\("([a-z_]+)"', text)}
    return whole, begun


def test_every_message_that_a_template_names_is_in_the_catalogue() -> None:
    named = {key for name in NAMES for key in re.findall(r"msg\('([a-z_]+\.[a-z_0-9.]+)'(?!\s*~)", source(name))}
    known = messages.CATALOGUE.keys() | {key.removesuffix(".other") for key in messages.CATALOGUE}
    assert sorted(named - known) == []


def test_every_message_of_the_catalogue_is_used() -> None:
    whole, begun = spoken_keys()
    unused = [
        key
        for key in messages.CATALOGUE
        if re.sub(r"\.(one|other)$", "", key) not in whole and key not in whole and not key.startswith(tuple(begun))
    ]
    assert unused == []


def test_a_message_with_a_number_has_both_variants() -> None:
    ones = {key.removesuffix(".one") for key in messages.CATALOGUE if key.endswith(".one")}
    others = {key.removesuffix(".other") for key in messages.CATALOGUE if key.endswith(".other")}
    assert ones == others
