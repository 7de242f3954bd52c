"""A notebook as a page: its words, its code with what that printed, films of its explorers, puzzles with their help."""

import base64
import html
import io
import re
from contextlib import redirect_stdout
from functools import partial
from pathlib import Path

import nbformat

from posenc_lib.figures.film import whole
from posenc_lib.figures.registry import SCENES, TOPICS, BlogFigure, part, thumbnail
from posenc_lib.lessons.puzzles.engine import find, solution
from posenc_lib.live.explorer import explore
from posenc_lib.live.playground import Side
from posenc_lib.site.films import film, literal_call
from posenc_lib.site.text import code, colors_of_code, font_for, markdown

NUMBER = r"[−-]?(?:\d{1,3}(?:[ ,\u202f]\d{3})+|\d+)(?:\.\d+)?|[−-]?\.\d+"
FEW = 12  # values of each of a hundred sliders
CHECK = r'^check\("(\w+)"'
ALONE = (
    "Moving one slider here puts the others back to where they began, and some values are left out. On a phone, what is"
    " left and right stands one above the other. In JupyterLab all sliders move together, and code runs."
)
SCENES_ONLY = "Its ready-made views, each to be moved. In JupyterLab it shows any encoding in any view."
STILL = re.compile(r"^(pe\.)?(figure|scorecard)\(", re.M)  # pictures that stand still in JupyterLab, too


def shell(title: str, body: str, key: str, nav: str, about: str = "") -> bytes:
    """Return a page of the site: a body in its frame; about is its question, for who is shown a link to it."""
    css = part("player.css") + part("page.css", "site") + colors_of_code() + font_for(body)
    told = {"title": html.escape(title), "about": html.escape(about), "body": body, "key": key, "nav": nav}
    return whole(part("page.html", "site"), css, **told).encode()


def page(path: Path, title: str, about: str, nav: str, key: str) -> bytes:
    """Return a notebook, or a text in Markdown, as a page."""
    if path.suffix == ".md":
        return shell(title, markdown(path.read_text(encoding="utf-8")), key, nav, about)
    cells = [cell for cell in nbformat.read(path, as_version=4).cells if cell.metadata.get("site", True)]
    calls = [literal_call(cell.source) if cell.cell_type == "code" else None for cell in cells]
    panels = [k for k, call in enumerate(calls) if call and call[0].endswith("explore")]
    body = []
    for k, (cell, call) in enumerate(zip(cells, calls, strict=True)):
        if cell.cell_type == "markdown":
            made = markdown(cell.source)
        elif k in panels:
            first = max((one + 1 for one in panels if one < k), default=0)
            last = min((one for one in panels if one > k), default=len(cells))
            near = [each.source for each in cells[first:last] if each.cell_type == "markdown"]
            asked = {name: cell.metadata.get(name, []) for name in ("together", "every")}
            made = film(partial(explore, *call[1], **call[2]), numbers_in(near), **asked)
            made = _folded("Code", code(cell.source)) + made
        elif call and call[0].endswith("playground"):
            made = f"{_note(SCENES_ONLY)}{_chips()}" + "".join(_scene(*one) for one in SCENES.items())
        else:
            made = _code(cell, path)
        body.append(f'<div id="{cell.id}">{made}</div>')
    body[1:1] = [_note(ALONE)] * bool(panels)
    return shell(title, "\n".join(body), key, nav, about)


def _chips() -> str:
    """Return a link with a small picture for each scene, by topic."""
    made = []
    for topic in TOPICS:
        made.append(f"<h2>{topic.capitalize()}</h2>")
        links = [_chip(name) for name, one in SCENES.items() if one.topic == topic]
        made.append(f'<div class="chips">{"".join(links)}</div>')
    return "".join(made)


def _chip(name: str) -> str:
    picture = base64.b64encode(thumbnail(name, "light")).decode()
    image = f'<img src="data:image/png;base64,{picture}" alt="">'
    return f'<a href="#{_anchor(name)}">{image}{html.escape(name)}</a>'


def _scene(name: str, one: BlogFigure) -> str:
    made = film(partial(Side, one.opened()[0], one.drag), most=FEW)
    return f'<h2 id="{_anchor(name)}">{html.escape(name)}</h2><p>{html.escape(one.says)}</p>{made}'


def _anchor(name: str) -> str:
    return re.sub(r"\W+", "-", name)


def numbers_in(texts) -> set[float]:
    """Return the numbers that texts name: 10 000 and 10,000, .5 and −3."""
    found = re.findall(NUMBER, " ".join(texts))
    return {float(re.sub("[ ,\u202f]", "", each).replace("−", "-")) for each in found}


def _code(cell, path: Path) -> str:
    """Return a cell's code, and all that is stored of its outputs."""
    made = [f'<details class="code" open><summary>Code</summary>{code(cell.source)}</details>']
    for output in cell.outputs:
        data = output.get("data", {})
        text = output.get("text") or data.get("text/plain", "")
        still = data.get("text/html")
        made.append(f'<div class="still">{still}</div>' if still else f'<pre class="output">{html.escape(text)}</pre>')
        if still and not STILL.search(cell.source):
            made.append(_note("It stands still here, and is live in JupyterLab."))
    return "".join(made) + "".join(_help(name, path) for name in re.findall(CHECK, cell.source, re.M))


def _help(name: str, path: Path) -> str:
    """Return a puzzle's hints and its solution, folded, and where it can be tried."""
    puzzle = find(name)
    with redirect_stdout(io.StringIO()) as told:
        solution(name)
    hints = [_folded(f"Hint {k} for {name}", f"<p>{html.escape(each)}</p>") for k, each in enumerate(puzzle.hints, 1)]
    where = f"Answers are checked where Python runs: <code>jupyter lab {path.parent.name}/{path.name}</code>."
    return "".join([_note(where), *hints, _folded(f"Solution of {name}", code(told.getvalue()))])


def _folded(summary: str, body: str) -> str:
    return f"<details><summary>{summary}</summary>{body}</details>"


def _note(text: str) -> str:
    return f'<p class="note">{text}</p>'
