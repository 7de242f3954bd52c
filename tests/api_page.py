"""Write the API pages, HTML that needs no network: python -m tests.api_page FOLDER."""

import inspect
import re
import sys
from importlib.util import find_spec
from pathlib import Path

import pdoc
from numpy.typing import ArrayLike, DTypeLike

import posenc_lib as pe

PAGES = (
    "posenc_lib posenc_lib.encodings.base posenc_lib.encodings.parameter posenc_lib.live.explorer"
).split()
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
        text = text.replace(f"Union[{parts}, NoneType]", f"{name} | None").replace(
            f"Union[{parts}]", name
        )
        text = text.replace(parts, name)  # among other types
    return re.sub(
        r"numpy\.ndarray\[tuple\[[^]]*\], numpy\.dtype\[(?:numpy\.)?(\w+)\]\]", r"NDArray[\1]", text
    )


def main(folder: Path) -> None:
    for name in pe.__all__:
        setattr(pe, name, getattr(pe, name))  # pdoc sees only what has been loaded
    pdoc.docstrings.google = paragraphs
    inspect.formatannotation = pdoc.doc.formatannotation = short
    pdoc.render.configure(docformat="google")
    pdoc.pdoc(*PAGES, *["posenc_lib.pytorch"] * bool(find_spec("torch")), output_directory=folder)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
