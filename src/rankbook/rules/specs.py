"""Small checks that specifications share: names, types, and errors with a path to the field."""

import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Any, Protocol, TypeVar, get_args, get_type_hints

import msgspec

from rankbook.errors import SpecError

T = TypeVar("T")

CLOSE = 0.65
"""How alike two words are, 0 to 1, for one to be taken for a slip of the other."""

# C0, DEL and C1 controls, line and paragraph separators, and halves of surrogate pairs
UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")

_NAME = re.compile(r"[a-z0-9_-]{1,64}")
_VALUE_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_UNKNOWN_KEY = re.compile(r"Object contains unknown field `(.*)`", re.DOTALL)
_UNKNOWN_WORD = re.compile(r"Invalid enum value '(.*)'", re.DOTALL)
_PLACE = re.compile(r"^(.*?)(?: - at `\$\.?(.*)`)?$", re.DOTALL)


def check_name(name: str, field: str) -> None:
    """A board's, bundle's or measure's name. Raises `SpecError`."""
    if not _NAME.fullmatch(name):
        reason = "a name has 1 to 64 lower-case letters, digits, - and _"
        raise SpecError(field, f"{name!r} is not a name: {reason}")


def check_value_name(name: str, field: str) -> None:
    """The name of an event's value, as splits and details use it. Raises `SpecError`."""
    if not _VALUE_NAME.fullmatch(name):
        reason = "it has 1 to 64 letters, digits, - and _"
        raise SpecError(field, f"{name!r} is not the name of a value: {reason}")


def check_choice(text: str, choices: Iterable[str], field: str) -> None:
    """One of some words. Raises `SpecError` and lists them."""
    words = list(choices)
    if text not in words:
        raise SpecError(field, unknown_word(text, words))


def check_keys(table: Iterable[str], known: Sequence[str], field: str) -> None:
    """Only known keys. Raises `SpecError` at the path of the first other one."""
    for key in table:
        if key not in known:
            raise SpecError(join(field, key), unknown_key(key, known))


def unknown_key(key: str, known: Sequence[str]) -> str:
    """What is wrong with a key: the nearest that there is, or all that there are."""
    meant = _meant(key, known)
    return f"is not known; {meant or _listed(known)}"


def unknown_word(word: str, known: Sequence[str]) -> str:
    """What is wrong with a word: the nearest that there is, and all that there are."""
    meant, listed = _meant(word, known), _listed(known)
    return f"{word!r} is not known; {f'{meant} {listed.capitalize()}' if meant else listed}"


def nearest(word: str, known: Sequence[str]) -> str:
    """What was probably meant, or all that there is."""
    return _meant(word, known) or _listed(known)


def _meant(word: str, known: Sequence[str]) -> str:
    near = get_close_matches(word, known, 1, CLOSE)
    return f"did you mean {near[0]!r}?" if near else ""


def _listed(known: Sequence[str]) -> str:
    return f"there are: {', '.join(known)}"


def check_unique(items: Sequence[object], field: str) -> None:
    """No item twice. Raises `SpecError` at the second one."""
    for index, item in enumerate(items):
        if item in items[:index]:
            raise SpecError(f"{field}[{index}]", f"{item!r} is given twice")


class Named(Protocol):
    """A board, bundle or season."""

    @property
    def name(self) -> str:
        """Its name."""
        ...


def check_unique_names(items: Sequence[Named], field: str) -> None:
    """No name twice. Raises `SpecError` at the second one's `name`."""
    names = [item.name for item in items]
    for index, name in enumerate(names):
        if name in names[:index]:
            raise SpecError(f"{field}[{index}].name", f"{name!r} is given twice")


def check_count(
    items: Sequence[object] | dict[str, Any], least: int, most: int, field: str
) -> None:
    """Neither too few nor too many. Raises `SpecError`."""
    if not least <= len(items) <= most:
        raise SpecError(field, f"has {len(items)}; there may be {least} to {most}")


def shaped(value: object, type_: type[T], field: str) -> T:
    """The value in this type, lists made tuples. Raises `SpecError` with the path inside it."""
    try:
        return msgspec.convert(value, type_)
    except msgspec.ValidationError as error:
        raise _spec_error(error, type_, field) from error
    except SpecError as error:
        raise SpecError(join(field, error.field), error.reason) from error


def _spec_error(error: msgspec.ValidationError, type_: Any, field: str) -> SpecError:
    """msgspec's error as ours: its place becomes the rest of the path, and choices are listed."""
    match = _PLACE.match(str(error))
    reason, place = (match[1], match[2] or "") if match else (str(error), "")
    here = join(field, place)
    if not msgspec.inspect.is_struct_type(type_):
        return SpecError(here, _lowered(reason))
    key, word = _UNKNOWN_KEY.fullmatch(reason), _UNKNOWN_WORD.fullmatch(reason)
    if key and not place:
        known = [each.encode_name for each in msgspec.structs.fields(type_)]
        return SpecError(join(field, key[1]), unknown_key(key[1], known))
    choices = get_args(get_type_hints(type_).get(place))
    if word and choices:
        return SpecError(here, unknown_word(word[1], choices))
    return SpecError(here, _lowered(reason))


def _lowered(reason: str) -> str:
    return reason[:1].lower() + reason[1:].replace("`", "")


def join(field: str, place: str) -> str:
    """A path and the rest of it: ``board[0]`` and ``order_by[1]``, or ``[1]``."""
    if not field or not place or place.startswith("["):
        return field + place
    return f"{field}.{place}"
