"""Realistic mistakes, as one replacement each: what somebody who writes these formulas down gets wrong."""

from typing import NamedTuple

KINDS = ("sign", "exponent", "layout")  # exponent: also a scale or a count, where nothing is raised to a power


class Mutant(NamedTuple):
    """One mistake: in a file of posenc_lib/encodings the text `old`, which stands there exactly once, becomes `new`."""

    about: str
    kind: str
    mistake: str
    file: str
    old: str
    new: str


# what is broken | kind | mistake | right code ⇒ wrong code; the name of the file stands in brackets above
_TABLE = r"""
[integer]
no_position | sign | −1 for 0 | return np.zeros( ⇒ return -np.ones(
no_position | exponent | t⁰ = 1 for 0 | return np.zeros( ⇒ return np.ones(
no_position | layout | rows and dims swapped | (positions, d_model).size, d_model))
⇒ (positions, d_model).size, d_model)).T
integer | sign | counts down | return np.repeat(t[ ⇒ return np.repeat(-t[
integer | exponent | t² for t | np.repeat(t[:, None] ⇒ np.repeat(t[:, None] ** 2
integer | exponent | counts from 1 | np.repeat(t[:, None] ⇒ np.repeat(t[:, None] + 1
integer | layout | rows and dims swapped | t[:, None], d_model, axis=1) ⇒ t[None], d_model, axis=0)
normalized | sign | from 1 down to 0 | return integer(seq_len, d_model) / ⇒ return 1 - integer(seq_len, d_model) /
normalized | exponent | L² for L | if endpoint else seq_len) ⇒ if endpoint else seq_len**2)
normalized | layout | both ends mixed up | if endpoint else ⇒ if not endpoint else
rows of normalized | sign | one too long | / (seq_len - endpoint) ⇒ / (seq_len + endpoint)
[binary]
binary | sign | 0 for 1 | >> shifts & 1 ⇒ >> shifts & 1 ^ 1
binary | exponent | 4^i for 2^i | np.arange(d_model)[::-1], 63 ⇒ 2 * np.arange(d_model)[::-1], 63
binary | layout | least significant first | np.arange(d_model)[::-1], 63 ⇒ np.arange(d_model), 63
[sine]
sine | sign | −sin | return np.sin(t[:, None] * s ⇒ return -np.sin(t[:, None] * s
sine | sign | cosine for sine | return np.sin(t[:, None] ⇒ return np.cos(t[:, None]
sine | exponent | waves get shorter | np.exp2(-dims) ⇒ np.exp2(dims)
sine | exponent | i/d for i/(d−1) | -dims / max(d_model - 1, 1) ⇒ -dims / d_model
sine | layout | slow dims first | dims = np.arange(d_model) ⇒ dims = np.arange(d_model)[::-1]
[sinusoidal]
sinusoidal | sign | −sin in halves | = hands.imag, hands.real ⇒ = -hands.imag, hands.real
sinusoidal | exponent | the base is forgotten | d_model, base, upright=True ⇒ d_model, 1e4, upright=True
sinusoidal | layout | cosine before sine | d_model, base, upright=True ⇒ d_model, base
sinusoidal | layout | cosines in the first half | sines[rows], cosines[rows] = ⇒ cosines[rows], sines[rows] =
sinusoidal | layout | halves for interleaved | layout == "interleaved", d_model ⇒ layout != "interleaved", d_model
sinusoidal | layout | a chunk's rows start anew | fill(hands, t[rows], ⇒ fill(hands, t[: len(hands)],
shift_matrix | sign | the shift goes back | d_model, base).T ⇒ d_model, base)
[learned]
learned | sign | no negative entries | return rng.normal(scale=0.02, size=(num_positions, d_model))
⇒ return abs(rng.normal(scale=0.02, size=(num_positions, d_model)))
learned | exponent | variance for deviation | scale=0.02, size ⇒ scale=0.02**2, size
learned | layout | rows and dims swapped | size=(num_positions, d_model) ⇒ size=(d_model, num_positions)
learned | layout | the last rows for the first | table[:positions] ⇒ table[-positions:]
[rope]
rope | exponent | the base is forgotten | phasors(t, rotary_dim, base) ⇒ phasors(t, rotary_dim)
rope | exponent | 2i/d of the whole head | phasors(t, rotary_dim, base)
⇒ phasors(t, head_dim, base)[:, : rotary_dim // 2]
rope | layout | halves for interleaved | turn_interleaved if pairing == "i ⇒ turn_interleaved if pairing != "i
rope | layout | counts from 1 | hands = phasors(t, r ⇒ hands = phasors(t + 1, r
rope_matrix | sign | clockwise | = np.sin(turned)\n ⇒ = -np.sin(turned)\n
rotation_matrix | sign | clockwise | [[c, -s], [s, c]] ⇒ [[c, s], [-s, c]]
rotation_matrix | layout | rows swapped | [[c, -s], [s, c]] ⇒ [[s, c], [c, -s]]
rows of rope | layout | the query as key | for x in query_and_key(head_dim, content))
⇒ for x in query_and_key(head_dim, content)[[0, 0]])
[turning]
rope | sign | −θ, interleaved | np.multiply(pairs, hands, ⇒ np.multiply(pairs, hands.conj(),
rope | sign | −θ in halves | [-hands.imag, hands.imag] ⇒ [hands.imag, -hands.imag]
rope | sign | both sines positive | [-hands.imag, hands.imag] ⇒ [hands.imag, hands.imag]
rope | layout | the rest turns to zero | out[..., width:] = x[..., width:] ⇒ out[..., width:] = 0
rope | layout | halves not crossed | half)[:, ::-1], sin ⇒ half), sin
rope | layout | blocks start anew | np.multiply(target, cos[rows] ⇒ np.multiply(target, cos[: len(target)]
[pairing]
pairing | sign | there for back | if to == "interleaved" ⇒ if to != "interleaved"
pairing | exponent | heads and dims mixed up | pairing_permutation(rows // num_heads, ⇒ pairing_permutation(num_heads,
pairing | layout | odd dims first | dims[0:rotary_dim:2], dims[1:rotary_dim:2]
⇒ dims[1:rotary_dim:2], dims[0:rotary_dim:2]
shift in halves | layout | rows only | matrix[order][:, order] ⇒ matrix[order]
[offsets]
relative_offsets | sign | query − key | return np.arange(k_len) - np.arange(k_len - q_len, k_len)[:, None]
⇒ return np.arange(k_len - q_len, k_len)[:, None] - np.arange(k_len)
relative_offsets | layout | the first query at the first key | np.arange(k_len - q_len, k_len)[ ⇒ np.arange(q_len)[
[shaw]
shaw | exponent | √d divided away twice | + read(q @ table.T, rows) ⇒ + read(q @ table.T, rows) / q.shape[-1] ** 0.5
shaw | sign | query − key | np.clip(offsets, -clip, clip) ⇒ np.clip(-offsets, -clip, clip)
shaw | layout | the table begins one row late | clip) + clip\n ⇒ clip) + clip - 1\n
shaw | layout | offsets wrap round | np.clip(offsets, -clip, clip) + clip ⇒ (offsets + clip) % (2 * clip + 1)
shaw | layout | values read the offsets backwards | np.arange(1 - k_len, q_len), len
⇒ np.arange(1 - k_len, q_len)[::-1], len
[transformer_xl]
transformer_xl | sign | (q − v)·r | (q + v) @ ⇒ (q - v) @
transformer_xl | sign | near for far |     place = relative_offsets(q_len, k_len) + k_len - 1\n    r =
⇒     place = abs(relative_offsets(q_len, k_len))\n    r =
transformer_xl | exponent | d for √d | return (q + u) @ np.swapaxes(k, -1, -2)
⇒ return (q + u) @ np.swapaxes(k, -1, -2) / d
transformer_xl | layout | u and v mixed up | u, v = u[..., None, :], v[..., None, :]
⇒ v, u = u[..., None, :], v[..., None, :]
transformer_xl | layout | the mask on the past | [by_distance, missing] ⇒ [missing, by_distance]
transformer_xl | layout | shifted by one | + k_len - 1\n    r = ⇒ + k_len - 2\n    r =
[t5]
t5 | sign | the past for the future | buckets * (offset > 0) ⇒ buckets * (offset < 0)
t5 | sign | a decoder sees the future | np.maximum(-offset, 0) ⇒ np.maximum(offset, 0)
t5 | exponent | a quarter of them exact | return buckets, buckets // 2, max ⇒ return buckets, buckets // 4 or 1, max
t5 | exponent | log n for log n/E | np.log(distance / exact) ⇒ np.log(distance)
t5 | layout | rounded up | np.floor(place) ⇒ np.ceil(place)
t5 | layout | position 0 counts as later | (offset > 0) if ⇒ (offset >= 0) if
t5 | layout | one exact bucket more | np.where(distance < exact, ⇒ np.where(distance <= exact + 1,
t5 | layout | heads last | [t5_bucket(offsets, **split)], -1, 0) ⇒ [t5_bucket(offsets, **split)], -1, 1)
[alibi]
alibi | sign | the far are favoured | [:, None, None] * -np.abs ⇒ [:, None, None] * np.abs
alibi | sign | only one side falls | * -np.abs(offsets) ⇒ * offsets
alibi | exponent | −4h/H for −8h/H | 2.0 ** (-8 * ⇒ 2.0 ** (-4 *
alibi | exponent | h from 0 | np.arange(1, power + 1) ⇒ np.arange(power)
alibi | layout | slopes between, one late | np.arange(1, 2 * power, 2) ⇒ np.arange(2, 2 * power + 1, 2)
alibi | layout | slopes sorted | return np.concatenate([first, between[: num_heads - power]])
⇒ return np.sort(np.concatenate([first, between[: num_heads - power]]))[::-1]
alibi | layout | the mask on the past | biases[:, offsets > 0] ⇒ biases[:, offsets < 0]
alibi | layout | the mask on oneself | biases[:, offsets > 0] ⇒ biases[:, offsets >= 0]
relations of alibi | sign | the far are favoured | (num_heads), -np.abs ⇒ (num_heads), np.abs
[frequencies]
frequencies | sign | waves get shorter | base ** -(np ⇒ base ** (np
frequencies | exponent | i/d for 2i/d | np.arange(0, dim, 2) / dim ⇒ np.arange(dim // 2) / dim
frequencies | exponent | 2π twice | 2 * np.pi / inv ⇒ 4 * np.pi / inv
frequencies | layout | i from 1 | np.arange(0, dim, 2) / dim ⇒ np.arange(2, dim + 2, 2) / dim
frequencies | layout | angles reversed | np.float64), inv_freq(dim, base)) ⇒ np.float64), inv_freq(dim, base)[::-1])
[hands]
sinusoidal | sign | −sin, interleaved | return 1j * hands.conj() if ⇒ return 1j * hands if
sinusoidal | sign | long tables turn back | np.conj(fine, out=fine) ⇒ pass
sinusoidal | exponent | 4i/d for 2i/d | dtype=EXTENDED) / dim) ⇒ dtype=EXTENDED) * 2 / dim)
sinusoidal | exponent | i/d for 2i/d | dtype=EXTENDED) / dim) ⇒ dtype=EXTENDED) / 2 / dim)
sinusoidal | exponent | 2i/(d−2) for 2i/d | dtype=EXTENDED) / dim) ⇒ dtype=EXTENDED) / max(dim - 2, 1))
hands | sign | cos + sin | cos - sin * left ⇒ cos + sin * left
hands | exponent | a block is B² long | start, step * block, ⇒ start, step * block**2,
hands | layout | one position late | out, t[0], 1, ⇒ out, t[0] + 1, 1,
hands | layout | the last block is the first | coarse[whole], fine ⇒ coarse[0], fine
[similarity]
similarity | sign | −2ab becomes +2ab | - 2 * centred @ centred.T ⇒ + 2 * centred @ centred.T
similarity | exponent | squared distance | int(second[k]), float(exact[k])
⇒ int(second[k]), float(exact[k] ** 2)
similarity | layout | the window runs backwards | (curve, seq_len)[::-1] ⇒ (curve, seq_len)
similarity | layout | sines for cosines | hands.real.sum ⇒ hands.imag.sum
[attention]
attention | sign | the mask on the past | dtype=bool), scores, -np.inf) ⇒ dtype=bool), -np.inf, scores)
attention | exponent | d for √d | 1 / math.sqrt(q ⇒ 1 / (q
attention | layout | one key too many | k_len - q_len, dtype ⇒ k_len - q_len + 1, dtype
attention | layout | a cache is ignored | k_len - q_len, dtype ⇒ 0, dtype
attention | layout | softmax over queries | softmax(scores)\n ⇒ softmax(scores, -2)\n
attention | layout | bias before the scale | scores * scale + bias ⇒ (scores + bias) * scale
[precision]
bfloat16 | sign | rounded towards zero | (bits + half) & ⇒ bits &
bfloat16 | exponent | six bits of fraction | 0xFFFF0000 ⇒ 0xFFFE0000
bfloat16 | layout | ties away from zero | (bits >> np.uint32(16)) & np.uint32(1) ⇒ np.uint32(1)
precision | layout | sines left out | np.maximum(np.abs(made.real - exact.real), np.abs(made.imag - exact.imag))
⇒ np.abs(made.real - exact.real)
"""


def _read(table: str) -> tuple[Mutant, ...]:
    """Return the mutants that a table holds; a line that begins with ⇒ goes on with the one before."""
    mutants, file = [], ""
    for line in table.strip().replace("\n⇒", " ⇒").splitlines():
        if line.startswith("["):
            file = line.strip("[]")
            continue
        about, kind, mistake, code = line.split(" | ", 3)
        old, new = (text.replace("\\n", "\n") for text in code.split(" ⇒ "))
        mutants.append(Mutant(about, kind, mistake, file, old, new))
    return tuple(mutants)


MUTANTS = _read(_TABLE)
