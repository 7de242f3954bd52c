"""What the code of one commit shows and says, so that a later one can be held against it.

    git worktree add ../before bff6902 && python -m tests.witness record ../before witness.pickle
    python -m tests.witness compare witness.pickle

`record` loads the code of that folder: every panel of its notebooks, its presets, figures, puzzles, scorecards,
diagnoses, and calls of its public functions. `compare` does the same by the code of this folder, with the calls and
answers that were recorded, and prints what differs. It goes once the library is small.
"""

import ast
import contextlib
import difflib
import io
import multiprocessing
import os
import pickle
import sys
from copy import deepcopy
from pathlib import Path

import nbformat
import numpy as np

HERE = Path(__file__).resolve().parents[1]


def cells(path: Path) -> list[str]:
    return [cell.source for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]


def said(call) -> str:
    """Return what a call prints, or the error that it ends in."""
    told = io.StringIO()
    with contextlib.redirect_stdout(told):
        try:
            call()
        except Exception as error:
            print(f"{type(error).__name__}: {error}")
    return told.getvalue()


def evaluated(source: str, space: dict):
    """Run a cell and return what its last expression comes to."""
    *body, last = ast.parse(source).body
    exec(compile(ast.Module(body, []), "cell", "exec"), space)
    return eval(compile(ast.Expression(last.value), "cell", "eval"), space)


# Each kind: `recipes` finds them in the code that is loaded, `made` does one of them.


def panel(first: str, source: str) -> dict:
    """Return a panel's sliders, and its words at the start, at both ends and at two places between of each."""
    space = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(first, space)
        shown = evaluated(source, space)
    shown = getattr(shown, "sides", [shown])[0]
    found = {"words": shown.text}
    for name, slider in shown.sliders.items():
        every = values(slider)
        found[f"{name}: from, to, at"] = (every[0], every[-1], slider.value)
        for k in dict.fromkeys((0, len(every) // 3, 2 * len(every) // 3, -1)):
            shown.reset()
            slider.value = every[k]
            found[f"{name}={every[k]}"] = shown.text
    shown.close()
    return found


def values(slider) -> list:
    """Return what a slider can be set to, in order."""
    if hasattr(slider, "options"):
        return [one[1] if isinstance(one, tuple) else one for one in slider.options]
    return list(range(slider.min, slider.max + 1, slider.step))


def preset(name: str, line: str) -> dict:
    return panel("from posenc_lib import playground", f"playground({line!r})")


def drawn(name: str) -> dict:
    """Return a figure's values, what moves in it, and its caption and alternative text at both ends and between."""
    from posenc_lib.figures.registry import FIGURES

    one = FIGURES[name]
    frames = one.frames(one.defaults, 4)
    told = {f"{one.moves}={frame[one.moves]}": one.words(frame) for frame in frames}
    return {"values": one.defaults, "words": one.words(one.defaults), **told}


def answered(name: str, answer, results: list | None) -> str:
    """Return what is printed about an answer: a value, or a function that once gave these results for the cases."""
    from posenc_lib import check

    if results is None:
        return said(lambda: check(name, answer))
    given = iter(deepcopy(results))

    def again(*arguments):
        return next(given)

    again.__name__ = answer
    return said(lambda: check(name, again))


def diagnosed(name: str) -> str:
    import posenc_lib as pe

    return said(lambda: print(pe.diagnose(name)))


def printed(first: str, source: str) -> str:
    """Return what a cell prints and shows in words."""
    space = {}
    exec(first, space)

    def run():
        exec(source, space) if ast.parse(source).body[-1:][0].__class__ is not ast.Expr else print(
            evaluated(source, space)
        )

    return said(run)


def called(name: str, arguments: dict):
    """Return the arrays that a public function gives, or the error that it ends in."""
    import posenc_lib as pe

    try:
        result = getattr(pe, name)(**deepcopy(arguments))
        return [np.asarray(part) for part in (result if isinstance(result, tuple) else (result,))]
    except Exception as error:
        return f"{type(error).__name__}: {error}"


KINDS = {f.__name__: f for f in (panel, preset, drawn, answered, diagnosed, printed, called)}


def recipes(folder: Path):
    """Yield (kind, arguments) of all that the loaded code has."""
    from posenc_lib.encodings.catalog import NAMED
    from posenc_lib.figures.registry import FIGURES, SCENES
    from posenc_lib.lessons.puzzles import engine
    from posenc_lib.spec import write

    for path in sorted(folder.glob("notebooks/*.ipynb")):
        first, *others = cells(path)
        for source in others:
            if "explore(" in source:
                yield "panel", (first, source)
            elif "diagnose(" in source:
                yield "printed", (first, source)
    yield from (("preset", (name, write(one.opened()))) for name, one in SCENES.items())
    yield from (("drawn", (name,)) for name in FIGURES)
    for name, puzzle in engine.all_puzzles().items():
        for answer in (puzzle.answer, *puzzle.mistakes.values()):
            results = [answer(*deepcopy(case)) for case in puzzle.cases] if callable(puzzle.answer) else None
            yield (
                "answered",
                (name, getattr(answer, "__name__", "mine") if callable(answer) else answer, results),
            )
    first = "from posenc_lib import scorecard"
    yield from (("printed", (first, f"scorecard({n})")) for n in ("", *(f"lesson={k}" for k in range(1, 15))))
    yield from (("diagnosed", (name,)) for name in NAMED)
    yield from (("called", call) for call in calls())


def calls():
    """Yield good arguments of every public function, the same in each run."""
    from tests.trust.functions import RECORDS

    for name, record in RECORDS.items():
        yield from ((name, arguments) for arguments in drawn_by(record))


def drawn_by(record) -> list[dict]:
    from hypothesis import given
    from hypothesis import strategies as st

    from tests.trust.functions import FUZZ, settings

    found = []
    settings(FUZZ, max_examples=6)(given(st.data())(lambda data: found.append(vars(record.good(data.draw)[0]))))()
    return found


def done(recipe):
    kind, arguments = recipe
    try:
        return KINDS[kind](*arguments)
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def all_done(wanted: list) -> list:
    with multiprocessing.Pool(2) as pool:
        return pool.map(done, wanted, chunksize=4)


def record(folder: str, out: str) -> None:
    """Record the code of a folder; this process loads no other."""
    folder = str(Path(folder).resolve())
    if os.environ.get("PYTHONPATH") != folder:  # begin again, with that code
        os.execve(
            sys.executable, [sys.executable, __file__, "record", folder, out], os.environ | {"PYTHONPATH": folder}
        )
    import posenc_lib

    assert Path(posenc_lib.__file__).is_relative_to(folder), posenc_lib.__file__
    wanted = list(recipes(Path(folder)))
    Path(out).write_bytes(pickle.dumps(list(zip(wanted, all_done(wanted), strict=True))))
    print(f"{len(wanted)} recorded")


def compare(path: str) -> None:
    """Print what differs from what was recorded."""
    recorded = pickle.loads(Path(path).read_bytes())
    apart = 0
    for (recipe, before), now in zip(recorded, all_done([recipe for recipe, _ in recorded]), strict=True):
        if told := differences(before, now):
            apart += 1
            print(f"\n{recipe[0]} {' · '.join(' '.join(str(x).split())[:300] for x in recipe[1][-2:])}\n{told}")
    print(f"\n{apart} of {len(recorded)} differ")


def differences(before, now) -> str:
    """Return in words how two results differ, or nothing."""
    if isinstance(before, list) and isinstance(now, list):
        return "" if len(before) == len(now) and all(map(close, before, now)) else "other numbers"
    if isinstance(before, dict) and isinstance(now, dict):
        names = dict.fromkeys([*before, *now])
        apart = [name for name in names if before.get(name) != now.get(name)]
        return "\n".join(f"  {name}:\n  - {before.get(name)}\n  + {now.get(name)}" for name in apart)
    if before == now:
        return ""
    return "\n".join(difflib.unified_diff(str(before).splitlines(), str(now).splitlines(), lineterm="", n=0))


def close(a: np.ndarray, b: np.ndarray) -> bool:
    if (a.shape, a.dtype) != (b.shape, b.dtype):
        return False
    scale = max(1, np.abs(np.nan_to_num(a.astype(complex), posinf=0, neginf=0)).max(initial=0))
    return np.allclose(a, b, rtol=1e-12, atol=1e-12 * scale, equal_nan=True)


if __name__ == "__main__":
    {"record": record, "compare": compare}[sys.argv[1]](*sys.argv[2:])
