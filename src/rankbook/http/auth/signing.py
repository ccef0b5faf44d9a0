"""Signed submissions: an HMAC over time and body, for servers whose requests pass through proxies.

The secret never travels, and a proxy can neither change a body nor make one. The events of a signed
submission have ids. So a replay within its time gets the same receipt and changes nothing.
"""

import hashlib
import hmac

KEY_HEADER = "Rankbook-Key"
TIME_HEADER = "Rankbook-Time"
SIGNATURE_HEADER = "Rankbook-Signature"


def sign(secret: str, time: int, body: bytes) -> str:
    """The value of Rankbook-Signature. `time` is that of Rankbook-Time, in seconds since 1970
    UTC."""
    return _made(secret.encode(), str(time), body)


def trouble(
    secret: bytes | None, time: str, signature: str, body: bytes, now: float, seconds: float
) -> str:
    """What is wrong with the signature, in words for the caller. Empty if it is right.

    `time` may lie this many `seconds` from `now`. `secret` is None for an unknown key. That takes
    as long, and says as much, as a wrong signature.
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
