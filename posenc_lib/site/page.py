"""A notebook as a page: its words, its code with what that printed, films of its explorers, puzzles with their help."""

import ast
import base64
import html
import io
import re
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout, suppress
from functools import partial
from pathlib import Path

import nbformat

from posenc_lib.figures import film as films
from posenc_lib.figures.film import Film
from posenc_lib.figures.registry import SCENES, TOPICS, ShownFigure, thumbnail
from posenc_lib.live.explorer import Explorer
from posenc_lib.live.playground import Playground, Side
from posenc_lib.puzzles.engine import all_puzzles, solution
from posenc_lib.scorecard import Scorecard
from posenc_lib.site.films import PAPERS, film, paper
from posenc_lib.site.text import code, colors_of_code, font_for, markdown
from posenc_lib.views.style import CSS_DPI

NUMBER = r"[−-]?(?:\d{1,3}(?:[ ,\u202f]\d{3})+|\d+)(?:\.\d+)?|[−-]?\.\d+"
FEW = 12  # values of each of a hundred sliders
CHECK = r'^check\("(\w+)"'
DRAWN = {"explore", "figure", "scorecard", "playground"}  # calls whose pictures are drawn for the page
DEFINES = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef, ast.Assign)
ALONE = (
    "Moving one slider here puts the others back to where they began, and some values are left out. On a phone, what is"
    " left and right stands one above the other. In JupyterLab all sliders move together, and code runs."
)
SCENES_ONLY = "Its ready-made views, each to be moved. In JupyterLab it shows any encoding in any view."


def shell(title: str, body: str, nav: str, about: str = "") -> bytes:
    """Return a page of the site; about is its question, for who is shown a link to it."""
    told = {"description": about, "og:title": title, "og:description": about}
    head = "\n".join(f'<meta {"property" if ":" in k else "name"}="{k}" content="{html.escape(v)}">' for k, v in told.items())
    return films.page(title, body, colors_of_code() + font_for(body), nav=nav, head=head)


def page(path: Path, title: str, about: str, nav: str) -> bytes:
    """Return a notebook, or a text in Markdown, as a page."""
    if path.suffix == ".md":
        return shell(title, markdown(path.read_text(encoding="utf-8")), nav, about)
    cells = [cell for cell in nbformat.read(path, as_version=4).cells if cell.metadata.get("site", True)]
    body, moves = [], False
    for k, (cell, make) in enumerate(zip(cells, _run(cells), strict=True)):
        shown = _value(make)
        if cell.cell_type == "markdown":
            made = markdown(cell.source)
        elif isinstance(shown, Explorer):
            asked = {name: cell.metadata.get(name, []) for name in ("together", "every")}
            made = _folded("Code", code(cell.source)) + film(make, numbers_in(_near(cells, k)), **asked)
            moves = True
        elif isinstance(shown, Playground):
            made = _note(SCENES_ONLY) + "".join(_chips(topic) for topic in TOPICS)
        else:
            made = _code(cell, path, _still(shown, make))
        body.append(f'<div id="{cell.id}">{made}</div>')
    body[1:1] = [_note(ALONE)] * moves
    return shell(title, "\n".join(body), nav, about)


def _run(cells: list) -> Iterator[Callable | None]:
    """Yield of each cell what draws its picture anew; what it defines, those after it know."""
    names: dict = {}
    for cell in cells:
        make = None
        with suppress(Exception):  # a cell that cannot run here keeps what is stored of it
            *before, last = ast.parse(cell.source if cell.cell_type == "code" else "").body
            defines = [each for each in (*before, last) if isinstance(each, DEFINES)]
            exec(compile(ast.Module(defines, []), "cell", "exec"), names)
            if isinstance(last, ast.Expr) and ast.unparse(last.value.func).removeprefix("pe.") in DRAWN:
                make = partial(eval, compile(ast.Expression(last.value), "cell", "eval"), names)
        yield make


def _value(make: Callable | None):
    with suppress(Exception), paper("light"):
        return make()


def _near(cells: list, k: int) -> list[str]:
    """Return the texts around a cell, to the next explorers before and after it."""
    panels = [n for n, cell in enumerate(cells) if cell.cell_type == "code" and "explore(" in cell.source]
    first = max((n + 1 for n in panels if n < k), default=0)
    last = min((n for n in panels if n > k), default=len(cells))
    return [each.source for each in cells[first:last] if each.cell_type == "markdown"]


def numbers_in(texts) -> set[float]:
    """Return the numbers that texts name: 10 000 and 10,000, .5 and −3."""
    found = re.findall(NUMBER, " ".join(texts))
    return {float(re.sub("[ ,\u202f]", "", each).replace("−", "-")) for each in found}


def _still(shown, make: Callable | None) -> str:
    """Return a figure or a scorecard, drawn for light and for dark pages; nothing of anything else."""
    if isinstance(shown, ShownFigure) and hasattr(shown.panel, "pens"):
        sheets, made = [], Film()
        for theme in PAPERS:
            with paper(theme):
                sheets.append(shown.of.draw(shown.values, dpi=films.SHARPNESS * CSS_DPI))
        made.add(*sheets, words=repr(shown), alt=shown.alt)
        return made.html()
    if not isinstance(shown, ShownFigure | Scorecard):
        return ""
    bundles = []
    for theme in PAPERS:
        with paper(theme):
            bundles.append(make()._repr_mimebundle_())
    (light, about), (dark, _) = bundles
    told = " ".join(f'{name}="{html.escape(str(value))}"' for name, value in about["image/png"].items())
    image = two_papers(light["image/png"], dark["image/png"], told)
    return f'<div class="still">{image}</div><p class="words">{html.escape(light["text/plain"])}</p>'


def two_papers(light: str, dark: str, told: str = 'alt=""') -> str:
    """Return a picture, a PNG in base64 for light pages and one for dark ones."""
    source = f'<source media="(prefers-color-scheme: dark)" srcset="data:image/png;base64,{dark}">'
    return f'<picture>{source}<img src="data:image/png;base64,{light}" {told}></picture>'


def small(name: str) -> str:
    """Return a small picture of a scene, by its button or its id."""
    return two_papers(*(base64.b64encode(thumbnail(name, theme)).decode() for theme in PAPERS))


def _code(cell, path: Path, drawn: str) -> str:
    """Return a cell's code, and what is drawn of it anew, or else all that is stored of its outputs."""
    made = [f'<details class="code" open><summary>Code</summary>{code(cell.source)}</details>', drawn]
    for output in cell.outputs if not drawn else ():
        data = output.get("data", {})
        text = output.get("text") or data.get("text/plain", "")
        still = data.get("text/html")
        made.append(f'<div class="still">{still}</div>' if still else f'<pre class="output">{html.escape(text)}</pre>')
        if still:
            made.append(_note("It stands still here, and is live in JupyterLab."))
    return "".join(made) + "".join(_help(name, path) for name in re.findall(CHECK, cell.source, re.M))


def _help(name: str, path: Path) -> str:
    """Return a puzzle's hints and its solution, folded, and where it can be tried."""
    puzzle = next(one for one in all_puzzles() if one.name == name)
    with redirect_stdout(io.StringIO()) as told:
        solution(name)
    hints = [_folded(f"Hint {k} for {name}", f"<p>{html.escape(each)}</p>") for k, each in enumerate(puzzle.hints, 1)]
    where = f"Answers are checked where Python runs: <code>jupyter lab {path.parent.name}/{path.name}</code>."
    return "".join([_note(where), *hints, _folded(f"Solution of {name}", code(told.getvalue()))])


def scenes_of(topic: str) -> list[str]:
    """Return the scenes of a topic of the playground."""
    return [name for name, one in SCENES.items() if one.topic == topic]


def scenes(topic: str, nav: str) -> bytes:
    """Return the playground's scenes of a topic as a page of their own."""
    body = [f"<h1>{topic.capitalize()}</h1>", _note(ALONE)]
    for name in scenes_of(topic):
        says = html.escape(SCENES[name].says)
        moved = film(partial(Side, SCENES[name].opened()[0], SCENES[name].drag), most=FEW)
        body.append(f'<h2 id="{_anchor(name)}">{html.escape(name)}</h2><p>{says}</p>{moved}')
    return shell(topic.capitalize(), "".join(body), nav)


def of_topic(topic: str) -> str:
    """Return the name of the page of a topic."""
    return f"playground_{_anchor(topic)}.html"


def _chips(topic: str) -> str:
    """Return a link with a small picture for each scene of a topic."""
    links = [f'<a href="{of_topic(topic)}#{_anchor(name)}">{small(name)}{html.escape(name)}</a>' for name in scenes_of(topic)]
    return f'<h2>{topic.capitalize()}</h2><div class="cards">{"".join(links)}</div>'


def _anchor(name: str) -> str:
    return re.sub(r"\W+", "-", name)


def _folded(summary: str, body: str) -> str:
    return f"<details><summary>{summary}</summary>{body}</details>"


def _note(text: str) -> str:
    return f'<p class="note">{text}</p>'
