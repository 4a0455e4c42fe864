"""Three hundred hostile texts through every way in: shown as text and never run, even where the policy would not hold."""

from __future__ import annotations

import itertools

import pytest
from playwright.sync_api import Page

from tests.browser.product import API, LEARNER, Product

pytestmark = pytest.mark.browser
ACTS = ("hacked()", "hacked&#40;&#41;", "window['hacked']()", "top.hacked``", "setTimeout('hacked()')")
SHAPES = (
    "<script>{}</script>",
    "</textarea><script>{}</script>",
    "</title><script>{}</script>",
    "<ScRiPt/x>{}</sCrIpT>",
    "<img src=x onerror={}>",
    '"><img src=x onerror="{}">',
    "'><img src=x onerror='{}'>",
    "<svg onload={}>",
    "<svg><script>{}</script></svg>",
    "<svg><animate onbegin={} attributeName=x dur=1s>",
    '<a href="javascript:{}">x</a>',
    "<iframe srcdoc='<script>parent.{}</script>'>",
    '<iframe src="javascript:parent.{}">',
    "<body onload={}>",
    "<input autofocus onfocus={}>",
    '" autofocus onfocus="{}" x="',
    "' onmouseover='{}' x='",
    "<details open ontoggle={}>",
    "<video><source onerror={}></video>",
    "<math><mtext></table><mglyph><style><img src=x onerror={}>",
    "<form action='javascript:{}'><button>x</button></form>",
    "<base href='javascript:{}//'>",
    "<style>@import 'javascript:{}'</style>",
    "<template hx type='partial' hx-target='body'><img src=x onerror={}></template>",
    "<hx-partial hx-target='#main'><img src=x onerror={}></hx-partial>",
    "<div hx-on:load='{}' hx-get='/' hx-trigger='load'>",
    "<div hx-vals='js:{{x: {}}}' hx-get='/' hx-trigger='load'>",
    "<p hx-swap-oob='innerHTML:#main'><img src=x onerror={}></p>",
    "{{{{ {} }}}}{{% print {} %}}",
    "```\n</div><script>{}</script>",
)
WAYS = 8


def payloads() -> list[str]:
    """Each shape with each act, twice: as it is, and broken out of an attribute first. All of them differ."""
    made = [shape.replace("{}", act).replace("{{", "{").replace("}}", "}") for shape in SHAPES for act in ACTS]
    return made + [f"\"'>{text}" for text in made]


def hand_in(product: Product, n: int, text: str) -> None:
    """One text by one of the ways that text comes in."""
    body = {"content": f"Hostile text {n}: {text}"}
    line = f"{n} {text}".replace("\n", " ")
    way = n % WAYS
    if way == 0:
        product.api("learner", "POST", f"{LEARNER}/global-memories/", body)
    elif way == 1:
        product.api(
            "curator", "POST", f"{LEARNER}/agents/python-tutor/agent-memories/", body | {"category_slug": "preferences"}
        )
    elif way == 2:
        product.api("curator", "POST", f"{API}/agents/python-tutor/agent-memories/", {"content": f"{n}: {text}"})
    elif way == 3:
        product.api(
            "curator",
            "POST",
            f"{API}/agents/python-tutor/memory-categories/",
            {"name": line[:100], "description": text, "extraction_prompt": text},
        )
    elif way == 4:
        product.api(
            "admin",
            "PUT",
            f"{API}/users/hostile{n}/",
            {"email": f"hostile{n}@example.org", "full_name": line[:150]},
        )
    elif way == 5:
        product.api(
            "service",
            "POST",
            f"{LEARNER}/agents/python-tutor/exchanges/",
            {
                "user_message": f"I work at {text} in Porto.",
                "assistant_message": text,
                "session_id": line[:60],
            },
        )
    elif way == 6:
        agent = {"name": line[:100], "description": text}
        product.api("admin", "PUT", f"{API}/agents/hostile-{n}/", agent)
    else:
        by_form(product, line)


def by_form(product: Product, line: str) -> None:
    """A token of this name, made in the browser's session as the form would."""
    page = product.contexts[-1].pages[0] if product.contexts else product.open("admin", "/orgs/demo/tokens/new")
    token = page.locator("input[name=csrf_token]").first.input_value()
    fields = {"csrf_token": token, "name": line[:100], "scopes": "context:read", "expires": ""}
    answer = page.request.post(page.url, form=fields)
    assert answer.status < 300, answer.status


def pages_of(product: Product, who: str, path: str, page: Page) -> list[str]:
    """Walk through all numbered pages at `path`; return the problems seen."""
    problems = []
    joint = "&" if "?" in path else "?"
    for number in itertools.count(1):
        page.goto(f"{product.installation.url}{path}{joint}page={number}")
        page.wait_for_function("document.readyState === 'complete'")
        foreign = page.evaluate(
            "document.querySelectorAll('main :is(script, iframe, img, style, base, video, math, [onerror], [onload], [onfocus], [srcdoc])').length"
        )
        if page.evaluate("window.ran ?? 0") or foreign:
            problems.append(f"{who} {path} page {number}")
        if page.locator("a[rel=next]").count() == 0:
            return problems
    return problems


SCREENS = [
    ("learner", "/orgs/demo/me/memory"),
    ("curator", "/orgs/demo/agents/python-tutor/memory?q=ostile"),
    ("curator", "/orgs/demo/agents/python-tutor/memory/shared"),
    ("curator", "/orgs/demo/agents/python-tutor/memory/categories"),
    ("admin", "/orgs/demo/memory"),
    ("admin", "/orgs/demo/people"),
    ("admin", "/orgs/demo/agents?state=all"),
    ("admin", "/orgs/demo/tokens"),
    ("admin", "/orgs/demo/memory/users/learner"),
    ("admin", "/orgs/demo/memory/activity"),
    ("admin", "/orgs/demo/memory/audit"),
]


def watched(product: Product, who: str, policy_off: bool) -> Page:
    """A page that counts what the hostile texts run, and closes what they open."""
    page = product.open(who, "/healthz", bypass_csp=policy_off)
    page.add_init_script("window.hacked = () => { window.ran = (window.ran ?? 0) + 1 }; window.alert = window.hacked")
    return page


def test_the_watch_sees_what_runs(product: Product) -> None:
    page = watched(product, "learner", policy_off=True)
    page.goto(product.installation.url + "/healthz")
    for text in payloads():
        page.evaluate("text => { document.body.innerHTML = text }", text)
    page.wait_for_function("window.ran > 50")
    # Half of the texts are broken code as well, which the browser says.
    product.complaints.clear()


def test_no_hostile_text_is_run(product: Product) -> None:
    texts = payloads()
    assert len(set(texts)) == 300
    for n, text in enumerate(texts):
        hand_in(product, n, text)
    problems = []
    for who, path in SCREENS:
        page = watched(product, who, policy_off=True)
        problems += pages_of(product, who, path, page)
        page.context.close()
    assert problems == []
