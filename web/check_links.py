"""Check the built site without a network.

Usage: ``python web/check_links.py _build/html``

Every internal link must lead to a file, every fragment to an element; no page may load
anything from another host; no address may start at the host's root, since the site
must work below any prefix.
"""

import argparse
import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADING_LINKS = {"stylesheet", "preload", "modulepreload", "prefetch", "icon"}
CSS_ADDRESS = re.compile(r"url\(\s*['\"]?([^'\")]+)|@import\s+['\"]([^'\"]+)")


class Page(HTMLParser):
    """What a page links to, what it loads, and the places one can link to in it."""

    def __init__(self):
        super().__init__()
        self.links, self.loads, self.anchors = [], [], set()

    def handle_starttag(self, tag, attributes):
        """Sort the addresses of one element into links and loads."""
        found = {key: value for key, value in attributes if value}
        self.anchors.update(found[key] for key in ("id", "name") if key in found)
        if tag != "link":
            self.links += [found["href"]] if "href" in found else []
        elif LOADING_LINKS & set(found.get("rel", "").split()):
            self.loads.append(found["href"])
        self.loads += [found[key] for key in ("src", "poster", "data") if key in found]


def read_pages(root):
    """Parse every page below root; return {path: Page}."""
    pages = {}
    for path in sorted(root.rglob("*.html")):
        if "_static" not in path.relative_to(root).parts:
            pages[path] = Page()
            pages[path].feed(path.read_text(encoding="utf-8"))
    return pages


def fault(root, pages, path, address, loaded):
    """Return what is wrong with one address on one page, or None."""
    url = urlsplit(address)
    if url.scheme or url.netloc:
        elsewhere = loaded and url.scheme not in ("data", "blob")
        return "is loaded from another host" if elsewhere else None
    if url.path.startswith("/"):
        return "starts at the host's root: the site may stand below a prefix"
    target = (path.parent / unquote(url.path)).resolve() if url.path else path
    if target.is_dir():
        target /= "index.html"
    if not target.is_file():
        return "leads to no file"
    if not target.is_relative_to(root):
        return "leads out of the site"
    fragment = unquote(url.fragment)
    if fragment and target in pages and fragment not in pages[target].anchors:
        return f"has no target: {target.name} has no element {fragment!r}"
    return None


def check_site(root):
    """Return the faults of the site as sentences, and how many addresses it has."""
    root = Path(root).resolve()
    pages = read_pages(root)
    faults, count = [], 0
    for path, page in pages.items():
        where = path.relative_to(root).as_posix()
        for addresses, loaded in ((page.links, False), (page.loads, True)):
            count += len(addresses)
            for address in addresses:
                if what := fault(root, pages, path, address, loaded):
                    faults.append(f"{where}: {address} {what}")
    return faults + check_styles(root), count


def check_styles(root):
    """Return the addresses in style sheets that leave the site."""
    faults = []
    for path in sorted(root.rglob("*.css")):
        for match in CSS_ADDRESS.finditer(path.read_text(encoding="utf-8")):
            address = match[1] or match[2]
            if address.startswith(("http:", "https:", "//")):
                where = path.relative_to(root).as_posix()
                faults.append(f"{where}: {address} is loaded from another host")
    return faults


def main(arguments=None):
    """Print every fault; return 1 if there is one."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root", type=Path)
    faults, count = check_site(parser.parse_args(arguments).root)
    print("\n".join(faults + [f"{count} addresses checked, {len(faults)} faults"]))
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())
