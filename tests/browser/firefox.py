"""Firefox as it is installed, driven by WebDriver BiDi: what a test needs of it, and no more."""

import itertools
import json
import os
import re
import shutil
import subprocess
import tempfile
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from websocket import create_connection

FIREFOX = ("firefox-esr", "firefox")
QUIET = "browser.shell.checkDefaultBrowser app.normandy.enabled datareporting.policy.dataSubmissionEnabled"
QUIET += " network.captive-portal-service.enabled network.connectivity-service.enabled"


class Firefox:
    """A page of a headless Firefox, and all that it complains of or asks for."""

    def __init__(self, address: str):
        self._socket = create_connection(address + "/session", timeout=120, suppress_origin=True)
        self._numbers = itertools.count(1)
        self.complaints, self.requests = [], []
        self._do("session.new", capabilities={})
        self._do("session.subscribe", events=["log.entryAdded", "network.beforeRequestSent"])
        self._page = self._do("browsingContext.getTree")["contexts"][0]["context"]

    def _do(self, method: str, **params) -> dict:
        number = next(self._numbers)
        self._socket.send(json.dumps({"id": number, "method": method, "params": params}))
        while True:
            told = json.loads(self._socket.recv())
            if told.get("id") == number:
                assert told["type"] == "success", told
                return told["result"]
            if told.get("method") == "log.entryAdded":
                self.complaints.append(told["params"]["text"])
            elif told.get("method") == "network.beforeRequestSent":
                self.requests.append(told["params"]["request"]["url"])

    def size(self, width: int, height: int) -> None:
        self._do("browsingContext.setViewport", context=self._page, viewport={"width": width, "height": height})

    def goto(self, address: str) -> None:
        self._do("browsingContext.navigate", context=self._page, url=address, wait="complete")

    def evaluate(self, script: str):
        """Return what a script comes to, once it has: text, a number, true or false."""
        target = {"context": self._page}
        told = self._do("script.evaluate", expression=script, target=target, awaitPromise=True)
        assert told["type"] == "success", told
        return told["result"].get("value")

    def wait(self, condition: str) -> None:
        """Wait until a condition holds, ten seconds at most."""
        turn = f"() => {{ if ({condition}) done(true); else go-- ? setTimeout(turn, 20) : done(false); }}"
        assert self.evaluate(f"new Promise(done => {{ let go = 500; const turn = {turn}; turn(); }})"), condition

    def close(self) -> None:
        self._socket.close()


@contextmanager
def firefox():
    """Start a headless Firefox with a profile of its own; where none is installed skip, but never in CI."""
    path = next(filter(None, map(shutil.which, FIREFOX)), None)
    if path is None:
        reason = f"no Firefox found ({', '.join(FIREFOX)}); Debian has the package firefox-esr"
        pytest.fail(reason) if os.environ.get("CI") == "true" else pytest.skip(reason)
    with tempfile.TemporaryDirectory() as profile:
        Path(profile, "user.js").write_text("\n".join(f'user_pref("{name}", false);' for name in QUIET.split()))
        command = [path, "--headless", "--remote-debugging-port", "0", "--profile", profile, "--no-remote"]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
            try:
                address = next(found[0] for line in process.stderr if (found := re.findall(r"ws://\S+", line)))
                with closing(Firefox(address)) as page:
                    yield page
            finally:
                process.kill()
