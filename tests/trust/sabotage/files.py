"""Names that lead out of a folder, or that no file can have."""

import io
import os
import shutil
import tempfile
from contextlib import redirect_stderr, suppress
from functools import partial
from pathlib import Path
from xml.etree import ElementTree

from PIL import Image

import posenc_lib as pe
from posenc_lib.__main__ import main

from .case import LONGEST, RAW, Case, terminal
from .hostile import MARKUP, RUNS, Sly, Unprintable

LONG = "a" * 300  # longer than a name may be
INNER = "in/out"  # the folder in which all is tried
SAVED = ["a.png", "a.svg", "a.pdf", "A.PNG", "new/a.png", "new/er/a.png", "../a.png"]
SAVED += ["../../a.png", "./a.png", "a b.png", "位置.png", "😀.svg", "-a.png", ".png", ".a.png"]
SAVED += ["a..png", "a.png.", "a.png ", "a", "a.bmp", "a.png.exe", "a.html", "", ".", "..", "/"]
SAVED += ["folder.png", "folder", "file/a.png", "link.png", "dangling.png", "a\nb.png", "a\0b.png"]
SAVED += ["\ud800.png", "~/a.png", "$HOME/a.png", "%s.png", "C:\\a.png", "con.png", f"{LONG}.png"]
SAVED += [f"{LONG}/a.png", "/dev/null", "/dev/full.png", "/proc/a.png", f"{RUNS}.png", "|a.png"]
NAMES: dict[str, object] = {repr(name): name for name in SAVED}
NAMES |= {"markup": f"{MARKUP}.svg", "4096 letters": "b/" * 2048 + "a.png"}
NAMES |= {"None": None, "4": 4, "bytes": b"a.png", "a list": ["a.png"], "no repr": Unprintable()}
NAMES |= {"a Path": Path("b.svg"), "a file": io.BytesIO(), "sly": Sly()}
IDS = ["../../x", "/x", "../toeplitz", "rope:../../x", "../rope:heatmap", "rope:heatmap/../../x"]
IDS += [MARKUP, RUNS, "toeplitz/../../x", "", ".", "\0", "\ud800", "a" * 100_000, "toeplitz\n"]
IDS += ["%2e%2e%2fx", "..\\..\\x", "~", "rope: heatmap; seq_len=../../x", "-x"]


def room() -> Path:
    """Return a folder in a folder, with a file, a folder and two links where names lead."""
    out = Path(tempfile.mkdtemp()).resolve() / INNER
    out.mkdir(parents=True)
    (out / "file").write_bytes(b"old")
    for name in ("folder", "folder.png"):
        (out / name).mkdir()
    (out / "link.png").symlink_to(out / "linked to.png")
    (out / "dangling.png").symlink_to(out / "nowhere/a.png")
    return out


def files_in(folder: Path) -> dict[Path, bytes]:
    """Return what is in each file, links left out."""
    files = [path for path in folder.rglob("*") if path.is_file() and not path.is_symlink()]
    held = {}
    for path in files:
        with suppress(FileNotFoundError):  # a file on its way is there one moment
            held[path] = path.read_bytes()
    return held


def half(path: Path, data: bytes) -> bool:
    """Return whether a file isn't wholly there."""
    suffix = path.suffix.lower()
    if suffix == ".png":
        try:
            Image.open(io.BytesIO(data)).load()
        except OSError:
            return True
        return False
    if suffix == ".svg":
        try:
            ElementTree.fromstring(data)
        except ElementTree.ParseError:
            return True
        return False
    return suffix == ".pdf" and not data.rstrip().endswith(b"%%EOF")


def saved(name: object) -> str:
    """Save a picture under a name; return what is wrong with what is then there."""
    out, before = room(), os.getcwd()
    panel = pe.explore("binary", views="heatmap", seq_len=8, d_model=4)
    wanted: set[Path] = set()
    try:
        os.chdir(out)
        old = files_in(out.parents[1])
        with suppress(TypeError, ValueError):
            wanted = {Path(name).absolute().resolve()}
        told = panel.save(name)
    except (TypeError, ValueError, OSError) as refusal:
        if ".part" in str(refusal):
            return f"raw words: {refusal}"
        raise
    else:
        new = {p: d for p, d in files_in(out.parents[1]).items() if old.get(p) != d}
        if Path(told).absolute().resolve() not in wanted or not wanted >= set(new):
            return f"wrong answer: {told}, and {sorted(map(str, new))} is written"
        return "".join(f"half a file: {p}" for p, data in new.items() if half(p, data))
    finally:
        os.chdir(before)
        panel.close()
        shutil.rmtree(out.parents[1])


def asked(arguments: list[str]) -> str:
    """Run a command that nobody should; return what is wrong with what it says and leaves."""
    out, before, said = room(), os.getcwd(), terminal()
    try:
        os.chdir(out)
        old = files_in(out.parents[1])
        with redirect_stderr(said):
            status = main(arguments)
        new = {p: d for p, d in files_in(out.parents[1]).items() if old.get(p) != d}
    except SystemExit as end:  # argparse's own words
        return "" if end.code == 2 else f"wrong answer: status {end.code}"
    finally:
        os.chdir(before)
        shutil.rmtree(out.parents[1])
    told = said.buffer.getvalue().decode()
    if RAW.search(told) or "Traceback" in told or len(told) > LONGEST:
        return f"raw words: {told[:200]}"
    if status == 0 and all(path.parent == out for path in new):
        return ""
    lines = 1 + str(arguments[-1]).count("\n")
    right = status in (1, 2) and not new and 1 <= len(told.splitlines()) <= lines
    return "" if right else f"wrong answer: status {status}, wrote {list(new)}, said {told[:200]}"


def first(fault: str) -> str:
    """Return a fault that a call has found by itself."""
    return fault


def names() -> list[Case]:
    """Return a case for each file's name."""
    must = ("path", "folder", "file", "name", "directory", "No such")
    return [
        Case(f"save of {told:.80}", partial(saved, name), must, first, writes=True)
        for told, name in NAMES.items()
    ]


def ids() -> list[Case]:
    """Return a case for each id, value and name of a value of `figures make`."""
    made = ["figures", "make"]
    small = ["toeplitz", "--format", "svg", "--set"]
    cases = []
    for text in IDS:
        for command in (
            [*made, text],
            [*made, *small, f"seq_len={text}"],
            [*made, *small, f"{text}=4"],
            [*made, "toeplitz", "--format", text],
            [*made, "toeplitz", "--theme", text],
            ["figures", "list", text],
            ["notebooks", text],
        ):
            cases.append(Case(f"{command!r:.110}", partial(asked, command), (), first, True))
    return cases
