"""Compile the Python in the wheels and zip files of a folder: python3.12 -I compiled.py FOLDER.

Compiled code replaces its source, as in Pyodide's own `py-compile`. The library keeps its sources,
because the lessons show some.
"""

import importlib._bootstrap_external as bootstrap
import importlib.util
import sys
import zipfile
from pathlib import Path, PurePosixPath

OURS = "posenc_lib-"


def compiled(path: Path) -> None:
    """Replace a wheel, or the standard library's zip file, with a compiled one."""
    aside = path.with_suffix(".part")
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(aside, "w", zipfile.ZIP_DEFLATED) as new:
        for item in old.infolist():
            data, name = old.read(item), PurePosixPath(item.filename)
            code = _code(data, item.filename) if name.suffix == ".py" else b""
            if not code or path.name.startswith(OURS):
                new.writestr(item, data, zipfile.ZIP_DEFLATED)
            if code and path.name.startswith(OURS):
                name = name.parent / "__pycache__" / f"{name.stem}.cpython-312.py"
            if code:
                new.writestr(str(name.with_suffix(".pyc")), code)
    aside.replace(path)


def _code(source: bytes, name: str) -> bytes:
    """Return a source as .pyc bytes, or b"" if it isn't this version's Python."""
    try:
        code = compile(source, name, "exec", dont_inherit=True)
    except SyntaxError:
        return b""
    return bytes(bootstrap._code_to_hash_pyc(code, importlib.util.source_hash(source), False))


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    for path in [*folder.glob("*.whl"), folder / "python_stdlib.zip"]:
        if path.exists():
            compiled(path)
