"""The WSGI entry: `gunicorn wsgi:app`."""

from webapp import create_app

app = create_app()
