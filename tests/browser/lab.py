"""A real JupyterLab and a real browser, started on free ports of this machine and stopped by whoever started them."""

import os
import secrets
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parents[2]
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def find_browser() -> str | None:
    """Return the path of an installed Chromium, if there is one."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)


def free_port() -> int:
    """Return a port of 127.0.0.1 that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextmanager
def serve(command: list[str], home: Path, address: str, cwd: Path | None = None):
    """Start a Jupyter server with settings of its own; yield when it answers at the address, and stop it."""
    places = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")
    environment = os.environ | {name: str(home / name.lower()) for name in places}
    with open(home / "server.log", "w") as log:
        server = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, env=environment, cwd=cwd)
        try:
            wait_for(address, server, home / "server.log")
            yield
        finally:
            server.terminate()  # a Jupyter server stops its kernels, too
            server.wait(timeout=30)


@contextmanager
def jupyterlab(folder: Path, home: Path, application: str = "jupyterlab"):
    """Serve a folder by JupyterLab, or by "notebook"; yield an address to which a path is appended."""
    port, token = free_port(), secrets.token_hex(8)
    command = [sys.executable, "-m", application, "--no-browser", "--ip=127.0.0.1", f"--port={port}", "--allow-root"]
    command += [f"--IdentityProvider.token={token}", f"--ServerApp.root_dir={folder}", "--ServerApp.port_retries=0"]
    command += ["--LabApp.news_url=", "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate"]
    pages = "doc/tree" if application == "jupyterlab" else "notebooks"
    with serve(command, home, f"http://127.0.0.1:{port}/api"):
        yield lambda path: f"http://127.0.0.1:{port}/{pages}/{path}?token={token}"


@contextmanager
def voila(notebook: Path, home: Path):
    """Serve one notebook as an app by Voilà; yield its address."""
    port = free_port()
    command = [sys.executable, "-m", "voila", str(notebook), "--no-browser", "--Voila.ip=127.0.0.1", f"--port={port}"]
    with serve(command, home, f"http://127.0.0.1:{port}/voila/static/voila.js"):
        yield f"http://127.0.0.1:{port}/"


def wait_for(address: str, server: subprocess.Popen, log: Path) -> None:
    """Return when the server answers."""
    for _ in range(300):
        assert server.poll() is None, log.read_text()
        try:
            urllib.request.urlopen(address, timeout=2).close()
            return
        except OSError:
            time.sleep(0.1)
    raise AssertionError(f"the server did not answer in 30 s:\n{log.read_text()}")


@contextmanager
def chromium():
    """Start a headless browser of its own profile."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), headless=True, args=FLAGS)
        try:
            yield browser
        finally:
            browser.close()
