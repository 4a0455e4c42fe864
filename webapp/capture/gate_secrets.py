"""Secrets in text: what must not be remembered even if the user says it.

Found by their own form (keys with a known prefix, private keys, card numbers that pass Luhn's check, account numbers
that pass theirs) or by what stands before them ("my password is …"). Hashes, ids, order and book numbers are not.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

REMOVED = "[removed]"

_KEYS = re.compile(
    r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----.*?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|\Z)"
    r"|\b(?:sk|rk|pk)[-_](?:live|test|proj|ant|or|svcacct|admin)[-_A-Za-z0-9]{12,}|\bsk-[A-Za-z0-9_\-]{16,}"
    r"|\b(?:ghp|gho|ghu|ghs|ghr)_[A-Za-z0-9]{20,}|\bgithub_pat_[A-Za-z0-9_]{20,}|\bglpat-[A-Za-z0-9_\-]{15,}"
    r"|\bxox[abeoprs]-[A-Za-z0-9\-]{10,}|\b(?:AKIA|ASIA)[A-Z0-9]{16}\b|\bAIza[A-Za-z0-9_\-]{30,}|"
    r"\bya29\.[A-Za-z0-9_\-]{20,}"
    r"|\bhf_[A-Za-z0-9]{20,}|\bnpm_[A-Za-z0-9]{30,}|\bpypi-[A-Za-z0-9_\-]{30,}|\bSG\.[A-Za-z0-9_\-]{16,}\.[A-Za-z0-9_\-]{16,}"
    r"|\bdop_v1_[a-f0-9]{40,}|\bshpat_[a-fA-F0-9]{20,}|\bwhsec_[A-Za-z0-9]{20,}|\b\d{8,10}:AA[A-Za-z0-9_\-]{30,}"
    r"|\beyJ[A-Za-z0-9_\-]{8,}\.eyJ[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]{8,}"
    r"|\b[a-z][a-z0-9+.\-]{1,20}://[^\s/:@]{1,80}:[^\s/@]{1,120}@\S+",
    re.DOTALL,
)
_CARD = re.compile(r"(?<![\d+.,\-/])\d(?:[ \-]?\d){12,18}(?![\d])")
_CARD_ISSUER = re.compile(
    r"4(?:\d{12}|\d{15}|\d{18})|5[1-5]\d{14}|2[2-7]\d{14}|3[47]\d{13}|6(?:011|5\d\d|4[4-9]\d)\d{12,15}|"
    r"35\d{14}|3(?:0[0-5]|[68]\d)\d{11}"
)
_IBAN = re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b")
_SOCIAL_SECURITY = re.compile(r"(?<![\d\-])(?!000|666|9\d\d)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\d\-])")
_PASSWORD_WORD = (
    r"(?:pass ?words?|pass ?code|pass ?phrase|pwd|passwort|kennwort|mot de passe|mdp|contraseñas?|"
    r"senha|wachtwoord|lösenord|hasło|şifre\w*|"
    r"парол[ья]|密码|密碼|口令|パスワード|暗証番号|비밀번호|كلمة (?:المرور|السر)|पासवर्ड)"
)
_LINK = r"(?:\s*(?:[:=]|\b(?:is|ist|es|est|è|é|to|was|are|jest)\b|—|это|是|为|は|는|은|هي|है)\s*)"
_PASSWORD = re.compile(
    rf"{_PASSWORD_WORD}(?: (?:for|to|of|del?|des|da|du|für|para|pour|от|у|do) [\w.@\-]{{1,40}}(?: \w{{1,20}})?)?{_LINK}(?P<value>[\"'“«「]?[^\s\"'”»」]{{3,120}})",
    re.IGNORECASE,
)
_NO_PASSWORD = re.compile(
    r"(?:not?|too|very|so|the|a|an|in|on|at|by|hard|easy|weak|strong|secure|safe|long|short|"
    r"wrong|old|new|lost|expired|required|incorrect|always|never|"
    r"stored|saved|kept|forgotten|protected|managed|manager|important|different|same|unique|"
    r"being|still|only|his|her|their|my|your|"
    r"nicht|zu|sehr|muy|très|trop|molto|muito|не|很|太|とても|너무|secret|reset|changed|change|bad|good|simple|complex)\b",
    re.IGNORECASE,
)
_PIN = re.compile(
    r"\b(?:pin|cvv|cvc|otp|2fa code|security code|code pin|geheimzahl)\b(?: (?:code|number|"
    r"for [\w ]{1,20}))?(?:\s*[:=]\s*|\s+(?:is|ist|es|est|è|é)\s+|\s+)\d{3,8}\b",
    re.IGNORECASE,
)
_TOKEN = re.compile(
    r"\b(?:api|access|secret|private|auth|bearer|client|session|refresh|aws|encryption|license|"
    r"recovery)[ _\-]?(?:key|token|secret|code|id)s?\b"
    r"[^.!?\n]{0,30}?(?:[:=]|\bis\b|\bto\b|是|は|es|ist|est)\s*[\"']?(?P<value>[A-Za-z0-9+/_\-.=]{8,})",
    re.IGNORECASE,
)
_PHRASE = re.compile(
    r"\b(?:seed|recovery|mnemonic|backup) (?:phrase|words)\b[^a-z]{0,5}(?:is|are)?[^a-z]{0,5}(?:[a-z]{3,8}[ ,]+){5,}[a-z]{3,8}",
    re.IGNORECASE,
)


def holds_secret(text: str) -> bool:
    """Whether a text holds a password, key, token, card or account number."""
    return next(_spans(text), None) is not None


def redact(text: str) -> str:
    """The text with each secret replaced by ``[removed]``."""
    for start, end in sorted(_spans(text), reverse=True):
        text = text[:start] + REMOVED + text[end:]
    return text


def _spans(text: str) -> Iterator[tuple[int, int]]:
    taken: list[tuple[int, int]] = []
    for pattern, accepts in _FORMS:
        for match in pattern.finditer(text):
            span = match.span("value") if "value" in pattern.groupindex else match.span()
            if accepts(text[slice(*span)]) and not any(start < span[1] and span[0] < end for start, end in taken):
                taken.append(span)
                yield span


def _is_card(text: str) -> bool:
    digits = re.sub(r"\D", "", text)
    if not _CARD_ISSUER.fullmatch(digits):
        return False
    doubled = [int(digit) * (1 + place % 2) for place, digit in enumerate(reversed(digits))]
    return sum(value - 9 if value > 9 else value for value in doubled) % 10 == 0


def _is_account(text: str) -> bool:
    number = text.replace(" ", "")
    if not 15 <= len(number) <= 34:
        return False
    return int("".join(str(int(sign, 36)) for sign in number[4:] + number[:4])) % 97 == 1


def _is_password(value: str) -> bool:
    return not _NO_PASSWORD.match(value.strip("\"'“«「")) and re.search(r"\w", value) is not None


def _is_token(value: str) -> bool:
    """Long and mixed: a word of a language is not."""
    return len(value) >= 12 and bool(re.search(r"\d", value)) and bool(re.search(r"[A-Za-z]", value))


def _always(_text: str) -> bool:
    return True


_FORMS: tuple[tuple[re.Pattern[str], Callable[[str], bool]], ...] = (
    (_KEYS, _always),
    (_CARD, _is_card),
    (_IBAN, _is_account),
    (_SOCIAL_SECURITY, _always),
    (_TOKEN, _is_token),
    (_PASSWORD, _is_password),
    (_PIN, _always),
    (_PHRASE, _always),
)
