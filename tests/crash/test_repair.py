"""Whatever is damaged in the rankings, a repair or a rebuild ends well: the log makes them anew."""

import os
import random
import shutil
import subprocess
import sys

import pytest

from rankbook import BookSpec, Rankbook
from tests.book.home import Clock, board, result

BOARDS = (
    board("few", keep="total"),
    board("many", windows=("all-time", "daily"), splits=((), ("mode",))),
)
SPEC = BookSpec(name="book", boards=BOARDS, log="sqlite:", store="embedded:")
TOML = """
[book]
name = "book"
log = "sqlite:"
store = "embedded:"

[[board]]
name = "few"
measures = { score = "score" }
order_by = ["score desc"]
keep = "total"

[[board]]
name = "many"
measures = { score = "score" }
order_by = ["score desc"]
windows = ["all-time", "daily"]
splits = [[], ["mode"]]
"""
ROUNDS = 12
LONG = int(os.environ.get("RANKBOOK_FUZZ_ROUNDS", "150"))


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    """A book with compact sets and trees, closed; no test changes it."""
    place = tmp_path_factory.mktemp("sound") / "book"
    place.mkdir()
    (place / "rankbook.toml").write_text(TOML)
    with Rankbook.open(place, clock=Clock()) as book:
        book.submit_many([result(f"player {n % 400}", n, id=f"e{n}", mode="x") for n in range(900)])
    return place


def damage(path, chance):
    """Flip, cut, zero or swap at a random place of what the file uses; what was done."""
    data = bytearray(path.read_bytes())
    used = len(data.rstrip(b"\0"))
    at = chance.randrange(used)
    kind = chance.choice(["flip", "cut", "zero", "swap"])
    if kind == "flip":
        data[at] ^= 1 << chance.randrange(8)
    elif kind == "cut":
        del data[at:]
    elif kind == "zero":
        data[at : at + chance.choice([1, 64, 4096])] = bytes(len(data[at : at + 1]))
    else:
        left, right = (4096 * chance.randrange(used // 4096) for _ in range(2))
        data[left : left + 4096], data[right : right + 4096] = (
            data[right : right + 4096],
            data[left : left + 4096],
        )
    path.write_bytes(data)
    return kind, at


def run(place, *words):
    command = [sys.executable, "-m", "rankbook", *words, "--book", os.fspath(place)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def hold_repaired(sound, place, seed):
    """One damage; after `repair`, or a `rebuild` where that is what it asks for, all agrees."""
    chance = random.Random(seed)
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(sound, place)
    what = (seed, damage(place / "rankings" / "data.mdb", chance))
    said = run(place, "repair")
    if said.returncode and "rebuild" in said.stderr:
        said = run(place, "rebuild")
    assert said.returncode == 0, (what, said.returncode, said.stdout, said.stderr)
    said = run(place, "verify")
    assert said.returncode == 0, (what, said.returncode, said.stdout, said.stderr)


@pytest.mark.parametrize("part", range(2))
def test_rankings_damaged_at_random_are_repaired(sound, tmp_path, part):
    for number in range(ROUNDS // 2):
        hold_repaired(sound, tmp_path / "book", 1000 * part + number)


@pytest.mark.soak
def test_rankings_damaged_at_random_are_repaired_many_times(sound, tmp_path):
    for number in range(LONG):
        hold_repaired(sound, tmp_path / "book", 10_000 + number)


def flip(path, text):
    data = bytearray(path.read_bytes())
    places = [at for at in range(len(data)) if data.startswith(text, at)]
    assert places
    for at in places:
        data[at] ^= 1
    path.write_bytes(data)


def test_a_flipped_bit_in_the_only_small_ranking_is_repaired(tmp_path):
    (tmp_path / "rankbook.toml").write_text(TOML)
    with Rankbook.open(tmp_path, clock=Clock()) as book:
        book.submit(result("asha", 5, id="a", mode="x"))
    flip(tmp_path / "rankings" / "data.mdb", b"asha")
    with Rankbook.open(tmp_path, clock=Clock()) as book:
        assert not book.verify().agrees
        assert not book.repair().agrees
        assert book.verify().agrees
        assert book.repair().agrees
        assert book.ranking("few").entry("asha").score == 5


def test_a_damaged_half_made_generation_is_given_up_by_the_next_rebuild(tmp_path):
    (tmp_path / "rankbook.toml").write_text(TOML)
    with Rankbook.open(tmp_path, clock=Clock()) as book:
        book.submit(result("asha", 5, id="a", mode="x"))
        staging = book.store.staging()
        id = next(iter(ids(book.store)))
        staging.publish([], [], expect=0, then=0)
        mar(book.store, staging, id)
        assert book.rebuild() == 1
        assert book.verify().agrees


def ids(store):
    with store.audit() as audit:
        return list(audit.rankings())


def mar(store, staging, id):
    """File a record that cannot be read under the staged ranking's name."""

    def work(transaction):
        name = staging._current(transaction).prefix + id.name.encode()
        transaction.put_set_record(b"n" + name, b"no record at all")

    store._environment.update(work)


def test_a_store_that_others_have_open_is_not_replaced_under_them(tmp_path):
    from tests.engine.other import Other

    (tmp_path / "rankbook.toml").write_text(TOML)
    with Rankbook.open(tmp_path, clock=Clock()) as book:
        book.submit(result("asha", 5, id="a", mode="x"))
        with Other(tmp_path / "rankings"):
            with pytest.raises(Exception, match="other processes have it open"):
                book.store.replace(lambda new: None)
            assert book.ranking("few").entry("asha").score == 5
        assert book.verify().agrees
