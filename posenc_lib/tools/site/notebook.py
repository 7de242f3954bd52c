"""A notebook as a page: words, code with its output, films of explorers, puzzles with help."""

import ast
import html
import io
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from functools import partial
from pathlib import Path

import nbformat

from posenc_lib.figures.registry import SCENES, topics
from posenc_lib.figures.shown import ShownFigure
from posenc_lib.lessons.lesson_16.panel import kept_panel
from posenc_lib.lessons.playground.playground import Playground, Side
from posenc_lib.live.explorer import Explorer
from posenc_lib.live.puzzles import find, solution
from posenc_lib.tools.page import page as framed
from posenc_lib.tools.site.cards import scene
from posenc_lib.tools.site.films import DPI, film, on_papers, still
from posenc_lib.tools.site.text import code, colors_of_code, font_for, markdown
from posenc_lib.translation import in_html, said

ON_A_PAGE = 1_300_000  # letters for films; values the texts mention come on top
CHECK = r'^check\("(\w+)"'
DRAWN = {"explore", "figure", "playground", "speak"}  # calls with pictures to draw for the page
DEFINES = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef, ast.Assign)
LIVE = "Here, each slider moves on its own. {} they all move together, and the code runs."
STILL = "This is a still picture. In JupyterLab, it's live."
SCENES_ONLY = (
    "These are its ready-made scenes, with sliders. In JupyterLab, it shows any encoding in any "
    "view."
)


def shell(title: str, body: str, nav: str, about: str = "") -> bytes:
    """Return a page of the site; about is its question, for previews of links to it."""
    told = {
        'name="description"': about,
        'property="og:title"': title,
        'property="og:description"': about,
    }
    head = "\n".join(f'<meta {what} content="{html.escape(text)}">' for what, text in told.items())
    return framed(title, body, colors_of_code() + font_for(body), nav=nav, head=head)


def page(path: Path, title: str, about: str, nav: str, live: str = "") -> bytes:
    """Return a notebook, or a text in Markdown, as a page.

    Args:
        path: its source.
        title: its title, as text.
        about: its question.
        nav: links above it, as HTML.
        live: where it runs, if anywhere.

    Raises:
        ValueError: something in it can't be shown; the error names the file.
    """
    with named(path):
        return _page(path, title, about, nav, live)


@contextmanager
def named(path: Path) -> Iterator[None]:
    """Name a file in any error about its contents."""
    try:
        yield
    except OSError:
        raise
    except Exception as error:
        kind = "" if isinstance(error, ValueError) else f"{type(error).__name__}: "
        raise ValueError(f"{path}: {kind}{error}") from error


def _page(path: Path, title: str, about: str, nav: str, live: str) -> bytes:
    if path.suffix == ".md":
        return shell(title, markdown(path.read_text(encoding="utf-8")), nav, about)
    cells = [
        cell for cell in nbformat.read(path, as_version=4).cells if cell.metadata.get("site", True)
    ]
    places = [
        k for k, cell in enumerate(cells) if cell.cell_type == "code" and "explore(" in cell.source
    ]
    body, room = [], ON_A_PAGE // max(len(places), 1)
    for k, (cell, make) in enumerate(zip(cells, _run(cells), strict=True)):
        shown, panels = None, []
        with suppress(Exception):  # a cell that can't run here keeps its stored output
            shown, *_ = panels = on_papers(make)
        # code is open, above its output; but it's folded below a picture it draws, and if it only
        # imports
        folded = _folded("Code", code(cell.source))
        if cell.cell_type == "markdown":
            made = markdown(_with_pictures(cell))
        elif isinstance(shown, Explorer):
            asked = {name: cell.metadata.get(name, []) for name in ("together", "every")}
            made = film(panels, room, _near(cells, places, k), **asked)
            made += folded + _alone(live) * (k == places[0])
        elif isinstance(shown, Playground):
            made = _note(SCENES_ONLY) + "".join(map(_cards, topics()))
        elif isinstance(shown, ShownFigure):
            made = _still(shown) + folded
        else:
            made = "".join(map(_stored, cell.outputs))
            folds = 'class="still"' in made or _only_imports(cell.source)
            made = made + folded if folds else code(cell.source) + made
            made += "".join(_help(name, path) for name in re.findall(CHECK, cell.source, re.M))
        body.append(f'<div id="{cell.id}">{made}</div>')
    # a lesson's question is below its title
    asks = r"(</h1>\s*<p)><strong>(.*?)</strong></p>"
    text = re.sub(asks, r'\1 class="question">\2</p>', "\n".join(body), count=1)
    return shell(title, text, nav, about)


def _only_imports(source: str) -> bool:
    with suppress(SyntaxError):
        return all(isinstance(each, DEFINES[:2]) for each in ast.parse(source).body)
    return False


def _run(cells: list) -> Iterator[Callable | None]:
    """Yield for each cell what redraws its picture; later cells know its definitions."""
    names: dict = {}
    for cell in cells:
        make = None
        with suppress(Exception):
            body = ast.parse(cell.source if cell.cell_type == "code" else "").body
            defining = [statement for statement in body if isinstance(statement, DEFINES)]
            exec(compile(ast.Module(defining, []), "cell", "exec"), names)
            if ast.unparse(body[-1].value.func).removeprefix("pe.") in DRAWN:
                known = names | {
                    "speak": kept_panel
                }  # with or without a model, the page is the same
                make = partial(eval, compile(ast.Expression(body[-1].value), "cell", "eval"), known)
        yield make


def _near(cells: list, panels: list[int], k: int) -> list[str]:
    """Return the texts around a cell, up to the explorers before and after it."""
    first = max(n for n in (-1, *panels) if n < k)
    last = min(n for n in (*panels, len(cells)) if n > k)
    return [each.source for each in cells[first + 1 : last] if each.cell_type == "markdown"]


def _still(shown: ShownFigure) -> str:
    """Return a figure, drawn for light and dark pages."""
    drawn = partial(shown.of.draw, shown.values, dpi=DPI)
    caption = (
        shown.caption if shown.of.caption or shown.of.told else ""
    )  # otherwise it repeats its titles
    return still(drawn, shown.sheet, caption=caption, alt=shown.alt)


def _alone(live: str) -> str:
    """Return a note on where sliders move together, because on a page they can't."""
    where = f'In <a href="{html.escape(live)}">the live edition</a>' if live else "In JupyterLab"
    return _note(LIVE.format(where))


def _stored(output) -> str:
    """Return an output as the notebook stores it."""
    data = output.get("data", {})
    if picture := data.get("image/png"):
        about = output.metadata.get("image/png", {})
        look = "".join(f' {name}="{html.escape(str(about[name]))}"' for name in about)
        still = f'<img src="data:image/png;base64,{picture}"{look}>'
        return f'<div class="still">{still}</div>{_note(STILL)}'
    if words := data.get("text/html"):
        return f'<div class="still">{words}</div>'
    text = output.get("text") or data.get("text/plain", "")
    return f'<pre class="output">{html.escape(text)}</pre>'


def _with_pictures(cell) -> str:
    """Return a text with its attached pictures."""
    text = cell.source
    for name, data in cell.get("attachments", {}).items():
        text = text.replace(f"(attachment:{name})", f"(data:image/png;base64,{data['image/png']})")
    return text


def _help(name: str, path: Path) -> str:
    """Return a puzzle's hints and solution, folded, and where to try it."""
    puzzle = find(name)
    with redirect_stdout(io.StringIO()) as told:
        solution(name)
    hints = [
        _folded(f"Hint {k} for {name}", f"<p>{html.escape(said(each))}</p>")
        for k, each in enumerate(puzzle.hints, 1)
    ]
    where = f"To check your answer in JupyterLab, open <code>{path.name}</code>."
    return "".join([_note(where), *hints, _folded(f"Solution for {name}", code(told.getvalue()))])


def scenes(topic: str, nav: str, live: str = "") -> bytes:
    """Return the playground's scenes on a topic as their own page."""
    body = [f"<h1>{topic.capitalize()}</h1>", _alone(live)]
    shown = _of_topic(topic)
    for name, one in shown:
        moved = film(on_papers(partial(Side, one.opened()[0], one.drag)), ON_A_PAGE // len(shown))
        head = f'<h2 id="{anchor(name)}">{html.escape(name)}</h2>'
        body.append(f"{head}<p>{html.escape(one.says)}</p>{moved}")
    return shell(topic.capitalize(), "".join(body), nav)


def _of_topic(topic: str) -> list[tuple]:
    return [(name, one) for name, one in SCENES.items() if one.topic == topic]


def _cards(topic: str) -> str:
    """Return a card for each scene on a topic."""
    page = f"playground_{anchor(topic)}.html"
    cards = [scene(f"{page}#{anchor(name)}", one) for name, one in _of_topic(topic)]
    return f'<h2>{topic.capitalize()}</h2><div class="cards">{"".join(cards)}</div>'


def anchor(name: str) -> str:
    """Return a name as written in an address."""
    return re.sub(r"\W+", "-", name)


def _folded(summary: str, body: str) -> str:
    return f"<details><summary>{said(summary)}</summary>{body}</details>"


def _note(text: str) -> str:
    return in_html(f'<p class="note">{text}</p>')
