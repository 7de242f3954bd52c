"""θ and e^{itθ}: the fast ways give what the plain formulas give, for any number of positions."""

import inspect
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import posenc_lib as pe
from posenc_lib import freqs_cis, sinusoidal

EPSILON = np.finfo(np.longdouble).eps  # of a far angle; on some platforms that of float64
COUNTS = [0, 1, 2, 15, 16, 17, 257, 1025, 2**16 + 1]
RUNS = [start + step * np.arange(300) for start in (-40, 0.5, 131_071, 10**6) for step in (1, -0.5)]
PACKED, PADDED = np.tile(np.arange(400), 3), np.r_[np.zeros(200, int), :1000]
RUNS += [PACKED, PADDED, np.r_[5, 7:600, 3], np.random.default_rng(1).permutation(PACKED)]


def check(positions, dim, base=10_000.0):
    """Compare tables with e^{itθ}, computed one by one in extended precision."""
    t = np.arange(positions) if isinstance(positions, int) else np.asarray(positions)
    theta = base ** -(np.arange(0, dim, 2, dtype=np.longdouble) / dim)
    turned = np.multiply.outer(t.astype(np.longdouble), theta)
    cos, sin = np.cos(turned).astype(float), np.sin(turned).astype(float)
    near = {"rtol": 0, "atol": 1e-14 + 2 * EPSILON * np.abs(t).max(initial=0)}
    np.testing.assert_allclose(freqs_cis(positions, dim, base), cos + 1j * sin, **near)
    dims = np.arange(dim)
    layouts = {"interleaved": dims.reshape(-1, 2), "concatenated": dims.reshape(2, -1).T}
    for layout, pairs in layouts.items():
        wide = sinusoidal(positions, dim, base=base, layout=layout)
        np.testing.assert_allclose(wide[:, pairs], np.stack([sin, cos], axis=-1), **near)
        for dtype in (np.float64, "float32", np.float16):
            narrow = sinusoidal(positions, dim, base=base, layout=layout, dtype=dtype)
            assert narrow.dtype == np.dtype(dtype)
            np.testing.assert_array_equal(narrow, wide.astype(dtype))  # rounded once


@pytest.mark.parametrize(
    "positions", [*COUNTS, *RUNS], ids=lambda t: str(t) if isinstance(t, int) else f"from {t[0]}"
)
def test_tables_are_what_the_formula_says(positions):
    check(positions, 2)
    check(positions, 6)


@settings(deadline=None)
@given(
    st.lists(st.integers(-(10**6), 10**6), min_size=1, max_size=60),
    st.integers(1, 40),
    st.floats(1.5, 1e7),
)
def test_so_are_those_of_any_positions_in_any_order(positions, pairs, base):
    check(positions, 2 * pairs, base)


@pytest.mark.parametrize(
    "make", [pe.angles, freqs_cis, sinusoidal, pe.integer, pe.sine, pe.no_position]
)
def test_a_batch_of_positions_gives_a_table_for_each_of_its_texts(make):
    batch = np.stack([PACKED, PADDED, np.arange(len(PACKED)) + 0.5])
    expected = np.stack([make(t, 6) for t in batch])
    np.testing.assert_allclose(make(batch, 6), expected, rtol=0, atol=1e-14)
    assert make(np.zeros((0, 3), int), 6).shape == (0, 3, *expected.shape[2:])


def test_angles_are_rounded_as_a_model_rounds_them():
    t, f32 = np.array([0, 1, 4097, 131_071]), np.float32
    theta = np.array([f32(1) / f32(10_000.0 ** float(f32(2 * i / 8))) for i in range(4)])
    given = [1.0, 1 / 3, 0.1, 1e-3]
    for other, own in (({}, theta), ({"inv_freq": given}, np.array(given, f32))):
        by_hand = np.exp(1j * (t.astype(f32)[:, None] * own).astype(float))
        rounded = freqs_cis(t, 8, **other, angles_dtype="float32")
        np.testing.assert_allclose(rounded, by_hand, rtol=0, atol=1e-15)
    wrong = np.abs(freqs_cis(t, 128, angles_dtype=f32) - freqs_cis(t, 128)).max(axis=1)
    assert 1e-3 < wrong[-1] < 0.02  # what the docstring says of position 131 071


def test_what_is_not_given_is_as_in_the_papers():
    usual = {"base": 10_000.0, "bidirectional": True, "max_distance": 128, "endpoint": False}
    usual["pairing"] = "interleaved"
    others = {"sine", "cos_sin"}  # wavelengths that double; as Hugging Face
    for name in set(vars(pe)) & set(pe.__all__) - others:
        arguments = inspect.signature(getattr(pe, name)).parameters
        given = {key: arguments[key].default for key in usual if key in arguments}
        assert given == {key: usual[key] for key in given}, name


def test_a_table_takes_hardly_more_memory_than_itself():
    tracemalloc.start()
    table = sinusoidal(40_000, 64)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak <= 1.1 * table.nbytes
