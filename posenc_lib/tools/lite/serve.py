"""Show a folder in this machine's browser, and nowhere else."""

import webbrowser
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from posenc_lib.tools.write import tell


class Files(SimpleHTTPRequestHandler):
    """Gives each file its type, which some systems get wrong, and prints nothing."""

    extensions_map = SimpleHTTPRequestHandler.extensions_map | {
        ".js": "text/javascript",
        ".mjs": "text/javascript",
        ".wasm": "application/wasm",
    }

    def log_message(self, *_):
        pass


def serve(folder: Path) -> None:
    """Open a folder's first page in the browser, and serve it until Ctrl-C."""
    with server(folder) as here:
        address = f"http://127.0.0.1:{here.server_port}/"
        tell(f"{address}  (stop with Ctrl-C)")
        webbrowser.open(address)
        here.serve_forever()


def server(folder: Path) -> ThreadingHTTPServer:
    """Return a server for a folder on a free port that only this machine can reach."""
    return ThreadingHTTPServer(("127.0.0.1", 0), partial(Files, directory=folder))
