"""The files: the same bytes every time, small, and what they say about themselves."""

import base64
import hashlib
import io
import json
import re
import zlib

import numpy as np
import pytest
from matplotlib.text import Text
from PIL import Image, ImageSequence

from posenc_lib.figures import FIGURES
from posenc_lib.figures.formats import FORMATS, render
from posenc_lib.views import style

from ..conftest import ROOT
from ..views.test_style import contrast
from .conftest import run

FOLDER = ROOT / "figures"


@pytest.fixture(params=FIGURES.values(), ids=FIGURES)
def one(request):
    return request.param


def told(page: bytes) -> dict:
    """Return what a page holds of its frames."""
    return json.loads(re.search(r'<script id="frames" type="application/json">(.*?)</script>', page.decode(), re.S)[1])


def frames(path):
    """Return the pictures in a file as arrays."""
    if path.suffix == ".html":
        pictures = [Image.open(io.BytesIO(base64.b64decode(data))) for data in told(path.read_bytes())["picture"]]
    else:
        with Image.open(path) as film:
            pictures = [frame.copy() for frame in ImageSequence.Iterator(film)]
    return [np.asarray(picture.convert("RGB"), float) for picture in pictures]


def alike(one: np.ndarray, other: np.ndarray) -> bool:
    """Return whether two pictures look the same: edges may be drawn a little differently, nothing else."""
    if one.shape != other.shape:
        return False
    height, width = (n // 8 * 8 for n in one.shape[:2])
    blocks = (one - other)[:height, :width].reshape(height // 8, 8, width // 8, 8, 3).mean(axis=(1, 3))
    return bool(np.abs(blocks).max() < 48 and np.abs(blocks).mean() < 1)


def numbers(svg: str) -> list[str]:
    """Return all words of a drawing, in order."""
    return re.findall(r"<text[^>]*>([^<]*)</text>", svg)


@pytest.mark.slow
def test_every_figure_comes_in_every_format(everything):
    wanted = {f"{name}.{suffix}" for name in FIGURES for suffix in FORMATS}
    assert {path.name for path in everything.iterdir()} == wanted


@pytest.mark.slow
def test_another_process_gives_the_same_bytes(everything, tmp_path):
    assert run("--out", "again", cwd=tmp_path, seed="2").returncode == 0
    assert run("make", *FIGURES, "--format", "pdf", "--out", "again", cwd=tmp_path, seed="3").returncode == 0
    again = [path for path in (tmp_path / "again").iterdir() if path.name != "README.md"]
    assert len(again) == 3 * len(FIGURES)
    assert [path.name for path in again if path.read_bytes() != (everything / path.name).read_bytes()] == []


def test_what_is_committed_is_what_the_command_makes(made):
    """Another build of the libraries may draw edges a little differently; a changed number or line is noticed."""
    for path in FOLDER.iterdir():
        fresh = made / path.name
        if path.suffix == ".svg":
            assert numbers(path.read_text(encoding="utf-8")) == numbers(fresh.read_text(encoding="utf-8")), path.name
        elif path.suffix in (".png", ".gif", ".html"):
            pairs = list(zip(frames(path), frames(fresh), strict=True))
            assert all(alike(*pairs[k]) for k in {0, len(pairs) // 2, len(pairs) - 1}), path.name
        if path.suffix == ".html":
            stored, now = told(path.read_bytes()), told(fresh.read_bytes())
            assert all(stored[key] == now[key] for key in ("value", "words", "caption", "alt")), path.name


def test_a_change_would_be_noticed(made):
    shown = frames(made / "base_sweep.html")
    assert not any(alike(shown[k], shown[k + 1]) for k in range(len(shown) - 1))
    assert alike(shown[0], shown[0])


def of(folder, suffix: str) -> list:
    """Return the figures of a folder in one format, with their files."""
    found = [(FIGURES[path.stem], path) for path in sorted(folder.glob(f"*.{suffix}"))]
    assert found
    return found


def test_films_go_round_and_round_and_stay_small(folder):
    for one, path in of(folder, "gif"):
        assert path.stat().st_size < 1_500_000
        with Image.open(path) as film:
            assert film.info["loop"] == 0
            assert film.n_frames == len(one.frames(one.defaults))
            corner = film.convert("RGB").getpixel((2, 2))
        assert corner == (255, 255, 255), f"{path.name} has paper of its own"


def test_pages_are_small_load_nothing_and_run_only_their_own_script(folder):
    for _, path in of(folder, "html"):
        _loads_nothing(path.read_bytes())


def _loads_nothing(page: bytes) -> None:
    text = page.decode()
    assert len(page) < 2_000_000
    markup = re.sub(r"<script.*?</script>", "", text, flags=re.S)
    assert not re.search(r"""(src|href|url)\s*[=(]\s*["']?(?!data:)\w""", markup)
    assert "http" not in text.replace('http-equiv="Content-Security-Policy"', "")
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)[1]
    assert policy.startswith("default-src 'none'; img-src data:;")
    assert "unsafe" not in policy
    for tag in ("style", "script"):
        inline = re.findall(rf"<{tag}>(.*?)</{tag}>", text, re.S)
        digest = base64.b64encode(hashlib.sha256(inline[0].encode()).digest()).decode()
        assert len(inline) == 1
        assert f"{tag}-src 'sha256-{digest}'" in policy
    shown = told(page)
    assert len(set(map(len, shown.values()))) == 1
    assert len(set(shown["words"])) == len(shown["words"])  # every frame says something else


def test_drawings_keep_their_text_and_are_small(folder):
    for one, path in of(folder, "svg"):
        svg = path.read_text(encoding="utf-8")
        assert len(svg) < 150_000
        assert numbers(svg)
        caption, alt = one.words(one.defaults)
        assert f"<title>{caption}</title>" in svg
        assert alt in svg


def test_pictures_say_what_they_show(folder):
    for one, path in of(folder, "png"):
        with Image.open(path) as picture:
            assert (picture.text["Title"], picture.text["Description"]) == one.words(one.defaults)


def test_nothing_tells_when_where_or_by_what_it_was_made(folder):
    trace = re.compile(rb"20\d\d-\d\d-\d\d|D:20\d\d|/(home|root|tmp|Users)/|[Mm]atplotlib \(?v?\d|Pillow|Python \d")
    for path in (path for path in folder.iterdir() if path.suffix != ".md"):
        data = path.read_bytes()
        if path.suffix == ".html":
            data = re.sub(rb"[A-Za-z0-9+/=]{1000,}", b"", data)  # pictures
        if path.suffix == ".pdf":
            data += b"".join(map(_inflated, re.findall(rb"stream\r?\n(.*?)endstream", data, re.S)))
        found = trace.search(data if path.suffix in (".svg", ".pdf", ".html") else _comments(path))
        assert not found, (path.name, found)


def _inflated(data):
    try:
        return zlib.decompress(data)
    except zlib.error:
        return b""


def _comments(path):
    with Image.open(path) as picture:
        return repr({k: v for k, v in picture.info.items() if k not in ("Title", "Description")}).encode()


@pytest.mark.parametrize("theme", style.THEMES)
def test_words_can_be_read_in_every_theme(one, theme):
    with style.themed(theme):
        drawn = one.draw(one.defaults)
        drawn.picture("png", 40)
        cells = {text for view in getattr(drawn, "views", []) if view.name == "shift_matrix" for text in view.numbers}
        texts = [text for text in drawn.figure.findobj(match=Text) if text not in cells]
        texts = [text for text in texts if text.get_visible() and text.get_text().strip()]
        assert texts
        faint = {t.get_text(): t.get_color() for t in texts if contrast(t.get_color(), style.PAPER) < 4.5}
        assert faint == {}
        for view in getattr(drawn, "views", []):
            for text in view.numbers if view.name == "shift_matrix" else []:
                if text.get_visible():
                    column, row = text.get_position()
                    cell = view.image.to_rgba(view.image.get_array()[row, column])
                    assert contrast(text.get_color(), cell) >= 4.5


@pytest.mark.parametrize("width", [None, 3.6, 4.2, 6.7, 20.0])
def test_views_keep_to_themselves_at_every_width(one, width):
    drawn = one.draw(one.defaults, None if one.own else width)  # the scorecard has a width of its own
    figure = drawn.figure
    figure.canvas.draw()
    boxes = [ax.get_tightbbox() for ax in figure.axes]
    for k, box in enumerate(boxes):
        assert figure.bbox.x0 - 1 <= box.x0 < box.x1 <= figure.bbox.x1 + 1
        assert figure.bbox.y0 - 1 <= box.y0 < box.y1 <= figure.bbox.y1 + 1
        assert not any(box.overlaps(other) for other in boxes[:k])


def test_a_frame_is_what_a_fresh_drawing_shows():
    one = FIGURES["base_sweep"]
    film = told(render(one, one.defaults, "html", frames=5))
    for k, values in enumerate(one.frames(one.defaults, 5)):
        assert film["words"][k] == one.draw(values).describe()


def test_size_and_sharpness_are_as_asked():
    one = FIGURES["toeplitz"]
    with Image.open(io.BytesIO(render(one, one.defaults, "png", dpi=100, width=5.0))) as picture:
        assert picture.width == 500
    with Image.open(io.BytesIO(render(one, one.defaults, "png", dpi=150, width=5.0))) as picture:
        assert picture.width == 750


def test_the_callers_own_style_changes_nothing():
    import matplotlib as mpl

    one = FIGURES["toeplitz"]
    plain = render(one, one.defaults, "svg")
    with mpl.rc_context({"font.size": 20, "axes.facecolor": "yellow", "savefig.bbox": "tight", "axes.grid": True}):
        assert render(one, one.defaults, "svg") == plain
