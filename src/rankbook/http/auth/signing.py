"""Signed submissions: an HMAC over time and body, for servers whose requests pass through proxies.

The secret never travels, and a proxy can neither change a body nor make one. Whoever replays a
signed request within its time gets the same receipt: the events of a signed submission have ids.
"""

import hashlib
import hmac

KEY_HEADER = "Rankbook-Key"
TIME_HEADER = "Rankbook-Time"
SIGNATURE_HEADER = "Rankbook-Signature"


def sign(secret: str, time: int, body: bytes) -> str:
    """The value of Rankbook-Signature: `time` is that of Rankbook-Time, seconds since 1970 UTC."""
    return _made(secret.encode(), str(time), body)


def trouble(
    secret: bytes | None, time: str, signature: str, body: bytes, now: float, seconds: float
) -> str:
    """Why the signature does not hold, in words for the caller; empty where it does.

    `time` may be so many `seconds` from `now`. `secret` is None for a key that is none: this takes
    as long and says as much as a wrong one.
    """
    wanted = _made(secret or b"nobody", time, body)
    same = hmac.compare_digest(wanted.encode(), signature.encode(errors="replace"))
    if not same or secret is None:
        return f"{SIGNATURE_HEADER} is not that of this key, time and body"
    if not time.isascii() or not time.isdigit() or len(time) > 12:
        return f"{TIME_HEADER} is not a number of seconds since 1970 UTC"
    if abs(now - int(time)) > seconds:
        return f"{TIME_HEADER} is more than {seconds:g} seconds from the server's clock"
    return ""


def _made(secret: bytes, time: str, body: bytes) -> str:
    signed = hmac.new(secret, time.encode(errors="replace") + b"\n" + body, hashlib.sha256)
    return f"v1={signed.hexdigest()}"
