"""A real JupyterLab and a real browser, started on free ports of this machine and stopped by whoever started them."""

import json
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

import psutil
from playwright.sync_api import sync_playwright

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = ("sandbox", "first-run"), ("gpu", "background-networking", "component-update", "sync")
PLACES = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")
TRACKER = "lab/user-settings/@jupyterlab/notebook-extension/tracker.jupyterlab-settings"
CONFIG = """
c.ServerApp.ip, c.ServerApp.port, c.ServerApp.port_retries = "127.0.0.1", {port}, 0
c.ServerApp.open_browser, c.ServerApp.allow_root, c.IdentityProvider.token = False, True, "{token}"
c.LabApp.news_url, c.LabApp.check_for_updates_class = None, "jupyterlab.NeverCheckForUpdate"
"""


def find_browser() -> str | None:
    """Return the path of an installed Chromium, if there is one."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)


def free_port() -> int:
    """Return a port of 127.0.0.1 that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextmanager
def serve(command: str, folder: Path, home: Path, address: str):
    """Run a Jupyter server's command in a folder, with settings of its own; yield when it answers, and stop it."""
    environment = os.environ | {name: str(home / name.lower()) for name in PLACES}
    environment["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    with open(home / "server.log", "w") as log:
        server = subprocess.Popen(command.split(), cwd=folder, env=environment, stdout=log, stderr=subprocess.STDOUT)
        try:
            for _ in range(300):
                assert server.poll() is None, (home / "server.log").read_text()
                try:
                    urllib.request.urlopen(address, timeout=2).close()
                    break
                except OSError:
                    time.sleep(0.1)
            yield
        finally:
            server.terminate()  # a Jupyter server stops its kernels, too
            server.wait(timeout=30)


@contextmanager
def jupyterlab(folder: Path, home: Path, command: str = "jupyter lab", pages: str = "doc/tree"):
    """Run a command as it stands, in a folder; yield what makes an address of a path.

    Settings that only a test needs stand in files of its own.
    """
    port, token, settings = free_port(), secrets.token_hex(8), home / "jupyter_config_dir"
    (settings / TRACKER).parent.mkdir(parents=True)
    (settings / TRACKER).write_text('{"windowingMode": "none"}')  # cells below the fold, too
    (settings / "jupyter_server_config.py").write_text(CONFIG.format(port=port, token=token))
    with serve(command, folder, home, f"http://127.0.0.1:{port}/api"):
        # "reset": without the notebook of the page before
        yield lambda path, pages=pages: f"http://127.0.0.1:{port}/{pages}/{path}?reset&token={token}"


def kernel(lab, name: str) -> psutil.Process:
    """Return the process of a notebook's kernel, found by the id that the server gives it."""
    server, token = lab("").split("/doc/tree/?reset&")
    with urllib.request.urlopen(f"{server}/api/sessions?{token}") as answer:
        number = next(one["kernel"]["id"] for one in json.load(answer) if one["path"] == name)
    return next(p for p in psutil.process_iter(["cmdline"]) if number in " ".join(p.info["cmdline"] or []))


@contextmanager
def voila(notebook: Path, home: Path):
    """Serve one notebook as an app by Voilà; yield its address."""
    port = free_port()
    command = f"voila {notebook.name} --no-browser --Voila.ip=127.0.0.1 --port={port}"
    with serve(command, notebook.parent, home, f"http://127.0.0.1:{port}/voila/static/voila.js"):
        yield f"http://127.0.0.1:{port}/"


@contextmanager
def chromium():
    """Start a headless browser of its own profile."""
    flags = [f"--{word}-{name}" for word, names in zip(("no", "disable"), FLAGS, strict=True) for name in names]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), headless=True, args=flags)
        try:
            yield browser
        finally:
            browser.close()
