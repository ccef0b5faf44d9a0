"""Names that try to be something else are shown as names."""

from urllib.parse import quote

import pytest

from rankbook.http.pages.avatars import avatar
from rankbook.http.pages.formatting import aligned
from tests.browser.club import ODD


def test_an_odd_name_has_a_page_that_is_whole(opened):
    page = opened()
    for player in ODD:
        page.goto(f"/player?player={quote(player, safe='')}")
        assert page.title() != "owned"
        assert page.locator("h1 bdi").count() == 1
        heading = page.locator("h1")
        assert heading.bounding_box()["height"] < 220
        assert heading.inner_text().strip()


def test_html_in_a_name_is_its_text(opened):
    page = opened("/?board=speed&window=daily")
    row = page.locator("tr[data-player='odd/html?&#']")
    assert row.locator(".name").inner_text().startswith('<b onclick="alert(1)">Bold</b>')
    assert row.locator("b, script").count() == 0
    row.locator(".name").click()
    assert page.locator("h1").inner_text().startswith("<b onclick")


def test_a_name_of_nothing_is_the_players_id(opened):
    page = opened("/?board=speed&window=daily")
    assert page.locator("tr[data-player=odd-nothing] .name").inner_text() == "odd-nothing"


def test_a_long_name_ends_in_dots_and_has_all_of_it_as_title(opened):
    page = opened("/?board=speed&window=daily")
    name = page.locator("tr[data-player=odd-long] .name")
    assert name.inner_text() == "W" * 79 + "…"
    assert name.get_attribute("title") == "W" * 256


def test_a_name_does_not_turn_what_stands_beside_it(opened):
    page = opened("/?board=speed&window=daily")
    row = page.locator("tr[data-player=odd-turned]")
    assert row.locator(".name").inner_text() == "evil turned"
    assert (
        page.locator("tr[data-player=odd-arabic] .name bdi").evaluate(
            "each => getComputedStyle(each).unicodeBidi"
        )
        == "isolate"
    )


def test_a_picture_elsewhere_is_not_loaded_unless_that_is_allowed(opened):
    page = opened("/?board=speed&window=daily")
    assert page.locator("img").count() == 0
    assert avatar({"avatar": "https://example.org/a.png"}, "asha").source == ""
    allowed = avatar({"avatar": "https://example.org/a.png"}, "asha", remote=True)
    assert allowed.source == "https://example.org/a.png"


@pytest.mark.parametrize(
    "address", ["javascript:alert(1)", "http://example.org/a", "https://a/' onerror='x", "data:,x"]
)
def test_an_address_that_is_none_is_no_picture(address):
    assert avatar({"avatar": address}, "asha", remote=True).source == ""


def test_an_avatar_is_the_profiles_emoji_or_initials_in_the_ids_hue():
    assert avatar({"avatar": "🦊"}, "asha").text == "🦊"
    assert avatar({"name": "Asha van der Berg"}, "x").text == "AB"
    assert avatar({"name": "أحمد علي"}, "x").text == "أع"
    assert avatar({}, "...").text == "·"
    assert avatar({"name": "One"}, "x").hue == avatar({"name": "Two"}, "x").hue


def test_figures_of_a_column_stand_point_under_point():
    assert aligned([128.6, 7, 130.25]) == ["128.6\u2007", "7\u2008\u2007\u2007", "130.25"]
