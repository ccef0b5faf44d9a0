"""What holds for every page: nothing is in the way of anybody, in any width and theme."""

import pytest
from axe_playwright_python.sync_playwright import Axe

WIDEST = 1920
# Another theme changes nothing but colours.
SEEN = (("light", 1280, ()), ("dark", 390, ("color-contrast",)), ("light", WIDEST, ()))
EVENT = "day-5-asha-abe"
PATHS = {
    "home": "/",
    "home of a player": "/?player=hugo-costa&board=speed&window=daily",
    "wall": "/?wall=1&board=speed&window=daily",
    "find": "/player?q=asha",
    "player": "/player?player=asha-abe",
    "player of an odd name": "/player?player=odd-long",
    "seasons": "/seasons",
    "two seasons": "/seasons?board=speed&window=daily&compare=2026-11-26",
    "seasons of laps": "/seasons?board=lap&window=season",
    "submissions": "/submissions",
    "submission": f"/submission?event={EVENT}",
    "ranking step": f"/submission?event={EVENT}&step=2",
    "last step": f"/submission?event={EVENT}&step=99",
    "sign in": "/operations",
}


def violations(page, *rules: str) -> list[str]:
    """What axe finds by these rules, or by all of them."""
    options = {"resultTypes": ["violations"]} | ({"runOnly": list(rules)} if rules else {})
    found = Axe().run(page, options=options).response["violations"]
    return [
        f"{each['id']}: {node['html'][:160]} {node.get('failureSummary', '')[:300]}"
        for each in found
        for node in each["nodes"]
    ]


@pytest.mark.parametrize("path", PATHS.values(), ids=PATHS)
def test_axe_has_nothing_to_say_and_nothing_is_wider_than_the_screen(opened, path):
    page = opened(path, reduced_motion="reduce")
    for theme, width, rules in SEEN:
        page.emulate_media(color_scheme=theme)
        page.set_viewport_size({"width": width, "height": 900})
        wide = page.evaluate(
            "[document.documentElement.scrollWidth, document.documentElement.clientWidth]"
        )
        assert wide[0] <= wide[1], width
        if width != WIDEST:
            assert violations(page, *rules) == [], theme


def test_a_page_is_whole_without_javascript(opened):
    plain = opened(java_script_enabled=False)
    for path in PATHS.values():
        plain.goto(path)
        assert plain.get_by_role("heading", level=1).count() == 1
        assert plain.get_by_role("main").inner_text().strip()
        assert plain.title()
        assert not plain.locator("#theme").is_visible()


def test_what_is_not_there_is_a_page_that_says_what_is(opened):
    page = opened("/player?player=nobody", expected=404)
    assert "nobody" in page.locator("main").inner_text()
    assert violations(page) == []
    page = opened("/?board=chess", expected=404)
    assert "speed" in page.locator("main").inner_text()


def test_an_address_that_is_nowhere_is_a_page_too(opened):
    page = opened("/nowhere/at/all", expected=404)
    page.get_by_role("link", name="The standings").click()
    assert page.locator("h1").inner_text() == "All time Overall"


def test_nothing_but_the_service_can_run_or_load_in_a_page(opened, site):
    page = opened("/")
    policy = page.request.get(f"{site.url}/").headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert page.locator("[style], style, script:not([src])").count() == 0
    assert page.locator("[onclick], [onload], [onerror]").count() == 0


def test_a_page_that_has_not_changed_is_not_sent_again(opened, site):
    page = opened("/submissions")
    first = page.request.get(f"{site.url}/submissions")
    again = page.request.get(
        f"{site.url}/submissions", headers={"If-None-Match": first.headers["etag"]}
    )
    assert (again.status, again.body()) == (304, b"")
