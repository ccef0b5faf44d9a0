"""Small checks that specifications share: names, types, and errors with a path to the field."""

import re
from collections.abc import Iterable, Sequence
from typing import Any, Protocol, TypeVar

import msgspec

from rankbook.errors import SpecError

T = TypeVar("T")

# C0, DEL and C1 controls, line and paragraph separators, and halves of surrogate pairs
UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")

_NAME = re.compile(r"[a-z0-9_-]{1,64}")
_VALUE_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
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
        raise SpecError(field, f"{text!r} is not known; there are: {', '.join(words)}")


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
        raise spec_error(error, field) from error
    except SpecError as error:
        raise SpecError(join(field, error.field), error.reason) from error


def spec_error(error: msgspec.ValidationError, field: str) -> SpecError:
    """msgspec's error as ours: its place becomes the rest of the path."""
    match = _PLACE.match(str(error))
    reason, place = (match[1], match[2] or "") if match else (str(error), "")
    return SpecError(join(field, place), reason[:1].lower() + reason[1:].replace("`", ""))


def join(field: str, place: str) -> str:
    """A path and the rest of it: ``board[0]`` and ``order_by[1]``, or ``[1]``."""
    if not field or not place or place.startswith("["):
        return field + place
    return f"{field}.{place}"
