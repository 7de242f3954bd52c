"""What all tests share: goldens, the order of work on several cores, and the figures told at the end."""

import json
import os
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture
def golden():
    """Return a reader of the values that independent implementations computed; each file names its source."""

    def read(name: str) -> dict:
        record = json.loads((ROOT / "tests/goldens" / f"{name}.json").read_text(encoding="utf-8"))
        assert record["source"], "a golden without its source proves nothing"
        for part in ("values", "inputs"):
            values = record.get(part)
            if isinstance(values, dict):
                record[part] = {key: np.array(value) for key, value in values.items()}
            elif values is not None:
                record[part] = np.array(values)
        return record

    return read


@pytest.fixture(scope="session")
def browser():
    """A browser; where none is installed the test is skipped, but never in CI."""
    from .browser.lab import BROWSERS, chromium, find_browser  # most tests need none

    if find_browser() is None:
        reason = f"no browser found ({', '.join(BROWSERS)}); Debian has the package chromium"
        pytest.fail(reason) if os.environ.get("CI") == "true" else pytest.skip(reason)
    with chromium() as started:
        yield started


@pytest.fixture
def root() -> Path:
    """Return the folder of the checkout."""
    return ROOT


def pytest_terminal_summary(terminalreporter):
    """Print what the tests have measured: each `record_property(name, text)`."""
    told = sorted(line for reports in terminalreporter.stats.values() for report in reports for line in figures(report))
    if told:
        terminalreporter.section("figures")
        for name, text in told:
            terminalreporter.write_line(f"{name}: {text}")


def figures(report) -> list:
    """Return the figures of a test that has run; other reports have none."""
    return getattr(report, "user_properties", []) if getattr(report, "when", "") == "call" else []
