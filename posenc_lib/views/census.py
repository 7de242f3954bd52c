"""What people really ship: implementations in transformers, counted by how they know position."""

from posenc_lib.encodings.census import ABSENT
from posenc_lib.encodings.census import census as counted
from posenc_lib.views import style
from posenc_lib.views.view import view

EACH = 5  # names in a line, of what no one has


@view(
    "free",
    "What people ship",
    needs="",
    matters=lambda encoding: [],
    only=lambda encoding: encoding.name == "rope",
)
def census(pen, encoding):
    """Draw how many implementations have each kind, a bar for each; blue is the rotary one."""
    found = counted()
    kinds, unused = found.used, found.unused
    pen.axes((0, 2.6 * max(kinds.values())), (-len(kinds) - 1.6, 0.6), xticks=(), yticks=())
    pen.unit(f"→ how many implementations in transformers {found.version} have it")
    for row, (kind, many) in enumerate(kinds.items()):
        color, weight = (style.KEY, "bold") if kind == "rotary" else (style.GHOST, "normal")
        corners = [(0, -row - 0.35), (many, -row - 0.35), (many, -row + 0.35), (0, -row + 0.35)]
        pen.shapes([corners], color=color)
        pen.text(f"{many} {kind}", (many, -row), (6, 0), ha="left", fontweight=weight)
    for first in range(0, len(unused), EACH):
        words = f"{'' if first else '0 '}{', '.join(unused[first : first + EACH])}"
        pen.text(words, (0, -len(kinds) - first / EACH), (6, 0), ha="left")
    pen.title(f"Rotary: {kinds['rotary']} of {found.total}")
    most = ", ".join(f"{many} {kind}" for kind, many in list(kinds.items())[:4])
    return f"Most frequent: {most}. One implementation may have several; {len(found[ABSENT])} have none of these."
