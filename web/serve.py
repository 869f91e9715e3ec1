"""Serve the built site on this machine alone.

Usage: ``python web/serve.py _build/html [--port 8000] [--prefix /book/]``

Like the hosts that the book is made for it compresses text and shows 404.html for
what does not exist. ``--prefix`` serves the site below a path, as project pages do.
"""

import argparse
import gzip
from functools import lru_cache, partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from pathlib import Path

COMPRESSED = {".html", ".css", ".js", ".mjs", ".json", ".svg", ".wasm", ".ipynb"}


class Handler(SimpleHTTPRequestHandler):
    """Static files below a prefix; compressed where the browser takes it."""

    extensions_map = SimpleHTTPRequestHandler.extensions_map | {
        ".ipynb": "application/json",
        ".js": "text/javascript",
        ".mjs": "text/javascript",
        ".wasm": "application/wasm",
        ".whl": "application/zip",
    }

    def __init__(self, *arguments, prefix="/", quiet=True, max_age=0, **options):
        self.prefix, self.quiet, self.max_age = prefix, quiet, max_age
        super().__init__(*arguments, **options)

    def translate_path(self, path):
        """Return the file that an address names; outside the prefix there is none."""
        if not path.startswith(self.prefix):
            return str(Path(self.directory) / "outside" / "the" / "prefix")
        return super().translate_path("/" + path.removeprefix(self.prefix))

    def send_head(self):
        """Compress text; leave everything else to the standard library."""
        path = Path(self.translate_path(self.path))
        if path.is_dir() and self.path.split("?")[0].endswith("/"):
            path /= "index.html"
        takes_gzip = "gzip" in self.headers.get("Accept-Encoding", "")
        if not (takes_gzip and path.is_file() and path.suffix in COMPRESSED):
            return super().send_head()
        content = compress(path, path.stat().st_mtime_ns)
        return self.send_bytes(200, path, content, "gzip")

    def send_error(self, code, message=None, explain=None):
        """Show the book's own page for what does not exist."""
        page = Path(self.directory) / "404.html"
        if code != 404 or not page.is_file():
            return super().send_error(code, message, explain)
        body = self.send_bytes(404, page, page.read_bytes())
        if self.command != "HEAD":
            self.wfile.write(body.read())
            body.close()

    def send_bytes(self, status, path, content, encoding=None):
        """Send the head for some content; return a file to read it from."""
        self.send_response(status)
        self.send_header("Content-Type", self.guess_type(str(path)))
        self.send_header("Content-Length", str(len(content)))
        if encoding:
            self.send_header("Content-Encoding", encoding)
        self.end_headers()
        return BytesIO(content)

    def end_headers(self):
        """Say how long a browser may keep what it got: not at all, unless told."""
        kept = f"max-age={self.max_age}" if self.max_age else "no-cache"
        self.send_header("Cache-Control", kept)
        super().end_headers()

    def log_message(self, format, *arguments):
        """Log only where somebody watches."""
        if not self.quiet:
            super().log_message(format, *arguments)


@lru_cache(maxsize=256)
def compress(path, modified):
    """Return the file compressed; a change of its time makes it read again."""
    return gzip.compress(path.read_bytes(), 6)


def make_server(folder, port=0, **options):
    """Return a server for folder, on a free port unless one is named."""
    handler = partial(Handler, directory=str(folder), **options)
    return ThreadingHTTPServer(("127.0.0.1", port), handler)


def main(arguments=None):
    """Serve until interrupted."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--prefix", default="/")
    options = parser.parse_args(arguments)
    if not (options.folder / "index.html").is_file():
        parser.error(f"{options.folder} has no index.html: run `make book`")
    prefix = "/" + options.prefix.strip("/") + "/" if options.prefix != "/" else "/"
    try:
        server = make_server(options.folder, options.port, prefix=prefix, quiet=False)
    except (OSError, OverflowError) as error:
        parser.error(
            f"port {options.port} cannot be used ({error}): name another one, as in "
            f"`make serve PORT={8001 if options.port == 8000 else 8000}`"
        )
    with server:
        address = f"http://127.0.0.1:{server.server_port}{prefix}"
        print(f"Serving the book at {address} (Ctrl-C ends it)", flush=True)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print()


if __name__ == "__main__":
    main()
