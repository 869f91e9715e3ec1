"""The attention viewer in a browser: pointer, keyboard, both colour schemes."""

import os

import numpy as np
import pytest
from playwright.sync_api import sync_playwright
from site_browser import AXE, find_browser, launch

from bertbook.viewer import attention_viewer

TOKENS = ["[CLS]", "the", "<cat>", "sat", "[SEP]"]
# Layer 0, head 0 looks at the next token, head 1 at the first; layer 1 at itself.
NEXT = np.roll(np.eye(5), 1, axis=1)
FIRST = np.tile(np.eye(5)[0], (5, 1))
LAYERS = [np.stack([NEXT, FIRST]), np.stack([np.eye(5), np.eye(5)])]
RUN_AXE = """async () => (await axe.run(document)).violations
  .flatMap(v => v.nodes.map(n => `${v.id}: ${n.html}: ${n.failureSummary}`))"""
PAGE = (
    '<!doctype html><html lang="en" style="color-scheme: light dark"><title>v</title>'
    "<main><h1>Viewer</h1>{}</main>"
)


@pytest.fixture(scope="module")
def browser():
    with sync_playwright() as playwright:
        path = find_browser(playwright)
        if path is None:
            message = "NO BROWSER, SO THE VIEWER IS NOT TESTED: install Chromium"
            if os.environ.get("BERTBOOK_REQUIRE_BROWSER"):
                pytest.fail(message)
            pytest.skip(message)
        instance = launch(playwright, path)
        yield instance
        instance.close()


@pytest.fixture
def page(browser):
    context = browser.new_context(viewport={"width": 390, "height": 700})
    page = context.new_page()
    page.problems = []
    page.on("pageerror", lambda error: page.problems.append(str(error)))
    page.on("request", lambda request: page.problems.append(request.url))
    viewers = [
        attention_viewer(TOKENS, LAYERS, name="deep", caption="Two layers"),
        attention_viewer(TOKENS, LAYERS[0], name="flat", caption="One layer"),
    ]
    page.set_content(PAGE.format("".join(v._repr_html_() for v in viewers)))
    yield page
    assert page.problems == []
    context.close()


def button(page, k, viewer="deep"):
    return page.locator(f"#{viewer} .av-queries button").nth(k)


def opacities(page, viewer="deep"):
    lines = page.locator(f"#{viewer} line")
    return [float(line.get_attribute("opacity")) for line in lines.all()]


def status(page):
    return page.locator("#deep .av-status").inner_text()


def choose(page, css_class, value):
    page.locator(f"#deep .{css_class}").select_option(value)


def test_pointing_at_a_token_shows_where_it_looks(page):
    assert opacities(page) == [0.5, 0.5, 0, 0, 0]
    button(page, 2).hover()
    assert opacities(page) == [0.5, 0, 0, 0.5, 0]
    assert status(page) == "<cat> looks at [CLS] (0.50), sat (0.50)"
    squares = page.locator("#deep .av-squares").nth(3).locator("i")
    shown = [s.evaluate("e => getComputedStyle(e).opacity") for s in squares.all()]
    assert shown == ["1", "0"]


def test_lines_run_between_the_tokens_they_join(page):
    button(page, 2).hover()
    line = page.locator("#deep line").nth(3)
    ends = [float(line.get_attribute(name)) for name in ("y1", "y2")]
    boxes = [button(page, k).bounding_box() for k in (2, 3)]
    top = page.locator("#deep svg").bounding_box()["y"]
    middles = [box["y"] + box["height"] / 2 - top for box in boxes]
    assert ends == pytest.approx(middles, abs=1)


def test_arrow_keys_move_between_tokens(page):
    button(page, 0).focus()
    for key, k in [
        ("ArrowDown", 1),
        ("ArrowDown", 2),
        ("ArrowUp", 1),
        ("End", 4),
        ("ArrowDown", 0),
        ("ArrowUp", 4),
        ("Home", 0),
    ]:
        page.keyboard.press(key)
        assert page.evaluate("document.activeElement.textContent") == TOKENS[k]
        assert button(page, k).get_attribute("aria-pressed") == "true"
        assert page.locator("#deep [aria-pressed=true]").count() == 1
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == (
        "solid"
    )


def test_the_tokens_are_one_stop_of_the_tab_key(page):
    page.locator("#deep .av-head").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.textContent") == "the"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.tagName") == "SUMMARY"
    page.keyboard.press("Shift+Tab")
    assert page.evaluate("document.activeElement.textContent") == "the"


def test_one_head_can_be_chosen(page):
    button(page, 2).hover()
    choose(page, "av-head", "0")
    assert opacities(page) == [0, 0, 0, 1, 0]
    choose(page, "av-head", "1")
    assert opacities(page) == [1, 0, 0, 0, 0]
    assert page.locator("#deep .av-squares i:visible").count() == len(TOKENS)


def test_one_layer_can_be_chosen_if_there_are_several(page):
    button(page, 2).hover()
    choose(page, "av-layer", "1")
    assert opacities(page) == [0, 0, 1, 0, 0]
    assert page.locator("#flat .av-layer").count() == 0


def test_the_table_follows_the_choice(page):
    page.locator("#deep summary").click()
    table = page.locator("#deep table")
    assert table.locator("td").nth(0).inner_text() == "0.500"
    choose(page, "av-layer", "1")
    choose(page, "av-head", "1")
    assert table.locator("td").all_inner_texts() == [
        f"{weight:.3f}" for weight in np.eye(5).ravel()
    ]
    assert "layer 1, head 1" in table.locator("caption").inner_text()


def test_two_viewers_on_a_page_do_not_disturb_each_other(page):
    button(page, 3, "flat").hover()
    assert opacities(page, "flat") == [0.5, 0, 0, 0, 0.5]
    assert opacities(page) == [0.5, 0.5, 0, 0, 0]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_in_either_scheme(page, scheme):
    page.emulate_media(color_scheme=scheme)
    for summary in page.locator("summary").all():
        summary.click()
    page.evaluate(AXE)
    assert page.evaluate(RUN_AXE) == []


def test_without_scripts_the_first_token_and_the_table_remain(browser):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    viewer = attention_viewer(TOKENS, LAYERS, name="deep")
    page.set_content(PAGE.format(viewer._repr_html_()))
    assert opacities(page) == [0.5, 0.5, 0, 0, 0]
    page.locator("summary").click()
    assert page.locator("td").nth(1).inner_text() == "0.500"
    context.close()


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_weights_that_are_no_numbers_are_refused(bad):
    weights = np.full((1, 2, 2), 0.5)
    weights[0, 1, 1] = bad
    with pytest.raises(ValueError, match="weights with NaN or infinity"):
        attention_viewer(["a", "b"], weights, name="v")
