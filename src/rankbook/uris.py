"""URIs of logs and stores in messages: what they name is shown, and never a secret in them.

A secret is the password before the last `@`, or the value of a setting such as `password=`. It may
be written wrongly, with a space, a slash or an `@` of its own, so that a driver takes a part of it
for a host or a port, and repeats that part in its error. `covered` keeps such errors out.
"""

import re
from urllib.parse import unquote, unquote_plus

HIDDEN = "***"
UNTOLD = (
    "the reason is not shown, since it repeats a part of the URI's secret; a password in a URI is"
    " percent-encoded, as %40 for @"
)
SHORTEST_PART = 3

_SETTING = re.compile(r"[\w.-]*(?:pass|pwd|secret|token|key)[\w.-]*\s*=(.*)", re.I | re.S)
_USER = re.compile(r":.*@")
_PART = re.compile(r"[\s/?#@:;,&=\[\]\\'\"]+")


def shown(uri: str) -> str:
    """The URI as messages show it: its scheme, its place and no more, with *** for what is hidden.

    What has no scheme and may hold a secret, such as `host=h password=p`, is hidden altogether.
    """
    scheme, double, rest = uri.partition("://")
    if not double:
        return HIDDEN if _SETTING.search(uri) or _USER.search(uri) else uri
    before, at, place = rest.rpartition("@")
    if not at:
        before, place = "", rest
    place = place.partition("?")[0].partition("#")[0]
    told = f"{scheme}://{HIDDEN}@{place}" if before else f"{scheme}://{place}"
    return f"{scheme}://{HIDDEN}" if "@" in scheme or "=" in place or leaks(told, uri) else told


def leaks(text: str, uri: str) -> bool:
    """Whether a text has a secret of the URI in it, or a part of one of three characters."""
    return any(part in text for part in _parts(uri))


def covered(text: str, uri: str) -> str:
    """What a driver says about a URI; where that repeats a part of a secret, that it does so."""
    return UNTOLD if leaks(text, uri) else text


def _parts(uri: str) -> set[str]:
    """Every text by which a secret of the URI could be recognised."""
    secrets: set[str] = set(_SETTING.findall(uri))  # up to the end: an & may be a secret's own
    _scheme, double, rest = uri.partition("://")
    if double and "@" in rest:
        secrets.add(rest.rpartition("@")[0].partition(":")[2])
    written = secrets | {read(secret) for secret in secrets for read in (unquote, unquote_plus)}
    pieces = {piece for each in written for piece in _PART.split(each)}
    return {each for each in written if each} | {
        each for each in pieces if len(each) >= SHORTEST_PART
    }
