"""Write the API pages, HTML that needs no network: python -m tests.api_page FOLDER."""

import inspect
import re
import sys
from importlib.util import find_spec
from pathlib import Path

import pdoc
from numpy.typing import ArrayLike, DTypeLike

import posenc_lib as pe

PAGES = ["posenc_lib", "posenc_lib.encodings.base", "posenc_lib.encodings.parameter"]
PAGES += ["posenc_lib.live.explorer"]
INLINE = re.compile(r"^(Args|Returns|Raises|Source): (?=\S)", re.M)
google, annotation = pdoc.docstrings.google, inspect.formatannotation


def paragraphs(docstring: str) -> str:
    """Return Markdown of a docstring; a section that is said in one line becomes a paragraph."""
    return google(INLINE.sub(r"\n**\1:** ", docstring))


def short(kind: object, *_args: object, **_options: object) -> str:
    """Return a type as code writes it, where pdoc would spell out what NumPy's names stand for."""
    text = re.sub(r"\btyping\.", "", annotation(kind))
    for name, alias in {"ArrayLike": ArrayLike, "DTypeLike": DTypeLike}.items():
        parts = annotation(alias).removeprefix("Union[").removesuffix("]")
        text = text.replace(f"Union[{parts}, NoneType]", f"{name} | None")
        text = text.replace(f"Union[{parts}]", name)
        text = text.replace(parts, name)  # among other types
    array = r"numpy\.ndarray\[tuple\[[^]]*\], numpy\.dtype\[(?:numpy\.)?(\w+)\]\]"
    return re.sub(array, r"NDArray[\1]", text)


def main(folder: Path) -> None:
    for name in pe.__all__:
        setattr(pe, name, getattr(pe, name))  # pdoc sees only what has been loaded
    pdoc.docstrings.google = paragraphs
    inspect.formatannotation = pdoc.doc.formatannotation = short
    pdoc.render.configure(docformat="google")
    with_torch = ["posenc_lib.pytorch"] if find_spec("torch") else []
    pdoc.pdoc(*PAGES, *with_torch, output_directory=folder)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
