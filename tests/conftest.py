"""What all tests share."""

import json
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


@pytest.fixture
def root() -> Path:
    """Return the folder of the checkout."""
    return ROOT
