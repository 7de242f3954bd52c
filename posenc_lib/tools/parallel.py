"""Compose a lesson in another language from its English notebook and a parallel text.

A parallel text has, for each English paragraph, the English as a quotation and its translation
below. What several lessons say is in `common.md`. A paragraph is found by its words, so a changed
one no longer has a translation: it appears in English, and a test shows both.
"""

import ast
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import nbformat

from posenc_lib.files import atomic_write
from posenc_lib.tools.notebooks import store
from posenc_lib.translation import LANGUAGES, language, read

COMMON = "common.md"
# What stands around a paragraph's words: folds, a picture's place
BEFORE = r"(?:</?details>|<summary>|!\[(?=[^\]]*\]\(attachment:[^)]*\)$)|\s)*"
AFTER = r"(?:</?details>|</summary>|\]\(attachment:[^)]*\)|\s)*"
PARTS = re.compile(rf"({BEFORE})(.*?)({AFTER})", re.DOTALL)
# What has no words to translate
WORDLESS = r"```.*?```|\$\$.*?\$\$|\$[^$]*\$|`[^`]*`|<[^>]*>"
MISSING = {"zh": "*（下面这一段还没有中文翻译。）*"}


def paragraphs(source: str) -> list[str]:
    """Return a text's paragraphs; blank lines in code don't end one."""
    found, fenced = [[]], False
    for line in source.splitlines():
        fenced ^= line.startswith("```")
        if line.strip() or fenced:
            found[-1].append(line)
        else:
            found.append([])
    return ["\n".join(lines) for lines in found if lines]


def parts(paragraph: str) -> tuple[str, str, str]:
    """Return what stands before a paragraph's words, its words, and what stands behind."""
    return PARTS.fullmatch(paragraph).groups()


def has_words(words: str) -> bool:
    """Return whether there's something to translate."""
    return bool(re.search(r"[^\W\d_]{2}", re.sub(WORDLESS, "", words, flags=re.DOTALL)))


def translations(path: Path) -> dict[str, str]:
    """Return a lesson's translations, with those of all lessons."""
    common = path.with_name(COMMON)
    return read(common.read_text("utf-8")) | read(path.read_text("utf-8"))


def compose(notebook, translated: dict[str, str], language: str, links: dict[str, str]):
    """Translate a notebook's text, and switch the library's language in its first cell.

    links: new addresses by old ones.
    """
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            new = [_new(paragraph, translated, language) for paragraph in paragraphs(cell.source)]
            cell.source = _relinked("\n\n".join(new), links)
    first = next(cell for cell in notebook.cells if cell.cell_type == "code")
    first.source = _switched(first.source, language)
    return notebook


def _relinked(text: str, links: dict[str, str]) -> str:
    return re.sub(r"(?<=\]\()[^)#]+", lambda link: links.get(link[0], link[0]), text)


def _new(paragraph: str, translated: dict[str, str], language: str) -> str:
    before, words, after = parts(paragraph)
    if not has_words(words):
        return paragraph
    if new := translated.get(words):
        return before + new + after
    return f"{before}{MISSING[language]}\n\n{words}{after}"


def _switched(code: str, language: str) -> str:
    """Return the first cell with a line below its imports."""
    imports = [
        node for node in ast.parse(code).body if isinstance(node, ast.Import | ast.ImportFrom)
    ]
    lines = code.splitlines()
    lines.insert(imports[-1].end_lineno, f'\npe.language("{language}")')
    return "\n".join(lines)


def lessons(language: str, folder: Path, beyond: str = "") -> Iterator[tuple[str, str]]:
    """Yield each lesson that has a parallel text in folder/language: a file's name, and the file.

    beyond: where the other pages are, if they aren't next to these.
    """
    texts = sorted(path for path in (folder / language).glob("*.md") if path.name != COMMON)
    links = {path.name: beyond + path.name for path in folder.glob("*.*")}
    links |= {f"{path.stem}.ipynb": f"{path.stem}.{language}.ipynb" for path in texts}
    for path in texts:
        notebook = nbformat.read(folder / f"{path.stem}.ipynb", as_version=4)
        compose(notebook, translations(path), language, links)
        yield links[f"{path.stem}.ipynb"], nbformat.writes(notebook) + "\n"


def write(language: str, folder: Path, out: Path) -> list[Path]:
    """Write the lessons of a language to a folder, not yet run; return their paths."""
    beyond = f"{Path(os.path.relpath(folder, out)).as_posix()}/"
    written = _written(lessons(language, folder, beyond), out)
    if not written:
        raise ValueError(f"no lessons in {folder / language}")
    return written


def _written(files: Iterable[tuple[str, str]], out: Path) -> list[Path]:
    paths = []
    for name, text in files:
        paths.append(out / name)
        atomic_write(paths[-1], text.encode())
    return paths


@contextmanager
def composed(folder: Path) -> Iterator[dict[str, list[Path]]]:
    """Give the lessons in other languages while the block runs: the paths of each language's."""
    with TemporaryDirectory() as room:
        made = {}
        for language in [name for name in LANGUAGES if (folder / name).is_dir()]:
            made[language] = _written(lessons(language, folder), Path(room))
            for path in made[language]:
                store(path)
        yield made


@contextmanager
def speaking(name: str) -> Iterator[None]:
    """Let the library speak a language in the block."""
    language(name)
    try:
        yield
    finally:
        language("en")
