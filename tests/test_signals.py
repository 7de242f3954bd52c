"""A stop is heard once, whatever becomes of the exception that brings it."""

import os
import signal
import subprocess
import sys

import pytest

from posenc_lib import signals

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


@pytest.fixture(autouse=True)
def before():
    """The handlers that stand before a test, and after it again."""
    handlers = {number: signal.getsignal(number) for number in signals.SIGNALS}
    yield handlers
    for number, handler in handlers.items():
        signal.signal(number, handler)


def stop(number=signal.SIGINT):
    os.kill(os.getpid(), number)


def stopped(work):
    with pytest.raises(signals.Stopped), signals.stoppable():
        work()


@pytest.mark.parametrize("number", signals.SIGNALS)
def test_a_stop_interrupts_the_work_and_gives_its_status(number):
    stopped(lambda: stop(number))
    assert signals.status() == 128 + number


class Dropping:
    """Something whose end is interrupted: Python drops what is raised there."""

    def __del__(self):
        stop()


def within_itself():
    with signals.stoppable():
        pass


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("ask", [signals.stop_if_asked, within_itself, lambda: None])
def test_a_stop_that_python_drops_is_not_lost(ask):
    reached = []

    def work():
        Dropping()
        reached.append("what comes after it")
        ask()
        reached.extend(["more"] * (ask.__name__ != "<lambda>"))

    stopped(work)
    assert reached == ["what comes after it"]


def invalid():
    try:
        stop()
    except KeyboardInterrupt:
        raise ValueError("a library in C found something invalid") from None


def test_a_stop_that_was_turned_into_another_error_is_a_stop_again():
    stopped(invalid)


def test_a_stop_within_code_that_was_given_as_text_keeps_its_status(tmp_path):
    (tmp_path / "stopped.py").write_text(WITHIN_TEXT)
    done = subprocess.run([sys.executable, "-m", "stopped"], cwd=tmp_path, capture_output=True, timeout=60)
    assert (done.returncode, done.stderr) == (143, b"")


def test_an_error_of_its_own_stays_what_it_is():
    with pytest.raises(ValueError, match="wrong"), signals.stoppable():
        raise ValueError("wrong")


def test_an_undisturbed_run_leaves_no_handler(before):
    with signals.stoppable():
        assert signal.getsignal(signal.SIGTERM) != before[signal.SIGTERM]
    assert {number: signal.getsignal(number) for number in signals.SIGNALS} == before


def test_a_second_stop_leaves_the_way_out_alone():
    tidied = []

    def twice():
        try:
            stop()
        finally:
            stop()
            tidied.append("all")

    stopped(twice)
    stop(signal.SIGTERM)  # or this test ends here
    assert tidied == ["all"]


@pytest.mark.parametrize("number", signals.SIGNALS)
def test_a_stop_waits_until_processes_have_started(number):
    def work():
        with signals.starting_processes():
            stop(number)
            started.append(signal.pthread_sigmask(signal.SIG_BLOCK, ()))
        signals.stop_if_asked()
        started.append("more")

    started = []
    stopped(work)
    assert started == [{signal.SIGINT}]
