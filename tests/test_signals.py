"""A stop is heard once, whatever becomes of the exception that brings it."""

import os
import signal
import subprocess
import sys

import pytest

from posenc_lib.signals import SIGNALS, Stopped, starting_processes, status, stop_if_asked, stoppable

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has no signals that a process can send itself")
WITHIN_TEXT = """
import os, signal, sys
from posenc_lib.signals import status, stoppable
try:
    with stoppable():
        exec("os.kill(os.getpid(), signal.SIGTERM)\\nwhile True: pass")
except KeyboardInterrupt:
    sys.exit(status())
"""

DROPPED_TEXT = """
import os, signal, sys, weakref
from posenc_lib.signals import status, stop_if_asked, stoppable
class Token:
    pass
def stop(key):
    os.kill(os.getpid(), signal.SIGTERM)
try:
    with stoppable():
        reference = weakref.ref(Token(), stop)
        other = weakref.ref(Token(), lambda key: 1 / 0)
        stop_if_asked()
        print("more")
except KeyboardInterrupt:
    sys.exit(status())
"""


@pytest.fixture(autouse=True)
def before():
    """The handlers that stand before a test, and after it again."""
    handlers = {number: signal.getsignal(number) for number in SIGNALS}
    yield handlers
    for number, handler in handlers.items():
        signal.signal(number, handler)


def stop(number, reached):
    os.kill(os.getpid(), number)
    reached.append("more")


def dropped(number, reached):
    dropping = type("Dropping", (), {"__del__": lambda self: stop(number, [])})
    dropping()  # Python drops what is raised at an object's end
    reached.append("what comes after it")


def dropped_and_asked_for(number, reached):
    dropped(number, reached)
    stop_if_asked()
    reached.append("more")


def dropped_and_found_within(number, reached):
    dropped(number, reached)
    with stoppable():
        pass
    reached.append("more")


def turned_into_another(number, reached):
    try:
        stop(number, reached)
    except KeyboardInterrupt:
        raise ValueError("a library in C found something invalid") from None


def twice(number, reached):
    try:
        stop(number, reached)
    finally:
        stop(number, reached)


def while_processes_start(number, reached):
    with starting_processes():
        stop(number, reached)
        reached.append(signal.pthread_sigmask(signal.SIG_BLOCK, ()))  # which they inherit
    stop_if_asked()


@pytest.mark.parametrize("number", SIGNALS)
@pytest.mark.parametrize(
    ("work", "reaches"),
    [
        (stop, []),
        (dropped, ["what comes after it"]),
        (dropped_and_asked_for, ["what comes after it"]),
        (dropped_and_found_within, ["what comes after it"]),
        (turned_into_another, []),
        (twice, ["more"]),
        (while_processes_start, ["more", {signal.SIGINT}]),
    ],
)
def test_a_stop_is_heard_once_and_gives_its_status(number, work, reaches):
    reached = []
    with pytest.raises(Stopped), stoppable():
        work(number, reached)
    assert reached == reaches
    assert status() == 128 + number
    stop(signal.SIGTERM, [])  # leaves the way out alone, or this test ends here


def test_a_stop_within_code_that_was_given_as_text_keeps_its_status(tmp_path):
    (tmp_path / "stopped.py").write_text(WITHIN_TEXT)
    done = subprocess.run([sys.executable, "-m", "stopped"], cwd=tmp_path, capture_output=True, timeout=60)
    assert (done.returncode, done.stderr) == (143, b"")


def test_python_says_nothing_of_a_stop_that_it_has_dropped_but_all_of_other_errors(tmp_path):
    (tmp_path / "dropped.py").write_text(DROPPED_TEXT)
    done = subprocess.run([sys.executable, "-m", "dropped"], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (143, "")
    assert "Stopped" not in done.stderr
    assert done.stderr.count("ZeroDivisionError: ") == 1


def test_an_error_of_its_own_stays_what_it_is_and_leaves_no_handler(before):
    with pytest.raises(ValueError, match="wrong"), stoppable():
        raise ValueError("wrong")
    assert {number: signal.getsignal(number) for number in SIGNALS} == before
