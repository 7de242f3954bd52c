"""The site: a page for each notebook and text in a folder, and an index."""

import html
import re
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import nbformat

from posenc_lib.figures.registry import FIGURES, topics
from posenc_lib.figures.shown import film_of
from posenc_lib.tools.parallel import composed, speaking
from posenc_lib.tools.site.cards import lesson
from posenc_lib.tools.site.notebook import anchor, named, page, scenes, shell
from posenc_lib.tools.site.text import markdown
from posenc_lib.tools.write import write
from posenc_lib.translation import LANGUAGES, said


def build(out: Path, folder: Path, lite: str = "") -> None:
    """Write a folder's site, with the lessons that have a translation in each language.

    Args:
        out: where to write it.
        folder: the notebooks.
        lite: the browser edition's address, from `out`; each page then links to it.
    """
    if not (sources := pages_of(folder)):
        raise ValueError(f"no notebooks in {folder}")
    with composed(folder) as translated:
        groups = {"en": sources} | translated
        jobs = {}
        for language in groups:
            with speaking(language):
                jobs |= _pages(language, groups, folder, lite)
        write(jobs, out)


def _pages(language: str, groups: dict[str, list[Path]], folder: Path, lite: str) -> dict:
    """Return what makes each page of a language, by name."""
    sources, first = groups[language], first_page(language)
    told, all_pages, jobs = about_all(sources), [(first, said("All lessons"))], {}
    for k, (path, one) in enumerate(zip(sources, told, strict=True)):
        links = all_pages + [
            (each["name"], f"← {_short(each)}") for each in told[max(k - 1, 0) : k]
        ]
        links += [(each["name"], f"{_short(each)} →") for each in told[k + 1 : k + 2]]
        links += in_other_languages(path, groups)
        live = lite + one["name"] if lite and path.suffix == ".ipynb" else ""
        if live:
            links.append((live, said("Run it in your browser")))
        about = one["title"], one["question"], nav(links), live
        jobs[one["name"]] = partial(_in, language, partial(page, path, *about))
        if path.stem == "playground":
            links = nav([*all_pages, (one["name"], one["title"])])
            for topic in topics():
                jobs[f"playground_{anchor(topic)}.html"] = partial(scenes, topic, links, live)
    more = [(f"{lite}{first}", said("Run them all in your browser"))] if lite else []
    more += indexes(groups, language)
    make = partial(index, intro_of(folder, language), told, more=more)
    return jobs | {first: partial(_in, language, make)}


def _in(language: str, make: Callable[[], bytes]) -> bytes:
    with speaking(language):
        return make()


def first_page(language: str) -> str:
    """Return the name of a language's index."""
    return "index.html" if language == "en" else f"index.{language}.html"


def indexes(groups: dict[str, list[Path]], language: str) -> list[tuple[str, str]]:
    """Return links to the index in other languages."""
    return [(first_page(name), LANGUAGES[name]) for name in groups if name != language]


def in_other_languages(path: Path, groups: dict[str, list[Path]]) -> list[tuple[str, str]]:
    """Return links to the same page in other languages."""
    page = path.stem.split(".")[0]
    there = [(each, name) for name, paths in groups.items() for each in paths]
    return [
        (f"{each.stem}.html", LANGUAGES[name])
        for each, name in there
        if each.stem.split(".")[0] == page and each != path and each.suffix == path.suffix
    ]


def pages_of(folder: Path) -> list[Path]:
    """Return the notebooks in a folder, then its texts."""
    return [path for suffix in ("ipynb", "md") for path in sorted(folder.glob(f"*.{suffix}"))]


def intro_of(folder: Path, language: str = "en") -> str:
    """Return the start of the README next to a folder, down to its picture."""
    readme = folder.parent / ("README.md" if language == "en" else f"README.{language}.md")
    start = readme.read_text(encoding="utf-8").split("![")[0] if readme.exists() else ""
    return re.sub(r"^(?:\*\*)?\[.*\n+", "", start, flags=re.M)  # a page has links of its own


def about_all(sources: list[Path]) -> list[dict[str, str]]:
    """Return the page name, title, question and minutes of each notebook or text."""
    told = []
    for path in sources:
        with named(path):
            told.append(_about(path))
    return told


def _about(path: Path) -> dict[str, str]:
    """Return a page's name, title, question and minutes, from its first lines."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".ipynb":
        text = nbformat.reads(text, as_version=4).cells[0].source
    # a separate line, or the first sentence
    question = r"^\*\*(.+)\*\*$|^[^#*\s].*?[.?!](?=\s|$)"
    patterns = {
        "title": "(?<=^# ).+",
        "question": question,
        "minutes": r"^\d+(?= (?:minutes|分钟))",
    }
    about = {"name": f"{path.stem}.html"}
    for name, pattern in patterns.items():
        found = re.search(pattern, text, re.M)
        about[name] = found[0].strip("*") if found else ""
    return about


def _short(one: dict[str, str]) -> str:
    """Return a title without its subtitle, for short links."""
    return one["title"].split(":")[0]


def nav(links: list[tuple[str, str]]) -> str:
    """Return links, each an address and its text, as HTML."""
    return "".join(f'<a href="{html.escape(to)}">{html.escape(text)}</a>' for to, text in links)


def index(
    intro: str, told: list[dict], note: str = "", more: Sequence[tuple[str, str]] = ()
) -> bytes:
    """Return the first page: what the series is about, a film, and a card for each page.

    Args:
        intro: how it starts, in Markdown.
        told: its pages.
        note: what else to know first.
        more: links to add to those for pages that aren't lessons, each an address and its text.
    """
    others = [(one["name"], _short(one)) for one in told if not one["minutes"]]
    begin = said(f"Begin: {told[0]['title']}")
    begin = f"\n\n**[{begin}]({told[0]['name']})**\n\n{note}"
    begin = f"{markdown(intro + begin)}<nav>{nav([*others, *more])}</nav>"
    film = film_of(FIGURES["base_sweep"], FIGURES["base_sweep"].defaults)
    cards = ""
    for one in (one for one in told if one["minutes"]):
        minutes = said(f"{one['minutes']} minutes")
        cards += lesson(one["name"], one["title"], one["question"], minutes)
    cards = f'<div id="lessons" class="cards lessons">{cards}</div>'
    body = f"{begin}{film.html()}{cards}"
    text = f"{intro}\n# Lessons"
    title = re.search("^# (.+)$", text, re.M)
    about = re.search(r"^[^#\s<].*?[.?!](?=\s|$)", text, re.M)
    return shell(title[1], body, "", about[0] if about else "")
