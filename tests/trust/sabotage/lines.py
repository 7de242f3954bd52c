"""Lines that nobody would write, and lines that are right but rare, to figure and playground."""

import re
from functools import cache, partial
from itertools import product

import numpy as np

import posenc_lib as pe
from posenc_lib.encodings.catalog import KNOWN

from .case import RAW, Case
from .hostile import MARKUP, RUNS

PLACES = ["#", "rope+#", "rope: #", "rope: heatmap; #", "rope: heatmap; #=1", "rope; seq_len=#"]
PLACES += ["rope; base=#", "rope; pairing=#", "rope; content=#", "rope; query=#", "rope: # | rope"]
PLACES += ["rope: clock | #", "alibi; head=#", "#: #; #=#", "base 100 #"]
PARTS = {
    "nothing": "",
    "text that runs": RUNS,
    "markup": MARKUP,
    "NUL": "\0",
    "a lone surrogate": "\ud800",
    "lines": "a\nb\r\n\tc\u2028d",
    "other letters": "位置编码 😀 Ġ ﷽ e\u0301",
    "turned over": "\u202egnp.exe",
    "out of the folder": "../../etc/passwd",
    "an address": "https://example.org/a.json",
    "NaN": "nan",
    "no end": "-inf",
    "1e999": "1e999",
    "5000 digits": "9" * 5000,
    "-1": "-1",
    "10**9": "1000000000",
    "1e308": "1e308",
    "half": "0.5",
    "no number": "1_0x,0.0.0e",
    "other digits": "١٢",
    "None": "None",
    "names of Python": "__class__.__init__.__globals__",
    "what Python fills in": "{0.__class__} %s %n ${HOME} $(id)",
    "marks": "=;:|+,#",
    "regular": "(a+)+$[^]",
    "mathematics": r"$\frac{1$ \write18{id}",
    "100,000 spaces": " " * 100_000,
    "100,000 letters": "a" * 100_000,
    "100,000 marks": ";=" * 50_000,
    "100,000 names": "rope+" * 20_000,
}
# each of the catalog beside another one, and what is right but rare
SINGLE = ["rope", "rope_2d", "previous_head", "llama_3_1", "alibi", "t5", "sinusoidal", "mrope"]
RARE = ["rope+mine: dot_product; factor=5", "mine+rope: dot_product; factor=8"]
RARE += ["rope_2d+rope: dot_product; content=random, draw=7", "rope: clock; base=9 | rope: clock"]
RARE += ["previous_head+rope: attention_row", "rope+previous_head: attention_row; query=20"]
RARE += ["ROPE: heatmap", " rope :  heatmap ", "rope:heatmap;", "rope: heatmap, heatmap"]
RARE += ["rope+rope: heatmap", "rope: heatmap; base=9, base=10", "rope; seq_len=1,024"]
FACTOR = pe.Parameter("factor", "slower", 4.0, 1.0, 8.0, scale="real")


class Mine(pe.Rotary):
    """RoPE of six lines, whose parameter has a name that others have, too."""

    name, title = "mine", "mine"
    parameters = (*pe.Rotary.parameters, FACTOR)

    @property
    def frequencies(self):
        return pe.inv_freq(self.head_dim) / self.factor


def pairs() -> list[str]:
    """Return lines of two encodings, in the view that each pair shares most surely."""
    return [f"{a}+{b}: dot_product" for a, b in product(KNOWN.load(), SINGLE)]


def shown_as_figure(line: str) -> object:
    return pe.figure(line)


@cache
def ground():
    """Return the playground that all lines of a process meet."""
    return pe.playground("binary: heatmap", own=[Mine])


def seen() -> tuple:
    """Return what a playground shows: its line, its words, and all its values."""
    return ground().line, ground().text, ground().explorer.values


def opened(line: str) -> str:
    """Open a line in a playground; one that a line has harmed is left to no other line."""
    harmed = True
    try:
        fault = opened_and_back(line)
        harmed = bool(fault)
        return fault
    except (TypeError, ValueError):
        harmed = False
        raise
    finally:
        if harmed:
            ground.cache_clear()


def opened_and_back(line: str) -> str:
    """Open a line and go back; return what is wrong with what is shown after either."""
    before = seen()
    try:
        ground().open(line)
    except (TypeError, ValueError):
        if seen() != before:
            return "half open: after the error the playground shows something else"
        raise
    now = seen()
    ground().open(now[0])
    if not same(seen(), now):
        return f"wrong answer: {now[0]!r} opens as {seen()[0]!r}, {differing(seen(), now)}"
    ground().back()
    ground().back()
    told = re.sub("<[^>]*>", "", ground()._news.value)
    return "" if same(seen(), before) else f"wrong answer: Back leads elsewhere {told[:150]}"


def same(a: tuple, b: tuple) -> bool:
    return a[:2] == b[:2] and not differing(a, b)


def differing(a: tuple, b: tuple) -> dict:
    """Return the values that differ, by name, as (now, before)."""
    mine, others = a[2], b[2]
    names = [name for name in mine | others if str(mine.get(name)) != str(others.get(name))]
    return {name: (mine.get(name), others.get(name)) for name in names}


def begun(line: str) -> str:
    """Begin a playground with a line; return what is wrong with what it says of it."""
    shown = pe.playground(line, own=[Mine])
    told = shown._news.value
    try:
        if RAW.search(told) or "<img" in told or "<script" in told:
            return f"raw words: {told[:200]}"
        if not np.isfinite(shown.explorer.sheet.figure.get_size_inches()).all():
            return "wrong answer: a picture without a size"
        return ""
    finally:
        shown.close()


def first(fault: str) -> str:
    """Return a fault that a call has found by itself."""
    return fault


def lines() -> list[Case]:
    """Return a case for each line and each function that takes one."""
    told = {
        f"{place!r} with {name}": place.replace("#", part)
        for place in PLACES
        for name, part in PARTS.items()
    }
    told |= {repr(line): line for line in RARE}
    beside = {repr(line): line for line in pairs()}
    cases = []
    for what, line in told.items():
        cases.append(Case(f"figure({what})", partial(shown_as_figure, line)))
        cases.append(Case(f"playground.open({what})", partial(opened, line), (), first))
        cases.append(Case(f"playground({what})", partial(begun, line), (), first))
    for what, line in beside.items():
        cases.append(Case(f"playground.open({what})", partial(opened, line), (), first))
    return cases
