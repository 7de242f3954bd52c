"""Break the encodings on purpose, one slip at a time, and see whether their own tests notice.

`python -m tests.trust.mutation` prints which test noticed each slip, and the score. A process that has
loaded all but posenc_lib forks once for each slip, which saves the second that NumPy and pytest take to start; the fork
imports the broken file from memory, and the checkout is never touched. Without a slip it learns first which tests call
which function: only those, and those that call none, are asked about a slip in it.
"""

import argparse
import importlib
import json
import os
import signal
import sys
import tempfile
import traceback
from collections.abc import Callable
from importlib.machinery import SourceFileLoader
from pathlib import Path

import hypothesis
import pytest

from .mutants import Slip, all_slips, spread

ROOT = Path(__file__).resolve().parents[2]
ENCODINGS, TESTS = ROOT / "posenc_lib/encodings", ROOT / "tests/encodings"
# tested by bad input, by sliders and by pictures
ELSEWHERE = {"validate", "parameter", "catalog", "toy_data", "rope_bugs", "own", "cases"}
MOST = 24  # slips per file
LIMIT, ROOM = 60, 2**33  # seconds of CPU and bytes that a slip may take; one that loops for ever is noticed, too
LOADED = "numpy numpy.testing hypothesis.strategies mpl_toolkits.mplot3d matplotlib.backends.backend_agg".split()
OPTIONS = [*"-x -q -p no:cacheprovider -o addopts=--import-mode=importlib -m".split(), "not slow"]
EQUIVALENT = {  # slips that nothing can notice
    # more is made, and not read
    "alibi.alibi_slopes: 2 → 3 in 2 * power",
    "attention.attention: 1 → 2 in (1, 1)",
    "attention.attention: np.zeros → np.ones in np.zeros((1, 1))",  # as a bias it is the same for all keys
    "precision._bfloat16: 0 → 1 in np.where(fits, x, 0)",
    "precision.table_error: 0 → 1",
    "transformer_xl.transformer_xl_scores: 0 → 1 in max(q_len - 1, 0)",
    "transformer_xl.transformer_xl_scores: Sub → Add in both - r.shape[-2]",
    # both ways give the same there; an array that always has two axes has -1 at 1
    "binary.binary: 63 → 62 in np.minimum(np.arange(d_model)[::-1], 63)",
    "cope.Cope.scores: -1 → 1 in q.shape[-1]",
    "xpos.Xpos._turned: -1 → 1 in q.shape[-1]",
    "xpos._scale: -1 → 1",
    "precision._bfloat16: LtE → Lt in np.abs(x) <= 3e+38",
    "shaw.Shaw.scores: FloorDiv → Mult in (n + 1) // 2",  # the order is the same
    "shaw.Shaw.scores: (-1) ** n → (-1) ** (-n)",
    "similarity.closest_pair: Sub → Add in table - table.mean(axis=0)",
    "t5._shared_bucket: Gt → GtE in distance > exact",
    "t5._shared_bucket: Lt → LtE in distance < most",
    "t5.t5_bucket: Lt → LtE in distance < exact",
    "t5.t5_bucket: np.clip(distance, exact, max_distance) → np.clip(distance, exact, None)",
    "frequencies.fill: Or → And in 2 * len(once) <= len(t) or _are_few(runs, once)",  # but slower, as these
    "frequencies.fill: LtE → Lt in 2 * len(once) <= len(t)",
    "frequencies.fill: 2 → 3 in 2 * len(once)",
    "frequencies.fill: Mult → Div in 2 * len(once)",
    "frequencies.fill: if 2 * len(once) <= len(t) or _are_few(runs, once): → pass",
    "frequencies.fill: if len(ends) > 2: → pass",
    "frequencies.fill: Gt → GtE in len(ends) > 2",
    "frequencies.fill: 2 → 3 in len(ends) > 2",
    "frequencies._ends: 2 → 3 in len(steps) // 2",
    "frequencies._fill_runs: if not _are_few(ends, t): → pass",
    "frequencies._fill_runs: not _are_few(ends, t) → _are_few(ends, t)",
    "base.Bias.limits: 1 → 2 in np.zeros(1, int)",
    "base.Bias.limits: np.zeros → np.ones in np.zeros(1, int)",
    "rope_scaling._Config.__init__: 0 → 1 in 0 if seq_len is None else validate.integer('seq_len', seq_len, low=0)",
    "own_function._is_number: LtE → Lt in abs(value) <= LARGEST",
    "own_function._take_a_length: 3 → 4 in one.rows(3)",
    "offsets.queries_and_keys: (q.shape[-2], k.shape[-2]) → (k.shape[-2], q.shape[-2])",
    # whole numbers are asked more often, and say the same
    "t5._shared_bucket: BitAnd → BitOr in (np.abs(place - whole) < 1e-09) & (distance > exact)",
    "t5._shared_bucket: BitAnd → BitOr in (np.abs(place - whole) < 1e-09) & (distance > exact) & (distance < most)",
    "t5._shared_bucket: Lt → LtE in np.abs(place - whole) < 1e-09",
    "t5._shared_bucket: np.abs(place - whole) → place - whole",
    "base.Rotary.shift: Add → Sub in self.rotate(np.eye(d), np.full(d, offset)).T + 0.0",
    "shaw.Shaw.scores: -1 → 1 in q.shape[-1]",
    "shaw.Shaw.scores: Mult → Div in (n + 1) // 2 * (-1) ** n",
    "shaw.Shaw.scores: 1 → 2 in n + 1",
    # called for the words of its error
    "t5.t5_bias: _split(bidirectional, len(weights), max_distance, 'the number of rows of weights') → pass",
    "exact_head._ByTable.newton: 100 → 99 in 10 * len(self.p) + 100",
    "exact_head._ByTable.newton: Mult → Div in size / before * along",  # but slower
    "exact_head._ByTable.newton: 2 → 3 in min(0.25, math.sqrt(size)) ** 2",
    "exact_head._waves: False → True",
    "newton.least: LtE → Lt in loss <= before - 0.0001 * part * slope",
    "newton.least: Lt → LtE in part * slope < 1e-13",
    "newton.least: Lt → LtE in np.linalg.norm(gradient) < ENOUGH * aim.ridge",
    "newton.least: 0.0001 → 0.00015000000000000001 in 0.0001 * part",
    "newton.least: 30 → 29 in np.arange(30)",
    "exact_head._waves: waves.setflags(write=False) → pass",
    # the aim has one minimum, wherever the steps begin and however long they are
    "newton.least: np.zeros → np.ones in np.zeros(aim.shape)",
    "newton.least: Mult → Div in 0.0001 * part",
    "newton.least: Sub → Add in before - 0.0001 * part * slope",
    "newton.least: 0.5 → 0.75 in 0.5 ** np.arange(30)",
    "exact_plane._Evenly.at: s.max → s.min in s.max()",  # until exponentials run over
    # any draw will do
    "transformer_xl.TransformerXL._untrained: Div → Mult in distances @ rng.normal(size=(d, d)) / np.sqrt(d)",
    "transformer_xl.TransformerXL._untrained: np.sqrt(d) → d",
    # what is said, and how much is tried before it is: tests of views and explorers see to that
    "base.Encoding.__init_subclass__: super().__init_subclass__(**rest) → pass",
    "base.Encoding.check: 1 → 2",
}


class Notes:
    """A plugin of pytest: which test calls which functions of the encodings, and which fails first.

    chosen has the tests to run and how many functions each calls: those that call the fewest come first.
    """

    def __init__(self, chosen: dict[str, int] | None):
        self.chosen, self.failed, self.calls = chosen, "", {}

    def pytest_collection_modifyitems(self, items):
        if self.chosen is not None:
            kept = [item for item in items if item.nodeid in self.chosen]
            items[:] = sorted(kept, key=lambda item: self.chosen[item.nodeid])

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item):
        codes = {}
        if self.chosen is None:
            sys.setprofile(lambda frame, *_: codes.setdefault(id(frame.f_code), frame.f_code))
        try:
            return (yield)
        finally:
            sys.setprofile(None)
            own = [code for code in codes.values() if Path(code.co_filename).parent == ENCODINGS]
            self.calls[item.nodeid] = [(Path(x.co_filename).stem, x.co_qualname.replace(".<locals>", "")) for x in own]

    def pytest_runtest_logreport(self, report):
        if report.failed and not self.failed:
            self.failed = report.nodeid.removeprefix("tests/encodings/")

    pytest_collectreport = pytest_runtest_logreport


def tried(slip: Slip | None, chosen: dict[str, int] | None) -> tuple[str, dict]:
    """Run tests against a slip, or all without one; return the one that failed, or nothing, and what each called."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os.chdir(ROOT)
    if slip:
        loader, broken, code = SourceFileLoader, f"posenc_lib.encodings.{slip.file}", slip.code()
        usual = loader.get_code
        loader.get_code = lambda self, name: code if name == broken else usual(self, name)
    hypothesis.settings.register_profile("same", derandomize=True, database=None, deadline=None, max_examples=30)
    hypothesis.settings.load_profile("same")
    first = sorted(chosen or {}, key=lambda test: chosen[test])
    calls = {}
    for path in dict.fromkeys(test.split("::")[0] for test in first) or sorted(map(str, TESTS.glob("test_*.py"))):
        notes = Notes(chosen)
        status = pytest.main([*OPTIONS, path], plugins=[notes])
        if notes.failed:
            return notes.failed, {}
        if status not in (0, 5):  # 5: nothing in this file but slow tests
            raise RuntimeError(f"pytest ended with {status} on {path}")
        calls |= notes.calls
    return "", calls


def judge(slips: list[Slip], jobs: int) -> list[str]:
    """Return the test that fails without any slip, and for each slip the one that noticed it; "" where none did."""
    for name in LOADED:
        importlib.import_module(name)
    with tempfile.TemporaryDirectory() as room:
        sys.pycache_prefix = f"{room}/compiled"  # written once, by the tests without a slip
        [(failed, calls)] = _in_forks([lambda: tried(None, None)], 1, Path(room))
        chosen = {(slip.file, slip.function): {} for slip in slips}
        for test, called in calls.items():
            for function in map(tuple, called) if called else chosen:
                chosen.setdefault(function, {})[test] = len(called) or len(chosen)
        tasks = [lambda slip=slip: tried(slip, chosen[slip.file, slip.function]) for slip in slips]
        return [failed] + ([] if failed else [noticed for noticed, _ in _in_forks(tasks, jobs, Path(room))])


def _in_forks(tasks: list[Callable], jobs: int, room: Path) -> list:
    """Return what each task returns; each runs in a fork of this process, so many at a time."""
    files = [room / f"{k}.json" for k in range(len(tasks))]
    for k, (task, file) in enumerate(zip(tasks, files, strict=True)):
        file.unlink(missing_ok=True)
        if k >= jobs:
            os.wait()
        if os.fork() == 0:
            _leave(task, file)
    for _ in tasks[:jobs]:
        os.wait()
    found = [json.loads(file.read_text()) if file.exists() else [f"no end within {LIMIT} s", {}] for file in files]
    if broken := next((text for text in found if isinstance(text, str)), ""):
        raise RuntimeError(f"a slip could not be tried: {broken}")
    return found


def _leave(task: Callable, file: Path) -> None:
    """Write what a task returns, or what went wrong, into a file, and end this process whatever happens."""
    import resource

    try:
        signal.setitimer(signal.ITIMER_PROF, LIMIT)
        resource.setrlimit(resource.RLIMIT_AS, (ROOM, ROOM))
        result = json.dumps(task())
    except BaseException:
        result = json.dumps(traceback.format_exc())
    try:
        file.write_text(result)
    finally:
        os._exit(0)


def slips_of(path: Path) -> list[Slip]:
    """Return the slips in a file that somebody could notice."""
    return [slip for slip in all_slips(path) if str(slip) not in EQUIVALENT]


def main() -> int:
    """Print which test noticed each slip, and the score; return 0 if every slip was noticed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--most", type=int, default=MOST, help=f"slips per file (without this: {MOST})")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes at a time")
    options = parser.parse_args()
    os.environ |= {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "OPENBLAS_NUM_THREADS": "1"}
    files = [path for path in sorted(ENCODINGS.glob("*.py")) if path.stem not in ELSEWHERE]
    slips = [slip for path in files for slip in spread(slips_of(path), options.most)]
    failed, *noticed = judge(slips, options.jobs)
    for slip, by in zip(slips, noticed, strict=not failed):
        print(f"{slip}: {by or 'NOT NOTICED'}")
    print(f"{sum(map(bool, noticed))} of {len(noticed)} slips noticed")
    print(f"without a slip: {failed or 'no test fails'}")
    return 1 if failed or not all(noticed) else 0


if __name__ == "__main__":
    sys.exit(main())
