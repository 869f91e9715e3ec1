"""The built site, in a browser: every page, both schemes, wide and narrow."""

import re

import pytest
from playwright.sync_api import sync_playwright
from site_browser import (
    MODES,
    REQUIRED,
    SITE,
    find_browser,
    launch,
    open_page,
    served,
    site_pages,
    visit,
)

pytestmark = pytest.mark.site
PAGES = site_pages()
CHAPTERS = [name for name in PAGES if re.match(r"chapters/\d", name)]
every_page = pytest.mark.parametrize("name", PAGES or ["index.html"])


@pytest.fixture(scope="module")
def browser():
    if not PAGES:
        pytest.fail("there is no site in _build/html: run `make book`")
    with sync_playwright() as playwright:
        path = find_browser(playwright)
        if path is None:
            message = "NO BROWSER, SO THE SITE IS NOT TESTED: install Chromium"
            if REQUIRED:
                pytest.fail(message)
            pytest.skip(message)
        instance = launch(playwright, path)
        yield instance
        instance.close()


@pytest.fixture(scope="module")
def root():
    with served(SITE) as address:
        yield address


@pytest.fixture(scope="module")
def below_a_path():
    with served(SITE, "/some/path/") as address:
        yield address


@pytest.fixture(scope="module")
def context(browser):
    # One for all pages, so that the browser keeps what they share.
    with browser.new_context() as context:
        yield context


@pytest.fixture(scope="module")
def look_at(context, root):
    opened, visits = {}, {}

    def look_at(name):
        if name not in visits:
            # The browser fetches the next page while we look at this one.
            start = PAGES.index(name)
            for near in PAGES[start : start + 2]:
                if near not in opened:
                    opened[near] = open_page(context, root + near)
            visits[name] = visit(*opened[name], MODES)
        return visits[name]

    return look_at


@pytest.fixture
def page(browser):
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    yield context.new_page()
    context.close()


@every_page
def test_axe_finds_nothing_in_either_scheme_at_either_width(look_at, name):
    assert look_at(name).violations == []


@every_page
def test_a_page_follows_the_scheme_of_the_system(look_at, name):
    if name != "404.html":  # which has no theme, only a media query
        assert look_at(name).themes == {"light": "light", "dark": "dark"}


@every_page
def test_a_page_loads_nothing_from_another_host(look_at, root, name):
    requests = look_at(name).requests
    assert requests
    assert [r for r in requests if not r.startswith((root, "data:", "blob:"))] == []


@every_page
def test_a_page_finds_all_that_it_asks_for(look_at, name):
    assert look_at(name).failed == []


@every_page
def test_a_page_raises_no_error_and_no_warning(look_at, name):
    assert look_at(name).errors == []


@every_page
def test_no_page_is_wider_than_the_window(look_at, name):
    assert {mode: 0 for mode in MODES} == look_at(name).overflow


@every_page
def test_no_sentence_is_cut_off_at_the_edge(look_at, name):
    assert {mode: [] for mode in MODES} == look_at(name).cut


@every_page
def test_every_picture_is_there_and_described(look_at, name):
    for image in look_at(name).images:
        assert image["width"] > 0, image
        assert image["alt"] is not None, image
        if "_images" in image["source"]:
            assert re.search(r"\w+ \w+", image["alt"]), image


# Each address of each page is checked in every build: one page of a kind is enough.
@pytest.mark.parametrize(
    "name", ["index.html", "chapters/api.html", "search.html", *CHAPTERS[:1]]
)
def test_a_page_works_below_a_path(context, below_a_path, name):
    seen = visit(*open_page(context, below_a_path + name))
    assert (seen.failed, seen.errors) == ([], [])
    assert all(r.startswith((below_a_path, "data:")) for r in seen.requests)


def test_formulas_are_set_by_the_local_mathjax(browser, root):
    names = [n for n in PAGES if "math notranslate" in (SITE / n).read_text("utf-8")]
    for name in names[:1]:
        page = browser.new_page()
        page.goto(root + name)
        page.wait_for_selector("mjx-container")
        assert page.locator("mjx-assistive-mml").count() > 0
        page.close()


def test_the_first_stop_of_the_keyboard_skips_to_the_text(page, root):
    page.goto(root + "index.html")
    page.keyboard.press("Tab")
    assert "Skip" in page.evaluate("document.activeElement.textContent")
    page.keyboard.press("Enter")
    assert page.evaluate("location.hash") == "#main-content"


def test_on_a_narrow_screen_the_keyboard_opens_the_menu_and_closes_it(page, root):
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(root + "index.html")
    toggle = page.locator("button.primary-toggle:visible").first
    toggle.focus()
    page.keyboard.press("Enter")
    menu = page.locator("#pst-primary-sidebar-modal")
    menu.locator("a", has_text="Bibliography").wait_for(state="visible")
    page.keyboard.press("Escape")
    menu.wait_for(state="hidden")


def test_the_keyboard_unfolds_a_solution(page, root):
    folded = "div.admonition.toggle-hidden"
    for name in PAGES:
        if 'class="solution dropdown' not in (SITE / name).read_text("utf-8"):
            continue
        page.goto(root + name)
        box = page.locator("div.solution.admonition").first
        before = page.locator(folded).count()
        box.locator("button.toggle-button").focus()
        page.keyboard.press("Enter")
        assert page.locator(folded).count() == before - 1
        return


def test_search_finds_a_word_of_the_book(page, root):
    page.goto(root + "search.html?q=encoder")
    page.wait_for_selector("#search-results li a")
    link = page.locator("#search-results li a").first
    assert page.request.get(root + link.get_attribute("href").split("?")[0]).ok


@pytest.mark.parametrize("address", ["no.html", "no/such/page", "chapters/no.html"])
@pytest.mark.parametrize("prefix", ["/", "/some/path/"])
def test_an_address_without_a_page_leads_back_to_the_book(page, prefix, address):
    with served(SITE, prefix) as root:
        assert page.goto(root + address).status == 404
        page.wait_for_selector("#pages:not([hidden])")
        links = page.locator("#pages a")
        addresses = links.evaluate_all("links => links.map(link => link.href)")
        assert addresses[0] == root + "index.html"
        assert all(page.request.get(a).ok for a in addresses)


PAGE = """<!doctype html><html lang="en"><head><title>Page</title>
<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,">
<style>html, .dim {{ background: #fff; color: #000 }} a {{ color: #00c }}
@media (prefers-color-scheme: dark) {{
  html {{ background: #111; color: #eee }} .dim {{ background: #000; color: #333 }}
  a {{ color: #8cf }}
}}
</style></head><body><main><h1>A page</h1>
<p>A sentence of some length, with <a href="#">a link</a> in it.</p>{}
</main></body></html>"""
FAULTS = """<p class="dim">Pale in the dark.</p><p><button></button></p>
<p style="color: #000; background: #fff">A sentence of some length, with
<a href="#" style="color: #137; text-decoration: none">a link</a> in it.</p>
<p style="width: 600px">Broad.</p>
<div class="output verdict"><pre tabindex="0" style="overflow: auto">LONG</pre></div>
<img src="data:,"><img src="no.png" alt="none">
<script>console.warn("?"); f()</script>""".replace("LONG", "word" * 30)


def test_what_is_wrong_with_a_page_is_seen(context, tmp_path):
    for name, body in {"right": "", "wrong": FAULTS}.items():
        (tmp_path / f"{name}.html").write_text(PAGE.format(body), encoding="utf-8")
    with served(tmp_path) as root:
        right = visit(*open_page(context, root + "right.html"), MODES)
        wrong = visit(*open_page(context, root + "wrong.html"), MODES)
    assert (right.violations, right.failed, right.errors) == ([], [], [])
    assert not any(right.overflow.values())
    anywhere = {"button-name", "image-alt", "link-in-text-block"}
    for scheme, width in MODES:
        start = f"[{scheme}, {width} px] "
        lines = [line for line in wrong.violations if line.startswith(start)]
        rules = {line.removeprefix(start).split(":")[0] for line in lines}
        assert rules == anywhere | ({"color-contrast"} if scheme == "dark" else set())
        assert (wrong.overflow[scheme, width] > 200) == (width < 600)
        assert [len(text) for text in wrong.cut[scheme, width]] == [60] * (width < 600)
        assert right.cut[scheme, width] == []
    assert "no.png: 404" in wrong.failed[0]
    assert "warning: ?" in wrong.errors
    assert any("f is not defined" in line for line in wrong.errors)
