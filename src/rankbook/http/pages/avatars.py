"""Avatars from profiles: an emoji, initials in one of twelve hues, or a picture where allowed."""

import unicodedata
from collections.abc import Mapping
from hashlib import blake2b

import msgspec

from rankbook.rules.display import name_of, visible_text

HUES = 12
MOST_EMOJI = 8
MOST_ADDRESS = 256
_SYMBOLS = ("So", "Sk", "Sm")


class Avatar(msgspec.Struct, frozen=True):
    """The avatar beside a name: `text` in a hue, or the picture at `source`."""

    text: str
    hue: int
    emoji: bool = False
    source: str = ""


def avatar(profile: Mapping[str, str], player: str, *, remote: bool = False) -> Avatar:
    """The avatar of a player. The hue comes from the id, so it stays when the name changes.

    Whoever serves a picture on another site learns who looks, so its address is used only with
    `remote`.
    """
    given = profile.get("avatar", "")
    hue = blake2b(player.encode(errors="replace"), digest_size=2).digest()[0] % HUES
    if remote and _is_address(given):
        return Avatar("", hue, source=given)
    emoji = visible_text(given[:MOST_EMOJI])
    if _is_emoji(emoji):
        return Avatar(emoji, hue, emoji=True)
    return Avatar(_initials(name_of(profile, player)), hue)


def _is_address(text: str) -> bool:
    plain = text.isascii() and text.isprintable() and not set(text) & set(" \"'<>\\")
    return text.startswith("https://") and len(text) <= MOST_ADDRESS and plain


def _is_emoji(text: str) -> bool:
    return bool(text) and unicodedata.category(text[0]) in _SYMBOLS and not text.isascii()


def _initials(name: str) -> str:
    """The first letters of the first and the last word. A dot if there is no letter."""
    words = name.replace("-", " ").replace("_", " ").split()
    letters = [next((each for each in word if each.isalnum()), "") for word in words]
    found = [each for each in letters if each]
    chosen = found[:1] + found[-1:] if len(found) > 1 else found
    return "".join(chosen).upper()[:2] or "·"
