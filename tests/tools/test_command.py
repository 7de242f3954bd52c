"""The command: what it writes, what it says, and what it leaves when it is stopped."""

import json
import re

import pytest

from posenc_lib.__main__ import main
from posenc_lib.figures.registry import FIGURES
from posenc_lib.tools import commands
from posenc_lib.tools.formats import render
from posenc_lib.tools.write import write


def figures(*arguments):
    return main(["figures", *map(str, arguments)])


def made(folder, *arguments):
    """Make figures in a folder and return their texts by name."""
    assert figures("--out", folder, "make", *arguments) == 0
    return {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()}


def test_list_shows_every_figure_and_details_of_those_named(capsys):
    assert figures("list") == 0
    lines = [line.split()[:2] for line in capsys.readouterr().out.splitlines()]
    in_order = sorted(FIGURES.values(), key=lambda one: one.lesson)
    assert lines == [[one.id, one.lesson] for one in in_order]
    assert figures("list", "toeplitz") == 0
    details = capsys.readouterr().out
    help_of_base = "how far apart the wavelengths lie (1e-06 to 1e+12; moves from 10 to 1e+06"
    assert f"--set base=10000  {help_of_base}" in details


def test_make_writes_what_was_asked_and_names_each_file(tmp_path, capsys):
    asked = ("toeplitz", "ladder", "--format", "png,svg", "--out", tmp_path / "new folder")
    assert figures("make", *asked) == 0
    names = ["toeplitz.png", "toeplitz.svg", "ladder.png", "ladder.svg"]
    assert sorted(path.name for path in (tmp_path / "new folder").iterdir()) == sorted(names)
    lines = [str(tmp_path / "new folder" / name) for name in names]
    for name in ("toeplitz", "ladder"):
        lines += FIGURES[name].words(FIGURES[name].values())
    assert capsys.readouterr().out.splitlines() == lines


def test_the_last_query_stays_the_last_of_another_length(tmp_path):
    values = "--set seq_len=32 --set num_heads=4".split()
    told = made(tmp_path, "alibi_heads", "--format", "svg", *values)
    assert "adds 0 to its own key, 31" in told["alibi_heads_seq_len-32_num_heads-4.svg"]
    for length in (32, 64, 500):
        assert FIGURES["alibi_heads"].values(seq_len=length)["query"] == length - 1


def test_settings_reach_the_picture(tmp_path):
    svg = ("toeplitz", "--format", "svg")
    assert ">150</text>" not in made(tmp_path, *svg)["toeplitz.svg"]
    told = made(tmp_path, *svg, "--set", "seq_len=200", "--set", "base=500,000")
    assert ">150</text>" in told["toeplitz_seq_len-200_base-500,000.svg"]
    told = made(tmp_path, *svg, "--theme", "dark", "--width", 500)
    assert "#111111" in told["toeplitz_dark_width-500.svg"]
    assert len([*tmp_path.iterdir()]) == 3  # what was asked is in the name: none overwrites another


def test_a_title_and_a_caption_of_ones_own_reach_the_file(tmp_path, capsys):
    own = ("--title", "My <table>", "--caption", "Seen & said.")
    told = made(tmp_path, "sinusoidal_heatmap", "--format", "svg", "--set", "base=50", *own)
    svg = told["sinusoidal_heatmap_base-50_title-My-table-.svg"]
    assert ">My &lt;table&gt;</text>" in svg
    assert "<title>Seen &amp; said.</title>" in svg
    assert "Seen & said.\n" in capsys.readouterr().out
    told = made(tmp_path, "sinusoidal_heatmap", "--format", "svg", "--set", "base=50")
    svg = told["sinusoidal_heatmap_base-50.svg"]
    assert ">Sinusoidal</text>" in svg
    assert "2017" not in svg


def test_a_gallery_figure_and_two_lines_of_one_view_are_three_files(tmp_path):
    lines = [f"sinusoidal: heatmap; seq_len={n}" for n in (201, 202)]
    told = made(tmp_path, "sinusoidal_heatmap", *lines, "--format", "svg")
    of_lines = [f"sinusoidal-heatmap-seq_len-{n}.svg" for n in (201, 202)]
    assert sorted(told) == [*of_lines, "sinusoidal_heatmap.svg"]
    assert "seq_len 201" in told["sinusoidal-heatmap-seq_len-201.svg"]


REFUSED = {
    "make toeplits": "there is no figure 'toeplits'. Did you mean 'toeplitz'?",
    "list alibi_heads;num_heads=4": (
        'alibi_heads takes its parameters separately: figure("alibi_heads", NAME=VALUE), or'
    ),
    "list zzz": "there is no figure 'zzz'. There are position_added, ",
    "make toeplitz --set seqlen=3": "toeplitz has no parameter 'seqlen'. Did you mean 'seq_len'?",
    "make toeplitz ladder --set base=3": ("ladder has no parameter 'base'. There are seq_len."),
    "make toeplitz --set title=Mine": (
        'toeplitz has no parameter \'title\'. Write title="…", or --title "…"'
    ),
    "make toeplitz --set base": "--set takes NAME=VALUE, got 'base'",
    "make toeplitz --set base=0,5": "base must be a number, got '0,5'",
    "make toeplitz --set seq_len=1025": "seq_len must be at most 1024 here, got 1025",
    "make binary_trajectory --set seq_len=9": "seq_len must be at most 8 here, got 9",
    "make t5_buckets --set bidirectional=no": "bidirectional must be one of True, False, got 'no'",
    "make toeplitz --format bmp": (
        "--format must be one of 'png', 'svg', 'pdf', 'gif', 'html', got 'bmp'"
    ),
    "make toeplitz --theme red": "--theme must be one of 'light', 'dark', 'print', got 'red'",
    "make toeplitz --width 20": "--width must be at least 360, got 20",
    "make ladder --format gif --dpi 600": "--dpi must be at most 200, got 600",
    "make clock_hands --format gif --set seq_len=1 --set query=0": (
        "in clock_hands: position must be at most 0 here"
    ),
    "make rope:rotated_together;query=1000": "query must be at most 63 here, got 1000",
    "make rope_rotation --set query=0,100": "query must be a number, got '0,100'",
    "make rope_rotation --format gif --set query=200": "query moves in this gif, so --set can't",
    "make rope_rotation --format html --set query=300": "query moves from 60 to 288, got 300. For",
    "make rope_rotation --format gif --move query=0-9": "--move takes NAME or NAME=FROM:TO, as in",
    "make rope_rotation --format gif --move query=9:0": "must have FROM below TO, got 9:0",
    "make rope_rotation --format gif --move query=9:999": "must end at 511 or before here, got 999",
    "make toeplitz --move base --format svg": "--move is for gif and html, got --format svg",
    "make toeplitz --format gif --move bas": (
        "toeplitz has no parameter 'bas'. Did you mean 'base'?"
    ),
}


def test_a_wrong_request_is_one_line_and_writes_nothing(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for arguments, message in REFUSED.items():
        assert figures(*arguments.split()) == 2
        shown = capsys.readouterr()
        assert shown.out == ""
        assert shown.err.startswith("error: ")
        assert message in shown.err
        assert len(shown.err.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_a_film_goes_as_far_as_it_is_told_through_the_value_that_is_set(tmp_path):
    asked = ["--move", "query=10:100", "--set", "query=33", "--format", "html"]
    (page,) = made(tmp_path, "rope: rotated_together; seq_len=128", *asked).values()
    (values,) = re.findall(r'"values":(\[.*?\])', page)
    (start,) = re.findall(r'"start":(\d+)', page)
    steps = [int(step) for step in json.loads(values)]
    assert (steps[0], steps[int(start)], steps[-1]) == (10, 33, 100)


@pytest.mark.slow
def test_words_are_of_a_value_that_its_film_has(tmp_path, capsys):
    asked = ["--move", "base=20:5000", "--set", "d_model=32", "--format", "html"]
    made(tmp_path, "base_sweep", *asked)
    told = capsys.readouterr().out
    assert "base 5000" in told
    assert "base 10000" not in told


def test_limits_are_those_of_the_figure(capsys):
    assert figures("list", "rope_rotation") == 0
    told = capsys.readouterr().out
    assert "(0 to 511; moves from 60 to 288 in gif and html)" in told
    assert "number of positions (1 to 1024)" in told
    assert figures("list", "ladder") == 0  # its panels have their own
    assert "--set seq_len=16  number of positions (1 to 4096;" in capsys.readouterr().out


def test_an_interrupt_is_said_and_the_rest_stays_as_it_was(tmp_path, capsys, monkeypatch):
    def stop_at_the_second(one, *arguments, **options):
        if one.id == "ladder":
            raise KeyboardInterrupt
        return render(one, *arguments, **options)

    monkeypatch.setattr("posenc_lib.tools.figures.render", stop_at_the_second)
    assert figures("make", "toeplitz", "ladder", "--out", tmp_path) == 130
    assert "stopped: every file is complete, either new or unchanged" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["toeplitz.png"]


def made_of_ctrl_c(*kinds):
    """Raise what other code makes of Ctrl-C."""
    try:
        raise KeyboardInterrupt
    except KeyboardInterrupt as error:
        for kind in kinds:
            raise kind("module broken") from error
        raise


@pytest.mark.parametrize("kinds", [(), (ImportError,), (ValueError,), (OSError,), (RuntimeError,)])
def test_ctrl_c_ends_in_one_line_whatever_other_code_makes_of_it(kinds, monkeypatch, capsys):
    monkeypatch.setattr(commands, "_parser", lambda: made_of_ctrl_c(*kinds))
    assert main(["figures", "list"]) == 130
    assert capsys.readouterr().err == "stopped: every file is complete, either new or unchanged\n"


def test_a_figure_that_cannot_be_made_is_named_and_the_others_are_made(tmp_path, capsys):
    def wrong():
        raise ValueError("query must be at most 3, got 4")

    jobs = {"a.txt": lambda: b"a", "b.txt": wrong, "c.txt": lambda: b"c"}
    with pytest.raises(ValueError, match=r"b\.txt: query must be at most 3, got 4"):
        write(jobs, tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.txt", "c.txt"]
