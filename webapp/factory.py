"""The application factory: a list of registrations."""

from __future__ import annotations

from datetime import timedelta

from flask import Flask
from jinja2 import StrictUndefined
from werkzeug.middleware.proxy_fix import ProxyFix

from webapp import cli, observability
from webapp.api import register as register_api
from webapp.assets import ROOT
from webapp.extensions import csrf, db, limiter, login_manager
from webapp.http import errors, frame, paths, security
from webapp.http.actor import load_signed_in
from webapp.pages import register as register_pages
from webapp.runtime import EXTENSION, Runtime
from webapp.settings import Settings


def build(settings: Settings | None = None) -> Flask:
    """The application for these settings, by default those of the environment. Raises SettingsError, one line."""
    settings = settings or Settings.from_env()
    app = Flask(__name__, static_folder=None, template_folder=str(ROOT / "templates"))
    app.config.from_mapping(_config(settings))
    app.jinja_env.undefined = StrictUndefined
    app.extensions[EXTENSION] = Runtime(settings)
    if settings.trusted_proxies:
        app.wsgi_app = _behind_proxies(app, settings.trusted_proxies)  # type: ignore[method-assign]
    observability.register(app)
    db.init_app(app)
    login_manager.init_app(app)
    login_manager.user_loader(load_signed_in)
    csrf.init_app(app)
    limiter.init_app(app)
    paths.register(app)
    security.register(app)
    errors.register(app)
    frame.register(app, frame.load_assets())
    register_api(app)
    register_pages(app)
    cli.register(app)
    return app


def _config(settings: Settings) -> dict[str, object]:
    https = settings.base_url.startswith("https://")
    return {
        "SECRET_KEY": settings.secret_key,
        "MAX_CONTENT_LENGTH": settings.max_body_bytes,
        "MAX_FORM_MEMORY_SIZE": settings.max_body_bytes,
        "SQLALCHEMY_DATABASE_URI": settings.database_url,
        "SQLALCHEMY_ENGINE_OPTIONS": {
            "pool_size": settings.database_pool,
            "max_overflow": settings.database_pool,
            # Parameters are people's text: an error's message must not repeat them.
            "hide_parameters": True,
            # The driver begins nothing by itself: `webapp.db.session` does, and enters the org in the same round trip.
            "isolation_level": "AUTOCOMMIT",
            "connect_args": {"prepare_threshold": 5 if settings.database_prepare else None},
        },
        "SESSION_COOKIE_NAME": "session",
        "SESSION_COOKIE_HTTPONLY": True,
        "SESSION_COOKIE_SAMESITE": "Lax",
        "SESSION_COOKIE_SECURE": https,
        "PERMANENT_SESSION_LIFETIME": timedelta(hours=settings.session_hours),
        "WTF_CSRF_TIME_LIMIT": None,
        "WTF_CSRF_CHECK_DEFAULT": False,
        # The limits package has its own word for a socket.
        "RATELIMIT_STORAGE_URI": settings.redis_url.replace("unix://", "redis+unix://", 1) or "memory://",
        "RATELIMIT_IN_MEMORY_FALLBACK_ENABLED": True,
        "RATELIMIT_ENABLED": bool(settings.rate_limit or settings.rate_limit_address),
        # A queue that does not answer must not hold up requests: then this process counts for itself.
        "RATELIMIT_STORAGE_OPTIONS": {"socket_connect_timeout": 1, "socket_timeout": 1} if settings.redis_url else {},
        "RATELIMIT_KEY_PREFIX": "limit",
    }


def _behind_proxies(app: Flask, count: int) -> ProxyFix:
    return ProxyFix(app.wsgi_app, x_for=count, x_proto=count, x_host=count)
