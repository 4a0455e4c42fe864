"""A small application that shows every template with example data, under the real Content-Security-Policy.

It stands in for nothing: the journeys run against the real application. Here every state of every template can be
looked at and checked for accessibility, also those that are hard to reach (a conflict, a spent link, a 503).
Run by hand: `python -m tests.browser.gallery 5055`, then open `/`.
"""

from __future__ import annotations

import sys
from pathlib import Path

from flask import Flask, Response, abort, request
from jinja2 import StrictUndefined
from jinja2_fragments.flask import render_block
from markupsafe import escape

from tests.browser.examples_agent import AGENT
from tests.browser.examples_dialogs import DIALOGS
from tests.browser.examples_graph import GRAPH
from tests.browser.examples_long import LONG_NAMES
from tests.browser.examples_profile import PROFILE
from tests.browser.examples_setup import SETUP
from tests.browser.examples_tenant import TENANT
from webapp import messages
from webapp.assets import Assets

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = PROFILE | AGENT | DIALOGS | TENANT | SETUP | LONG_NAMES | GRAPH
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)


def create_gallery() -> Flask:
    """Return the gallery: `/` lists the examples, `/example/<name>` shows one, `?block=` one block of it alone."""
    app = Flask("gallery", template_folder=str(ROOT / "templates"), static_folder=None)
    assets = Assets.load(ROOT / "static")
    app.jinja_env.undefined = StrictUndefined
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    app.jinja_env.globals |= {"asset": assets.url, "msg": messages.text, "csrf_token": lambda: "example-token"}

    @app.get("/static/<path:path>")
    def static(path: str) -> Response:
        asset = assets.find(path) or abort(404)
        body, headers = asset.answer(request.headers.get("Accept-Encoding", ""))
        return Response(body, headers=headers)

    @app.get("/")
    def index() -> str:
        links = "".join(f'<li><a href="/example/{escape(n)}">{escape(n)}</a></li>' for n in EXAMPLES)
        return f"<!doctype html><html lang=en><title>Examples</title><ul>{links}</ul></html>"

    @app.route("/example/<path:name>", methods=["GET", "POST"])
    def example(name: str) -> str:
        template, context = EXAMPLES.get(name) or abort(404)
        block = request.args.get("block") or ("dialog" if _fills_the_dialog(template) else None)
        if block:
            return render_block(template, block, **(context | {"in_dialog": True}))
        return app.jinja_env.get_template(template).render(**({"in_dialog": False} | context))

    @app.after_request
    def policy(response: Response) -> Response:
        response.headers["Content-Security-Policy"] = POLICY
        return response

    return app


def _fills_the_dialog(template: str) -> bool:
    return template.startswith("dialogs/") and request.headers.get("HX-Request-Type") == "partial"


if __name__ == "__main__":
    create_gallery().run(port=int(sys.argv[1]), threaded=True)
