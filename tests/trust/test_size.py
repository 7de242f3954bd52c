"""What would not fit into memory is refused in words, at once, and the limit can be moved."""

import time
from math import prod

import numpy as np
import pytest

import posenc_lib as pe
from posenc_lib.encodings.catalog import ENCODINGS
from posenc_lib.encodings.validate import MEMORY

MOST_GB = 2  # where nothing else is said
HUGE = (10**9, 10**10, 10**12)
X = np.ones((2, 4))
DRAW = np.random.default_rng(0)


def tall(rows: int) -> np.ndarray:
    """Return an array of so many rows that takes no memory."""
    return np.broadcast_to(np.zeros((1, 4)), (rows, 4))


# Each function with a size n for one of its arguments: the argument, and the shape that comes out
ASKED = {
    "alibi_slopes": lambda n: ("num_heads", {"num_heads": n}, (n,)),
    "alibi": lambda n: ("q_len", {"num_heads": 3, "q_len": n}, (3, n, n)),
    "alibi of keys": lambda n: ("k_len", {"num_heads": 3, "q_len": 2, "k_len": n}, (3, 2, n)),
    "relative_offsets": lambda n: ("q_len", {"q_len": n, "k_len": 2}, (n, 2)),
    "kerple": lambda n: ("q_len", {"a": [1.0] * 3, "p": [1.0] * 3, "q_len": n}, (3, n, n)),
    "sandwich": lambda n: ("q_len", {"num_heads": 2, "q_len": n, "dim": 4}, (2, n, n)),
    "t5_bias": lambda n: ("k_len", {"weights": np.ones((8, 3)), "q_len": 2, "k_len": n}, (3, 2, n)),
    "inv_freq": lambda n: ("dim", {"dim": 2 * n}, (2 * n,)),
    "wavelengths": lambda n: ("dim", {"dim": 2 * n}, (2 * n,)),
    "angles": lambda n: ("dim", {"positions": [1, 2], "dim": n}, (2, n)),
    "freqs_cis": lambda n: ("dim", {"positions": [1, 2], "dim": n}, (2, n)),
    "cos_sin": lambda n: ("dim", {"positions": [1, 2], "dim": n}, (2, n)),
    "timestep_embedding": lambda n: ("dim", {"t": [1.0, 2.0], "dim": n}, (2, n)),
    "no_position": lambda n: ("d_model", {"positions": [1, 2], "d_model": n}, (2, n)),
    "no_position at": lambda n: ("positions", {"positions": n, "d_model": 4}, (n,)),
    "integer": lambda n: ("d_model", {"positions": [1, 2], "d_model": n}, (2, n)),
    "normalized": lambda n: ("seq_len", {"seq_len": n, "d_model": 4}, (n, 4)),
    "binary": lambda n: ("d_model", {"positions": [1, 2], "d_model": n}, (2, n)),
    "sine": lambda n: ("d_model", {"positions": [1, 2], "d_model": n}, (2, n)),
    "sinusoidal": lambda n: ("d_model", {"positions": [1, 2], "d_model": n}, (2, n)),
    "sinusoidal at": lambda n: ("positions", {"positions": n, "d_model": 4}, (n,)),
    "sinusoidal_2d": lambda n: ("height", {"height": n, "width": 3, "d_model": 4}, (n, 3, 4)),
    "learned": lambda n: ("num_positions", {"num_positions": n, "d_model": 2, "rng": DRAW}, (n, 2)),
    "rope_matrix": lambda n: ("head_dim", {"position": 1, "head_dim": n}, (n, n)),
    "shift_matrix": lambda n: ("d_model", {"offset": 1, "d_model": n}, (n, n)),
    "pairing_permutation": lambda n: ("head_dim", {"head_dim": n}, (n,)),
    "axis_of_pair": lambda n: ("sections", {"sections": [n, 1]}, (n + 1,)),
    "mrope_positions": lambda n: ("parts[1]", {"parts": [2, (1, n)]}, (3, n + 2)),
    "resize_table": lambda n: ("new", {"table": X, "old": (1, 2), "new": (n, 1)}, (n, 4)),
    "similarity_matrix": lambda n: ("table", {"table": tall(n)}, (n, n)),
    "attention": lambda n: ("k", {"q": X, "k": tall(n), "v": tall(n)}, (2, n)),
    "shaw_scores": lambda n: ("k", {"q": X, "k": tall(n), "table": np.ones((3, 4))}, (2, n)),
    "self_extend_offsets": lambda n: (
        "seq_len",
        {"seq_len": n, "group_size": 2, "window": 2},
        (n,),
    ),
    "sinusoidal_kernel": lambda n: ("d_model", {"offsets": [1, 2], "d_model": n}, (n,)),
    "table_error": lambda n: ("head_dim", {"positions": [1], "head_dim": n}, (n,)),
    "exact_head": lambda n: ("seq_len", {"encoding": "rope", "look_back": 3, "seq_len": n}, (n,)),
    "attention_temperature": lambda n: ("positions", {"positions": n}, (n,)),
}
OF_DATA = "similarity_matrix attention shaw_scores".split()  # they look through it


@pytest.mark.parametrize("name", ASKED)
def test_a_size_beyond_memory_is_refused_at_once_with_the_memory_it_takes(name):
    before = time.thread_time()
    for n in HUGE if name not in OF_DATA else [10**5, 2 * 10**5]:
        argument, given, shape = ASKED[name](n)
        needed = 8 * prod(shape) / 1e9  # gigabytes
        if needed <= MOST_GB:
            continue
        with pytest.raises(ValueError, match=rf"^{argument.replace('[', '.')[:6]}") as told:
            getattr(pe, name.split()[0])(**given)
        words = str(told.value)
        assert words.startswith(f"{argument} must keep arrays below 2 GB, got ")
        taken = float(words.split("makes an array of ")[1].split(" GB")[0].replace(",", ""))
        assert taken >= round(0.99 * needed, 1)
        assert f'os.environ["{MEMORY}"] = ' in words
    assert time.thread_time() - before < 1


SMALL = {
    "alibi": lambda h, n, m: ({"num_heads": h, "q_len": n, "k_len": m}, (h, n, m)),
    "relative_offsets": lambda h, n, m: ({"q_len": n, "k_len": m}, (n, m)),
    "no_position": lambda h, n, m: ({"positions": n, "d_model": m}, (n, m)),
    "learned": lambda h, n, m: ({"num_positions": n, "d_model": m, "rng": DRAW}, (n, m)),
    "rope_matrix": lambda h, n, m: ({"position": h, "head_dim": 2 * n}, (2 * n, 2 * n)),
    "similarity_matrix": lambda h, n, m: ({"table": np.ones((n, h))}, (n, n)),
    "sinusoidal_2d": lambda h, n, m: ({"height": h, "width": n, "d_model": 4 * m}, (h, n, 4 * m)),
}


def refused(name: str, given: dict) -> bool:
    """Return whether a call is refused for its memory."""
    try:
        getattr(pe, name)(**given)
    except ValueError as error:
        return "must keep arrays below" in str(error)
    return False


@pytest.mark.parametrize("name", SMALL)
def test_the_limit_is_where_the_variable_says(name, monkeypatch):
    found = set()
    for _ in range(60):
        given, shape = SMALL[name](*DRAW.integers(1, 40, 3).tolist())
        limit = int(DRAW.integers(100, 20_000))  # bytes
        monkeypatch.setenv(MEMORY, str(limit / 1e9))
        beyond = 8 * prod(shape) > limit
        assert refused(name, given) == beyond
        found.add(beyond)
    assert found == {False, True}


@pytest.mark.parametrize("written", ["", "much", "-1", "0", "nan"])
def test_a_limit_that_is_none_is_told_by_its_name(written, monkeypatch):
    monkeypatch.setenv(MEMORY, written)
    with pytest.raises(ValueError, match=f"{MEMORY} must be a positive number of gigabytes"):
        pe.alibi_slopes(4)


def test_an_encoding_too_long_or_too_wide_is_refused_before_its_scores_are_made():
    long, wide = 30_000, 10**9
    for call in (
        lambda: ENCODINGS["rope"].at(head_dim=wide).similarity,
        lambda: ENCODINGS["rope"].at(seq_len=wide).table,
        lambda: ENCODINGS["rope"].at(seq_len=long, head_dim=2).similarity,
        lambda: ENCODINGS["alibi"].at(seq_len=long).similarity,
        lambda: pe.exact_head("sinusoidal", look_back=3, seq_len=long),
        lambda: pe.exact_head("alibi", look_back=3, seq_len=wide),
        lambda: pe.exact_head("rope", look_back=3, seq_len=8).score(wide),
    ):
        with pytest.raises(ValueError, match="must keep arrays below 2 GB"):
            call()
