"""The best head of any encoding: how well it finds the token k back on texts longer than those it was fitted on."""

from dataclasses import replace

import numpy as np

from posenc_lib.encodings.exact_head import exact_head, reads_positions
from posenc_lib.views.beyond import LOOK_BACK, PARTS, share
from posenc_lib.views.view import view

TIMES = (1, 2, 4, 8)  # lengths whose numbers are written, in lengths of the fit
BACK = replace(LOOK_BACK, default=3, high=31)
STEPS = 8  # lengths tried from one of these to the next


@view(
    "curves",
    "Best head",
    x="tokens in the text",
    y="attention on the right token",
    needs="seq_len",
    ignores="content draw head layout num_heads pairing seed",
    log="x",
    most_positions=64,
    only=lambda encoding: reads_positions(encoding) and not (encoding.has("seed") and encoding.has("table")),
    ends=lambda width, seq_len: {"look_back": seq_len - 1},
)
def best_head(pen, encoding, look_back=BACK):
    """Draw the attention that the best head of an encoding gives to the token k back, by the length of the text."""
    fitted, scaled = encoding.seq_len, encoding.has("as_trained")
    head = exact_head(encoding.as_trained if scaled else encoding, look_back=look_back, seq_len=fitted)
    asked = [fitted * by for by in TIMES]
    lengths = np.rint(fitted * 2 ** (np.arange(STEPS * (len(TIMES) - 1) + 1) / STEPS)).astype(int)
    end = encoding.at(seq_len=asked[-1]).max_positions
    lengths = lengths[lengths <= end].tolist()
    theta = [encoding.at(seq_len=n).frequencies if scaled else None for n in lengths]
    shares = [float(head.mass(n, inv_freq=t)) for n, t in zip(lengths, theta, strict=True)]
    got = {n: part for n, part in zip(lengths, shares, strict=True) if n in asked}
    pen.axes((asked[0] / 1.3, asked[-1] * 1.3), (-0.03, 1.17), xticks={n: f"{n:,}" for n in asked}, yticks=PARTS)
    pen.curve(lengths, shares)
    pen.mark([*got.items()])
    for n, part in got.items():
        pen.label(f"{part:.2f}", (n, part), (0, 14))
    last = max(got)
    pen.title(f"{got[fitted]:.2f} on {fitted}" + (f", {got[last]:.2f} on {last:,} tokens" if last > fitted else ""))
    told = ", ".join(f"{share(part)} on {n:,}" for n, part in got.items())
    beyond = "" if end >= asked[-1] else f" It has no position beyond {end:,}."
    return f"The best head for {look_back} back, fitted on {fitted} tokens, gives the right one {told}.{beyond}"
