"""The Flask extensions: instances only, bound to the application in the factory."""

from flask_login import LoginManager
from flask_wtf import CSRFProtect

from webapp.db.session import db
from webapp.http.limits import new_limiter

login_manager = LoginManager()
csrf = CSRFProtect()
limiter = new_limiter()

__all__ = ["csrf", "db", "limiter", "login_manager"]
