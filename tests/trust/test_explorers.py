"""Five thousand settings of every kind of explorer beside a busy cell: every picture is the true one, nothing stays."""

import json
import os
import random
import subprocess
import sys
import time

import pytest
from posenc_lib.live.choices import fits
from posenc_lib.views.names import irrelevant

from posenc_lib import explore, playground
from posenc_lib.encodings.catalog import ENCODINGS
from posenc_lib.views import VIEWS
from tests.trust import drags
from tests.trust.drags import Counted, close_wholly, positions, seen

SETTINGS, ROUNDS, WARM = 5_000, 8, 2  # the first rounds fill caches; memory is compared from there on
SHARED = {"clip": (1, 32), "num_buckets": (4, 32), "max_distance": (32, 512), "seed": (0, 9), "head": (0, 7)}
KINDS = {  # names, a small panel with many sliders for the mass of settings, and what else can move beside every view
    "a table": ("sinusoidal", "trajectory", {"layout": ["interleaved", "concatenated"], "d_model": (32, 128)}),
    "rotary": ("rope", "vectors", {"pairing": ["interleaved", "half"], "content": ["ones", "random"]}),
    "relative": ("t5", "bucket_by_offset", {"bidirectional": [True, False]}),
    "several": (["shaw", "t5"], "bucket_by_offset", SHARED),
    "playground": ("playground", None, {}),
}
LINES = ("t5: bucket_by_offset", "sinusoidal: dot_product", "rope: vectors", "binary: odometer", "alibi: head_biases")


class Storm:
    """Random settings of one panel after another, and what they came to."""

    def __init__(self, kind: str, cell: drags.BusyCell):
        self.rng, self.cell, self.hands = random.Random(kind), cell, drags.Hands(3)
        self.dragged = self.burst = self.refused = self.stops = self.switches = 0
        self.worked = dict(cell.rounds)

    @property
    def settings(self) -> int:
        """Return how many values sliders were given."""
        return self.dragged + self.burst

    def drag(self, sliders: list, times: int, rng: random.Random) -> int:
        """Send messages of the page, each to any of these sliders; return how many."""
        free = [slider for slider in (rng.choice(sliders) for _ in range(times)) if not slider.disabled]
        for slider in free:
            drags.drag(slider, rng)
        return len(free)

    def one_hand(self, panel, times: int) -> None:
        """Drag one slider at a time."""
        self.dragged += self.drag(list(panel.sliders.values()), times, self.rng)

    def many_hands(self, panel, times: int) -> None:
        """Drag from three threads at once: each slider, as in JupyterLab, belongs to one of them."""
        sliders, sent = list(panel.sliders.values()), []
        shares = [(sliders[k::3], random.Random(self.rng.random())) for k in range(3) if sliders[k::3]]
        errors = self.hands.together([lambda s=s, rng=rng: sent.append(self.drag(s, times, rng)) for s, rng in shares])
        assert errors == []
        self.dragged += sum(sent)

    def bursts(self, panel, until: int) -> None:
        """Set many sliders at once, again and again; what is refused must move nothing."""
        while self.settings < until:
            names = self.rng.sample(list(panel.sliders), self.rng.randint(len(panel.sliders) - 1, len(panel.sliders)))
            before = positions(panel)
            try:
                panel.set(**{name: drags.any_place(panel.sliders[name], self.rng) for name in names})
                self.burst += len(names)
            except ValueError as error:
                if "must be at most" not in str(error) or positions(panel) != before:
                    raise
                self.refused += 1

    def stop(self, panels: list, make) -> None:
        """Everything in sight must be what a fresh panel shows at the same place, and what the page has been told."""
        frames = Counted.frames
        fresh, made = make()
        for panel, other in zip(panels, made, strict=True):
            assert seen(panel) == seen(other)
            drags.same_on_the_page(panel)
        close_wholly(fresh)
        Counted.frames = frames  # only those of the storm count
        deadline = time.monotonic() + 20
        while any(self.cell.rounds[kind] == self.worked[kind] for kind in self.worked):
            assert time.monotonic() < deadline, "the busy cell has stopped"
            time.sleep(0.001)
        self.worked, self.stops = dict(self.cell.rounds), self.stops + 1


def moving(more: dict, names: list[str], views: list[str] | str) -> dict:
    """Return those ranges that move anything in these views."""
    drawn = [VIEWS[view] for view in ([views] if isinstance(views, str) else views)]
    idle = irrelevant([ENCODINGS[name] for name in names], drawn)
    return {name: wanted for name, wanted in more.items() if name not in idle}


def explorer_rounds(storm: Storm, kind: str):
    """Drag a small panel from round to round, and in each another large one; yield after every round."""
    name, small, more = KINDS[kind]
    names = [name] if isinstance(name, str) else name
    views = [view for view in VIEWS if fits(view, names)]
    few = {"seq_len": (2, 64)}  # drawn sooner
    panel = explore(name, views=small, **moving(few | more, names, [small]))

    def stop(shown, drawn, **few):
        def make():
            fresh = explore(name, views=drawn, start=positions(shown), **moving(few | more, names, drawn))
            return fresh, [fresh]

        storm.stop([shown], make)

    for k in range(ROUNDS):
        drawn = [views[(3 * k + j) % len(views)] for j in range(min(3, len(views)))]
        Counted.sharp = 1.5
        large = explore(name, views=drawn, **moving(more, names, drawn))
        with drags.without_rest(storm.cell, k == 0):
            storm.bursts(large, storm.settings + 12)
            storm.one_hand(large, 4)
        stop(large, drawn)
        close_wholly(large)
        Counted.sharp = 0.75
        for _ in range(3):
            storm.bursts(panel, storm.settings + 20)
            storm.many_hands(panel, 2)
            storm.one_hand(panel, 5)
            stop(panel, small, **few)
        storm.bursts(panel, SETTINGS * (k + 1) // ROUNDS)
        storm.one_hand(panel, 1)
        stop(panel, small, **few)
        yield
    close_wholly(panel)


def playground_rounds(storm: Storm, kind: str):
    """Switch encodings, views, presets and lines, and drag what then is there; yield after every round."""
    ground = playground()

    def stop():
        def make():
            fresh = playground(state=ground.state())
            assert lists(fresh) == lists(ground)
            return fresh, fresh.sides

        storm.stop(ground.sides, make)

    for k in range(ROUNDS):
        for _ in range(5):
            switch(storm, ground)
            with drags.without_rest(storm.cell, k == 0):
                for side in ground.sides:
                    storm.one_hand(side, 1)
        stop()
        for line in storm.rng.sample(LINES, 2):
            drags.send(ground._choices.line, value=line)
            (side,) = ground.sides
            storm.one_hand(side, 10)
            storm.dragged += play(storm, ground)
            storm.many_hands(side, 2)
            stop()
            storm.bursts(side, storm.settings + 100)
            stop()
        storm.bursts(side, SETTINGS * (k + 1) // ROUNDS)
        yield
    close_wholly(ground)


def lists(ground) -> list:
    """Return what the lists of a playground offer, and what is chosen."""
    choices = ground._choices
    drops = [(drop.value, drop.options) for drop in (choices.a, choices.b, *choices.views)]
    return [*drops, choices.apart.value, choices.apart.disabled, ground._note.value, ground.text]


def switch(storm: Storm, ground) -> None:
    """Choose another encoding, view or preset as a reader does, or let each encoding have its own sliders."""
    choices = ground._choices
    drop = storm.rng.choice([choices.a, choices.b, choices.b, *choices.views, choices.preset, choices.apart])
    if drop is choices.apart:
        drags.send(drop, value=not drop.value)
    else:
        drags.send(drop, index=storm.rng.randrange(len(drop.options)))
    assert "alert" not in ground._news.value, ground._news.value
    storm.switches += 1


def play(storm: Storm, ground, steps: int = 5) -> int:
    """Let the play button move a slider some steps; return how many."""
    player = ground._player
    drags.send(player.which, index=storm.rng.randrange(len(player.which.options)))
    for _ in range(steps):
        drags.send(player.button, value=storm.rng.randint(0, player.button.max))
    return steps


def main(kind: str) -> dict:
    """Run one kind's storm in this process; return its figures."""
    drags.open_page()
    start, _, before = time.process_time(), explore("binary").close(), drags.held()[2]
    with drags.BusyCell() as cell:
        storm = Storm(kind, cell)
        rounds = (playground_rounds if kind == "playground" else explorer_rounds)(storm, kind)
        held = [drags.held()[0] for _ in rounds]
    del rounds
    _, figures, after = drags.held()
    pyplot = sys.modules.get("matplotlib.pyplot")
    counts = {name: getattr(storm, name) for name in ("settings", "burst", "refused", "stops", "switches")}
    left = {"figures": figures, "widgets": len(after - before), "pyplot": len(pyplot.get_fignums()) if pyplot else 0}
    told = {
        "frames": Counted.frames,
        "grown": held[-1] - held[WARM - 1],
        "cpu": time.process_time() - start,
        "own": time.thread_time(),
    }
    return counts | left | told | {"busy": cell.rounds, "held": held}


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_five_thousand_settings_beside_a_busy_cell(kind, root, record_property):
    command = [sys.executable, "-W", "error", "-m", "tests.trust.test_explorers", kind]
    alone = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}  # NumPy's own threads would only spin
    done = subprocess.run(command, cwd=root, env=os.environ | alone, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-4000:]
    got = json.loads(done.stdout)
    assert got["settings"] >= SETTINGS
    assert got["stops"] >= 5 * ROUNDS
    assert (got["figures"], got["pyplot"], got["widgets"]) == (0, 0, 0)
    assert got["grown"] < 20  # MB
    words = "{settings} settings ({burst} in bursts; {refused} bursts refused), {frames} frames, {switches} switches, "
    words += "{stops} fresh draws compared, {grown:+.1f} MB, {cpu:.0f} s of CPU ({own:.0f} without the cell)"
    record_property(f"storm of {kind}", words.format(**got))


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1])))
