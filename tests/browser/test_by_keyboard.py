"""Every page can be used without a mouse."""

import pytest
from playwright.sync_api import expect

MOST_STOPS = 260
STOPS = """() => [...document.querySelectorAll(
    'a[href], button, input:not([type=hidden]), select, summary, [tabindex="0"]'
)].filter((each) => each.checkVisibility() && !each.disabled).length"""
STOP = """() => {
    const each = document.activeElement;
    if (each === document.body) return null;
    if (!each.dataset.stop) each.dataset.stop = String(window.stops = (window.stops || 0) + 1);
    const style = getComputedStyle(each);
    return [Number(each.dataset.stop), style.outlineStyle !== "none" || each.id === "main"];
}"""


@pytest.mark.parametrize("path", ["/", "/player?player=asha-abe", "/seasons", "/submissions"])
def test_the_tab_key_reaches_everything_and_shows_where_it_is(opened, path):
    page = opened(path)
    wanted = page.evaluate(STOPS)
    reached: set[int] = set()
    for _press in range(min(wanted, MOST_STOPS)):
        page.keyboard.press("Tab")
        stop, shown = page.evaluate(STOP)
        assert shown, page.evaluate("document.activeElement.outerHTML")
        reached.add(stop)
    assert len(reached) == min(wanted, MOST_STOPS)


def test_the_first_tab_skips_to_the_content(opened):
    page = opened("/")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()


def test_tabs_and_the_search_work_by_enter(opened):
    page = opened("/")
    page.get_by_role("link", name="Today").focus()
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("Today Overall")
    page.get_by_label("Name or id").focus()
    page.keyboard.type("hugo-costa")
    page.keyboard.press("Enter")
    expect(page.locator(".pinned tr")).to_have_attribute("data-player", "hugo-costa")
    assert "window=daily" in page.url


def test_the_arrow_keys_walk_through_a_submission_and_back(opened):
    page = opened("/submission?event=day-5-asha-abe")
    told = page.locator(".telling h2")
    expect(told).to_have_text("Recorded")
    page.keyboard.press("ArrowRight")
    expect(told).to_contain_text("speed")
    assert "step=2" in page.url
    while page.locator(".steps a[rel=next]").count():
        before = page.url
        page.keyboard.press("ArrowRight")
        page.wait_for_url(lambda url, before=before: url != before)
    expect(told).to_have_text("Published together")
    page.keyboard.press("ArrowLeft")
    expect(told).to_contain_text("lap")
    page.go_back()
    expect(told).to_have_text("Published together")


def test_two_seasons_are_chosen_by_keyboard(opened):
    page = opened("/seasons?board=speed&window=daily")
    page.get_by_label("Compare with").focus()
    page.keyboard.type("2026-11-27")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("table.between")).to_be_visible()
    assert "compare=2026-11-27" in page.url


def test_the_chart_scrolls_by_keyboard(opened):
    page = opened("/player?player=asha-abe", width=390)
    chart = page.get_by_role("region", name="Chart of scores by period")
    chart.focus()
    expect(chart).to_be_focused()


def test_the_theme_is_chosen_by_keyboard_and_stays(opened):
    page = opened("/", color_scheme="light")
    button = page.get_by_role("button", name="Theme: auto")
    button.focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.goto("/seasons")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == dark
    expect(page.get_by_role("button", name="Theme: dark")).to_be_visible()
