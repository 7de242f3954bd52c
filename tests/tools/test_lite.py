"""What the browser edition is made of: pins, wheels, the lock file, compiled code, its page."""

import hashlib
import json
import re
import shutil
import subprocess
import sys
import threading
import urllib.request
import zipfile

import nbformat
import pytest

from posenc_lib.__main__ import main
from posenc_lib.tools.lite import pyodide, serve, wheels
from posenc_lib.tools.lite.page import dress, leads_to
from posenc_lib.views.output import IN_THE_DARK

from ..conftest import ROOT

ABOUT = {"name": "a.html", "title": "A </script> title", "question": "Why?", "minutes": "5"}


@pytest.fixture
def wheel(tmp_path):
    """Return a small wheel."""
    path = tmp_path / "small_thing-1.0-py3-none-any.whl"
    needs = ["NumPy>=1", "typing_extensions", "unheard-of", "pandas; extra == 'all'"]
    about = ["Metadata-Version: 2.1", "Name: Small_Thing", "Version: 1.0"]
    about += [f"Requires-Dist: {need}" for need in needs]
    with zipfile.ZipFile(path, "w") as made:
        made.writestr("small_thing/__init__.py", "NUMBER = 3\n")
        made.writestr("small_thing/old.py", "print 'no Python of today'\n")
        made.writestr("single.py", "from small_thing import NUMBER\n")
        made.writestr("small_thing-1.0.dist-info/METADATA", "\n".join(about))
    return path


def test_a_wheel_is_locked_with_its_modules_and_those_of_its_needs_that_are_there(wheel):
    entry = wheels.entry(wheel, {"numpy", "typing-extensions", "pandas"})
    assert (entry["name"], entry["version"]) == ("small-thing", "1.0")
    assert entry["imports"] == ["single", "small_thing"]
    assert entry["depends"] == ["numpy", "typing-extensions"]


@pytest.mark.parametrize("address", ["", "https://example.org/lite/"])
def test_the_lock_file_names_what_is_there_and_wheels_by_whole_addresses_without_pyodide(
    wheel, address
):
    folder, numpy = wheel.parent, pyodide.PINS["packages"]["numpy"]
    (folder / numpy["file_name"]).write_bytes(b"compiled")
    lock = pyodide.lock(folder, [wheel], address)
    small, there = lock["packages"]["small-thing"], lock["packages"]["numpy"]
    assert small["sha256"] == hashlib.sha256(wheel.read_bytes()).hexdigest()
    assert small["file_name"] == (f"{address}pyodide/{wheel.name}" if address else wheel.name)
    assert there["sha256"] == hashlib.sha256(b"compiled").hexdigest()
    assert lock["packages"]["pillow"] == pyodide.PINS["packages"]["pillow"]


def test_the_pins_are_whole_each_need_is_pinned_and_the_first_packages_are_there():
    packages = pyodide.PINS["packages"]
    for package in packages.values():
        assert re.fullmatch("[0-9a-f]{64}", package["sha256"])
        assert {name.replace("_", "-") for name in package["depends"]} <= packages.keys()
    lines = wheels.PINS.read_text(encoding="utf-8").splitlines()[1:]
    pinned = {re.fullmatch(r"([a-z-]+)==\S+ --hash=sha256:[0-9a-f]{64}", line)[1] for line in lines}
    ours = {"piplite", "ipykernel", "pyodide_kernel", "posenc-lib"}  # made or brought by those
    assert {*pyodide.FIRST} <= packages.keys() | pinned | ours
    lab = (ROOT / "requirements.txt").read_text(encoding="utf-8")
    for name in ("anywidget", "comm", "ipywidgets", "psygnal", "typing-extensions"):
        version = next(line.split()[0] for line in lines if line.startswith(f"{name}=="))
        assert version in lab.splitlines(), f"{version} is not what JupyterLab's readers have"


def test_a_file_that_is_not_pyodides_is_never_brought(tmp_path, monkeypatch):
    name, pin = next(iter(pyodide.PINS["core"].items()))
    monkeypatch.setattr(pyodide, "PINS", {"core": {name: pin}, "packages": {}})
    copy, out = tmp_path / "copy", tmp_path / "out"
    copy.mkdir(), out.mkdir()
    (copy / name).write_bytes(b"something else")
    with pytest.raises(OSError, match="Delete it to refetch it"):
        pyodide.bring(out, copy)
    (copy / name).unlink()
    served = (tmp_path / "served").as_uri()
    monkeypatch.setattr(pyodide, "ADDRESS", f"{served}/")
    (tmp_path / "served").mkdir()
    (tmp_path / "served" / name).write_bytes(b"something else")
    with pytest.raises(OSError, match="isn't the pinned file"):
        pyodide.bring(out, copy)
    assert not any(out.iterdir())
    assert not any(copy.iterdir())
    monkeypatch.setitem(pyodide.PINS["core"], name, hashlib.sha256(b"something else").hexdigest())
    pyodide.bring(out, copy)
    assert (out / name).read_bytes() == (copy / name).read_bytes() == b"something else"


def test_code_is_compiled_in_place_of_its_source_but_the_librarys_source_stays(wheel):
    folder = wheel.parent
    ours = shutil.copy(wheel, folder / "posenc_lib-1.0-py3-none-any.whl")
    script = wheels.PINS.with_name("compiled.py")
    subprocess.run([sys.executable, "-I", script, folder], check=True)
    names = zipfile.ZipFile(wheel).namelist()
    assert "small_thing/__init__.pyc" in names
    assert "small_thing/__init__.py" not in names
    assert "small_thing/old.py" in names  # what cannot be compiled stays as it is
    assert "small_thing/old.pyc" not in names
    names = zipfile.ZipFile(ours).namelist()
    assert {"small_thing/__init__.py", "small_thing/__pycache__/__init__.cpython-312.pyc"} <= {
        *names
    }
    zipfile.ZipFile(wheel).extractall(folder / "there")
    told = subprocess.run(
        [sys.executable, "-c", "import single; print(single.NUMBER)"],
        cwd=folder / "there",
        capture_output=True,
        text=True,
        check=True,
    )
    assert told.stdout == "3\n"


def test_the_page_has_a_lessons_first_picture_its_words_and_nothing_that_ends_a_script(tmp_path):
    about = {"image/png": {"width": 300, "alt": "A <wave>"}}
    output = nbformat.v4.new_output("display_data", {"image/png": "aGVsbG8="}, metadata=about)
    cell = nbformat.v4.new_code_cell("1", outputs=[output])
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), tmp_path / "a.ipynb")
    (tmp_path / "notebooks").mkdir()
    there = tmp_path / "notebooks/index.html"
    there.write_text("<html><head><title>T</title></head><body class='x'></body></html>")
    dress(tmp_path, [tmp_path / "a.ipynb"], [ABOUT], "../")
    assert (tmp_path / "first/a.png").read_bytes() == b"hello"
    assert IN_THE_DARK in there.read_text(encoding="utf-8")  # stored pictures are dark at once
    text = there.read_text(encoding="utf-8")
    assert text.count("</script>") == 1
    told = json.loads(re.search("const PAGES = (.*);", text)[1])["a.ipynb"]
    assert told["title"] == ABOUT["title"]
    assert told["alt"] == "A <wave>"
    assert (
        text.index("<body class='x'>") < text.index('id="posenc-cover"') < text.index("const PAGES")
    )


def test_what_is_missing_for_the_command_is_told_in_a_line(tmp_path, monkeypatch, capsys):
    (tmp_path / "notebooks").mkdir()
    where = str(tmp_path / "notebooks")
    assert main(["lite", str(tmp_path / "out"), where]) == 2
    assert "no notebooks in" in capsys.readouterr().err
    cell = nbformat.v4.new_markdown_cell("# A title")
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), tmp_path / "notebooks/a.ipynb")
    assert main(["lite", str(tmp_path / "out"), where]) == 2
    assert "built from a clone" in capsys.readouterr().err
    monkeypatch.delitem(sys.modules, "posenc_lib.tools.lite.build")
    monkeypatch.setitem(sys.modules, "jupyterlite_core", None)
    assert main(["lite", str(tmp_path / "out"), where]) == 2
    told = capsys.readouterr().err
    assert "needs the lite extra (pip install 'posenc_lib[lite]')" in told
    assert told.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_a_short_address_leads_to_its_notebook_and_keeps_the_place_in_it():
    page = leads_to("a.ipynb", "A & B").decode()
    assert "notebooks/index.html?path=a.ipynb" in page
    assert "location.hash" in page
    assert "A &amp; B" in page


def test_the_folder_is_served_to_this_machine_alone_with_types_that_browsers_take(tmp_path):
    for name in ("a.wasm", "a.mjs", "a.js"):
        (tmp_path / name).write_text("")
    with serve.server(tmp_path) as here:
        threading.Thread(target=here.serve_forever, daemon=True).start()
        assert here.server_address[0] == "127.0.0.1"
        kinds = {}
        for name in ("a.wasm", "a.mjs", "a.js"):
            with urllib.request.urlopen(f"http://127.0.0.1:{here.server_port}/{name}") as answer:
                kinds[name] = answer.headers["Content-Type"]
        here.shutdown()
    assert kinds == {
        "a.wasm": "application/wasm",
        "a.mjs": "text/javascript",
        "a.js": "text/javascript",
    }
