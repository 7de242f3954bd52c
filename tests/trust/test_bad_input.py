"""Bad input: each call its error, in words that name the argument, the rule and what came, before any work is done."""

import re
import tracemalloc
from collections.abc import Iterator
from types import SimpleNamespace

import numpy as np
import pytest

import posenc_lib as pe
from posenc_lib.encodings.validate import show
from tests.trust.arguments import TOO_MUCH, Array
from tests.trust.functions import PUBLIC, RECORDS, Function

ROOM = 2**20  # bytes that a refusal may take
FAULTS = (TypeError, ValueError, ArithmeticError, AttributeError, LookupError, MemoryError, RuntimeWarning)
NAN = float("nan")
X, U, HANDS = np.ones((4, 8)), np.ones(8), np.ones((4, 4), complex)
LARGE = [(10**6, 1), (10**7 + 1, 1), (1, 10**7), (10**5, 4, 8)]
LONG, TALL, WIDE, MANY = (np.broadcast_to(1.0, shape) for shape in LARGE)
HALF = np.full((2, 2), 65504, np.float16)

CALLS = [  # what several arguments make bad, and words that no other function has: call, error, words
    (lambda: pe.integer(10**5000, 4), ValueError, "positions must be at most 2**53, got a whole number of 16610 bits"),
    (lambda: pe.angles(np.array([-(2**63), 2**62]), 4), ValueError, "within ±2**53, got -9223372036854775808"),
    (lambda: pe.angles(np.array([np.longdouble("1e400")]), 4), ValueError, "positions must be finite, got inf"),
    (lambda: pe.normalized(1, 2, endpoint=True), ValueError, "seq_len must be at least 2 with endpoint=True, got 1"),
    (lambda: pe.binary(9, 3), ValueError, "seq_len 9 does not fit in d_model=3 bits (at most 2**3 = 8)"),
    (lambda: pe.binary(10**13, 4), ValueError, "seq_len 10000000000000 does not fit in d_model=4 bits (at most"),
    (lambda: pe.binary([8], 3), ValueError, "position 8 does not fit in d_model=3 bits (at most 2**3 - 1 = 7)"),
    (lambda: pe.closest_pair([[1, 2]]), ValueError, "table must have at least 2 rows, got shape (1, 2)"),
    (lambda: pe.dot_product_curve(X[:0], 0), ValueError, "table must have at least one row, got shape (0, 8)"),
    (lambda: pe.rope(X[:, :7]), ValueError, "head_dim must be even, got 7"),
    (lambda: pe.rope(HALF), ValueError, "x must lie within ±32752 to stay within float16, got ±65504"),
    (lambda: pe.rope(X, 3), ValueError, "positions must have one entry for each of the 4 rows of x, got 3"),
    (
        lambda: pe.rope(X, [[0, 1, 2, 3]]),
        ValueError,
        "must have an entry for each text, the first axis of x, got 1 for",
    ),
    (lambda: pe.rope(X, start_pos=[[1]]), ValueError, "start_pos must have 1 axis, got shape (1, 1)"),
    (lambda: pe.rope(X, start_pos=2**53), ValueError, "positions must lie within ±2**53"),
    (lambda: pe.rope(X, inv_freq=[1, 2]), ValueError, "inv_freq must have one entry for each of the 4 pairs, got 2"),
    (lambda: pe.apply_rope(X, HANDS[None]), ValueError, "or (batch, seq_len, r/2) with 0 < r ≤ head_dim, got (4, 8)"),
    (lambda: pe.attention(X, X, X, mask=np.ones((4, 3), bool)), ValueError, "mask must broadcast to (..., 4, 4), got"),
    (
        lambda: pe.attention(*np.ones((3, 3, 4, 8))[[0, 0, 0]][:, :3], mask=1),
        TypeError,
        "mask must hold True (may be seen)",
    ),
    (
        lambda: pe.attention(np.ones((3, 4, 8)), *np.ones((2, 2, 4, 8))),
        ValueError,
        "q must have a multiple of the 2 heads of",
    ),
    (lambda: pe.alibi(2, 3, positions=[0, 1]), ValueError, "positions must have one entry for each of the 3 keys"),
    (
        lambda: pe.alibi(1, 2, positions=[0, 10**8], dtype="f2"),
        ValueError,
        "dtype must hold the largest bias, 390625, got",
    ),
    (lambda: pe.rope(X, 5), ValueError, "positions must have one entry for each of the 4 rows of x, got 5"),
    (lambda: pe.rope(X, rotary_dim=10), ValueError, "rotary_dim must be at most 8, got 10"),
    (lambda: pe.apply_rope(X, np.ones((4, 5), complex)), ValueError, "0 < r ≤ head_dim, got (4, 8) and (4, 5)"),
    (lambda: pe.apply_rope(X, HANDS[:, :0]), ValueError, "0 < r ≤ head_dim, got (4, 8) and (4, 0)"),
    (lambda: pe.apply_rope(X, HANDS[:3]), ValueError, "got (4, 8) and (3, 4)"),
    (lambda: pe.apply_rope(X[0], HANDS), ValueError, "got (8,) and (4, 4)"),
    (lambda: pe.pairing_permutation(8, rotary_dim=10), ValueError, "rotary_dim must be at most 8, got 10"),
    (lambda: pe.convert_pairing(X, 3), ValueError, "weights must have rows that 3 heads can share equally, got 4"),
    (lambda: pe.convert_pairing(X[:0], 1), ValueError, "weights must have rows that 1 heads can share equally, got 0"),
    (lambda: pe.convert_pairing(X[:2], 2), ValueError, "head_dim must be at least 2, got 1"),
    (lambda: pe.convert_pairing(X, 1, rotary_dim=6), ValueError, "rotary_dim must be at most 4, got 6"),
    (lambda: pe.bfloat16(1e39), ValueError, "x must lie within ±3e38, the range of bfloat16, got ±1e+39"),
    (lambda: pe.softmax([NAN]), ValueError, "scores must be finite or -inf, got nan"),
    (lambda: pe.softmax([-np.inf, -np.inf]), ValueError, "scores must leave something to attend to, got a row of"),
    (lambda: pe.attention(X, X[:, :4], X), ValueError, "q and k must have the same d_k, at least 1, got 8 and 4"),
    (lambda: pe.attention(X, X, X[:2]), ValueError, "k and v must have the same number of rows, at least 1, got 4 and"),
    (lambda: pe.attention(X, X, X, scores=X[:3, :4]), ValueError, "scores must broadcast to (..., 4, 4), got shape"),
    (lambda: pe.attention(X, X, X, scale=1e200), ValueError, "scale must leave the scores within ±1e+150, got 1e+200"),
    (
        lambda: pe.attention(X, X, [X, X], bias=np.ones((3, 4, 4))),
        ValueError,
        "q, k, v, scores, bias and mask must agree in",
    ),
    (lambda: pe.shaw_scores(X, X[:, :4], X[:3]), ValueError, "q and k must have the same d, at least 1, got 8 and 4"),
    (lambda: pe.shaw_scores(X, X, X), ValueError, "table must have an odd number of rows, one per offset −c … c"),
    (lambda: pe.shaw_scores(X, X, X[:0]), ValueError, "table must have an odd number of rows, one per"),
    (lambda: pe.shaw_scores(X, X, X[:3, :4]), ValueError, "table must have as many dims as q, 8, got 4"),
    (lambda: pe.shaw_scores([X, X], [X, X, X], X[:3]), ValueError, "q and k must agree in their leading axes, got"),
    (lambda: pe.shaw_values(X, X[:2]), ValueError, "table must have an odd number of rows, one per offset −c … c, got"),
    (lambda: pe.transformer_xl_scores(X, X, X[:3], U, U), ValueError, "r must have 4 rows (the past) or 7 (past and"),
    (lambda: pe.transformer_xl_scores(X, X, X[:, :4], U, U), ValueError, "r must have as many dims as q, 8, got 4"),
    (lambda: pe.transformer_xl_scores(X, X, X, U[:3], U), ValueError, "u must have as many dims as q, 8, got 3"),
    (lambda: pe.transformer_xl_scores(X, X, X, U, [[1.0]]), ValueError, "v must have as many dims as q, 8, got 1"),
    (lambda: pe.transformer_xl_scores(X, X[:2], X, U, U), ValueError, "k must have at least as many rows as q (the"),
    (lambda: pe.transformer_xl_scores([X] * 3, X, X, [U, U], U), ValueError, "q, k, r, u and v must agree in their"),
    (lambda: pe.t5_bucket(1, num_buckets=1, bidirectional=False), ValueError, "num_buckets must be at least 2, got 1"),
    (lambda: pe.t5_bucket(1, num_buckets=2**40, max_distance=2**50), ValueError, "num_buckets must be at most 65536"),
    (lambda: pe.t5_bias(X[:, :0], 4), ValueError, "weights must have at least one head, got shape (4, 0)"),
    (lambda: pe.t5_bias(np.ones((31, 2)), 4), ValueError, "the number of rows of weights must be even, half for each"),
    (lambda: pe.t5_bias(X[:2], 4), ValueError, "the number of rows of weights must be at least 4, got 2"),
    (lambda: pe.freqs_cis(3, 8, inv_freq=[1.0, 0.1]), ValueError, "inv_freq must have one entry for each of the 4"),
    (lambda: pe.angles(3, 4, inv_freq=[1.0, np.nan]), ValueError, "inv_freq must be finite, got nan"),
    (lambda: pe.table_error(3, 4, precision="float32", inv_freq="ab"), TypeError, "inv_freq must hold real numbers"),
    (lambda: pe.attention_temperature([-1]), ValueError, "positions must be at least 0, got -1"),
    (lambda: pe.attention_temperature(3, floor_scale=0), ValueError, "floor_scale must be at least 1, got 0"),
    (lambda: pe.attention_temperature(3, attn_scale=0), ValueError, "attn_scale must be greater than 0, got 0"),
    (
        lambda: pe.attention_temperature(3, attn_scale=1e300),
        ValueError,
        "attn_scale must be at most 1e100, got 1e+300",
    ),
    (lambda: pe.resonance([1.0, -0.5]), ValueError, "inv_freq must lie between 0 and 2π, got -0.5 to 1"),
    (lambda: pe.resonance([[1.0]]), ValueError, "inv_freq must have 1 axis, got shape (1, 1)"),
    (lambda: pe.first_negative(64, most=0), ValueError, "most must be at least 1, got 0"),
    (lambda: pe.first_negative(7), ValueError, "d_model must be even, got 7"),
    (lambda: pe.sinusoidal_kernel(3, 8, inv_freq=[1.0]), ValueError, "inv_freq must have one entry for each of the 4"),
    (
        lambda: pe.sinusoidal_2d(3, 3, 6),
        ValueError,
        "d_model must be a multiple of 4, for two axes have half of the dims",
    ),
    (lambda: pe.resize_table(X, (2, 3), (4, 4)), ValueError, "table must have a row for each of 2 × 3 patches, got 4"),
    (lambda: pe.resize_table(X, (2, 2), (4, 4), prefix=1), ValueError, "2 × 2 patches and 1 before them, got 4"),
    (lambda: pe.rope_2d(X, 2, 3), ValueError, "x must have a row for each of 2 × 3 patches, got 4"),
    (lambda: pe.rope_2d(X[:, :6], 2, 2), ValueError, "head_dim must be a multiple of 4, for two axes have half of the"),
    (lambda: pe.rope_2d(X[:, :7], 2, 2, frequencies=np.ones((2, 3))), ValueError, "head_dim must be even, got 7"),
    (lambda: pe.rope_2d(HALF, 1, 2), ValueError, "x must lie within ±32752 to stay within float16, got ±65504"),
    (
        lambda: pe.rope_2d(X, 2, 2, frequencies=X),
        ValueError,
        "frequencies must have shape (2, 4), two for each pair, got",
    ),
    (
        lambda: pe.rope_2d(X, 2, 2, frequencies=[1.0] * 8),
        ValueError,
        "frequencies must have shape (2, 4), two for each",
    ),
    (lambda: pe.rope_2d(X, 2, 2, frequencies=[[NAN] * 4] * 2), ValueError, "frequencies must be finite, got nan"),
    (lambda: pe.rope_2d(X, 2, 2, frequencies=None), TypeError, "frequencies must hold real numbers, got None"),
    (
        lambda: pe.rope_2d(X, 2, 2, frequencies="both"),
        ValueError,
        "frequencies must be one of 'axial', 'alternate', got",
    ),
    (
        lambda: pe.rope_nd(X, X[:2, :4], sections=[2, 1]),
        ValueError,
        "sections must have 4 pairs together, half of head_d",
    ),
    (lambda: pe.rope_nd(X[:, :7], X[:2, :4], sections=[2, 1]), ValueError, "head_dim must be even, got 7"),
    (lambda: pe.rope_nd(X, X[:3, :4], sections=[2, 2]), ValueError, "one row for each of 2 sections, got 3"),
    (
        lambda: pe.rope_nd(X, X[:2, :3], sections=[2, 2]),
        ValueError,
        "positions must have an entry for each of the 4 rows",
    ),
    (
        lambda: pe.rope_nd(X, 4, sections=[2, 2]),
        ValueError,
        "positions must have shape (axes, seq_len) or (axes, batch",
    ),
    (
        lambda: pe.rope_nd([X, X], np.ones((2, 3, 4)), sections=[2, 2]),
        ValueError,
        "positions of a batch must have an entry for each text, the first axis of x, got 3 for x of shape (2, 4, 8)",
    ),
    (lambda: pe.rope_nd(X, np.ones((2, 4, 4)), sections=[2, 2]), ValueError, "got 4 for x of shape (4, 8)"),
    (lambda: pe.axis_of_pair([1, -1]), ValueError, "sections must be at least 0, got -1"),
    (lambda: pe.axis_of_pair([2**52, 2**52, 2**52]), ValueError, f"sections {TOO_MUCH}"),
    (lambda: pe.mrope_positions((24, 24)), TypeError, "parts must be a list, as [5, (4, 6), 3], got (24, 24)"),
    (lambda: pe.mrope_positions(5), TypeError, "parts must be a list, as [5, (4, 6), 3], got 5"),
    (lambda: pe.mrope_positions([5, -1]), ValueError, "parts[1] must be at least 0, got -1"),
    (lambda: pe.mrope_positions([5, (0, 3)]), ValueError, "parts[1] must be at least 1, got 0"),
    (lambda: pe.mrope_positions([(2, 3.0)]), TypeError, "parts[0] must be a whole number (int), got 3.0 (float)"),
    (lambda: pe.mrope_positions([5, "two"]), TypeError, "parts[1] must be a whole number (int), got 'two' (str)"),
    (lambda: pe.mrope_positions([(1, 2, 3, 4)]), ValueError, "parts[0] must be a number of words, (rows, columns) or"),
    (lambda: pe.mrope_positions([10**9]), ValueError, f"parts {TOO_MUCH}"),
    (lambda: pe.mrope_positions([(10**5, 10**5), 10**400]), ValueError, "parts[1] must be at most 2**53, got"),
    (
        lambda: pe.fourier_features(X, X[:, :3]),
        ValueError,
        "frequencies must have a column for each of 8 coordinates, got 3",
    ),
    (lambda: pe.fourier_features(1.0, [1.0]), ValueError, "x must have at least 1 axis, got shape ()"),
    (
        lambda: pe.fourier_features(X, [X]),
        ValueError,
        "frequencies must have shape (n,) or (n, coordinates), got shape",
    ),
    (lambda: pe.timestep_embedding(5, 8), ValueError, "t must have 1 axis, got shape ()"),
    (lambda: pe.timestep_embedding([5], 2), ValueError, "downscale_freq_shift must be less than dim // 2, 1, got 1"),
    (
        lambda: pe.timestep_embedding([5], 8, downscale_freq_shift=3.9),
        ValueError,
        "downscale_freq_shift must leave the frequencies within 1e±100, got 3.9",
    ),
    (lambda: pe.kerple([1.0], [1.0, 2.0], 3), ValueError, "a and p must have one number for each head, got 1 and 2"),
    (lambda: pe.kerple([1.0], [0.0], 3, kind="power"), ValueError, "p must be greater than 0, got 0"),
    (lambda: pe.sandwich(2, 3, 7), ValueError, "dim must be even, got 7"),
    (
        lambda: pe.fire(3, 5 * [[1.0]], c=1, threshold=1),
        ValueError,
        "weights must be a dict or a list of 0.weight, 0.b",
    ),
    (lambda: pe.fire(3, {"0.weight": X}, c=1, threshold=1), ValueError, "2.bias, got none for 0.bias"),
    (lambda: pe.fire(3, [X, U, X, U], c=1, threshold=1), ValueError, "weights 0.weight must have shape (8, 1), got (4"),
    (lambda: pe.fire(3, [U, U, X, U], c=1, threshold=1), ValueError, "weights 0.weight must have 2 axes, got shape (8"),
    (lambda: pe.fire(3, [X[:1].T, U, X, U], c=1, threshold=1), ValueError, "weights 2.weight must have shape (8, 8)"),
    (lambda: pe.xpos(X, X[:, :6]), ValueError, "q and k must have the same d, got 8 and 6"),
    (lambda: pe.xpos(X[:, :7], X[:, :7]), ValueError, "d must be even, got 7"),
    (lambda: pe.xpos(X, np.ones((4000, 8)), scale_base=1), ValueError, "scale_base must be at least 10.9 for so many"),
    (lambda: pe.cope(X, X, X), ValueError, "pos_emb must have shape (..., 8, npos), npos at least 1, got (4, 8)"),
    (lambda: pe.cope(X, X, X.T[:, :0]), ValueError, "npos at least 1, got (8, 0)"),
    (lambda: pe.cope([X, X], X, [X.T] * 3), ValueError, "q, k and pos_emb must agree in their leading axes, got"),
    # What is too much only together: no message but the first words is told apart here.
    (lambda: pe.rope_matrix(1, 10**9), ValueError, f"head_dim {TOO_MUCH}"),
    (lambda: pe.similarity_matrix(TALL), ValueError, f"table {TOO_MUCH}"),
    (lambda: pe.closest_pair(TALL), ValueError, f"table {TOO_MUCH}"),
    (lambda: pe.attention(LONG, LONG, LONG), ValueError, f"q, k and v {TOO_MUCH}"),
    (lambda: pe.attention(LONG, X[:1, :1], WIDE), ValueError, f"q, k and v {TOO_MUCH}"),
    (lambda: pe.relative_offsets(10**8), ValueError, f"q_len and k_len {TOO_MUCH}"),
    (lambda: pe.shaw_scores(LONG[:9999], LONG[:9999], TALL), ValueError, f"q and table {TOO_MUCH}"),
    (lambda: pe.shaw_values(np.ones((1000, 1000)), WIDE), ValueError, f"weights and table {TOO_MUCH}"),
    (lambda: pe.transformer_xl_scores(MANY, X, MANY[:, None], U, U), ValueError, f"q, k, r, u and v {TOO_MUCH}"),
    (lambda: pe.t5_bias(np.ones((32, 10**4)), 10**4), ValueError, f"q_len {TOO_MUCH}"),
    (lambda: pe.alibi(10**4, 10**4), ValueError, f"num_heads {TOO_MUCH}"),
    (lambda: pe.kerple(TALL[:, 0], TALL[:, 0], 100), ValueError, f"q_len {TOO_MUCH}"),
    (lambda: pe.sandwich(10**4, 10**4, 4), ValueError, f"num_heads and q_len {TOO_MUCH}"),
    (
        lambda: pe.fire(10**4, [TALL, TALL[:, 0], TALL.T, U[:1]], c=1, threshold=1),
        ValueError,
        f"q_len and weights {TOO_MUCH}",
    ),
    (lambda: pe.cope(TALL[: 10**4], X[:1, :1], WIDE), ValueError, f"q and pos_emb {TOO_MUCH}"),
    (lambda: pe.sinusoidal_2d(10**4, 10**5, 4), ValueError, f"height {TOO_MUCH}"),
    (lambda: pe.resize_table(LONG, (10**6, 1), (10**4, 1)), ValueError, f"old and new {TOO_MUCH}"),
    (lambda: pe.resize_table(X, (2, 2), (10**5, 10**5)), ValueError, f"new {TOO_MUCH}"),
    (lambda: pe.fourier_features(TALL, WIDE.T), ValueError, f"x and frequencies {TOO_MUCH}"),
    (lambda: pe.fourier_features(LONG.T, WIDE[0]), ValueError, f"x and frequencies {TOO_MUCH}"),
    (lambda: pe.timestep_embedding(WIDE[0], 1000), ValueError, f"dim {TOO_MUCH}"),
]


@pytest.mark.parametrize(("call", "error", "words"), CALLS, ids=[words for *_, words in CALLS])
def test_a_bad_call_gets_its_error_and_its_words(call, error, words):
    with pytest.raises(error) as caught:
        call()
    assert type(caught.value) is error
    assert words in str(caught.value)


def _bad_values(record: Function) -> Iterator[tuple[dict, type, set[str], list[str]]]:
    """Yield arguments that are bad, the error, who may be blamed, and what the message must have."""
    example = record.example
    for key, argument in record.arguments.items():
        for error, rule, values in argument.bad(SimpleNamespace(**example)):
            blamed = set(example) if rule == TOO_MUCH else {key}  # a size belongs to all that make it
            whole = isinstance(argument, Array) or rule == TOO_MUCH  # of these the message says only what is wrong
            for value in (x for x in values if x is not None or not argument.optional):
                yield {key: value}, error, blamed, [rule] if whole else [rule, _start(value)]


def _start(value) -> str:
    """Return how the words for a value begin."""
    if type(value) is float:
        return f"got {value:g}"
    simple = value is None or type(value) in (bool, str) or (type(value) is int and abs(value) < 10)
    return f"got {value!r}" if simple else "got "


def _disagreeing(record: Function) -> Iterator[tuple[dict, type, set[str], list[str]]]:
    """Yield pairs of arrays that disagree about an axis they share, or about their leading axes; see `_bad_values`."""
    arrays = {key: x for key, x in record.arguments.items() if isinstance(x, Array)}
    for one, x in arrays.items():
        for other, y in ((key, y) for key, y in arrays.items() if key != one):
            for k in (k for k, axis in enumerate(x.names, -x.example.ndim) if axis in y.names):
                longer = np.concatenate([x.example, np.take(x.example, [-1], k)], k)
                yield {one: longer}, ValueError, set(arrays), ["must", "got"]
            if x.open and y.open:
                pair = {one: np.stack([x.example] * 2), other: np.stack([y.example] * 3)}
                yield pair, ValueError, {one, other}, ["must", "got"]


def _fault(name: str, arguments: dict, error: type, blamed: set[str], words: list[str]) -> str:
    """Return what is wrong with the way in which a bad call is refused, if anything is."""
    try:
        getattr(pe, name)(**arguments)
    except FAULTS as caught:
        said = str(caught)
        if type(caught) is not error:
            return f"{type(caught).__name__} instead of {error.__name__}: {said}"
        named = any(re.search(rf"(?<!\w){re.escape(word)}(?!\w)", said) for word in blamed)
        right = named and all(part in said for part in words)
        return "" if right else f"{' or '.join(sorted(blamed))}, {', '.join(words)}: not said in {said}"
    return "taken for good"


@pytest.mark.parametrize("name", PUBLIC)
def test_whatever_is_bad_gets_its_error_and_its_words_before_any_work(name, record_property):
    record, faults, peaks = RECORDS[name], [], []
    large = {key: x.large for key, x in record.arguments.items() if x.large and getattr(x, "grows", True)}
    tracemalloc.start()
    for changed, error, blamed, words in (*_bad_values(record), *_disagreeing(record)):
        for work in ({}, *({key: value} for key, value in large.items() if key not in changed)):
            before, _ = tracemalloc.get_traced_memory()
            tracemalloc.reset_peak()
            fault = _fault(name, record.example | work | changed, error, blamed, words)
            peaks.append(tracemalloc.get_traced_memory()[1] - before)
            if (fault and not work) or peaks[-1] > ROOM:
                values = [show(x) for x in changed.values()]
                faults.append(f"{[*changed]} {values} beside {[*work]}: {peaks[-1]} bytes, {fault}")
    tracemalloc.stop()
    record_property(f"bad input {name:<21}", f"{len(peaks)} calls refused within {max(peaks) / 1024:.0f} KiB")
    assert not faults, "\n".join(faults)
