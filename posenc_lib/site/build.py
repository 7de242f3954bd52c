"""The site: a page for each notebook of a folder and each text beside them, and an index; only what changed is made."""

import hashlib
import html
import re
from importlib.metadata import version
from pathlib import Path

import nbformat

from posenc_lib.figures.formats import film_of
from posenc_lib.figures.registry import FIGURES
from posenc_lib.figures.writing import Job, write
from posenc_lib.notebooks import find
from posenc_lib.site.page import page, shell
from posenc_lib.site.text import markdown

DRAWN_BY = ("numpy", "matplotlib", "pillow", "nbconvert", "latex2mathml")


def build(out: Path, folder: Path) -> None:
    """Write the site of a folder, page by page.

    Each page says by a key what it was made of: one that is there with its key stays, so what was stopped goes on.
    """
    sources = [*find([folder]), *sorted(folder.glob("*.md"))]
    if not sources:
        raise ValueError(f"no notebook in {folder}")
    library, told = _library(), [_about(path) for path in sources]
    readme = folder.parent / "README.md"
    readme = readme.read_text(encoding="utf-8") if readme.exists() else ""
    doors = re.findall(r"\[(JupyterLab|Binder)\]\((https://[^)]+)\)", readme)
    jobs, around = [], [None, *told, None]
    for path, before, one, after in zip(sources, around, told, around[2:], strict=False):
        jobs.append(Job(one["name"], page, (path, one["title"], one["question"], _nav(path, before, after, doors))))
    jobs.append(Job("index.html", index, (readme.split("![")[0], told)))
    keyed = []
    for job in jobs:
        needs = [one.read_bytes() if isinstance(one, Path) else str(one).encode() for one in job.needs]
        key = f'<meta name="key" content="{hashlib.sha256(b"|".join([library, *needs])).hexdigest()}">'
        if not (out / job.name).exists() or key not in (out / job.name).read_text(encoding="utf-8"):
            keyed.append(job._replace(needs=(*job.needs, key)))
    print(f"{len(jobs) - len(keyed)} of {len(jobs)} pages are as they should be", flush=True)
    write(keyed, out)


def _library() -> bytes:
    """Return what changes with anything that draws a page."""
    parts = [each.read_bytes() for each in sorted(Path(__file__).parents[1].rglob("*.*")) if each.suffix != ".pyc"]
    return hashlib.sha256(b"|".join([*parts, *(version(name).encode() for name in DRAWN_BY)])).digest()


def _about(path: Path) -> dict[str, str]:
    """Return a page's name, title, question and minutes, as its first lines have them."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".ipynb":
        text = nbformat.reads(text, as_version=4).cells[0].source
    question = r"^\*\*(.+)\*\*$|^[^#*\s].*?[.?!](?=\s|$)"  # a line of its own, or the first sentence
    found = {"title": "(?<=^# ).+", "question": question, "minutes": r"^\d+(?= minutes)"}
    told = {name: re.search(pattern, text, re.M) for name, pattern in found.items()}
    return {"name": f"{path.stem}.html"} | {name: one[0].strip("*") if one else "" for name, one in told.items()}


def _nav(path: Path, before: dict | None, after: dict | None, doors: list) -> str:
    """Return the links above a page: to its neighbours, and to where it can be run, if the README knows a place."""
    links = [("index.html", "All lessons")]
    links += [(one["name"], f"{way} {one['title']}") for way, one in (("←", before), ("→", after)) if one]
    links += [(address + path.name, f"Open in {name}") for name, address in doors if path.suffix == ".ipynb"]
    return "".join(f'<a href="{html.escape(to)}">{html.escape(text)}</a>' for to, text in links)


def index(intro: str, told: list[dict], key: str) -> bytes:
    """Return the first page: what the series is about, a film, and the map."""
    timed = [
        f"| [{one['title']}]({one['name']}) | {one['question']} | {one['minutes']} |" for one in told if one["minutes"]
    ]
    others = " · ".join(f"[{one['title']}]({one['name']})" for one in told if not one["minutes"])
    table = "\n".join(["| lesson | its question | minutes |", "|---|---|---|", *timed])
    begin = f"**[Begin: {told[0]['title']}]({told[0]['name']})** · {others}"
    one = FIGURES["base_sweep"]
    body = markdown(f"{intro}\n\n{begin}") + film_of(one, one.defaults) + markdown(table)
    title, about = (re.search(each, f"{intro}\n# Lessons", re.M) for each in ("^# (.+)$", r"^[^#\s<].*?[.?!](?=\s|$)"))
    return shell(title[1], body, key, "", about[0] if about else "")
