"""A notebook's words as HTML: Markdown, code, formulas and the font they need."""

import base64
import functools
import html
import io
import re
from pathlib import Path

import matplotlib
from fontTools import subset
from latex2mathml.converter import convert
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

FONT = Path(matplotlib.get_data_path()) / "fonts/ttf/DejaVuSerif.ttf"  # it has what formulas need
# in 2048ths of its size: without them, indices would be level with their letters
SHIFTS = {
    "SubscriptShiftDown": 360,
    "SubscriptTopMax": 820,
    "SuperscriptShiftUp": 740,
    "SuperscriptShiftUpCramped": 620,
    "SuperscriptBottomMin": 260,
    "SuperscriptBottomMaxWithSubscript": 820,
    "SubSuperscriptGapMin": 240,
    "UpperLimitGapMin": 180,
    "LowerLimitGapMin": 180,
    "SuperscriptBaselineDropMax": 500,
}
OPERATORS = "sin|cos|log|ln|max|min|mod"
ITALIC = "".join(map(chr, range(0x1D434, 0x1D468))) + "ℎ"  # browsers write single letters like this


class _Renderer(IPythonRenderer):
    """Markdown like nbconvert's, with MathML for formulas and links to the site's pages."""

    def inline_math(self, body):
        return formula(body)

    def block_math(self, body):
        each = [
            part for part in body.split(r"\qquad") if part.strip()
        ]  # a phone only has room for one
        parts = [formula(part, "block") for part in each]
        return f'<div class="math">{"".join(parts)}</div>'

    def link(self, text, url, title=None):
        if "://" not in url:
            url = re.sub(r"\.(ipynb|md)(?=$|#)", ".html", url).replace("#cell-id=", "#")
        return super().link(text, url, title)


def markdown(text: str) -> str:
    """Return Markdown as HTML without styles in its tags, which the page's policy forbids."""
    # what's only true in JupyterLab
    text = re.sub("<!--lab-->.*?<!--/lab-->", "", text, flags=re.S)
    text = re.sub("<!--site (.*?)-->", r"\1", text, flags=re.S)
    text = re.sub(r"arXiv (\d{4}\.\d{5})", r"[arXiv \1](https://arxiv.org/abs/\1)", text)
    made = MarkdownWithMath(_Renderer(escape=False, exclude_anchor_links=True)).render(text)
    made = re.sub(r' style="[^"]*"', "", made)
    made = re.sub(r"<td><code>(.*?)</code>", _breakable, made)
    return re.sub(r"<table>.*?</table>", r'<div class="wide">\g<0></div>', made, flags=re.S)


def _breakable(cell: re.Match) -> str:
    """Return a code cell that a narrow page can break after dots, underscores and so on."""
    return re.sub(r"[._(,](?=\w)", r"\g<0><wbr>", cell[0])


@functools.cache
def formula(tex: str, display: str = "inline") -> str:
    """Return a formula as MathML."""
    # brackets stretch automatically
    tex = re.sub(r"\\[bB]igg?[lr]?(?![a-z])", "", html.unescape(tex).strip())
    made = html.unescape(convert(tex, display=display).replace("&#x0003C;", "&amp;lt;"))
    made = re.sub("<mo([^>]*)>([|/])<", r'<mo\1 lspace="0" rspace="0">\2<', made)
    made = re.sub("<mi>([⌊⌋])</mi>", r"<mo>\1</mo>", made)
    # the font has no italics for these
    made = re.sub("<mi>([Α-ω])</mi>", r'<mi mathvariant="normal">\1</mi>', made)
    alone = rf"(?<!<msup>)(?<!<msub>)(<mi>(?:{OPERATORS})</mi>)(?!<mo)"
    return re.sub(alone, r'<mspace width=".17em"/>\1<mspace width=".17em"/>', made)


def code(source: str) -> str:
    """Return Python in colors."""
    return highlight(source, PythonLexer(), HtmlFormatter())


def colors_of_code() -> str:
    """Return the style for code, on light and dark pages."""
    light, dark = (
        HtmlFormatter(style=name).get_style_defs(".highlight")
        for name in ("default", "github-dark")
    )
    return f"{light}\n@media (prefers-color-scheme: dark) {{ {dark} }}\n"


def font_for(page: str) -> str:
    """Return a style with a font for a page's formulas, and only the letters they use."""
    formulas = "".join(re.findall("<math.*?</math>", page, re.S))
    letters = re.sub(r"<[^>]*>", "", formulas)
    if "<msqrt>" in formulas or "<mroot>" in formulas:
        letters += "√"
    if not letters:
        return ""
    options = subset.Options(flavor="woff", drop_tables=["FFTM"])
    font = subset.load_font(io.BytesIO(FONT.read_bytes()), options)
    subsetter = subset.Subsetter(options)
    for name, shift in SHIFTS.items():
        getattr(font["MATH"].table.MathConstants, name).Value = shift
    subsetter.populate(text=html.unescape(letters) + ITALIC)
    subsetter.subset(font)
    data = io.BytesIO()
    subset.save_font(font, data, options)
    source = f"data:font/woff;base64,{base64.b64encode(data.getvalue()).decode()}"
    return f"@font-face {{ font-family: formulas; src: url({source}) }}"
