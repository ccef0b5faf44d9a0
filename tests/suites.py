"""Which tests `make quick`, `make test` and `make soak` run. This is the one place that says it.

`make soak` leaves nothing out: it runs what is marked `soak`, and once more, at depth, what is
marked `deep`. `make test` runs all that is not marked `soak`. `make quick` runs from a few folders
what is neither marked `soak` nor `server`. The marks are given here to tests by what they use:

- `server`: it uses a server or a browser.
- `deep`: Hypothesis invents its input. A test that scales its rounds with `depth.scaled` says
  `@pytest.mark.deep` itself.
- `soak`: it is not among the homes, or not in a pair, that `make test` runs. A test that is long
  by itself says `@pytest.mark.soak`.

Homes: `make test` runs a case on the first home of its list, which is the store in memory, and on
one of the others. Which one depends on the case's name, so each home gets its share of every file.
Pairs of a log and a store: `make test` runs those in `PAIRS`, so each log and store is in one.
"""

import re
from collections import defaultdict
from zlib import crc32

import pytest
from hypothesis import is_hypothesis_test

HOME = "home"
PAIRS = {("sqlite", "embedded"), ("postgres", "redis")}
PAIRED = ("new_log", "new_store")
SERVER_FIXTURES = {"postgres", "redis", "cluster", "upstash", "browser"}
ON_SERVERS = {"postgres", "postgresql", "redis", "cluster", "upstash"}


def mark(items):
    """Give every collected test the marks of what it uses."""
    alike = defaultdict(list)
    for item in items:
        choices = _choices(item)
        if SERVER_FIXTURES & set(item.fixturenames) or ON_SERVERS & set(choices.values()):
            item.add_marker(pytest.mark.server)
        if is_hypothesis_test(item.obj):
            item.add_marker(pytest.mark.deep)
        if HOME in choices:
            alike[_without(item, choices[HOME])].append(item)
        if all(name in choices for name in PAIRED):
            pair = tuple(choices[name] for name in PAIRED)
            if pair not in PAIRS:
                item.add_marker(pytest.mark.soak)
    for case, there in alike.items():
        _leave_out(case, there)


def _choices(item):
    """The test's parameters that are names, by their fixtures."""
    call = getattr(item, "callspec", None)
    given = call.params if call else {}
    return {name: value for name, value in given.items() if isinstance(value, str)}


def _without(item, home):
    """The test's name without its home."""
    inside = re.sub(rf"(^|-){re.escape(home)}(?=-|$)", "", item.callspec.id, count=1)
    return f"{item.nodeid.partition('[')[0]}[{inside.lstrip('-')}]"


def _leave_out(case, items):
    """Mark all of one case's homes but the first and one other."""
    _first, *others = items
    if others:
        chosen = others[crc32(case.encode()) % len(others)]
        for item in others:
            if item is not chosen:
                item.add_marker(pytest.mark.soak)
