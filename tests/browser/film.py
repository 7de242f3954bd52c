"""Film an explorer in a real JupyterLab while its sliders are dragged: the moving picture of the README.

python -m tests.browser.film figures/explorer.gif
"""

import argparse
import io
import tempfile
from pathlib import Path

from PIL import Image

from posenc_lib.files import write_whole
from tests.browser.lab import chromium, jupyterlab
from tests.browser.lesson_page import LessonPage, notebook

CELL = "explore('sinusoidal', seq_len=(8, 128), d_model=64)"
SHOTS = [("base", "ArrowLeft", 15, 2), ("query", "ArrowRight", 12, 2), ("base", "ArrowRight", 15, 2)]
MILLISECONDS = 90  # per frame of the film
WIDTH = 800


def frames() -> list[Image.Image]:
    """Return screenshots of the explorer: first at rest, then after every few presses of a key."""
    taken = []
    with tempfile.TemporaryDirectory() as place, chromium() as browser:
        folder, home = Path(place, "served"), Path(place, "home")
        folder.mkdir()
        home.mkdir()
        notebook(folder / "film.ipynb", "from posenc_lib import explore", CELL)
        with jupyterlab(folder, home) as address:
            page = browser.new_page(viewport={"width": 1150, "height": 900})
            opened = LessonPage(page, address("film.ipynb"))
            opened.run_all()
            explorer = opened.explorers()[0]
            sliders = {slider.name: slider for slider in explorer.sliders()}
            taken.append(photograph(explorer))
            for name, key, steps, presses in SHOTS:
                for _ in range(steps):
                    for _ in range(presses):
                        sliders[name].press(key)
                    page.wait_for_timeout(250)
                    taken.append(photograph(explorer))
    return taken


def photograph(explorer) -> Image.Image:
    """Return sliders and picture as they stand on the page."""
    box = explorer.box.bounding_box()
    picture = explorer.box.query_selector("img").bounding_box()
    clip = {"x": box["x"], "y": box["y"], "width": picture["width"] + 10}
    clip["height"] = picture["y"] + picture["height"] - box["y"]
    shot = Image.open(io.BytesIO(explorer.page.screenshot(clip=clip))).convert("RGB")
    return shot.resize((WIDTH, round(shot.height * WIDTH / shot.width)), Image.Resampling.LANCZOS)


def film(taken: list[Image.Image]) -> bytes:
    """Return the frames as an endlessly looping GIF with one palette, the first and last held longer."""
    palette = taken[len(taken) // 3].quantize(255, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    still = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in taken]
    times = [1200, *[MILLISECONDS] * (len(still) - 2), 1200]
    buffer = io.BytesIO()
    still[0].save(buffer, "gif", save_all=True, append_images=still[1:], duration=times, loop=0, optimize=True)
    return buffer.getvalue()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("path", type=Path)
    write_whole(parser.parse_args().path, film(frames()))
