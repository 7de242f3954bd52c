"""What surrounds JupyterLite's notebook on a lesson's page in the browser."""

import base64
import hashlib
import html
import json
import re
from pathlib import Path
from string import Template

import nbformat

from posenc_lib.files import stored_text
from posenc_lib.views.output import IN_THE_DARK

KERNEL = {"name": "python", "display_name": "Python", "language": "python"}
SECONDS = 15  # for Python to start on a laptop
# What the first picture needs; it leaves no names and doesn't change the cells' numbers
WARM = """\
from importlib import import_module as _
_("posenc_lib.live.explorer"), _("posenc_lib.figures.shown")
del _
get_ipython().execution_count -= 1
"""
LEADS = """<!doctype html><html lang="en"><meta charset="utf-8"><title>$title</title>
<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,">
<script>location.replace("$to" + location.hash)</script>
<noscript>This lesson needs JavaScript.</noscript></html>
"""


def leads_to(notebook: str, title: str) -> bytes:
    """Return a page that redirects a short address to a notebook."""
    to = f"notebooks/index.html?path={notebook}"
    return Template(LEADS).substitute(to=to, title=html.escape(title)).encode()


def dress(lite: Path, notebooks: list[Path], about: list[dict], site: str) -> None:
    """Put a cover and a bar into JupyterLite's page, and each notebook's first picture next to it.

    Args:
        lite: the folder of the edition.
        notebooks: what it shows.
        about: each page's `name`, `title` and `question`.
        site: see `build`.
    """
    (lite / "first").mkdir()
    told, pages = {page["name"]: page for page in about}, {}
    for path in notebooks:
        name, cells = f"{path.stem}.html", nbformat.read(path, as_version=4).cells
        page = {"name": name, "edition": _edition(cells)}
        page |= {key: told[name][key] for key in ("title", "question")}
        if picture := _first_picture(cells):
            data, width, alt = picture
            (lite / f"first/{path.stem}.png").write_bytes(base64.b64decode(data))
            page |= {"picture": f"{path.stem}.png", "width": width, "alt": alt}
        pages[path.name] = page
    given = {"PAGES": pages, "SECONDS": SECONDS, "WARM": WARM, "SITE": site}
    given = "".join(f"const {name} = {_script(value)};\n" for name, value in given.items())
    head = f'<link rel="icon" href="data:,"><style>{_part("page.css")}</style>{IN_THE_DARK}'
    body = f'{_part("page.html")}<script type="module">{given}{_part("page.js")}</script>'
    path = lite / "notebooks/index.html"
    page = path.read_text(encoding="utf-8")
    page = re.sub("<html>", '<html lang="en">', page, count=1)
    page = re.sub("<title>", lambda found: head + found[0], page, count=1)
    page = re.sub("<body[^>]*>", lambda found: found[0] + body, page, count=1)
    path.write_text(page, encoding="utf-8")


def _script(value) -> str:
    """Return a value that's safe in a page's script."""
    return json.dumps(value).replace("</", r"<\/")


def _edition(cells: list) -> str:
    """Return a fingerprint of a lesson, which changes when its cells do."""
    return hashlib.sha256(json.dumps([cell.source for cell in cells]).encode()).hexdigest()


def _first_picture(cells: list) -> tuple[str, int, str] | None:
    """Return the first stored picture, its width and its alt text."""
    for output in (output for cell in cells for output in cell.get("outputs", [])):
        about = output.get("metadata", {}).get("image/png", {})
        if "alt" in about:
            return output.data["image/png"], about["width"], about["alt"]
    return None


def _part(name: str) -> str:
    return stored_text(Path(__file__).with_name(name))
