"""The home page and the wall move as things happen."""

from datetime import timedelta

from playwright.sync_api import expect

from tests.browser.club import NOW

TODAY = "/?board=speed&window=daily"


def test_a_result_is_seen_in_two_windows_that_were_open_before(opened, site):
    windows = [opened(TODAY), opened(f"{TODAY}&wall=1", width=1920)]
    for page in windows:
        expect(page.locator("html")).to_have_attribute("data-live", "live")
    site.submit("emil-berg", 150)
    for page in windows:
        row = page.locator("table.standings").first.locator("tr[data-player=emil-berg]")
        expect(row).to_have_attribute("data-rank", "1")
        expect(row.locator(".score")).to_have_text("150")
        expect(row).to_have_class("fresh")
    said = windows[0].get_by_role("status")
    expect(said).to_contain_text("emil-berg has 150 and is at rank 1.")
    lately = windows[0].get_by_role("region", name="Just now").get_by_role("listitem").first
    expect(lately).to_contain_text("emil-berg")
    expect(lately).to_contain_text("150")


def test_who_moves_is_marked_with_how_far_and_slides_unless_less_motion_is_asked_for(opened, site):
    moving, still = opened(TODAY), opened(TODAY, reduced_motion="reduce")
    for page in (moving, still):
        expect(page.locator("html")).to_have_attribute("data-live", "live")
    moving.evaluate(
        """() => {
            window.slid = [];
            const animate = Element.prototype.animate;
            Element.prototype.animate = function (...given) {
                window.slid.push(this.dataset.player);
                return animate.apply(this, given);
            };
        }"""
    )
    second = moving.locator("tr[data-rank='2']").first.get_attribute("data-player")
    site.submit(second, 160)
    for page in (moving, still):
        row = page.locator(f"tr[data-player='{second}']")
        expect(row).to_have_attribute("data-rank", "1")
        expect(row.locator(".moved.up")).to_have_text("▲ 1")
    assert second in moving.evaluate("window.slid")
    assert still.evaluate("document.getAnimations().length") == 0


def test_what_has_the_focus_keeps_it_when_the_page_moves(opened, site):
    page = opened(TODAY)
    expect(page.locator("html")).to_have_attribute("data-live", "live")
    link = page.locator("tr[data-player='odd-arabic'] .name")
    link.focus()
    site.submit("femi-abe", 170)
    expect(page.locator("tr[data-player=femi-abe]")).to_have_attribute("data-rank", "1")
    assert page.evaluate("document.activeElement.closest('tr').dataset.player") == "odd-arabic"


def test_the_time_until_the_period_ends_counts_down(opened):
    page = opened(TODAY)
    left = page.locator("time[data-countdown]")
    expect(left).to_have_text("in 06:30:00")
    page.context.clock.set_fixed_time(NOW + timedelta(hours=1, seconds=1))
    expect(left).to_have_text("in 05:29:59")


def test_without_javascript_the_end_of_the_period_is_a_time(opened):
    page = opened(TODAY, java_script_enabled=False)
    expect(page.locator("time[data-countdown]")).to_have_text("2026-12-01 00:00")


def test_when_a_period_ends_the_page_goes_on_with_the_next_one(opened, site):
    page = opened(TODAY)
    expect(page.locator(".period")).to_contain_text("2026-11-30")
    site.clock.at(NOW + timedelta(hours=7))
    page.context.clock.set_fixed_time(NOW + timedelta(hours=7))
    expect(page.locator(".period")).to_contain_text("2026-12-01")
    expect(page.locator("time[data-countdown]")).to_have_text("in 23:30:00")
    expect(page.get_by_text("Nobody is here yet")).to_be_visible()
    site.submit("gita-abe", 80)
    expect(page.locator("tr[data-player=gita-abe]")).to_have_attribute("data-rank", "1")
