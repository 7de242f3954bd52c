"""One encoding at one setting: the arrays that every view of it shares, each computed once."""

from functools import cached_property

import numpy as np

from posenc_lib.encodings import validate
from posenc_lib.encodings.catalog import Encoding


class Sample:
    """An encoding with all its parameters filled in.

    Args:
        encoding: a record of the catalog.
        **parameters: values by name; those left out take their default.

    Raises:
        TypeError: the encoding has no parameter of that name, or a value is of the wrong type.
        ValueError: a value breaks a rule of the encoding (raised when the arrays are first asked for).
    """

    def __init__(self, encoding: Encoding, **parameters):
        unknown = sorted(set(parameters) - set(encoding.defaults))
        if unknown:
            known = ", ".join(encoding.defaults)
            raise TypeError(f"{encoding.name} has no parameter {unknown[0]!r} (it has {known})")
        self.encoding = encoding
        self.parameters = encoding.defaults | parameters

    @cached_property
    def _tables(self) -> tuple[np.ndarray, np.ndarray]:
        return self.encoding.tables(**self.parameters)

    @property
    def table(self) -> np.ndarray:
        """What stands at each position, shape (seq_len, d)."""
        return self._tables[0]

    @cached_property
    def similarity(self) -> np.ndarray:
        """Dot product of every query position with every key position, shape (seq_len, seq_len)."""
        queries, keys = self._tables
        validate.fits_in_memory("seq_len", (len(queries), len(keys)))
        return queries.astype(np.float64) @ keys.T.astype(np.float64)

    def dot_product(self, query: int) -> np.ndarray:
        """Dot product of one query position with every key position, shape (seq_len,)."""
        queries, keys = self._tables
        return keys.astype(np.float64) @ queries[query].astype(np.float64)
