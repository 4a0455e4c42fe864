"""The Flask extensions: instances only, bound to the application in the factory."""

from flask_limiter import Limiter
from flask_login import LoginManager
from flask_wtf import CSRFProtect

from webapp.db.session import db
from webapp.http.limits import rate_limit_key

login_manager = LoginManager()
csrf = CSRFProtect()
limiter = Limiter(key_func=rate_limit_key, headers_enabled=False)

__all__ = ["csrf", "db", "limiter", "login_manager"]
