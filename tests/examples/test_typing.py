"""The typing site: what its page shows after the story, and what the story says."""

import pytest
from msgspec.structs import replace

from examples.clock import Clock
from examples.typing import story
from examples.typing.saving import TypingTests
from rankbook.rules import load


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    return story.play(tmp_path_factory.mktemp("typing"))


def by_place(page):
    return {(s.window, s.tags.get("mode", "overall")): s for s in page.rankings}


def shown(standings):
    return [(e.rank, e.profile["name"], e.score) for e in standings.entries]


def test_one_test_is_ranked_in_four_rankings_and_the_page_shows_six(tmp_path):
    spec = load((story.HERE / "rankbook.toml").read_text())
    site = story.Site(tmp_path, spec)
    with site.book:
        receipt = site.test("t1", "u-asha", "Asha", 100, 98)
        page = site.book.bundle("page")
    assert [(p.window, p.tags, p.why, p.score) for p in receipt.rankings] == [
        ("all-time", {}, "new", 98),
        ("all-time", {"mode": "time"}, "new", 98),
        ("daily", {}, "new", 98),
        ("daily", {"mode": "time"}, "new", 98),
    ]
    assert [s.count for s in page.rankings] == [1, 1, 0, 1, 1, 0]


def test_an_equal_or_slower_test_replaces_nothing(played):
    page, _receipt = played
    overall = by_place(page)["all-time", "overall"]
    assert shown(overall) == [(2, "Asha", 98), (2, "Ben", 98)]
    assert overall.entries[0].details == {"wpm": 100, "accuracy": 98, "mode": "time"}
    assert shown(by_place(page)["all-time", "words"]) == [(1, "Asha", 76)]


def test_the_name_beside_a_score_is_that_of_its_result(played):
    page, _receipt = played
    for window, name, avatar in (
        ("all-time", "Asha", "asha.png"),
        ("daily", "Asha Rao", "asha rao.png"),
    ):
        entry = by_place(page)[window, "time"].entries[0]
        assert entry.profile == {"name": name, "avatar": avatar}


def test_a_day_begins_at_midnight_in_india(played):
    page, _receipt = played
    daily = by_place(page)["daily", "overall"]
    assert (daily.period.id, daily.period.start.isoformat()) == (
        "2026-12-01",
        "2026-11-30T18:30:00+00:00",
    )
    assert shown(daily) == [(2, "Asha Rao", 91)]
    assert by_place(page)["daily", "words"].entries == ()


def test_an_entry_without_a_name_is_skipped_and_keeps_its_rank(played):
    page, _receipt = played
    overall = by_place(page)["all-time", "overall"]
    assert overall.count == 3
    assert [entry.rank for entry in overall.entries] == [2, 2]


def test_a_result_within_the_cooldown_is_recorded_and_not_ranked(played):
    _page, receipt = played
    assert receipt.status == "ranked"
    assert {(p.why, p.changed, p.score) for p in receipt.rankings} == {("cooldown", False, 90)}


def test_a_test_is_kept_with_its_event_or_not_at_all(tmp_path, capsys):
    spec = load((story.HERE / "rankbook.toml").read_text())
    assert story.saved_with_its_event(tmp_path, spec) == ["s1"]
    said = capsys.readouterr().out
    assert "s1 is recorded\n          s2 is unknown, and not kept: accuracy: is 140" in said
    assert said.endswith("s1 is ranked\n")


def test_a_test_is_kept_while_the_rankings_are_out_of_use(tmp_path):
    spec = load((story.HERE / "rankbook.toml").read_text())
    tests = TypingTests(tmp_path, replace(spec, store="memory:"), Clock(story.START))
    tests.book.store.fail_next_publish("before")
    tests.save("s1", "u-asha", 100, 98)
    tests.rank()
    assert (tests.kept(), tests.book.outcome("s1").status) == (["s1"], "recorded")
    tests.rank()
    assert tests.book.outcome("s1").status == "ranked"
    tests.close()


def test_the_program_says_that_log_and_rankings_agree(capsys):
    story.main()
    said = capsys.readouterr().out
    assert "The log and the rankings agree: True" in said
    assert "Yesterday stays readable: 1. Asha 98 (100 wpm at 98%), 1. Ben 98" in said
