"""Helpers of the site's tests: find a browser, serve the site, look at a page."""

import os
import shutil
import threading
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from axe_playwright_python.base import AXE_SCRIPT as AXE
from playwright.sync_api import TimeoutError
from serve import make_server
from site_scripts import (
    CUT,
    IMAGES,
    MARK_KINDS,
    RUN_AXE,
    SETTLED,
    STOPS,
    THEME,
    TRIM,
    UNFOLD,
)

ROOT = Path(__file__).resolve().parent.parent
SITE = ROOT / "_build" / "html"
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
SCHEMES, WIDTHS = ("light", "dark"), (1280, 390)
REQUIRED = bool(os.environ.get("BERTBOOK_REQUIRE_BROWSER"))
# To look takes time. Each scheme and each width has its turn; where a browser is
# required, as in continuous integration, so has each pair of them.
MODES = [("light", 1280), ("dark", 390)]
if REQUIRED:
    MODES = [(scheme, width) for width in WIDTHS for scheme in SCHEMES]


def find_browser(playwright):
    """Return the path of a Chromium, or None: $CHROMIUM, PATH, then Playwright's."""
    named = os.environ.get("CHROMIUM")
    found = named or next(filter(None, map(shutil.which, NAMES)), None)
    own = playwright.chromium.executable_path
    return found or (own if Path(own).exists() else None)


def launch(playwright, path):
    """Start a browser that calls nobody by itself."""
    flags = ["--disable-background-networking", "--disable-component-update"]
    if getattr(os, "geteuid", lambda: 1)() == 0:
        flags.append("--no-sandbox")  # Chromium's sandbox refuses to run as root
    return playwright.chromium.launch(executable_path=path, args=flags)


@contextmanager
def served(folder, prefix="/"):
    """Serve a folder below a prefix; yield the address of its root."""
    with make_server(folder, prefix=prefix, max_age=600) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}{prefix}"
        server.shutdown()


def site_pages(site=SITE):
    """Return the addresses of all pages of the site, relative to its root."""
    pages = (path.relative_to(site) for path in sorted(site.rglob("*.html")))
    return [p.as_posix() for p in pages if "_static" not in p.parts]


@dataclass
class Visit:
    """What was seen when one page was opened."""

    requests: list = field(default_factory=list)
    failed: list = field(default_factory=list)
    errors: list = field(default_factory=list)
    images: list = field(default_factory=list)
    themes: dict = field(default_factory=dict)
    violations: list = field(default_factory=list)
    overflow: dict = field(default_factory=dict)
    cut: dict = field(default_factory=dict)

    def listen(self, page):
        """Note what the page asks for and complains about."""
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("requestfailed", lambda request: self.failed.append(request.url))
        page.on("response", self.note_response)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", self.note_message)

    def note_response(self, response):
        """Note an answer that says that there is nothing."""
        if response.status >= 400:
            self.failed.append(f"{response.url}: {response.status}")

    def note_message(self, message):
        """Note an error or a warning in the console."""
        if message.type in ("error", "warning"):
            self.errors.append(f"{message.type}: {message.text}")


def open_page(context, address):
    """Ask for a page; return it and the visit that notes what comes of it."""
    seen = Visit()
    page = context.new_page()
    page.set_viewport_size({"width": WIDTHS[0], "height": 900})
    page.emulate_media(color_scheme="light", reduced_motion="reduce")
    seen.listen(page)
    page.goto(address, wait_until="commit")
    return page, seen


def visit(page, seen, modes=()):
    """Look at an open page in each mode, a pair of scheme and width; close it."""
    page.wait_for_load_state("load")
    page.evaluate(SETTLED)
    page.evaluate(UNFOLD)
    seen.images = page.evaluate(IMAGES)
    if modes:
        prepare(page)
    for scheme, width in modes:
        look(page, seen, scheme, width)
    page.close()
    return seen


def wait_for(page, condition):
    """Give a page time to answer; a test looks at what it answered."""
    with suppress(TimeoutError):
        page.wait_for_function(condition, timeout=5000)


def wait_for_scheme(page, scheme):
    """Wait for a page with a theme to take over a scheme."""
    wait_for(page, f"!{THEME} || {THEME} === {scheme!r}")


def prepare(page):
    """Load axe; leave as little for it to look at as says all."""
    page.evaluate(AXE)
    for scheme in reversed(SCHEMES):
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        wait_for_scheme(page, scheme)
        page.evaluate(MARK_KINDS)
    page.evaluate(TRIM)


def look(page, seen, scheme, width):
    """Look at an open page in one mode."""
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    if page.viewport_size["width"] != width:
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_timeout(500)  # the theme answers a resize after 300 ms
        wait_for(page, STOPS)  # some take long to stop the keyboard at what scrolls
    wait_for_scheme(page, scheme)
    root = "document.documentElement"
    seen.themes[scheme] = page.evaluate(THEME)
    seen.overflow[scheme, width] = page.evaluate(
        f"{root}.scrollWidth - {root}.clientWidth"
    )
    seen.cut[scheme, width] = page.evaluate(CUT)
    found = page.evaluate(RUN_AXE)
    seen.violations += [f"[{scheme}, {width} px] {line}" for line in found]
