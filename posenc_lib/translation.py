"""What the library says, in the reader's language.

Views, captions, hints, and feedback are written in English. Where text leaves the library, it asks
`said`. A language has a folder, such as `zh`, with a font and parallel texts: each English sentence
as a quotation, its translation below. In both, {1} is a number, and {a} is any words, which are
looked up on their own. `page.md` is for what a page says by itself. What isn't there stays English.
"""

import json
import re
from functools import cache, lru_cache, reduce
from operator import or_
from pathlib import Path

from posenc_lib.encodings import validate
from posenc_lib.files import stored_text

LANGUAGES = {"en": "English", "zh": "中文"}
NUMBER = r"[−+-]?\d+(?:,\d{3})*(?:\.\d+)?(?:e[−+-]?\d+)?"
HERE = Path(__file__).parent
unsaid: set[str] = set()  # what was looked up in vain
chosen = "en"


def language(name: str) -> None:
    """Choose the language of pictures, captions, hints, and feedback from now on.

    >>> language("en")

    Args:
        name: "en" for English, "zh" for Chinese.

    Raises:
        ValueError: there's no such language.
    """
    global chosen
    chosen = validate.known("language", name, LANGUAGES)


def own_font() -> Path | None:
    """Return the chosen language's font, if it has one."""
    return _font(chosen)


def said(words: str) -> str:
    """Return finished words in the chosen language."""
    if chosen == "en" or not re.search(r"[^\W\d_]{2}", words):
        return words
    return "\n".join(_said(chosen, line) for line in words.split("\n"))


def in_html(page: str) -> str:
    """Return HTML whose text, and titles, are in the chosen language."""

    def new(text: re.Match) -> str:
        words = text[0].strip()
        return text[0].replace(words, said(words)) if words else text[0]

    return re.sub(r'(?<=>)[^<>]+|(?<=title=")[^"]+', new, page)


def script() -> str:
    """Return a page's script for what it says on its own, or "" in English."""
    if chosen == "en":
        return ""
    entries = [entry for entries in _table(chosen, page=True).values() for entry in entries]
    words = [(pattern.pattern.replace("(?P<", "(?<"), new) for pattern, new in entries]
    code = stored_text(HERE / "translation.js")
    return f"const WORDS = {json.dumps(words, ensure_ascii=False)};\n{code}"


def read(text: str) -> dict[str, str]:
    """Return a parallel text's translations by their English.

    Raises:
        ValueError: it has the same English twice.
    """
    found: dict[str, str] = {}
    blocks = re.split(r"((?:^>.*\n?)+)", text, flags=re.MULTILINE)
    for quoted, below in zip(blocks[1::2], blocks[2::2], strict=True):
        english = re.sub(r"^> ?", "", quoted, flags=re.MULTILINE).strip()
        if english in found:
            raise ValueError(f"a parallel text has this twice: {english}")
        found[english] = below.strip()
    return found


@cache
def _font(name: str) -> Path | None:
    return next(HERE.joinpath(name).glob("*.otf"), None)


@lru_cache(4096)
def _said(name: str, words: str) -> str:
    table = _table(name)
    for pattern, new in [*table.get(_shape(words), ()), *table[""]]:
        if match := pattern.fullmatch(words):
            return re.sub(r"\{(\w)\}", lambda hole: said(match[f"_{hole[1]}"]), new)
    parts = re.split(r"(?<=[.:;!?]) ", words)
    if len(parts) > 1:
        new = " ".join(map(said, parts))
        if new != words:  # what stays, like settings, ends as the rest does
            new = re.sub(r"\.(?= |$)", "。", new)
        return re.sub(r"(?<=[。：；！？，]) ", "", new)
    unsaid.add(words)
    return words


def _shape(words: str) -> str:
    """Return words without their numbers, by which a table finds them."""
    return re.sub(NUMBER, "#", words)


@cache
def _table(name: str, *, page: bool = False) -> dict[str, list[tuple[re.Pattern, str]]]:
    """Return patterns and what's new, by shape; those with {a} are under "", longest first."""
    table: dict[str, list] = {"": []}
    files = sorted(HERE.joinpath(name).glob("*.md"))
    texts = [read(stored_text(file)) for file in files if (file.stem == "page") == page]
    found = reduce(or_, texts)
    for english in sorted(found, key=len, reverse=True):
        parts = re.split(r"\{(\w)\}", english)
        for k, part in enumerate(parts):
            kind = NUMBER if part.isdigit() else ".+?"
            parts[k] = f"(?P<_{part}>{kind})" if k % 2 else re.escape(part)
        free = re.search(r"\{[a-z]\}", english)
        shape = "" if free else _shape(re.sub(r"\{\d\}", "0", english))
        table.setdefault(shape, []).append((re.compile("".join(parts)), found[english]))
    return table
