"""Sending a one-time link by mail, where a mail server is configured."""

from __future__ import annotations

import smtplib
import ssl
from email.message import EmailMessage
from urllib.parse import unquote, urlsplit

from webapp.errors import Unavailable

TIMEOUT_SECONDS = 10
FAILED = "The mail server did not take the message."


def send(smtp_url: str, *, sender: str, to: str, subject: str, body: str) -> None:
    """Hand one plain-text message to the server of `smtp://user:password@host:port` (or `smtps://`).

    Encrypted with STARTTLS wherever the server offers it. Raises Unavailable.
    """
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = sender, to, subject
    message.set_content(body)
    try:
        with _connect(smtp_url) as server:
            server.send_message(message)
    except (OSError, smtplib.SMTPException) as error:
        raise Unavailable(FAILED) from error


def _connect(smtp_url: str) -> smtplib.SMTP:
    parts = urlsplit(smtp_url)
    host = parts.hostname or "localhost"
    if parts.scheme == "smtps":
        context = ssl.create_default_context()
        server: smtplib.SMTP = smtplib.SMTP_SSL(host, parts.port or 465, timeout=TIMEOUT_SECONDS, context=context)
    else:
        server = smtplib.SMTP(host, parts.port or 25, timeout=TIMEOUT_SECONDS)
        server.ehlo()
        if server.has_extn("starttls"):
            server.starttls(context=ssl.create_default_context())
    if parts.username:
        server.login(unquote(parts.username), unquote(parts.password or ""))
    return server
