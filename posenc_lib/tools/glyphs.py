"""Cut a font to the letters a language's texts use: python -m posenc_lib.tools.glyphs FONT."""

import io
import sys
from pathlib import Path

from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont

from posenc_lib.files import atomic_write
from posenc_lib.translation import HERE, read


def letters(language: str) -> str:
    """Return the letters of a language's own texts, beyond ASCII."""
    texts = [path.read_text("utf-8") for path in sorted((HERE / language).glob("*.md"))]
    used = {letter for text in texts for new in read(text).values() for letter in new}
    return "".join(sorted(letter for letter in used if not letter.isascii()))


def cut(font: Path, kept: str) -> bytes:
    """Return a font with these letters alone; the same letters give the same bytes."""
    options = Options()
    options.layout_features, options.hinting, options.desubroutinize = [], False, True
    options.name_IDs = [0, 1, 2, 3, 4, 5, 6, 13, 14]  # its names and its license
    with TTFont(font, recalcTimestamp=False) as whole:
        subsetter = Subsetter(options)
        subsetter.populate(text=kept)
        subsetter.subset(whole)
        data = io.BytesIO()
        whole.save(data)
    return data.getvalue()


if __name__ == "__main__":
    atomic_write(HERE / "zh/NotoSansSC.otf", cut(Path(sys.argv[1]), letters("zh")))
