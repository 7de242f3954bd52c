"""A damaged file of the library is named with its cure; what can't be written is named as asked."""

import errno
import io
import json
import os
import pickle
import zipfile
from pathlib import Path

import pytest

from posenc_lib.encodings import census, models, rope_config
from posenc_lib.files import atomic_write, blamed, stored_data, stored_text
from posenc_lib.lessons.lesson_16 import heads
from posenc_lib.lessons.training import trained_table

LIBRARY = Path(rope_config.__file__).parents[1]
READERS = {
    "encodings/families.json": rope_config.families,
    "encodings/models.json": models._shipped,
    "encodings/census.json": census.census,
    "lessons/training/trained_models.json": trained_table.kept_runs,
    "lessons/lesson_16/real_model.json": heads.kept,
    "lessons/lesson_16/real_heads.npz": heads.real_heads,
    "figures/scenes.toml": lambda: stored_data(LIBRARY / "figures/scenes.toml"),
    "tools/gallery.md": lambda: stored_text(LIBRARY / "tools/gallery.md"),
    "live/look.css": lambda: stored_text(LIBRARY / "live/look.css"),
}


class Trap:
    """What a pickle would run."""

    def __reduce__(self):
        return (pytest.fail, ("a pickle was run",))


def zipped(data: bytes) -> bytes:
    """Return an archive as NumPy's, whose members cannot be read."""
    room = io.BytesIO()
    with zipfile.ZipFile(room, "w") as archive:
        archive.writestr("tokens.npy", data)
    return room.getvalue()


DAMAGES = {
    "cut by half": lambda data: data[: len(data) // 2],
    "cut by a letter": lambda data: data.rstrip()[:-1],
    "its first letters": lambda data: data[:9],
    "emptied": lambda data: b"",
    "blank": lambda data: b" \n",
    "an empty object": lambda data: b"{}",
    "an empty list": lambda data: b"[]",
    "null": lambda data: b"null",
    "zeros": lambda data: bytes(len(data)),
    "of other names": lambda data: json.dumps({"other": 1}).encode(),
    "pickled": lambda data: pickle.dumps(Trap()),
    "zipped": zipped,
}
TEXTS = {".md", ".css"}  # where all but nothing may be meant


@pytest.mark.parametrize("damage", [*DAMAGES, "missing"])
@pytest.mark.parametrize("name", READERS)
def test_a_damaged_file_of_the_library_is_named_with_its_cure(name, damage, monkeypatch):
    file, read = LIBRARY / name, Path.read_bytes
    if file.suffix in TEXTS and damage not in ("emptied", "blank", "missing"):
        return
    if file.suffix == ".toml" and damage == "cut by a letter":
        return

    def damaged(path):
        if path != file:
            return read(path)
        if damage == "missing":
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
        return DAMAGES[damage](read(path))

    reader = getattr(READERS[name], "__wrapped__", READERS[name])  # what is kept is not asked
    monkeypatch.setattr(Path, "read_bytes", damaged)
    with pytest.raises(OSError, match="pip install --force-reinstall posenc_lib") as told:
        reader()
    assert str(file) in str(told.value)


def test_a_whole_file_is_read(monkeypatch):
    for name, reader in READERS.items():
        assert getattr(reader, "__wrapped__", reader)(), name


def test_weights_that_are_damaged_have_a_cure_of_their_own(tmp_path):
    weights = blamed(tmp_path / "w.gguf", cure="fetch it")
    with pytest.raises(OSError, match=r"w\.gguf is missing or damaged .*; fetch it"), weights:
        raise KeyError("llama.attention.head_count")


# Files of the reader


FAILING = [errno.ENOSPC, errno.EROFS, errno.EACCES, errno.EDQUOT, errno.EIO, errno.EFBIG]
NAMES = [*"pic.png a/pic.png a/b/c/pic.png .hidden ..png".split(), "a b.png", "ünï.png", "x" * 255]


@pytest.mark.parametrize("number", FAILING)
@pytest.mark.parametrize("name", NAMES)
def test_what_cannot_be_written_is_named_as_it_was_asked_for(name, number, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)

    def fails(path, data):
        raise OSError(number, os.strerror(number))  # a write knows no name

    monkeypatch.setattr(Path, "write_bytes", fails)
    with pytest.raises(OSError, match=os.strerror(number)) as told:
        atomic_write(Path(name), b"new")
    assert told.value.filename == name
    assert told.value.errno == number
    assert ".part" not in str(told.value)


def test_a_missing_folder_is_made_and_nothing_else(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    for name in NAMES:
        atomic_write(Path(name), name.encode())
    for name in NAMES:
        assert (tmp_path / name).read_bytes() == name.encode()
    found = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    assert found == set(NAMES)


def test_a_file_for_a_folder_and_a_folder_for_a_file_are_told(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    Path("file").write_text("old")
    Path("folder").mkdir()
    for name, words in {
        "file/pic.png": "file is a file, not a folder",
        "file/a/pic.png": "Not a directory",
        "folder": "Is a directory",
        "x" * 256: "File name too long",
    }.items():
        with pytest.raises(OSError, match=words) as told:
            atomic_write(Path(name), b"new")
        assert name in str(told.value)
        assert ".part" not in str(told.value)
    for name in ("a\0.png", "\ud800.png", "/"):
        with pytest.raises(ValueError, match="path must be a valid file name, got '"):
            atomic_write(Path(name), b"new")
    assert sorted(os.listdir()) == ["file", "folder"]
    assert Path("file").read_text() == "old"


def test_a_picture_is_saved_into_a_folder_that_was_missing(monkeypatch, tmp_path):
    from posenc_lib import explore

    monkeypatch.chdir(tmp_path)
    panel = explore("binary", views="heatmap")
    assert panel.save("figs/mine.png") == Path("figs/mine.png")
    assert Path("figs/mine.png").read_bytes().startswith(b"\x89PNG")
    panel.close()
