"""The site: a page for each notebook of a folder and each text beside them, and an index; only what changed is made."""

import html
import re
from functools import partial
from pathlib import Path

import nbformat

from posenc_lib.figures.formats import film_of
from posenc_lib.figures.registry import FIGURES, TOPICS
from posenc_lib.files import write
from posenc_lib.notebooks import find
from posenc_lib.site.page import of_topic, page, scenes, shell, small
from posenc_lib.site.text import markdown

LIBRARY = Path(__file__).parents[1]


def build(out: Path, folder: Path) -> None:
    """Write the site of a folder; a page that is younger than all it is made of stays."""
    sources, readme = [*find([folder]), *sorted(folder.glob("*.md"))], folder.parent / "README.md"
    if not sources:
        raise ValueError(f"no notebook in {folder}")
    intro = readme.read_text(encoding="utf-8") if readme.exists() else ""
    doors = re.findall(r"\[(JupyterLab|Binder)\]\((https://[^)]+)\)", intro)
    told, all_pages = [*map(_about, sources)], [("index.html", "All lessons")]
    jobs = {}
    for k, (path, one) in enumerate(zip(sources, told, strict=True)):
        links = all_pages + [(told[n]["name"], f"{way} {told[n]['title']}") for n, way in ((k - 1, "←"), (k + 1, "→")) if 0 <= n < len(told)]
        links += [(address + path.name, f"Open in {name}") for name, address in doors if path.suffix == ".ipynb"]
        made_of = sources[max(k - 1, 0) : k + 2]  # links have its neighbours' titles
        jobs[one["name"]] = partial(page, path, one["title"], one["question"], _nav(links)), made_of
        if path.stem == "playground":
            nav = _nav([*all_pages, (one["name"], one["title"])])
            jobs |= {of_topic(topic): (partial(scenes, topic, nav), made_of) for topic in TOPICS}
    jobs["index.html"] = partial(index, intro.split("![")[0], told), sources
    always = [readme] * readme.exists() + [path for path in LIBRARY.rglob("*.*") if path.suffix != ".pyc"]
    old = {name: make for name, (make, made_of) in jobs.items() if _is_old(out / name, [*always, *made_of])}
    print(f"{len(jobs) - len(old)} of {len(jobs)} pages are as they should be", flush=True)
    write(old, out)


def _is_old(path: Path, made_of: list[Path]) -> bool:
    return not path.exists() or path.stat().st_mtime < max(each.stat().st_mtime for each in made_of)


def _about(path: Path) -> dict[str, str]:
    """Return a page's name, title, question and minutes, as its first lines have them."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".ipynb":
        text = nbformat.reads(text, as_version=4).cells[0].source
    question = r"^\*\*(.+)\*\*$|^[^#*\s].*?[.?!](?=\s|$)"  # a line of its own, or the first sentence
    found = {"title": "(?<=^# ).+", "question": question, "minutes": r"^\d+(?= minutes)"}
    told = {name: re.search(pattern, text, re.M) for name, pattern in found.items()}
    return {"name": f"{path.stem}.html"} | {name: one[0].strip("*") if one else "" for name, one in told.items()}


def _nav(links: list[tuple[str, str]]) -> str:
    return "".join(f'<a href="{html.escape(to)}">{html.escape(text)}</a>' for to, text in links)


def index(intro: str, told: list[dict]) -> bytes:
    """Return the first page: what the series is about, a film, and a card for each page."""
    others = " · ".join(f"[{one['title']}]({one['name']})" for one in told if not one["minutes"])
    begin = f"**[Begin: {told[0]['title']}]({told[0]['name']})** · {others}"
    one = FIGURES["base_sweep"]
    film, slider = film_of(one, one.defaults)
    cards = "".join(map(_card, (one for one in told if one["minutes"])))
    body = markdown(f"{intro}\n\n{begin}") + film.html([slider]) + f'<div class="cards lessons">{cards}</div>'
    title, about = (re.search(each, f"{intro}\n# Lessons", re.M) for each in ("^# (.+)$", r"^[^#\s<].*?[.?!](?=\s|$)"))
    return shell(title[1], body, "", about[0] if about else "")


def _card(one: dict) -> str:
    """Return a link to a lesson: a small picture, its question, its minutes."""
    pictures = (small(name) for name, each in FIGURES.items() if each.line and f"{each.lesson}.html" == one["name"])
    words = f"<b>{html.escape(one['title'])}</b> {html.escape(one['question'])} <i>{one['minutes']} minutes</i>"
    return f'<a href="{one["name"]}">{next(pictures, "")}{words}</a>'
