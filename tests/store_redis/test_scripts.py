"""Scripts hold to their headers, however they are called, and are sent again where unknown."""

import re
from pathlib import Path

import pytest

import rankbook.store.redis as package
from rankbook.store import open_store
from rankbook.store.base import AroundMember, ByPosition, CountBefore, FromBound
from rankbook.store.redis.keys import Keys
from rankbook.store.redis.scripts import NAMES, script
from tests.contract.rows import OTHER, SEVEN, R, ask, publish, put

FOLDER = Path(package.__file__).with_name("scripts")
FIELD = re.compile(r"^-- (KEYS|ARGV|RETURNS): (\S.*)$", re.MULTILINE)


def header(name):
    lines = (FOLDER / f"{name}.lua").read_text().splitlines()
    return "\n".join([line for line in lines if line.startswith("--")])


def declared(name, field):
    """The fixed parts of a header's field, and whether more of them may follow."""
    found = header(name).split(f"-- {field}: ", 1)[1]
    listed = re.split(r"\n-- (?:KEYS|ARGV|RETURNS|Words)", found)[0]
    return listed, "..." in listed


@pytest.mark.parametrize("name", NAMES)
def test_a_script_says_its_keys_its_arguments_and_what_it_returns(name):
    assert [field for field, _said in FIELD.findall(header(name))] == ["KEYS", "ARGV", "RETURNS"]


def test_every_file_is_known_and_sent_with_the_common_part():
    assert {path.stem for path in FOLDER.glob("*.lua")} == {*NAMES, "common"}
    common = (FOLDER / "common.lua").read_text()
    assert all(script(name).text.startswith(common) for name in NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_script_reads_no_key_that_it_was_not_given(name):
    code = re.sub(r"--.*", "", (FOLDER / f"{name}.lua").read_text())
    assert not re.search(r"['\"]rankbook", code)
    assert not re.search(r"call\('\w+', '", code)


class Listening:
    """A transport that remembers how many keys and words each script was called with."""

    def __init__(self, inner):
        self.inner, self.where, self.calls = inner, inner.where, []

    def run(self, name, keys, words):
        self.calls.append((name, list(keys), list(words)))
        return self.inner.run(name, keys, words)

    def close(self):
        self.inner.close()


def exercise(store):
    """Every method of a store, so that every script is called."""
    publish(store, put(SEVEN) + put(SEVEN, OTHER), [(0, b"note"), (1, b"one")])
    store.publish([], [], expect=1, then=2, drops=[OTHER])
    store.entries([(R, b"asha")])
    store.receipts([0, 1])
    bound = SEVEN[2].key + SEVEN[2].member
    store.read([ByPosition(R, 0, 2), AroundMember(R, b"asha", 2), FromBound(R, bound, 2)])
    store.read([CountBefore(R, (bound,))])
    with store.audit() as audit:
        publish(store, put(SEVEN[:1]))
        assert len(list(audit.order(R))) == len(list(audit.members(R))) == len(SEVEN)
        audit.entries(R, [b"asha"])
        assert list(audit.faults()) == []
    store.describe()
    for wanted in (None, lambda name: name == "r"):
        beside = store.staging()
        publish(beside, put(SEVEN), [(0, b"note")])
        beside.publish([], [], expect=1, then=store.position())
        assert store.promote(wanted, b"note")
    store.staging()
    store.discard()


def test_scripts_are_called_as_their_headers_say(redis_uri, tmp_path):
    store = open_store(redis_uri, tmp_path, most_words=8)
    heard = store.transport = store.session.transport = Listening(store.transport)
    exercise(store)
    store.transport.run("types", [Keys("x", 0).head], [])
    assert {name for name, _keys, _words in heard.calls} == set(NAMES)
    for name, keys, words in heard.calls:
        for field, given in (("KEYS", keys), ("ARGV", words)):
            listed, more = declared(name, field)
            fixed = 0 if listed.startswith("none") else len(re.split(r",(?![^(]*\))", listed))
            if not more:
                assert len(given) == fixed, (name, field, given, listed)
        tags = {re.search(r"\{(.*?)\}", key)[1] for key in keys}
        assert len(tags) == 1
    store.close()


def test_scripts_that_a_server_has_forgotten_are_sent_again(redis, redis_uri, tmp_path):
    store = open_store(redis_uri, tmp_path)
    publish(store, put(SEVEN))
    redis.say("SCRIPT", "FLUSH")
    assert ask(store, ByPosition(R, 0, 9)).rows == SEVEN
    publish(store, put(SEVEN[:1]))
    store.close()
