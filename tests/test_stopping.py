"""A stop is heard once, whatever becomes of the exception that brings it."""

import os
import signal
import subprocess
import sys

import pytest

from posenc_lib import stopping

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has no signals that a process can send itself")


def stop(number=signal.SIGINT):
    os.kill(os.getpid(), number)


@pytest.mark.parametrize("number", stopping.SIGNALS)
def test_a_stop_interrupts_the_work_and_gives_its_status(number):
    stopped(lambda: stop(number))
    assert stopping.status() == 128 + number


class Dropping:
    """Something whose end is interrupted: Python drops what is raised there."""

    def __del__(self):
        stop()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_stop_that_python_drops_is_not_lost():
    reached = []

    def work():
        Dropping()
        reached.append("what comes after it")
        stopping.stop_if_asked()
        reached.append("more")

    stopped(work)
    assert reached == ["what comes after it"]


def stopped(work):
    with pytest.raises(KeyboardInterrupt), stopping.stoppable():
        work()


def invalid():
    try:
        stop()
    except KeyboardInterrupt:
        raise ValueError("a library in C found something invalid") from None


def test_a_stop_that_was_turned_into_another_error_is_a_stop_again():
    stopped(invalid)


def twice():
    try:
        stop()
    finally:
        stop()


def test_a_stop_within_code_that_was_given_as_text_keeps_its_status(tmp_path):
    tmp_path.joinpath("stopped.py").write_text(WITHIN_TEXT)
    done = subprocess.run([sys.executable, "-m", "stopped"], cwd=tmp_path, capture_output=True, timeout=60)
    assert (done.returncode, done.stderr) == (143, b"")


WITHIN_TEXT = """
import os, signal, sys
from posenc_lib.stopping import status, stoppable
try:
    with stoppable():
        exec("os.kill(os.getpid(), signal.SIGTERM)\\nwhile True: pass")
except KeyboardInterrupt:
    sys.exit(status())
"""


def test_an_error_of_its_own_stays_what_it_is():
    with pytest.raises(ValueError, match="wrong"), stopping.stoppable():
        raise ValueError("wrong")


def test_a_second_stop_leaves_the_way_out_alone_and_an_undisturbed_run_leaves_no_handler():
    before = [signal.getsignal(number) for number in stopping.SIGNALS]
    with stopping.stoppable():
        pass
    assert [signal.getsignal(number) for number in stopping.SIGNALS] == before
    stopped(twice)
    stop(signal.SIGTERM)  # or this test ends here


@pytest.fixture(autouse=True)
def _handlers():
    before = {number: signal.getsignal(number) for number in stopping.SIGNALS}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)
