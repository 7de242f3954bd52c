"""A page that loads nothing: its frame, its look, the player, and its permissions."""

import base64
import hashlib
import html
from pathlib import Path
from string import Template

from posenc_lib import translation
from posenc_lib.encodings.validate import printable
from posenc_lib.figures.film import on_papers, part
from posenc_lib.files import stored_text
from posenc_lib.views import style


def page(title: str, body: str, more_css: str = "", **more: str) -> bytes:
    """Return a page that loads nothing: its frame, its look, the player, and its permissions.

    Args:
        title: its title, as text.
        body: HTML.
        more_css: CSS to add to that of all pages.
        **more: nav, links above the body, and head, additions to its head; both HTML.
    """
    css = "{}\n@media (prefers-color-scheme: dark) {{ {} }}\n".format(*on_papers(_variables))
    asks = '"question":{' in body
    code = {
        "style": css + part("guess.css") * asks + part("film.css") + _part("page.css") + more_css
    }
    code["script"] = part("guess.js") * asks + part("film.js") + translation.script()
    hashes = {
        f"{kind}_hash": base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        for kind, text in code.items()
    }
    told = {
        "title": html.escape(title),
        "body": body,
        "nav": "",
        "head": "",
        "language": translation.chosen,
    }
    whole = Template(_part("page.html")).substitute(told | more | code | hashes)
    return printable(whole).encode()


def _variables() -> str:
    """Return the current theme's colors for a page."""
    colors = "; ".join(
        f"--{role.lower()}: {getattr(style, role)}"
        for role in ("PAPER", "INK", "SOFT", "KEY", "QUERY", "PAIR", "RULE", "TINT")
    )
    return f":root {{ color-scheme: {'dark' if style.theme() == 'dark' else 'light'}; {colors} }}"


def _part(name: str) -> str:
    """Return the text of a file in this folder."""
    return stored_text(Path(__file__).with_name(name))
