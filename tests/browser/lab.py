"""A real JupyterLab and a real browser, on free ports; whoever starts them stops them."""

import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import urllib.request
from contextlib import contextmanager, suppress
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import psutil
import pytest
from playwright.sync_api import expect, sync_playwright

from ..conftest import until

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
PLACES = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")
PATIENCE = 60_000  # ms: other tests may use all cores; nothing waits longer than it must
SETTINGS = {  # by plugin: cells below the fold are there, too, and no news ask to be read
    "notebook-extension/tracker": '{"windowingMode": "none"}',
    "apputils-extension/notification": '{"fetchNews": "false"}',
}
CONFIG = """
for server in (c.ServerApp, c.Voila):
    server.ip, server.port, server.port_retries, server.open_browser = "127.0.0.1", {port}, 0, False
c.ServerApp.allow_root, c.IdentityProvider.token = True, "{token}"
c.LabApp.news_url, c.LabApp.check_for_updates_class = None, "jupyterlab.NeverCheckForUpdate"
"""
FRAME = """<!doctype html><iframe src="{}" width="1280" height="800"></iframe><script>
const frame = document.querySelector("iframe"), complaints = [];
frame.addEventListener("load", async () => {{
    frame.contentWindow.addEventListener("error", event => complaints.push(event.message));
    const told = await ({})(frame).catch(String);
    fetch("/", {{ method: "POST", body: JSON.stringify([told, complaints]) }});
}});
</script>"""


@contextmanager
def jupyterlab(folder: Path, home: Path, command: str = "jupyter lab", pages: str = "doc/tree/"):
    """Run a command with settings of its own; yield a function from a path to its address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        address, token = probe.getsockname(), secrets.token_hex(8)
    settings = home / "jupyter_config_dir"
    for name, text in SETTINGS.items():
        path = settings / f"lab/user-settings/@jupyterlab/{name}.jupyterlab-settings"
        path.parent.mkdir(parents=True)
        path.write_text(text)
    for name in ("jupyter_server_config.py", "voila.py"):
        (settings / name).write_text(CONFIG.format(port=address[1], token=token))
    environment = os.environ | {name: str(home / name.lower()) for name in PLACES}
    environment["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    with (
        open(home / "server.log", "w") as log,
        subprocess.Popen(
            command.split(), cwd=folder, env=environment, stdout=log, stderr=subprocess.STDOUT
        ) as server,
    ):
        try:
            assert until(lambda: server.poll() is not None or answers(address))
            assert server.poll() is None, (home / "server.log").read_text()
            # "reset": without the notebook of the page before
            yield (
                lambda path, pages=pages: (
                    f"http://127.0.0.1:{address[1]}/{pages}{path}?reset&token={token}"
                )
            )
        finally:
            server.terminate()  # a Jupyter server stops its kernels, too


@contextmanager
def served(folder: Path):
    """Serve the browser edition as its command does; yield its address."""
    from posenc_lib.tools.lite.serve import server  # most tests need none

    with server(folder) as here:
        threading.Thread(target=here.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{here.server_port}/"
        here.shutdown()


def answers(address: tuple) -> bool:
    with suppress(OSError), socket.create_connection(address):
        return True
    return False


def kernel(lab, name: str) -> psutil.Process:
    """Return the process of a notebook's kernel, found by the id that the server gives it."""
    with urllib.request.urlopen(lab("api/sessions", "")) as answer:
        number = next(one["kernel"]["id"] for one in json.load(answer) if one["path"] == name)
    return next(
        p for p in psutil.process_iter(["cmdline"]) if number in " ".join(p.info["cmdline"] or [])
    )


def find_browser() -> str | None:
    """Return the path of an installed Chromium, if there is one."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)


@contextmanager
def silent_page(browser, *own: str, **options):
    """Open a page that must not complain, nor ask for addresses that begin in other ways."""
    page, complaints = browser.new_page(**options), []
    page.set_default_timeout(PATIENCE)
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on(
        "request",
        lambda asked: asked.url.startswith(("data:", *own)) or complaints.append(asked.url),
    )
    yield page
    page.close()
    assert not complaints, complaints


def in_firefox(page: Path, script: str) -> tuple[object, list[str]]:
    """Open a page in a frame in Firefox; return what a script makes of it, and all complaints.

    Firefox runs as it is installed. Where there is none the test is skipped, but never in CI.
    """
    if not (program := shutil.which("firefox-esr") or shutil.which("firefox")):
        reason = "no Firefox found; Debian has the package firefox-esr"
        pytest.fail(reason) if os.environ.get("CI") == "true" else pytest.skip(reason)
    told = []

    class Folder(SimpleHTTPRequestHandler):
        def do_POST(self):
            told.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_):
            pass

    (page.parent / "frame.html").write_text(FRAME.format(page.name, script))
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Folder, directory=page.parent)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with tempfile.TemporaryDirectory() as profile:
            command = [program, "--headless", "--no-remote", "--profile", profile]
            with subprocess.Popen(
                [*command, f"http://127.0.0.1:{server.server_port}/frame.html"]
            ) as process:
                arrived = until(lambda: told)
                process.kill()
        server.shutdown()
    assert arrived, "Firefox told nothing"
    return told[0]


@contextmanager
def chromium():
    """Start a headless browser of its own profile."""
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=find_browser(), headless=True, args=["--disable-gpu"]
        )
        try:
            yield browser
        finally:
            browser.close()
