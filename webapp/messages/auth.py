"""Texts of signing in and of one-time links."""

from __future__ import annotations

MESSAGES = {
    "login.title": "Sign in",
    "login.name": "Username or e-mail",
    "login.password": "Password",
    "login.submit": "Sign in",
    "login.expired": "Your session has ended. Sign in again; what you typed comes back.",
    "login.no_account": "No account? An administrator of your organisation can send you a link.",
    "login.first_run": "This installation has no accounts yet",
    "login.first_run_text": "Make the first organisation and its administrator on the server, then open the link that the command prints:",
    "set_password.title": "Choose a password",
    "set_password.lede": "For {email}",
    "set_password.new": "New password",
    "set_password.again": "New password again",
    "set_password.hint": "At least 12 characters. A few unrelated words work well.",
    "set_password.submit": "Save and sign in",
    "set_password.used": "This link does not work any more",
    "set_password.used_text": "Links work once and only for a limited time. Ask an administrator of your organisation for a new one.",
    "no_org.title": "You belong to no organisation yet",
    "no_org.text": "You are signed in as {email}. An administrator of your organisation can add you with this address.",
    "resume.title": "You are signed in again",
    "resume.text": "Your session had ended before this was saved. Nothing is lost: send it now.",
    "resume.send": "Save what I typed",
    "resume.discard": "Discard it",
}
