"""What people really ship: implementations in transformers, counted by how they know position."""

from posenc_lib.encodings.census import ABSENT
from posenc_lib.encodings.census import census as counted
from posenc_lib.views import style
from posenc_lib.views.view import view

OWN = {  # the kind that an encoding is of
    **dict.fromkeys(("rope", "rope_2d", "mrope"), "rotary"),
    **{"learned": "learned or absolute table", "sinusoidal": "sinusoidal", "alibi": "ALiBi", "xpos": "xPos"},
    **dict.fromkeys(("t5", "shaw", "transformer_xl"), "relative bias or relative positions"),
    **{name.lower(): name for name in ("KERPLE", "FIRE", "CoPE")},
}


@view("free", "What people ship", needs="", matters=lambda encoding: [], only=lambda encoding: encoding.name in OWN)
def census(pen, encoding):
    """Draw how many implementations have each kind, a bar for each; blue is the kind of this encoding."""
    found, own = counted(), OWN[encoding.name]
    kinds = found.used
    pen.axes((0, 2.6 * max(kinds.values())), (-len(kinds) - 1.6, 0.6), xticks=(), yticks=())
    pen.unit(f"→ how many implementations in transformers {found.version} have it")
    for row, (kind, many) in enumerate(kinds.items()):
        color, weight = (style.KEY, "bold") if kind == own else (style.GHOST, "normal")
        corners = [(0, -row - 0.35), (many, -row - 0.35), (many, -row + 0.35), (0, -row + 0.35)]
        pen.shapes([corners], color=color)
        pen.text(f"{many}  {kind}", (many, -row), (6, 0), ha="left", fontweight=weight)
    for row in range(0, len(found.unused), 5):
        some = found.unused[row : row + 5]
        words, weight = f"{'' if row else '0  '}{', '.join(some)}", "bold" if own in some else "normal"
        pen.text(words, (0, -len(kinds) - row / 5), (6, 0), ha="left", fontweight=weight)
    pen.title(f"{own[0].upper()}{own[1:]}: {kinds.get(own, 0)} of {found.total}")
    most = ", ".join(f"{many} {kind}" for kind, many in list(kinds.items())[:4])
    return f"Most frequent: {most}. One implementation may have several; {len(found[ABSENT])} have none of these."
