"""In a browser NumPy's indices and its own integers have 32 bits: Pyodide's, told apart here."""

import numpy as np
import pytest

import posenc_lib as pe
from posenc_lib.figures.film import Film
from posenc_lib.figures.registry import FIGURES
from posenc_lib.lessons.lesson_15 import pictures  # noqa: F401  (its view counts with bincount)
from posenc_lib.lessons.training.models import MODELS
from posenc_lib.lessons.training.positions import Entered

from .test_library import RECORDS

SMALL = np.iinfo(np.int32)
rng = np.random.default_rng(0)
SECTIONS = [rng.integers(0, 9, rng.integers(1, 6)).tolist() for _ in range(60)]
PARTS = [
    [
        int(rng.integers(0, 4)) if kind == 0 else tuple(rng.integers(1, 4, kind + 1).tolist())
        for kind in rng.integers(0, 3, rng.integers(1, 6))
    ]
    for _ in range(60)
]


def narrowed(result):
    """Return whole numbers as NumPy makes them in 32 bits; what has no room there is refused."""
    if not isinstance(result, np.ndarray) or result.dtype != np.int64:
        return result
    assert not result.size or SMALL.min <= result.min() <= result.max() <= SMALL.max
    return result.astype(np.int32)


def browser(monkeypatch):
    """Let NumPy's own integers have 32 bits, and refuse int64 where it takes such alone."""
    for name in "arange indices flatnonzero argsort argmin argmax searchsorted".split():
        whole = getattr(np, name)

        def made(*args, whole=whole, dtype=None, **rest):
            if dtype is None and not any(arg is np.int64 for arg in args):
                return narrowed(whole(*args, **rest))
            return whole(*args, **rest) if dtype is None else whole(*args, dtype=dtype, **rest)

        monkeypatch.setattr(np, name, made)
    for name, place in {"repeat": 1, "bincount": 0}.items():
        whole = getattr(np, name)

        def counted(*args, whole=whole, name=name, place=place, **rest):
            given = args[place] if len(args) > place else rest["repeats"]
            if isinstance(given, np.ndarray):
                assert given.dtype != np.int64, f"np.{name} takes no int64 in 32 bits"
            return whole(*args, **rest)

        monkeypatch.setattr(np, name, counted)
    monkeypatch.setattr(np, "intp", np.int32)


def axes_of(sections, *, interleaved):
    """Return which axis turns each pair, by hand: in chunks, or in turns."""
    if not interleaved:
        return [axis for axis, count in enumerate(sections) for _ in range(count)]
    turns = range(max(sections))
    return [axis for turn in turns for axis, count in enumerate(sections) if turn < count]


def places_of(parts):
    """Return the time, row and column of each token, by hand."""
    found, start = [], 0
    for part in parts:
        if isinstance(part, int):
            found += [(start + n,) * 3 for n in range(part)]
            start += part
            continue
        times, rows, columns = (1, *part)[-3:]
        for t in range(times):
            found += [
                (start + t, start + y, start + x) for y in range(rows) for x in range(columns)
            ]
        start += max(times, rows, columns)
    return found


def test_mixed_positions_are_the_same_in_a_browser(monkeypatch):
    browser(monkeypatch)
    for sections in (s for s in SECTIONS if any(s)):
        for turns in (False, True):
            told = pe.axis_of_pair(sections, interleaved=turns).tolist()
            assert told == axes_of(sections, interleaved=turns)
    for parts in PARTS:
        assert [*map(tuple, pe.mrope_positions(parts).T.tolist())] == places_of(parts)


SIZES = {"A": 3, "N": 4, "P": 5, "D": 2, "H": 2, "W": 3, "K": 5, "S": 6}


@pytest.mark.parametrize("name", RECORDS)
def test_every_function_gives_the_same_in_a_browser(name, monkeypatch):
    make = RECORDS[name]
    letters = make.__code__.co_varnames[: make.__code__.co_argcount]
    given, _ = make(**{letter: SIZES.get(letter, 3) for letter in letters})
    wide = getattr(pe, name)(**given)
    given, _ = make(**{letter: SIZES.get(letter, 3) for letter in letters})
    with monkeypatch.context() as patched:
        browser(patched)
        narrow = getattr(pe, name)(**given)
    both = (wide, narrow) if isinstance(wide, tuple) else ([wide], [narrow])
    for one, other in zip(*both, strict=True):
        np.testing.assert_array_equal(one, other)


def test_offsets_and_groups_go_beyond_32_bits(monkeypatch):
    browser(monkeypatch)
    far = 2**40
    assert pe.self_extend_offsets(3, 2, far)[-1].tolist() == [2, 1, 0]
    assert pe.mrope_positions([1, far // 2**25])[0, -1] == 2**15
    assert pe.rope(np.ones((1, 2)), start_pos=far).shape == (1, 2)
    assert pe.relative_offsets(2).dtype == np.int64


def test_a_trained_bucket_counts_in_a_browser(monkeypatch):
    browser(monkeypatch)
    positions = [model.layers[0] for model in MODELS.values()]
    kinds = [one for one in positions if type(one).__name__ == "Buckets"]
    bias = rng.normal(size=(4, 8, 8))
    assert kinds
    for kind in kinds:
        assert np.isfinite(kind.back({}, Entered(bias=bias))["buckets"]).all()


def test_a_film_keeps_its_colors_in_a_browser(monkeypatch):
    one = next(one for one in FIGURES.values() if one.id == "toeplitz")
    told = []
    for patched in (False, True):
        with monkeypatch.context() as numpy:
            if patched:
                browser(numpy)
            film = Film()
            film.add(*[one.draw(one.values())] * 2, words="words", alt="alt")
            told.append(film.told())
    assert told[0] == told[1]
