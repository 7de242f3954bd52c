"""diagnose looks at all of it: rows far out, tokens alone, which dims turn, later keys, one place.

What is right is computed here, in plain NumPy.
"""

import numpy as np
import pytest

import posenc_lib as pe

DIAGONALS, CACHED = "constant diagonals", "cached equals full"
BEYOND, CONFIG = "beyond position 256", "the config's base"


def turned(x, positions, first, second, theta):
    """Return x with the pairs (first, second) turned by position · theta."""
    angles = np.outer(positions, theta)
    out = np.array(x, dtype=float)
    a, b = x[..., first], x[..., second]
    out[..., first] = a * np.cos(angles) - b * np.sin(angles)
    out[..., second] = a * np.sin(angles) + b * np.cos(angles)
    return out


def rotary(x, positions):
    """Turn all dims, neighbors together."""
    d = x.shape[-1]
    first = np.arange(0, d, 2)
    return turned(x, positions, first, first + 1, 10_000.0 ** (-first / d))


def tables():
    """Yield a table with what should be seen of it, or nothing."""
    rng = np.random.default_rng(0)
    for case in range(50):
        n, d = int(rng.integers(40, 3000)), int(rng.integers(2, 40))
        table = rng.normal(size=(n, d))
        begin, end = np.sort(rng.choice(np.arange(3, n - 2), 2, replace=False))
        kind = ("none", "pair", "zeros", "last row", "block", "copies")[case % 6]
        if kind == "pair":
            table[end] = table[begin - 2]
        elif kind == "zeros":
            table[begin:] = 0
        elif kind == "last row":
            table[begin:] = table[begin]
        elif kind == "block":
            table[begin : end + 1] = table[begin]
        elif kind == "copies":
            lag = int(rng.integers(3, 30))
            table[2:] = np.resize(table[2 : 2 + lag], (n - 2, d))
        yield kind, table, begin, end


@pytest.mark.slow
def test_a_table_is_looked_at_up_to_its_end():
    for kind, table, begin, end in tables():
        found = pe.diagnose(table)
        equal = len(np.unique(table, axis=0)) < len(table)
        assert (found.first == BEYOND) is equal, (kind, table.shape, found)
        seen = found[BEYOND].seen
        if kind == "pair":
            assert f"position {end:,} repeats position {begin - 2:,}" in seen
        elif kind in ("zeros", "last row"):
            assert f"from {begin:,} on" in seen
        elif kind == "block" and end - begin > 1 and end < len(table) - 1:
            assert f"{begin:,}" in seen
        elif kind == "copies":
            first = 2 + np.flatnonzero((table[3:] == table[2]).all(axis=1))[0] + 1
            assert f"position {first:,} repeats position 2" in seen
            assert f"start over after {first - 2:,}" in found.points_to


def alone_at(place):
    """Return a rotary function whose tokens stand at place(position) where they come alone."""

    def mine(x, positions):
        at = place(positions) if len(positions) == 1 else positions
        return rotary(x, at)

    return mine


def wrongly_alone():
    """Yield places of a token alone that are wrong for some token before 6,000."""
    rng = np.random.default_rng(1)
    for last in rng.integers(2, 5000, size=17):
        yield alone_at(lambda at, last=last: np.minimum(at, last))
    for period in rng.integers(2, 3000, size=17):
        yield alone_at(lambda at, period=period: at % period)
    for first, by in zip(rng.integers(0, 4000, 17), rng.integers(1, 60, 17), strict=True):
        yield alone_at(lambda at, first=first, by=by: at + by * (at >= first))

    for first in rng.integers(40, 3000, size=9):  # and right again at twice as far
        yield alone_at(lambda at, first=first: at - 3 * ((at >= first) & (at < 2 * first)))


@pytest.mark.slow
def test_a_token_alone_is_asked_for_near_and_far():
    for mine in wrongly_alone():
        found = pe.diagnose(mine, dims=6)
        assert found.first == CACHED, found
    assert pe.diagnose(alone_at(lambda at: at), dims=6).first is None


def test_tokens_alone_that_share_a_place_are_found_where_a_text_moves_to_its_end():
    for last in (50, 127, 300, 1000, 2000):
        found = pe.diagnose(
            lambda x, positions, last=last: rotary(x, positions - max(0, max(positions) - last)),
            dims=6,
        )
        assert found.first == CACHED, found
        assert "alone" in found[CACHED].seen


def turning_dims():
    """Yield lists of pairs (first, second), in many arrangements."""
    rng = np.random.default_rng(2)
    for case in range(50):
        n, d = int(rng.integers(2, 5)), 12
        if case % 3 == 0:  # a block of halves
            low = int(rng.integers(0, d - 2 * n + 1))
            first = low + np.arange(n)
            second = first + n
        elif case % 3 == 1:  # neighbors
            low = int(rng.integers(0, d - 2 * n + 1))
            first = low + 2 * np.arange(n)
            second = first + 1
        else:  # two blocks apart
            apart = int(rng.integers(n + 1, d - n))
            low = int(rng.integers(0, d - apart - n + 1))
            first = low + np.arange(n)
            second = first + apart
        yield first, second


@pytest.mark.slow
def test_the_dims_that_turn_are_named_and_how_far_apart_partners_are():
    for first, second in turning_dims():
        n, apart = len(first), int(second[0] - first[0])
        theta = 100.0 ** (-np.arange(n) / n)
        told = pe.diagnose(
            lambda x, positions, f=first, s=second, w=theta: turned(x, positions, f, s, w), dims=12
        ).measured
        both = np.sort(np.concatenate([first, second]))
        which = f"dims {both[0]} to {both[-1]}, "
        if both[-1] - both[0] >= 2 * n:  # there's a gap
            which = f"dims {first[0]} to {first[-1]} with {second[0]} to {second[-1]}, "
        assert f"{2 * n} of 12 dims rotate: {which}partners {apart} apart" in told


LATER = "later keys get more than the query's own key"


@pytest.mark.slow
def test_an_encoder_is_told_of_later_keys_that_get_more_than_the_key_itself():
    rng = np.random.default_rng(3)
    shapes = [
        lambda o: o,
        lambda o: np.sign(o) * np.log1p(np.abs(o)),
        lambda o: np.where(o > 0, 0.1 * o, o),
        lambda o: np.where(o > 0, np.sqrt(np.abs(o)), -(np.abs(o) ** 1.5)),
        lambda o: -np.abs(o),
        lambda o: np.minimum(o, 0),
        lambda o: np.where(o > 0, -np.inf, o),
        lambda o: -np.log1p(np.abs(o)) - (o > 0),
    ]
    for case in range(50):
        shape, slopes = shapes[case % 8], rng.uniform(0.01, 2, size=int(rng.integers(1, 12)))

        def mine(q_len, k_len, shape=shape, slopes=slopes):
            offsets = np.arange(k_len) - np.arange(k_len - q_len, k_len)[:, None]
            return slopes[:, None, None] * shape(offsets.astype(float))

        row = mine(9, 9)[:, 4]
        more = (row[:, 5:] > row[:, 4:5]).any()
        found = pe.diagnose(mine)
        assert found.first is None, found
        assert (LATER in found[DIAGONALS].seen) == more, (case, found)


PLACES = {  # of all tokens of a call, and what should be said
    "the first": lambda at: at[0],
    "the last": lambda at: at[-1],
    "mean": np.mean,
    "how many": len,
}


def test_one_place_for_all_tokens_of_a_call_is_named():
    rng = np.random.default_rng(4)
    for case in range(50):
        name = [*PLACES][case % 4]
        scale, shift = float(rng.uniform(0.5, 3)), int(rng.integers(0, 9))

        def mine(x, positions, place=PLACES[name], scale=scale, shift=shift):
            return rotary(x, np.full(len(positions), scale * place(positions) + shift))

        def of_queries(q, k, positions, mine=mine):
            return mine(q, positions), k

        found = pe.diagnose(of_queries if case % 8 > 3 else mine, dims=6)
        assert found.first == DIAGONALS
        assert "All tokens in a call get the same position" in found.points_to, found
        assert name in found.points_to, found


@pytest.mark.slow
def test_what_is_pointed_to_agrees_with_what_is_measured():
    rng = np.random.default_rng(5)
    for _ in range(50):
        theta = float(rng.choice([1e4, 5e5, 1e6]))
        pairs = int(rng.choice([2, 3, 4]))
        raised = theta * float(rng.choice([1, 2, 4, 8, 16]))
        # the exponent over all 12 dims, where 2 · pairs turn
        inv_freq = raised ** (-2 * np.arange(pairs) / 12)
        first = np.arange(pairs)
        found = pe.diagnose(
            lambda x, positions, f=first, w=inv_freq: turned(x, positions, f, f + len(f), w),
            dims=12,
            rope_theta=theta,
        )
        assert found.first == CONFIG
        # another base may have the same frequencies: then both are named in both places
        assert "over all 12" in found.points_to, found
        assert found["the config's base"].seen in " ".join(repr(found).split())


@pytest.mark.parametrize("mine", ["rope", "t5", "sinusoidal", lambda x, positions: x, np.eye(9)])
@pytest.mark.parametrize("wrong", [{"heads": np.nan}, {"heads": 0}, {"rope_theta": np.nan}])
def test_an_argument_that_cannot_be_is_refused_whatever_is_diagnosed(mine, wrong):
    (name,) = wrong
    with pytest.raises((TypeError, ValueError), match=f"^{name} must be"):
        pe.diagnose(mine, **wrong)
